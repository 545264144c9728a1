"""The texts of files that a store has read."""

from __future__ import annotations

from geniffy_agents import File, FileInfo
from geniffy_langchain.texts import Place, Texts


def place(name: str) -> Place:
    return ("http://h", "space", f"/store/{name}.md")


def test_a_text_is_kept_while_the_listing_shows_the_same_time_and_size() -> None:
    texts = Texts()
    texts.keep(place("a"), File("/store/a.md", "text", 4, "2026-10-05T12:00:00+00:00"))

    def found(updated_at: str, size: int) -> str | None:
        return texts.find(place("a"), FileInfo("/store/a.md", size, updated_at))

    assert found("2026-10-05T12:00:00+00:00", 4) == "text"
    assert found("2026-10-05T12:00:01+00:00", 4) is None
    assert found("2026-10-05T12:00:00+00:00", 5) is None
    assert texts.find(place("b"), FileInfo("/store/b.md", 4, "2026-10-05T12:00:00+00:00")) is None


def test_the_texts_used_last_are_kept_up_to_so_many_characters() -> None:
    texts = Texts(most_chars=10)
    infos = {name: FileInfo(f"/store/{name}.md", 4, "t") for name in "abc"}
    for name in "ab":
        texts.keep(place(name), File(f"/store/{name}.md", name * 4, 4, "t"))
    texts.find(place("a"), infos["a"])

    texts.keep(place("c"), File("/store/c.md", "cccc", 4, "t"))
    texts.keep(place("c"), File("/store/c.md", "cccc", 4, "t"))

    assert {name: texts.find(place(name), infos[name]) for name in "abc"} == {"a": "aaaa", "b": None, "c": "cccc"}
