"""The OpenAPI document is complete and true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
def document(http: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = http.get("/v1/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for inner in node.values():
            yield from references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from references(inner)


def test_it_is_served_without_a_key_as_version_3_1(base_url: str) -> None:
    answer = httpx.get(base_url + "/v1/openapi.json")

    assert answer.status_code == 200
    assert answer.json()["openapi"] == "3.1.0"


def test_every_reference_leads_somewhere_and_nothing_of_the_framework_is_left(document: dict[str, Any]) -> None:
    for reference in references(document):
        node = document
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]
    assert "ValidationError" not in str(document)


def test_every_operation_has_an_id_a_description_a_key_and_its_refusals(document: dict[str, Any]) -> None:
    found = list(operations(document))

    assert len({one["operationId"] for _, _, one in found}) == len(found) >= 27
    for path, method, one in found:
        assert one["description"].strip(), (path, method)
        assert one["security"] == [{"key": []}]
        assert {"401", "403", "422", "429", "500", "503"} <= one["responses"].keys()
        assert ("{" in path) <= ("404" in one["responses"])
        assert (method in ("post", "put", "patch")) == ("requestBody" in one), (path, method)
        assert any(status.startswith("2") for status in one["responses"])


def test_every_operation_but_those_of_the_account_names_the_space_header(document: dict[str, Any]) -> None:
    for path, _, one in operations(document):
        names = str(one.get("parameters", []))
        assert ("#/components/parameters/Space" in names) == (not path.startswith("/v1/spaces")), path


def test_answers_have_the_shape_that_the_document_says(http: httpx.Client, document: dict[str, Any]) -> None:
    added = http.post("/v1/memories", json={"text": "Kim Park works at Acme as CFO.", "labels": {"team": "sales"}})
    source = added.json()["source"]["id"]
    waited = http.get(f"/v1/sources/{source}?wait=30")
    memory = http.get("/v1/memories").json()["memories"][0]["id"]
    key = http.post("/v1/keys", json={})
    answers = [
        ("/v1/memories", "post", added),
        ("/v1/sources/{source_id}", "get", waited),
        ("/v1/keys", "post", key),
        ("/v1/keys", "get", http.get("/v1/keys")),
        ("/v1/keys/{key_id}", "delete", http.delete(f"/v1/keys/{key.json()['id']}")),
        ("/v1/memories", "get", http.get("/v1/memories")),
        ("/v1/memories/{memory_id}", "get", http.get(f"/v1/memories/{memory}")),
        ("/v1/search", "post", http.post("/v1/search", json={"q": "Kim"})),
        ("/v1/context", "post", http.post("/v1/context", json={"question": "Where does Kim work?"})),
        ("/v1/ask", "post", http.post("/v1/ask", json={"question": "Where does Kim work?"})),
        ("/v1/profile", "get", http.get("/v1/profile?subject=Kim+Park")),
        ("/v1/sources", "get", http.get("/v1/sources")),
        ("/v1/files", "put", http.put("/v1/files", json={"path": "/a.md", "text": "Tea."})),
        ("/v1/files", "get", http.get("/v1/files?path=/a.md")),
        ("/v1/files", "get", http.get("/v1/files?prefix=/")),
        ("/v1/files/move", "post", http.post("/v1/files/move", json={"from": "/a.md", "to": "/b.md"})),
        ("/v1/files", "delete", http.delete("/v1/files?path=/b.md")),
        ("/v1/files", "delete", http.delete("/v1/files?prefix=/")),
        ("/v1/memories/batch", "post", http.post("/v1/memories/batch", json={"items": ["a note", 7]})),
        ("/v1/me", "get", http.get("/v1/me")),
        ("/v1/usage", "get", http.get("/v1/usage")),
        ("/v1/memory-health", "get", http.get("/v1/memory-health")),
        ("/v1/export", "get", http.get("/v1/export")),
        ("/v1/spaces", "get", http.get("/v1/spaces")),
        ("/v1/memories/{memory_id}", "patch", http.patch(f"/v1/memories/{memory}", json={"text": "Kim left."})),
        ("/v1/memories/{memory_id}", "delete", http.delete(f"/v1/memories/{memory}")),
        ("/v1/sources", "delete", http.delete("/v1/sources?label=team:sales")),
        ("/v1/sources", "delete", http.delete("/v1/sources?external_id=none")),
        ("/v1/sources/{source_id}", "delete", http.delete(f"/v1/sources/{source}")),
        ("/v1/spaces/{space}", "delete", http.delete("/v1/spaces/nobody")),
        ("/v1/memories/file", "post", http.post("/v1/memories/file", files={"file": ("a.txt", b"a")})),
    ]

    assert {(path, method) for path, method, _ in answers} == {(path, how) for path, how, _ in operations(document)}
    for path, method, answer in answers:
        described = document["paths"][path][method]["responses"][str(answer.status_code)]
        if "$ref" in described:
            described = document["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
        schema = described["content"]["application/json"]["schema"]
        jsonschema.validate(answer.json(), {**schema, "components": document["components"]})
