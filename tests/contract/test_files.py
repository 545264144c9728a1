"""Files kept exactly, and what is learned from them: contract 7.J and the page "Files kept exactly"."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable
from typing import Any

import httpx
import pytest

LUMEN = "# Lumen\n- Priya Nair signs the renewal.\n"
KIM = "Kim Park works at Acme as CFO."
ANA = "My sister Ana lives in Porto."


@pytest.mark.statement(138, 141)
def test_a_new_path_is_200_created_with_its_size_and_source(http: httpx.Client) -> None:
    answer = http.put("/v1/files", json={"path": "/memories/notes.md", "text": LUMEN})

    written = answer.json()
    source = written.pop("source")
    assert answer.status_code == 200
    assert written.pop("updated_at")
    assert written == {"path": "/memories/notes.md", "size": 40, "created": True}
    assert (source["kind"], source["title"], source["labels"]) == ("note", "/memories/notes.md", {})


@pytest.mark.statement(138)
async def test_a_file_is_learned_like_a_note(memory: Any, put: Callable[..., Any]) -> None:
    await put(memory, "/memories/notes.md", LUMEN)

    (held,) = (await memory.memories.list()).memories
    assert "Priya Nair signs the renewal." in held.text
    assert held.source.title == "/memories/notes.md"


@pytest.mark.statement(139)
async def test_a_path_that_has_a_file_gets_the_new_text_under_the_same_source(
    memory: Any, put: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    first = await put(memory, "/memories/notes.md", KIM)
    second = await put(memory, "/memories/notes.md", ANA)

    assert (first.created, second.created) == (True, False)
    assert second.source.id == first.source.id
    assert (await memory.files.get("/memories/notes.md")).text == ANA
    assert await texts(memory) == [ANA]


EXACT = {
    "crlf": "one\r\ntwo\rthree\n\n",
    "tabs and blanks": "\tone  \n   two \t \n",
    "byte order mark": "\ufefftext",
    "emoji": "👩‍👩‍👧‍👦 and 😀",
    "decomposed": unicodedata.normalize("NFD", "Zoë für é Å"),
    "composed": unicodedata.normalize("NFC", "Zoë für é Å"),
    "line separators": "a\u2028b\u2029c\x0bd\x0ce\x85f",
    "controls": "a\x01b\x7fc\x1bd",
    "only blanks": "  \n ",
    "json": '{"path": "\\u0000", "q": "\\\\"}',
    "right to left": "שלום تִּقُون \u202eabc",
    "private and last": "\ue000\uffff\U0010ffff",
}


@pytest.mark.statement(140, 142)
@pytest.mark.parametrize("name", EXACT)
def test_a_text_comes_back_character_for_character(sdk: Any, name: str) -> None:
    written = sdk.files.put("/memories/exact.md", EXACT[name])

    read = sdk.files.get("/memories/exact.md")
    assert read.text == EXACT[name]
    assert read.size == written.size == len(EXACT[name])


@pytest.mark.statement(140)
def test_a_text_of_a_megabyte_comes_back_character_for_character(sdk: Any) -> None:
    text = "".join(chr(33 + n % 90) + ("\r\n" if n % 71 == 0 else "é" if n % 13 == 0 else " ") for n in range(500_000))

    written = sdk.files.put("/memories/big.md", text)

    assert len(text.encode()) > 1_000_000
    assert sdk.files.get("/memories/big.md").text == text
    assert written.size == len(text)
    sdk.files.delete("/memories/big.md")


@pytest.mark.statement(142)
def test_an_emoji_counts_as_one_character(sdk: Any) -> None:
    assert sdk.files.put("/memories/e.md", "😀").size == 1


@pytest.mark.statement(146)
async def test_an_empty_text_is_a_file_that_teaches_nothing(memory: Any, put: Callable[..., Any]) -> None:
    written = await put(memory, "/memories/a.md", "")

    assert (await memory.files.get("/memories/a.md")).text == ""
    assert (written.created, written.size) == (True, 0)
    assert (await memory.sources.get(written.source.id)).facts == 0


@pytest.mark.statement(146)
async def test_emptying_a_file_takes_back_what_it_taught(memory: Any, put: Callable[..., Any]) -> None:
    await put(memory, "/memories/a.md", KIM)
    await put(memory, "/memories/a.md", "")

    assert (await memory.memories.list()).total == 0
    assert (await memory.files.get("/memories/a.md")).size == 0


@pytest.mark.statement(147)
async def test_only_the_paragraph_that_changed_is_learned(memory: Any, put: Callable[..., Any]) -> None:
    await put(memory, "/memories/a.md", f"# Notes\n\n{KIM}\n\n{ANA}\n")
    before = {one.text: (one.id, one.learned_at) for one in await memory.memories.iter()}

    await put(memory, "/memories/a.md", f"# Notes\n\n{KIM}\n\nMia plays the violin.\n")

    after = {one.text: (one.id, one.learned_at) for one in await memory.memories.iter()}
    assert after.keys() == {KIM, "Mia plays the violin."}
    assert after[KIM] == before[KIM]


@pytest.mark.statement(148)
async def test_labels_of_a_file_are_replaced_kept_or_cleared(memory: Any) -> None:
    first = await memory.files.put("/a.md", KIM, labels={"channel": "claude-memory"})
    kept = await memory.files.put("/a.md", KIM)
    replaced = await memory.files.put("/a.md", KIM, labels={"team": "sales"})
    cleared = await memory.files.put("/a.md", KIM, labels={})

    assert [one.source.labels for one in (first, kept, replaced, cleared)] == [
        {"channel": "claude-memory"},
        {"channel": "claude-memory"},
        {"team": "sales"},
        {},
    ]
    assert (await memory.sources.get(first.source.id)).labels == {}


@pytest.mark.statement(149, 151)
@pytest.mark.parametrize("escape", [rb"\u0000", rb"\ud800", rb"\udfff x", rb"\udc00\ud800"])
def test_text_that_can_not_be_kept_exactly_is_refused_and_nothing_changes(http: httpx.Client, escape: bytes) -> None:
    http.put("/v1/files", json={"path": "/old.md", "text": KIM})
    headers = {"Content-Type": "application/json"}

    for path in (b"/old.md", b"/new.md"):
        body = b'{"path": "' + path + b'", "text": "a' + escape + b'b"}'
        answer = http.put("/v1/files", content=body, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")

    assert http.get("/v1/files?path=/old.md").json()["text"] == KIM
    assert http.get("/v1/files?path=/new.md").status_code == 404
    assert http.get("/v1/sources").json()["total"] == 1


@pytest.mark.statement(140, 149)
def test_a_surrogate_pair_written_as_two_escapes_is_one_character(http: httpx.Client) -> None:
    body = rb'{"path": "/a.md", "text": "\ud83d\ude00"}'

    written = http.put("/v1/files", content=body, headers={"Content-Type": "application/json"})

    assert written.json()["size"] == 1
    assert http.get("/v1/files?path=/a.md").json()["text"] == "😀"


@pytest.mark.statement(150, 151)
def test_a_text_that_is_too_long_is_413_and_the_old_one_stays(sdk: Any) -> None:
    from geniffy import BadRequestError

    sdk.files.put("/old.md", KIM)
    for path in ("/old.md", "/new.md"):
        with pytest.raises(BadRequestError) as refused:
            sdk.files.put(path, "x" * 2_000_001)
        assert (refused.value.status, refused.value.code) == (413, "too_long")

    assert sdk.files.get("/old.md").text == KIM
    assert [one.path for one in sdk.files.list("/").files] == ["/old.md"]


@pytest.mark.statement(151)
@pytest.mark.parametrize(
    "body",
    [
        {"path": "/new.md"},
        {"path": "/new.md", "text": None},
        {"path": "/new.md", "text": 7},
        {"path": "/new.md", "text": ["a"]},
        {"path": "/new.md", "text": KIM, "labels": {"a": 1}},
        {"text": KIM},
        {"path": 7, "text": KIM},
        {"path": None, "text": KIM},
    ],
)
def test_a_write_that_is_refused_leaves_no_file(http: httpx.Client, body: dict[str, Any]) -> None:
    answer = http.put("/v1/files", json=body)

    assert answer.status_code == 422
    assert http.get("/v1/files?path=/new.md").status_code == 404
    assert http.get("/v1/sources").json()["total"] == 0


@pytest.mark.statement(170)
async def test_a_file_is_a_source_under_its_path(memory: Any) -> None:
    written = await memory.files.put("/memories/a.md", KIM, labels={"team": "sales"})

    (source,) = (await memory.sources.list()).sources
    assert (source.id, source.kind, source.title) == (written.source.id, "note", "/memories/a.md")
    assert (source.external_id, source.labels) == ("file:/memories/a.md", {"team": "sales"})
    assert (await memory.sources.get(external_id="file:/memories/a.md")).id == written.source.id


@pytest.mark.statement(172)
async def test_context_cites_the_path(memory: Any, put: Callable[..., Any]) -> None:
    written = await put(memory, "/memories/notes.md", LUMEN)

    context = await memory.context("Who signs the renewal?")
    assert context.endswith(f"  [/memories/notes.md, {written.updated_at[:10]}]")
    assert "Priya Nair signs the renewal." in context


@pytest.mark.statement(173)
async def test_export_lists_files_without_their_text(memory: Any) -> None:
    written = await memory.files.put("/memories/a.md", "a text of its own")

    (listed,) = (await memory.export())["files"]
    assert listed == {"path": "/memories/a.md", "size": 17, "updated_at": written.updated_at}


@pytest.mark.statement(174)
async def test_the_same_text_again_learns_nothing(memory: Any, put: Callable[..., Any]) -> None:
    await put(memory, "/memories/a.md", f"{KIM}\n\n{ANA}")
    before = [(one.id, one.learned_at) for one in await memory.memories.iter()]

    again = await put(memory, "/memories/a.md", f"{KIM}\n\n{ANA}")

    assert again.created is False
    assert [(one.id, one.learned_at) for one in await memory.memories.iter()] == before
    assert (await memory.sources.list()).total == 1


@pytest.mark.statement(163, 164)
async def test_a_forgotten_line_of_a_file_names_the_path_that_still_says_it(
    memory: Any, put: Callable[..., Any], http: Any
) -> None:
    await put(memory, "/memories/a.md", KIM)
    (held,) = (await memory.memories.list()).memories

    forgotten = http.delete(f"/v1/memories/{held.id}")

    assert "/memories/a.md" in forgotten.text
    assert (await memory.files.get("/memories/a.md")).text == KIM
    assert (await memory.memories.list()).total == 0


@pytest.mark.statement(140)
async def test_a_secret_in_a_file_stays_in_its_text_and_is_learned_nowhere(
    memory: Any, put: Callable[..., Any]
) -> None:
    secret = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9"
    text = f"{KIM}\n\nThe key of the lab is {secret} for now.\n"
    await put(memory, "/memories/a.md", text)

    assert (await memory.files.get("/memories/a.md")).text == text
    assert secret not in str(await memory.export())
    assert secret not in await memory.context("What is the key of the lab?")
    assert all(secret not in one.text for one in await memory.memories.iter())


def test_a_write_may_name_the_version_it_replaces(http: httpx.Client) -> None:
    def put(text: str, **headers: str) -> httpx.Response:
        return http.put("/v1/files", json={"path": "/a.md", "text": text}, headers=headers)

    first = put("one", **{"If-None-Match": "*"})
    assert first.status_code == 200
    tag = http.get("/v1/files?path=/a.md").headers["ETag"]
    assert first.headers["ETag"] == tag
    taken = put("two", **{"If-None-Match": "*"})
    assert (taken.status_code, taken.json()["error"]["code"]) == (412, "changed")
    second = put("two", **{"If-Match": tag})
    assert second.status_code == 200
    stale = put("three", **{"If-Match": tag})
    assert (stale.status_code, stale.json()["error"]["code"]) == (412, "changed")
    assert http.get("/v1/files?path=/a.md").json()["text"] == "two"
    assert put("two", **{"If-Match": tag}).status_code == 200
    assert put("two", **{"If-Match": second.headers["ETag"]}).status_code == 200


async def test_concurrent_writes_of_one_path_leave_one_writers_whole_text(asdk: Any, texts: Callable[..., Any]) -> None:
    people = ["Ana", "Ben", "Kim", "Mia", "Leo", "Noor", "Priya", "Omar", "Zoe", "Tom"]
    written = {name: f"{name} lives in Porto.\n\n{name} plays chess." for name in people}
    results = await asyncio.gather(*(asdk.files.put("/a.md", text) for text in written.values()))
    await asdk.sources.wait(results[0].source.id)

    text = (await asdk.files.get("/a.md")).text
    assert text in written.values()
    held = [one.text async for one in asdk.memories.iter()]
    assert sorted(held) == sorted(text.split("\n\n"))
    assert len({one.source.id for one in results}) == 1
    assert [one.created for one in results].count(True) == 1
