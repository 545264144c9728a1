"""Who calls, as headers say it."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from geniffy_server.errors import BadInput
from geniffy_server.rest.guard import check_query, client_of


def request(headers: dict[str, str] | None = None, query: bytes = b"") -> Request:
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
    return Request({"type": "http", "headers": raw, "query_string": query})


@pytest.mark.parametrize(
    ("headers", "app"),
    [
        ({}, None),
        ({"User-Agent": "geniffy-python/0.5.1"}, "geniffy-python/0.5.1"),
        ({"User-Agent": "geniffy-python/0.5.1 langchain-geniffy/0.2.0"}, "langchain-geniffy/0.2.0"),
        ({"X-Geniffy-Client": "geniffy-js/0.4.0 geniffy-ai-sdk/0.2.0"}, "geniffy-ai-sdk/0.2.0"),
        ({"X-Geniffy-Client": "geniffy-js/0.4.0", "User-Agent": "node"}, "geniffy-js/0.4.0"),
        ({"X-Geniffy-Client": "my-app/1.0 x/2 y/3"}, "x/2"),
        ({"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101"}, None),
        ({"User-Agent": "curl/8.5.0"}, None),
        ({"X-Geniffy-Client": "no version"}, None),
        ({"X-Geniffy-Client": "<script>/1 geniffy-js/0.4.0"}, "geniffy-js/0.4.0"),
        ({"X-Geniffy-Client": "a" * 65 + "/1"}, None),
        ({"X-Geniffy-Client": "a/1 " + "b" * 5000 + "/1"}, "a/1"),
    ],
)
def test_an_app_is_named_by_its_integration_or_its_library(headers: dict[str, str], app: str | None) -> None:
    assert client_of(request(headers)) == app


@pytest.mark.parametrize(
    "query", [b"", b"path=%2Fa+b", b"label=a:b&label=a:c", b"x=%C3%A9", b"colour=1&colour=2", b"&&=&a"]
)
def test_a_query_that_says_one_thing_is_taken(query: bytes) -> None:
    check_query(request(query=query))


@pytest.mark.parametrize(
    "query", [b"x=%00", b"%00=x", b"x=%ff", b"x=%F0%9F", b"x=%ED%A0%80", b"x=\xc3\xa9", b"path=/a&path=/b"]
)
def test_a_query_that_can_not_be_kept_or_says_two_things_is_refused(query: bytes) -> None:
    with pytest.raises(BadInput):
        check_query(request(query=query))
