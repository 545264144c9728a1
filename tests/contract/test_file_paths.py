"""Paths and prefixes of files kept exactly, and lists of them: contract 7.J."""

from __future__ import annotations

import asyncio
import unicodedata
from typing import Any

import httpx
import pytest

LUMEN = "# Lumen\n- Priya Nair signs the renewal.\n"


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
