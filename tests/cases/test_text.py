"""Any script, any form of a letter, any number and any character: found, kept as typed, or refused in one sentence."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
import pytest

Learned = Callable[..., Any]

# A statement, and words in it of one, two and more signs.
SPACELESS = {
    "今日は成語しりとりをした。": ["しりとり", "成語", "今日"],
    "我喜欢喝茶。": ["茶", "喝茶", "喜欢"],
    "小王住在上海的静安区。": ["静安", "上海", "王"],
    "田中さんは大阪で働いています。": ["大阪", "田中", "働"],
    "김민수는 부산에 산다.": ["부산", "김민수"],
    "ฉันชอบกาแฟเย็น": ["กาแฟ"],
}
OTHERS = ["猫は寝ている。", "他不吃肉。", "서울은 크다.", "Ana lives in Porto.", "บ้านอยู่ไกล"]


@pytest.mark.parametrize("statement", SPACELESS)
def test_a_word_in_a_script_without_spaces_is_found(sdk: Any, learned: Learned, statement: str) -> None:
    for text in (*OTHERS, statement):
        learned(sdk, sdk.memories.add(text))

    for word in SPACELESS[statement]:
        best = sdk.search(word)[0]
        assert (best.text, sdk.memories.get(best.id).memory.quote) == (statement, statement), word


# As it is typed, and the same words as another keyboard, app or person writes them.
SAME_WORDS = [
    ("Zoë Ferreira mag Käsekuchen.", ["käsekuchen", "Kasekuchen", "ZOË"]),
    ("José vive en Málaga.", ["malaga", "MÁLAGA", "Jose"]),
    ("Nguyễn Văn Tú sống ở Huế.", ["Nguyen Van Tu", "huế", "Hue"]),
    ("The ﬁle server is named Ångström.", ["file server", "Ångström", "angstrom"]),
    ("İpek İstanbul'da yaşıyor.", ["ipek", "istanbul"]),
    ("Die STRASSE heißt Weg.", ["heisst", "straße"]),
    ("Ｔｏｋｙｏ office ｉｓ ｏｎ ｆｌｏｏｒ ９.", ["Tokyo", "floor 9"]),
]


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_words_are_found_in_either_form_and_kept_as_typed(sdk: Any, learned: Learned, stored: Any) -> None:
    typed = [unicodedata.normalize(stored, statement) for statement, _ in SAME_WORDS]
    learned(sdk, sdk.memories.add("\n\n".join(["Mia plays the violin.", *typed])))

    for (_, words), statement in zip(SAME_WORDS, typed, strict=True):
        for word in words:
            for asked in ("NFC", "NFD"):
                best = sdk.search(unicodedata.normalize(asked, word))[0]
                assert sdk.memories.get(best.id).memory.quote == statement, word


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("קראתי על תִּקּוּן עולם.", "תקון"),
        ("קראתי על תקון עולם.", "תִּקּוּן"),
        ("قرأت كِتاب التاريخ.", "كتاب"),
        ("قرأت كتاب التاريخ.", "كِتاب"),
    ],
)
def test_words_with_points_are_found_without_them_and_the_reverse(
    sdk: Any, learned: Learned, statement: str, word: str
) -> None:
    learned(
        sdk, sdk.memories.add(f"Mia plays the violin.\n\n{statement}\n\nBen owns a boat.\n\nהחתול ישן.\n\nالباب مفتوح.")
    )

    best = sdk.search(word)[0]

    assert sdk.memories.get(best.id).memory.quote == statement


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("王小明在北京工作。", ["王小明", "北京"]),
        ("प्रिया मुंबई में रहती है।", ["प्रिया", "मुंबई"]),
        ("Giulia abita a Torino da maggio.", ["Giulia", "Torino"]),
        ("佐藤さんはコーヒーが好きです。", ["佐藤", "コーヒー"]),
        ("Анна работает в Сбере.", ["Анна", "Сбере"]),
        ("ليلى تسكن في الرباط.", ["ليلى", "الرباط"]),
    ],
)
def test_a_note_is_learned_in_its_own_script_with_its_names_unchanged(
    sdk: Any, learned: Learned, text: str, names: list[str]
) -> None:
    learned(sdk, sdk.memories.add(text))

    (memory,) = list(sdk.memories.iter())
    assert (memory.text, sdk.memories.get(memory.id).memory.quote) == (text, text)
    assert all(name in memory.text for name in names)


NUL = "a\x00b"
WITH_NUL: dict[str, tuple[str, str, dict[str, Any]]] = {
    "the text of a note": ("POST", "/v1/memories", {"json": {"text": NUL}}),
    "a title": ("POST", "/v1/memories", {"json": {"text": "ok", "title": NUL}}),
    "an external id": ("POST", "/v1/memories", {"json": {"text": "ok", "external_id": NUL}}),
    "a label's value": ("POST", "/v1/memories", {"json": {"text": "ok", "labels": {"a": NUL}}}),
    "a label's name": ("POST", "/v1/memories", {"json": {"text": "ok", "labels": {NUL: "a"}}}),
    "a message": ("POST", "/v1/memories", {"json": {"messages": [{"role": "user", "content": NUL}]}}),
    "a speaker": ("POST", "/v1/memories", {"json": {"messages": [{"role": "user", "name": NUL, "content": "ok"}]}}),
    "a session": ("POST", "/v1/memories", {"json": {"messages": [{"role": "user", "content": "ok"}], "session": NUL}}),
    "a date": ("POST", "/v1/memories", {"json": {"text": "ok", "said_at": NUL}}),
    "an address": ("POST", "/v1/memories", {"json": {"url": f"https://example.com/{NUL}"}}),
    "the text of a file": ("PUT", "/v1/files", {"json": {"path": "/a.md", "text": NUL}}),
    "a path": ("PUT", "/v1/files", {"json": {"path": f"/{NUL}", "text": "ok"}}),
    "a path to read": ("GET", "/v1/files", {"params": {"path": f"/{NUL}"}}),
    "a prefix": ("GET", "/v1/files", {"params": {"prefix": f"/{NUL}"}}),
    "a path to move to": ("POST", "/v1/files/move", {"json": {"from": "/a.md", "to": f"/{NUL}"}}),
    "a search": ("POST", "/v1/search", {"json": {"q": NUL}}),
    "a question": ("POST", "/v1/ask", {"json": {"question": NUL}}),
    "a question for context": ("POST", "/v1/context", {"json": {"question": NUL}}),
    "a filter": ("POST", "/v1/search", {"json": {"q": "ok", "labels": {"a": NUL}}}),
    "a label in a query": ("GET", "/v1/memories", {"params": {"label": f"a:{NUL}"}}),
    "an external id in a query": ("GET", "/v1/sources", {"params": {"external_id": NUL}}),
    "a subject": ("GET", "/v1/profile", {"params": {"subject": NUL}}),
    "a space to erase": ("DELETE", f"/v1/spaces/{quote(NUL)}", {}),
    "a name of a key": ("POST", "/v1/keys", {"json": {"name": NUL}}),
    "a correction": ("PATCH", "/v1/memories/1", {"json": {"text": NUL}}),
}


@pytest.mark.parametrize("where", WITH_NUL)
def test_a_nul_is_refused_wherever_it_stands_and_the_next_write_works(
    http: httpx.Client, sdk: Any, learned: Learned, where: str
) -> None:
    method, path, more = WITH_NUL[where]

    refused = http.request(method, path, **more)

    assert refused.status_code == 422
    assert refused.json()["error"]["code"] in (
        "invalid_request", "bad_path", "bad_space", "bad_labels", "bad_external_id", "bad_date"
    )  # fmt: skip
    assert sdk.sources.list().total == sdk.files.list().total == 0
    assert [one.text for one in told(sdk, learned, "Ana lives in Porto.")] == ["Ana lives in Porto."]


def told(sdk: Any, learned: Learned, text: str) -> list[Any]:
    learned(sdk, sdk.memories.add(text))
    return list(sdk.memories.iter())


@pytest.mark.parametrize("arguments", [{"text": NUL}, {"text": "ok", "title": NUL}, {"text": "ok", "space": NUL}])
async def test_a_nul_is_refused_by_a_tool_in_one_sentence(tools: Any, arguments: dict[str, Any]) -> None:
    sentence = await tools.refusal("remember", **arguments)

    assert "NUL" in sentence or "space" in sentence
    assert (await tools.call("remember", text="ok"))["source"]["status"]


LIMITS: list[Any] = [-1, 0, 10**9, 10**30, "5", "five", "", 2.5, True, None, [], {}]
LISTS = ["/v1/memories", "/v1/sources", "/v1/files?prefix=/"]


@pytest.mark.parametrize("limit", LIMITS, ids=repr)
def test_any_limit_is_clamped_or_refused(http: httpx.Client, sdk: Any, learned: Learned, limit: Any) -> None:
    for name in ("Ana", "Ben", "Mia"):
        learned(sdk, sdk.files.put(f"/{name}.md", f"{name} owns a boat.").source)

    answers = [
        http.request("GET", path, params={**httpx.URL(path).params, name: json.dumps(limit).strip('"')})
        for path in LISTS
        for name in ("limit", "cursor")
    ]
    answers += [http.post("/v1/search", json={"q": "boat", "limit": limit})]
    answers += [http.post("/v1/context", json={"question": "Who owns a boat?", "limit": limit})]
    answers += [http.post("/v1/keys", json={"rpm": limit})]
    answers += [http.get("/v1/sources/" + "0" * 32, params={"wait": str(limit)})]

    assert {answer.status_code for answer in answers} <= {200, 201, 404, 422}
    assert all("error" in answer.json() for answer in answers if answer.status_code >= 400)
    for answer in answers[:6:2]:
        if answer.status_code == 200:
            rows = next(value for value in answer.json().values() if isinstance(value, list))
            wanted = 3 if limit in (None, "") else max(1, min(int(limit), 3))
            assert len(rows) == wanted


@pytest.mark.parametrize("limit", [one for one in LIMITS if one is not None], ids=repr)
async def test_any_limit_but_a_small_number_is_refused_by_a_tool(tools: Any, limit: Any) -> None:
    for name, more in (("search", {"query": "boat"}), ("list_memories", {})):
        assert "limit" in await tools.refusal(name, limit=limit, **more)
        assert await tools.call(name, limit=5.0, **more)
    if limit not in (0, 10**9):
        assert "cursor" in await tools.refusal("list_memories", cursor=limit)


BAD_PATHS = [
    "", "a.md", "//", "/a//b", "/./a", "/a/..", "/memories/../x", "/memories\\x", "/a/", "/", "/a\tb", "/a\x7f",
    "/a\u0085b", "/" + "x" * 255, "/" + "😀" * 255, "/a/../../etc/passwd", "\\a", " /a",
]  # fmt: skip


@pytest.mark.parametrize("path", BAD_PATHS, ids=lambda path: ascii(path[:20]))
def test_a_path_that_breaks_a_rule_is_refused_by_every_call_and_nothing_is_stored(
    http: httpx.Client, sdk: Any, learned: Learned, path: str
) -> None:
    learned(sdk, sdk.files.put("/kept.md", "ok").source)
    before = {**sdk.export(), "exported_at": None}
    calls = [
        http.put("/v1/files", json={"path": path, "text": "Ana lives in Porto."}),
        http.get("/v1/files", params={"path": path}),
        http.delete("/v1/files", params={"path": path}),
        http.post("/v1/files/move", json={"from": "/kept.md", "to": path}),
        http.post("/v1/files/move", json={"from": path, "to": "/b.md"}),
    ]

    assert [(one.status_code, one.json()["error"]["code"]) for one in calls] == [(422, "bad_path")] * 5
    assert {**sdk.export(), "exported_at": None} == before


@pytest.mark.parametrize(
    "path",
    ["/memories/%2e%2e/x", "/memories", "/.hidden", "/a b", "/...", "/a..b", "/ключ/中文.md", "/" + "😀" * 254],
    ids=lambda path: ascii(path[:20]),
)
def test_any_other_path_is_taken_letter_for_letter(sdk: Any, path: str) -> None:
    sdk.files.put(path, "ok")

    assert [one.path for one in sdk.files.list().files] == [path]
    assert sdk.files.get(path).text == "ok"
    sdk.files.move(path, "/elsewhere.md")
    assert [one.path for one in sdk.files.list().files] == ["/elsewhere.md"]
