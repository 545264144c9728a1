"""No route shows or changes another space's memory, whatever name or id it is given.

Two spaces hold the same sentences but for one word. Every operation of the API's own description is called with a
key of one space and the names and ids of the other. An operation that this file does not know fails the first test:
each new door has to be added here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

MINE, THEIRS = "bluebird", "greenfinch"
SENTENCE = "Kim Park keeps the {word} code at Acme."
FILE_TEXT = "The spare {word} key is under the mat."
LABELS = {"team": "sales"}


@dataclass(frozen=True)
class Names:
    """What one space calls what it holds."""

    space: str
    memory: int
    source: str
    key: int
    path: str
    external_id: str


def fill(sdk: Any, word: str) -> Names:
    """Write the sentences with `word` in them; what they are called."""
    source = sdk.memories.add(SENTENCE.format(word=word), external_id=f"crm/{word}", labels=LABELS, title=f"On {word}")
    session = sdk.memories.add(messages=[{"role": "user", "content": f"I own a {word}."}], session=f"run/{word}")
    written = sdk.files.put(f"/memories/{word}.md", FILE_TEXT.format(word=word))
    for one in (source, session, written.source):
        assert sdk.sources.wait(one.id).status == "learned"
    key = sdk.keys.create(name=f"{word} phone")
    memory = next(one.id for one in sdk.memories.iter() if one.source.id == source.id)
    return Names(sdk.space_id, memory, source.id, key.id, f"/memories/{word}.md", f"crm/{word}")


Call = Callable[[httpx.Client, Names, Names], httpx.Response]

CALLS: dict[tuple[str, str], list[Call]] = {
    ("POST", "/v1/memories"): [
        lambda h, me, it: h.post("/v1/memories", json={"text": "thanks!", "external_id": it.external_id}),
        lambda h, me, it: h.post("/v1/memories", json={"text": "ok", "labels": {"space": it.space}}),
        lambda h, me, it: h.post("/v1/memories", json={"text": "ok", "space": it.space, "account": 1}),
        lambda h, me, it: h.post(
            "/v1/memories", json={"messages": [{"role": "user", "content": "ok"}], "session": f"run/{THEIRS}"}
        ),
    ],
    ("POST", "/v1/memories/file"): [
        lambda h, me, it: h.post(
            "/v1/memories/file", files={"file": ("a.txt", b"ok")}, data={"external_id": it.external_id}
        ),
    ],
    ("POST", "/v1/memories/batch"): [
        lambda h, me, it: h.post("/v1/memories/batch", json={"items": [{"text": "ok", "external_id": it.external_id}]}),
    ],
    ("GET", "/v1/memories"): [
        lambda h, me, it: h.get("/v1/memories"),
        lambda h, me, it: h.get("/v1/memories", params={"label": "team:sales", "space": it.space}),
        lambda h, me, it: h.get("/v1/memories", params={"kind": "people", "limit": 200}),
    ],
    ("GET", "/v1/memories/{memory_id}"): [lambda h, me, it: h.get(f"/v1/memories/{it.memory}")],
    ("PATCH", "/v1/memories/{memory_id}"): [
        lambda h, me, it: h.patch(f"/v1/memories/{it.memory}", json={"text": "Kim Park left."})
    ],
    ("DELETE", "/v1/memories/{memory_id}"): [lambda h, me, it: h.delete(f"/v1/memories/{it.memory}")],
    ("GET", "/v1/sources"): [
        lambda h, me, it: h.get("/v1/sources"),
        lambda h, me, it: h.get("/v1/sources", params={"external_id": it.external_id}),
        lambda h, me, it: h.get("/v1/sources", params={"external_id": f"file:{it.path}"}),
        lambda h, me, it: h.get("/v1/sources", params={"label": "team:sales"}),
    ],
    ("DELETE", "/v1/sources"): [
        lambda h, me, it: h.delete("/v1/sources", params={"external_id": it.external_id}),
        lambda h, me, it: h.delete("/v1/sources", params={"external_id": f"file:{it.path}"}),
    ],
    ("GET", "/v1/sources/{source_id}"): [
        lambda h, me, it: h.get(f"/v1/sources/{it.source}"),
        lambda h, me, it: h.get(f"/v1/sources/{it.source}", params={"wait": "1"}),
    ],
    ("DELETE", "/v1/sources/{source_id}"): [lambda h, me, it: h.delete(f"/v1/sources/{it.source}")],
    ("PUT", "/v1/files"): [
        lambda h, me, it: h.put("/v1/files", json={"path": it.path, "text": "mine"}),
        lambda h, me, it: h.put("/v1/files", json={"path": it.path + "2", "text": "x"}, headers={"If-None-Match": "*"}),
    ],
    ("GET", "/v1/files"): [
        lambda h, me, it: h.get("/v1/files", params={"path": f"{it.path}.none"}),
        lambda h, me, it: h.get("/v1/files", params={"prefix": "/"}),
    ],
    ("DELETE", "/v1/files"): [
        lambda h, me, it: h.delete("/v1/files", params={"path": it.path}),
        lambda h, me, it: h.delete("/v1/files", params={"prefix": it.path}),
    ],
    ("POST", "/v1/files/move"): [
        lambda h, me, it: h.post("/v1/files/move", json={"from": it.path, "to": "/taken.md"}),
        lambda h, me, it: h.post("/v1/files/move", json={"from": me.path, "to": f"{it.path}.moved"}),
    ],
    ("POST", "/v1/search"): [
        lambda h, me, it: h.post("/v1/search", json={"q": "Which code does Kim Park keep?", "limit": 100}),
        lambda h, me, it: h.post("/v1/search", json={"q": "the code", "labels": LABELS, "space": it.space}),
    ],
    ("POST", "/v1/context"): [
        lambda h, me, it: h.post("/v1/context", json={"question": "Which code does Kim Park keep at Acme?"}),
        lambda h, me, it: h.post("/v1/context", json={"question": "Where is the spare key?", "labels": LABELS}),
    ],
    ("POST", "/v1/ask"): [
        lambda h, me, it: h.post("/v1/ask", json={"question": "Which code does Kim Park keep at Acme?"}),
        lambda h, me, it: h.post("/v1/ask", json={"question": "Where is the spare key?"}),
    ],
    ("GET", "/v1/profile"): [
        lambda h, me, it: h.get("/v1/profile"),
        lambda h, me, it: h.get("/v1/profile", params={"subject": "Kim Park"}),
    ],
    ("GET", "/v1/profile/sections"): [lambda h, me, it: h.get("/v1/profile/sections")],
    ("POST", "/v1/profile/sections"): [
        lambda h, me, it: h.post("/v1/profile/sections", json={"name": "Billing", "keywords": ["code"]})
    ],
    ("DELETE", "/v1/profile/sections/{section_id}"): [lambda h, me, it: h.delete("/v1/profile/sections/1")],
    ("GET", "/v1/brief"): [
        lambda h, me, it: h.get("/v1/brief"),
        lambda h, me, it: h.get("/v1/brief", params={"subject": "Kim Park"}),
    ],
    ("GET", "/v1/graph"): [lambda h, me, it: h.get("/v1/graph")],
    ("POST", "/v1/briefing"): [
        lambda h, me, it: h.post("/v1/briefing", json={"cue": "Kim Park", "budget_chars": 40000})
    ],
    ("GET", "/v1/now"): [lambda h, me, it: h.get("/v1/now")],
    ("GET", "/v1/episodes"): [lambda h, me, it: h.get("/v1/episodes")],
    ("GET", "/v1/lessons"): [lambda h, me, it: h.get("/v1/lessons")],
    ("GET", "/v1/intentions"): [lambda h, me, it: h.get("/v1/intentions")],
    ("POST", "/v1/intentions/{intention_id}"): [lambda h, me, it: h.post("/v1/intentions/1", json={"status": "done"})],
    ("GET", "/v1/memory-health"): [lambda h, me, it: h.get("/v1/memory-health")],
    ("GET", "/v1/export"): [lambda h, me, it: h.get("/v1/export", params={"space": it.space})],
    ("GET", "/v1/me"): [lambda h, me, it: h.get("/v1/me")],
    ("GET", "/v1/usage"): [lambda h, me, it: h.get("/v1/usage")],
    ("GET", "/v1/spaces"): [lambda h, me, it: h.get("/v1/spaces")],
    ("DELETE", "/v1/spaces/{space}"): [lambda h, me, it: h.delete(f"/v1/spaces/{it.space}")],
    ("POST", "/v1/keys"): [lambda h, me, it: h.post("/v1/keys", json={"name": "x", "space": it.space})],
    ("GET", "/v1/keys"): [lambda h, me, it: h.get("/v1/keys", params={"space": it.space})],
    ("DELETE", "/v1/keys/{key_id}"): [lambda h, me, it: h.delete(f"/v1/keys/{it.key}")],
    ("GET", "/v1/openapi.json"): [lambda h, me, it: h.get("/v1/openapi.json")],
}
OF_THE_ACCOUNT = {("GET", "/v1/spaces"), ("DELETE", "/v1/spaces/{space}"), ("GET", "/v1/usage")}
"""Operations on the whole account: an account's key may use them on any of its spaces, a space's key on none."""


def _operations(described: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (method.upper(), path)
        for path, item in described["paths"].items()
        for method in item
        if method in ("get", "post", "put", "patch", "delete", "head", "options", "trace")
    }


def _shape(operation: tuple[str, str]) -> tuple[str, str]:
    """The operation with its parameters' names left out, which are nobody's business here."""
    method, path = operation
    return method, "/".join("{}" if part.startswith("{") else part for part in path.split("/"))


@pytest.fixture
def mine(client: Any) -> Names:
    return fill(client.space("mine"), MINE)


@pytest.fixture
def theirs(client: Any) -> Names:
    return fill(client.space("theirs"), THEIRS)


def state(sdk: Any) -> tuple[Any, ...]:
    """Everything of a space that a call could change."""
    copy = sdk.export()
    files = [(one.path, sdk.files.get(one.path).text) for one in sdk.files.list("/").files]
    return (
        {name: value for name, value in copy.items() if name != "exported_at"},
        files,
        [k.id for k in sdk.keys.list()],
    )


@pytest.fixture(params=["a key of the space", "the account's key in the space", "another account's key"])
def intruder(
    request: pytest.FixtureRequest, base_url: str, api_key: str, client: Any, another_account: Any, mine: Names
) -> Iterator[tuple[httpx.Client, set[tuple[str, str]]]]:
    """Plain HTTP as someone who works in another space, and the operations that are theirs to use."""
    if request.param == "a key of the space":
        headers, rightful = {"Authorization": f"Bearer {client.space('mine').keys.create().key}"}, set()
    elif request.param == "the account's key in the space":
        headers, rightful = {"Authorization": f"Bearer {api_key}", "X-Geniffy-Space": "mine"}, OF_THE_ACCOUNT
    else:
        headers, rightful = {"Authorization": f"Bearer {another_account.key}", "X-Geniffy-Space": "theirs"}, set()
    with httpx.Client(base_url=base_url, headers=headers, timeout=30) as http:
        yield http, rightful


def test_every_operation_of_the_api_is_known_here(http: httpx.Client, server: Any) -> None:
    described = _operations(http.get("/v1/openapi.json").json())
    served = {
        (method, route.path)
        for route in server.app.routes
        if route.path.startswith("/v1/")
        for method in route.methods - {"HEAD", "OPTIONS"}
    }

    assert {_shape(one) for one in described | served} == {_shape(one) for one in CALLS}


def test_no_operation_shows_or_changes_another_spaces_memory(
    client: Any, theirs: Names, mine: Names, intruder: tuple[httpx.Client, set[tuple[str, str]]]
) -> None:
    http, rightful = intruder
    victim = client.space("theirs")
    before = state(victim)

    for operation in CALLS.keys() - rightful:
        for call in CALLS[operation]:
            answer = call(http, mine, theirs)
            assert answer.status_code < 500, (operation, answer.text)
            # A name that the intruder chose may be echoed; a word of the other space may not be told.
            shown = answer.text
            for named in (theirs.path, theirs.external_id, f"run/{THEIRS}"):
                shown = shown.replace(named, "")
            assert THEIRS not in shown, (operation, answer.text)

    assert state(victim) == before


@pytest.mark.parametrize("operation", [one for one in CALLS if "_id}" in one[1]], ids=" ".join)
def test_an_id_of_another_space_is_not_found(
    theirs: Names, mine: Names, http: httpx.Client, operation: tuple[str, str]
) -> None:
    http.headers["X-Geniffy-Space"] = "mine"

    for call in CALLS[operation]:
        answer = call(http, mine, theirs)
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] in ("not_found", "not_switched_on")


@pytest.mark.parametrize("name", ["' OR 1=1 --", '{"$ne": null}', 'a*b:"(', "%", "_", "*", "\\", "theirs' --"])
def test_a_name_that_means_something_to_a_database_matches_literally_or_nothing(
    client: Any, theirs: Names, mine: Names, http: httpx.Client, name: str
) -> None:
    http.headers["X-Geniffy-Space"] = "mine"
    answers = [
        http.get("/v1/sources", params={"external_id": name}),
        http.get("/v1/memories", params={"label": f"team:{name}"}),
        http.get("/v1/files", params={"prefix": f"/{name}"}),
        http.get("/v1/profile", params={"subject": name}),
        http.post("/v1/search", json={"q": name}),
        http.post("/v1/ask", json={"question": name}),
        http.get("/v1/memories", headers={"X-Geniffy-Space": name}),
    ]

    assert [one.status_code < 500 for one in answers] == [True] * len(answers)
    assert not any(THEIRS in one.text for one in answers)
    assert answers[0].json().get("sources", []) == []
    assert answers[1].json().get("memories", []) == []
