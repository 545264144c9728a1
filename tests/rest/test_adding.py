"""Adding over HTTP: what is sent as a form, what can't be read, and batches."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

UPLOAD = "/v1/memories/file"


def test_an_upload_stays_listed_as_a_failed_source_which_the_error_shows(http: httpx.Client) -> None:
    data = {"title": "On tea", "labels": json.dumps({"team": "sales"}), "external_id": "drive/1"}
    answer = http.post(UPLOAD, files={"file": ("naïve.pdf", b"%PDF-1.4", "application/pdf")}, data=data)

    error = answer.json()["error"]
    listed = http.get("/v1/sources").json()["sources"]
    assert (answer.status_code, error["code"]) == (422, "unreadable")
    assert listed == [error["source"]]
    shown = {
        name: error["source"][name] for name in ("kind", "status", "title", "file_name", "file_type", "size_bytes")
    }
    assert shown == {
        "kind": "file",
        "status": "failed",
        "title": "On tea",
        "file_name": "naïve.pdf",
        "file_type": "application/pdf",
        "size_bytes": 8,
    }
    assert (error["source"]["labels"], error["source"]["external_id"]) == ({"team": "sales"}, "drive/1")
    assert error["source"]["error"] == error["message"]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"data": {"title": "a"}, "files": {"other": ("a.txt", b"a")}}, "invalid_request"),
        ({"files": {"file": (None, b"not a file")}}, "invalid_request"),
        ({"files": {"file": ("a.txt", b"a"), "title": ("b.txt", b"b")}}, "invalid_request"),
        ({"files": {"file": (" ", b"a")}}, "invalid_request"),
        ({"files": {"file": ("x" * 256, b"a")}}, "invalid_request"),
        ({"files": {"file": ("a.txt", b"a")}, "data": {"labels": "{"}}, "bad_labels"),
        ({"files": {"file": ("a.txt", b"a")}, "data": {"labels": "[" * 100_000}}, "bad_labels"),
        ({"files": {"file": ("a.txt", b"a")}, "data": {"labels": '{"a": 1}'}}, "bad_labels"),
        ({"files": {"file": ("a.txt", b"a")}, "data": {"external_id": "file:/a.md"}}, "bad_external_id"),
        ({"json": {"file": "a"}}, "invalid_request"),
        ({"content": b"x", "headers": {"Content-Type": "multipart/form-data"}}, "invalid_request"),
    ],
)
def test_an_upload_that_is_none_stores_nothing(http: httpx.Client, options: dict[str, Any], code: str) -> None:
    answer = http.post(UPLOAD, **options)

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)
    assert http.get("/v1/sources").json()["total"] == 0


@pytest.mark.parametrize("is_announced", [True, False])
def test_an_upload_beyond_25_mib_is_413(http: httpx.Client, is_announced: bool) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
    body = head + b"x" * (25 << 20) + b"\r\n--x--\r\n"
    sent = body if is_announced else (body[at : at + (1 << 20)] for at in range(0, len(body), 1 << 20))
    answer = http.post(UPLOAD, content=sent, headers={"Content-Type": "multipart/form-data; boundary=x"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert http.get("/v1/sources").json()["total"] == 0


def test_a_page_is_kept_without_the_secrets_of_its_address(http: httpx.Client) -> None:
    url = "https://example.com/?key=gnf_live_" + "a1B2" * 10 + "xyz"
    answer = http.post("/v1/memories", json={"url": url})

    source = answer.json()["error"]["source"]
    assert (answer.status_code, source["kind"], source["status"]) == (422, "link", "failed")
    assert "a1B2" not in json.dumps(http.get("/v1/export").json())
    assert source["url"].startswith("https://example.com/")


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.com", "example.com", "http://", "https:///a", "http://[::1", "javascript:1"],
)
def test_what_is_no_address_of_the_web_is_refused_and_not_kept(http: httpx.Client, url: str) -> None:
    answer = http.post("/v1/memories", json={"url": url})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")
    assert http.get("/v1/sources").json()["total"] == 0


def test_something_unreadable_under_an_id_leaves_what_was_said_there(http: httpx.Client) -> None:
    first = http.post("/v1/memories", json={"text": "Kim Park works at Acme as CFO.", "external_id": "crm/1"}).json()
    learned = http.get(f"/v1/sources/{first['source']['id']}?wait=30").json()["source"]

    refused = http.post("/v1/memories", json={"url": "https://example.com", "external_id": "crm/1", "title": "New"})

    source = refused.json()["error"]["source"]
    assert refused.status_code == 422
    assert source == {**learned, "error": source["error"]}
    assert source["error"]
    assert http.get("/v1/memories").json()["total"] == 1


def test_a_note_in_the_place_of_something_unreadable_is_a_note(http: httpx.Client) -> None:
    failed = http.post("/v1/memories", json={"url": "https://example.com", "external_id": "crm/1"}).json()
    again = http.post("/v1/memories", json={"text": "Kim Park works at Acme as CFO.", "external_id": "crm/1"}).json()

    assert again["source"]["id"] == failed["error"]["source"]["id"]
    assert (again["source"]["kind"], again["source"]["url"], again["source"]["error"]) == ("note", None, None)
    assert again["source"]["title"] == "Kim Park works at Acme as CFO."


def test_a_batch_takes_strings_and_reports_each_item(http: httpx.Client) -> None:
    items = ["Tea at four.", {"text": "Kim left."}, 7, {"text": ""}, {"text": "a", "space": "a:b"}]
    answer = http.post("/v1/memories/batch", json={"items": items})

    done = answer.json()
    assert answer.status_code == 202
    assert (done["added"], done["failed"]) == (2, 3)
    codes = [one["error"] and one["error"]["code"] for one in done["results"]]
    assert codes == [None, None, "invalid_request", "invalid_request", "bad_space"]
    assert [one["index"] for one in done["results"]] == [0, 1, 2, 3, 4]


def test_messages_nested_without_end_are_refused(http: httpx.Client) -> None:
    deep = '{"a":' * 900 + "1" + "}" * 900
    body = '{"messages": [{"role": "user", "content": "a", "tool_calls": [{"name": "x", "args": ' + deep + "}]}]}"

    assert http.post("/v1/memories", content=body).status_code in (201, 422)
