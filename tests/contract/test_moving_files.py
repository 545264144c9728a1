"""Files kept exactly that are moved or deleted: contract 7.J."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

KIM = "Kim Park works at Acme as CFO."
ANA = "My sister Ana lives in Porto."


@pytest.mark.statement(161)
async def test_deleting_a_prefix_that_matches_nothing_is_200(memory: Any, http: Any) -> None:
    answer = http.delete("/v1/files", params={"prefix": "/memories/none/"})

    assert (answer.status_code, answer.json()) == (200, {"deleted": 0, "more": False})
    assert await memory.files.delete_prefix("/memories/none/") == 0


@pytest.mark.statement(162)
async def test_deleting_a_directory_leaves_its_neighbours(memory: Any) -> None:
    for path in (
        "/memories/projects/a.md",
        "/memories/projects/b/c.md",
        "/memories/projects-2.md",
        "/memories/projects",
    ):
        await memory.files.put(path, "x")

    assert await memory.files.delete_prefix("/memories/projects/") == 2
    assert [one.path for one in (await memory.files.list("/")).files] == [
        "/memories/projects",
        "/memories/projects-2.md",
    ]


@pytest.mark.statement(163)
async def test_deleting_a_file_takes_what_only_it_taught(
    memory: Any, put: Callable[..., Any], tell: Callable[..., Any], texts: Callable[..., Any], http: Any
) -> None:
    written = await put(memory, "/memories/a.md", f"{KIM}\n\n{ANA}")
    await tell(memory, ANA)

    deleted = http.delete("/v1/files", params={"path": "/memories/a.md"})

    assert deleted.json() == {"deleted": 1, "path": "/memories/a.md"}
    assert await texts(memory) == [ANA]
    assert written.source.id not in [one.id for one in (await memory.sources.list()).sources]
    assert (await memory.files.list("/")).total == 0


@pytest.mark.statement(164, 168)
async def test_a_moved_file_keeps_its_text_labels_source_and_memories(memory: Any, put: Callable[..., Any]) -> None:
    written = await put(memory, "/memories/a.md", KIM, labels={"team": "sales"})
    before = [(one.id, one.learned_at) for one in await memory.memories.iter()]

    assert await memory.files.move("/memories/a.md", "/memories/deep/b.md") == 1

    source = await memory.sources.get(written.source.id)
    assert (await memory.files.get("/memories/deep/b.md")).text == KIM
    assert (source.external_id, source.title) == ("file:/memories/deep/b.md", "/memories/deep/b.md")
    assert (source.labels, source.status) == ({"team": "sales"}, "learned")
    assert [(one.id, one.learned_at) for one in await memory.memories.iter()] == before
    assert "[/memories/deep/b.md, " in await memory.context("Where does Kim Park work?")
    assert (await memory.files.list("/")).total == 1


@pytest.mark.statement(165)
async def test_moving_a_directory_moves_everything_beneath_it(memory: Any) -> None:
    for path in ("/memories/drafts/a.md", "/memories/drafts/b/c.md", "/memories/drafts-2.md"):
        await memory.files.put(path, path)

    assert await memory.files.move("/memories/drafts", "/memories/archive") == 2

    assert [one.path for one in (await memory.files.list("/")).files] == [
        "/memories/archive/a.md",
        "/memories/archive/b/c.md",
        "/memories/drafts-2.md",
    ]
    assert (await memory.files.get("/memories/archive/b/c.md")).text == "/memories/drafts/b/c.md"


@pytest.mark.statement(165)
async def test_a_file_moves_before_what_is_beneath_its_path(memory: Any) -> None:
    await memory.files.put("/a", "the file")
    await memory.files.put("/a/b.md", "beneath")

    assert await memory.files.move("/a", "/c") == 1
    assert [one.path for one in (await memory.files.list("/")).files] == ["/a/b.md", "/c"]


@pytest.mark.statement(165)
async def test_a_directory_may_move_into_itself(memory: Any) -> None:
    await memory.files.put("/a/x.md", "x")
    await memory.files.put("/a/b/x.md", "deeper")

    assert await memory.files.move("/a", "/a/c") == 2
    assert [one.path for one in (await memory.files.list("/")).files] == ["/a/c/b/x.md", "/a/c/x.md"]


@pytest.mark.statement(166)
@pytest.mark.parametrize(("origin", "destination"), [("/a/1.md", "/b/1.md"), ("/a", "/b"), ("/a/1.md", "/a/1.md")])
async def test_nothing_moves_onto_a_file_not_even_the_others(memory: Any, origin: str, destination: str) -> None:
    from geniffy import BadRequestError

    for path in ("/a/0.md", "/a/1.md", "/b/1.md"):
        await memory.files.put(path, path)

    with pytest.raises(BadRequestError) as refused:
        await memory.files.move(origin, destination)

    assert (refused.value.status, refused.value.code) == (409, "conflict")
    for path in ("/a/0.md", "/a/1.md", "/b/1.md"):
        assert (await memory.files.get(path)).text == path
    assert (await memory.files.list("/")).total == 3


@pytest.mark.statement(167)
async def test_moving_from_nothing_is_404(memory: Any) -> None:
    from geniffy import NotFoundError

    await memory.files.put("/memories/abc.md", "x")

    with pytest.raises(NotFoundError) as refused:
        await memory.files.move("/memories/a", "/memories/b")
    assert (refused.value.status, refused.value.code) == (404, "not_found")


@pytest.mark.statement(169)
async def test_a_destination_of_more_than_255_characters_moves_nothing(memory: Any) -> None:
    from geniffy import BadRequestError

    await memory.files.put("/a/0.md", "short")
    await memory.files.put("/a/" + "x" * 200, "long")

    with pytest.raises(BadRequestError) as refused:
        await memory.files.move("/a", "/" + "y" * 100)

    assert (refused.value.status, refused.value.code) == (422, "bad_path")
    assert (await memory.files.list("/a/")).total == 2


@pytest.mark.statement(171)
async def test_deleting_a_files_source_deletes_the_file(memory: Any, put: Callable[..., Any]) -> None:
    first = await put(memory, "/memories/a.md", KIM)
    second = await put(memory, "/memories/b.md", ANA)

    await memory.sources.delete(external_id="file:/memories/a.md")
    await memory.sources.delete(second.source.id)

    assert first.source.id != second.source.id
    assert (await memory.files.list("/")).total == 0
    assert (await memory.memories.list()).total == 0
    assert (await memory.files.put("/memories/a.md", KIM)).created


@pytest.mark.statement(74, 171)
async def test_deleting_sources_by_label_deletes_their_files(memory: Any) -> None:
    await memory.files.put("/a.md", "x", labels={"channel": "claude-memory"})
    await memory.files.put("/b.md", "x")

    assert await memory.sources.delete_labelled({"channel": "claude-memory"}) == 1
    assert [one.path for one in (await memory.files.list("/")).files] == ["/b.md"]
