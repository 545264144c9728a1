"""Health and metrics, which tell nothing of what a memory holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from geniffy_server.errors import Unavailable


def test_healthz_answers_without_a_key_and_without_the_store(
    server: Any, base_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(self: Any, work: Any) -> Any:
        raise Unavailable("The store did not answer.")

    monkeypatch.setattr(type(server.ports.store), "read", away)

    answer = httpx.get(base_url + "/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert httpx.head(base_url + "/healthz").status_code == 200


def test_readyz_is_503_while_the_store_is_out_of_reach(
    server: Any, base_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = httpx.get(base_url + "/readyz")

    async def away(self: Any, work: Any) -> Any:
        raise Unavailable("The store did not answer.")

    monkeypatch.setattr(type(server.ports.store), "read", away)
    during = httpx.get(base_url + "/readyz")

    assert (before.status_code, before.json()) == (200, {"status": "ok"})
    assert (during.status_code, during.json()["error"]["code"]) == (503, "memory_unavailable")
    assert during.headers["Retry-After"].isdecimal()


def test_metrics_count_calls_by_door_route_and_status_for_this_machine(http: httpx.Client) -> None:
    http.get("/v1/memories/123456")
    text = http.get("/metrics")

    assert text.headers["Content-Type"].startswith("text/plain; version=")
    assert 'geniffy_calls_total{door="rest",route="GET /v1/memories/{memory_id}",status="404"}' in text.text
    assert 'geniffy_call_duration_seconds_bucket{door="rest",le="0.005",route="GET /v1/me' in text.text
    assert "geniffy_learning_jobs_waiting " in text.text
    assert "memories/123456" not in text.text


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "X-Forwarded-Proto", "Via"]
)
def test_metrics_are_not_there_for_a_stranger_behind_a_proxy(base_url: str, header: str) -> None:
    answer = httpx.get(base_url + "/metrics", headers={header: "127.0.0.1"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8787", "localhost.evil.example", "[", "", "10.0.0.7"])
def test_metrics_are_not_there_for_a_page_whose_name_was_made_to_point_here(base_url: str, host: str) -> None:
    answer = httpx.get(base_url + "/metrics", headers={"Host": host})

    assert answer.status_code in (400, 404)
    assert "geniffy_calls" not in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8787", "[::1]:8787"])
def test_metrics_are_there_by_every_name_of_this_machine(base_url: str, host: str) -> None:
    assert httpx.get(base_url + "/metrics", headers={"Host": host}).status_code == 200


def test_metrics_are_there_for_a_stranger_with_the_token(fresh_server: Callable[..., Any]) -> None:
    url = fresh_server(metrics_token="s3cret-token").base_url + "/metrics"
    forwarded = {"X-Forwarded-For": "203.0.113.9"}

    right = httpx.get(url, headers={**forwarded, "Authorization": "Bearer s3cret-token"})
    wrong = httpx.get(url, headers={**forwarded, "Authorization": "Bearer s3cret"})
    none = httpx.get(url, headers=forwarded)

    assert right.status_code == 200
    assert [(one.status_code, one.json()["error"]["code"]) for one in (wrong, none)] == [(401, "bad_key")] * 2
