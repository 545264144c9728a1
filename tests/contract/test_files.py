"""Files kept exactly: contract 7.J and the page "Files kept exactly"."""

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


BAD_PATHS = [
    "memories/a.md",
    "",
    "//a",
    "/a//b",
    "/a/./b",
    "/a/../b",
    "/..",
    "/.",
    "/a\\b",
    "/a\u0001",
    "/a\u007f",
    "/a\u0085",
    "/a\nb",
    "/a/",
    "/",
    "/" + "x" * 255,
]


@pytest.mark.statement(143)
@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_breaks_a_rule_is_422_bad_path_and_nothing_is_stored(http: httpx.Client, path: str) -> None:
    answers = [
        http.put("/v1/files", json={"path": path, "text": LUMEN}),
        http.get("/v1/files", params={"path": path}),
        http.delete("/v1/files", params={"path": path}),
        http.post("/v1/files/move", json={"from": path, "to": "/memories/a.md"}),
        http.post("/v1/files/move", json={"from": "/memories/a.md", "to": path}),
    ]

    assert [(one.status_code, one.json()["error"]["code"]) for one in answers] == [(422, "bad_path")] * 5
    assert http.get("/v1/sources").json()["total"] == http.get("/v1/files?prefix=/").json()["total"] == 0


@pytest.mark.statement(144)
@pytest.mark.parametrize("character", ["x", "é", "日", "😀"])
def test_a_path_of_255_characters_is_kept(sdk: Any, character: str) -> None:
    path = "/" + character * 254

    sdk.files.put(path, "x")

    assert sdk.files.get(path).path == path


@pytest.mark.statement(144)
@pytest.mark.parametrize(
    "path",
    ["/memories/%2e%2e/x", "/memories", "/a b+c&d=e#f?g.md", "/ü/naïve.md", "/a%2Fb", "/...", "/.hidden", "/ a "],
)
def test_a_path_is_taken_literally(sdk: Any, path: str) -> None:
    sdk.files.put(path, path)

    assert sdk.files.get(path).text == path
    assert [one.path for one in sdk.files.list("/").files] == [path]
    sdk.files.delete(path)
    assert sdk.files.list("/").total == 0


@pytest.mark.statement(145)
def test_upper_and_lower_case_are_different_directories(sdk: Any) -> None:
    sdk.files.put("/Memories/a.md", "upper")
    sdk.files.put("/memories/a.md", "lower")

    assert sdk.files.get("/Memories/a.md").text == "upper"
    assert [one.path for one in sdk.files.list("/memories/").files] == ["/memories/a.md"]
    assert sdk.files.delete_prefix("/memories/") == 1
    assert sdk.files.get("/Memories/a.md").text == "upper"


@pytest.mark.statement(145)
def test_composed_and_decomposed_names_are_different_files(sdk: Any) -> None:
    composed, decomposed = (unicodedata.normalize(form, "/é.md") for form in ("NFC", "NFD"))
    sdk.files.put(composed, "composed")
    sdk.files.put(decomposed, "decomposed")

    assert sdk.files.get(composed).text == "composed"
    assert sdk.files.list("/").total == 2


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


@pytest.mark.statement(152)
async def test_a_path_without_a_file_is_404(memory: Any) -> None:
    from geniffy import NotFoundError

    await memory.files.put("/memories/a.md", "x")
    for call in (memory.files.get, memory.files.delete):
        with pytest.raises(NotFoundError) as refused:
            await call("/memories")
        assert (refused.value.status, refused.value.code) == (404, "not_found")


@pytest.mark.statement(153)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("query", ["", "?path=/a.md&prefix=/"])
def test_both_or_neither_of_path_and_prefix_is_422(http: httpx.Client, method: str, query: str) -> None:
    http.put("/v1/files", json={"path": "/a.md", "text": "x"})

    answer = http.request(method, "/v1/files" + query)

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")
    assert http.get("/v1/files?path=/a.md").status_code == 200


@pytest.mark.statement(154)
def test_a_list_is_in_code_point_order_without_texts(sdk: Any, http: httpx.Client) -> None:
    names = ["/b.md", "/a/z.md", "/a.md", "/A.md", "/é.md", "/日.md", "/😀.md", "/a-b.md", "/\ue000.md", "/a/b/c.md"]
    for name in names:
        sdk.files.put(name, "x")

    page = http.get("/v1/files?prefix=/").json()

    assert [one["path"] for one in page["files"]] == sorted(names)
    assert {tuple(sorted(one)) for one in page["files"]} == {("path", "size", "updated_at")}
    assert (page["total"], page["next"]) == (10, None)


@pytest.mark.statement(155, 156, 160)
async def test_450_files_are_listed_in_pages_of_up_to_200_and_deleted_a_hundred_at_a_time(asdk: Any, http: Any) -> None:
    paths = [f"/memories/{'old' if number < 250 else 'new'}/{number:03}.md" for number in range(450)]
    await asyncio.gather(*(asdk.files.put(path, "") for path in paths))

    pages = [await asdk.files.list("/memories/", limit=200, cursor=cursor) for cursor in (0, 200, 400)]
    assert [one.path for page in pages for one in page.files] == sorted(paths)
    assert [(len(one.files), one.next, one.total) for one in pages] == [
        (200, 200, 450),
        (200, 400, 450),
        (50, None, 450),
    ]
    assert len((await asdk.files.list("/memories/", limit=500)).files) == 200
    assert len((await asdk.files.list("/memories/")).files) == 100

    answers = [http.delete("/v1/files", params={"prefix": "/memories/old/"}).json() for _ in range(4)]
    assert [(one["deleted"], one["more"]) for one in answers] == [(100, True), (100, True), (50, False), (0, False)]
    assert await asdk.files.delete_prefix("/memories/") == 200


@pytest.mark.statement(157, 158)
async def test_a_prefix_is_plain_characters_of_the_path(memory: Any) -> None:
    for path in ("/memories/preferences.md", "/memories/a", "/other/pre.md", "/memories/p%.md", "/memories/p_x.md"):
        await memory.files.put(path, "x")

    async def listed(prefix: str) -> list[str]:
        return [one.path for one in (await memory.files.list(prefix)).files]

    assert await listed("/memories/pre") == ["/memories/preferences.md"]
    assert await listed("/memories/p%") == ["/memories/p%.md"]
    assert await listed("/memories/p_") == ["/memories/p_x.md"]
    assert len(await listed("/")) == 5
    assert await listed("/nothing/") == []


@pytest.mark.statement(159)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("prefix", ["", "memories/", "//", "/a//", "/../", "/a\\", "/" + "x" * 255, "/a\u0001", " /"])
def test_a_prefix_that_breaks_a_rule_is_422_bad_path(http: httpx.Client, method: str, prefix: str) -> None:
    http.put("/v1/files", json={"path": "/a.md", "text": "x"})

    answer = http.request(method, "/v1/files", params={"prefix": prefix})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_path")
    assert http.get("/v1/files?prefix=/").json()["total"] == 1


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


@pytest.mark.statement(170)
async def test_a_file_is_a_source_under_its_path(memory: Any) -> None:
    written = await memory.files.put("/memories/a.md", KIM, labels={"team": "sales"})

    (source,) = (await memory.sources.list()).sources
    assert (source.id, source.kind, source.title) == (written.source.id, "note", "/memories/a.md")
    assert (source.external_id, source.labels) == ("file:/memories/a.md", {"team": "sales"})
    assert (await memory.sources.get(external_id="file:/memories/a.md")).id == written.source.id


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
