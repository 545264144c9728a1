"""Keys limited to one space: contract 7.N, 225 to 229."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest


@pytest.mark.statement(225)
async def test_a_key_is_shown_once_when_it_is_made(memory: Any, http: Any) -> None:
    made = await memory.keys.create(name="Priya's phone")

    (listed,) = http.get("/v1/keys").json()["keys"]
    assert re.fullmatch(r"gnf_live_[A-Za-z0-9_-]{43}", made.key)
    assert (made.name, made.space, made.last_used_at, made.expires_at) == ("Priya's phone", memory.space_id, None, None)
    assert made.raw["note"].strip()
    assert (listed["id"], listed["name"], listed["space"]) == (made.id, "Priya's phone", memory.space_id)
    assert "key" not in listed
    assert made.key not in str(listed)
    assert len(listed["starts_with"]) < 20
    assert made.key.startswith(listed["starts_with"])


@pytest.mark.statement(225)
def test_making_a_key_is_201_with_its_id_at_the_top(http: httpx.Client) -> None:
    answer = http.post("/v1/keys", json={"name": "phone"})

    assert answer.status_code == 201
    assert type(answer.json()["id"]) is int


@pytest.mark.statement(225)
async def test_a_key_is_kept_as_a_hash_alone(memory: Any, files_holding: Callable[[str], list[str]]) -> None:
    made = await memory.keys.create()

    assert files_holding(made.starts_with)
    assert files_holding(made.key) == []


@pytest.mark.statement(226)
@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": None}])
def test_a_key_without_a_name_gets_one(http: httpx.Client, space: str, body: dict[str, Any]) -> None:
    answer = http.post("/v1/keys", json=body)

    assert answer.status_code == 201
    assert answer.json()["name"] == f"Key for {space}"


@pytest.mark.statement(226)
@pytest.mark.parametrize("rpm", [601, 0, -1, 10**12, 1.5, "60", True, []])
def test_a_rate_outside_1_to_600_is_422(http: httpx.Client, rpm: Any) -> None:
    answer = http.post("/v1/keys", json={"rpm": rpm})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")
    assert http.get("/v1/keys").json()["keys"] == []


@pytest.mark.statement(226)
async def test_an_expiry_in_the_past_is_422_and_today_is_good(memory: Any) -> None:
    from geniffy import BadRequestError

    now = datetime.now(UTC)
    for past in ("2020-01-01", now - timedelta(hours=1), "soon"):
        with pytest.raises(BadRequestError) as refused:
            await memory.keys.create(expires_at=past)
        assert (refused.value.status, refused.value.code) == (422, "bad_date")

    made = await memory.keys.create(expires_at=(now + timedelta(minutes=5)).date())
    assert datetime.fromisoformat(made.expires_at) > now
    assert [one.id for one in await memory.keys.list()] == [made.id]


def test_a_key_may_end_on_the_last_day_there_is(http: httpx.Client) -> None:
    answer = http.post("/v1/keys", json={"expires_at": "9999-12-31"})

    assert (answer.status_code, answer.json()["expires_at"][:10]) == (201, "9999-12-31")
    assert http.get("/v1/keys").json()["keys"][0]["expires_at"] == answer.json()["expires_at"]


@pytest.mark.statement(227)
def test_only_working_keys_of_that_space_are_listed(clocked: Any) -> None:
    left, right = clocked.client.space("left"), clocked.client.space("right")
    kept, revoked = left.keys.create(name="kept"), left.keys.create(name="revoked")
    left.keys.create(name="expiring", expires_at="2031-05-04")
    right.keys.create(name="elsewhere")
    left.keys.revoke(revoked.id)

    clocked.set_clock(datetime(2031, 5, 6, tzinfo=UTC))
    listed = left.keys.list()

    assert [one.id for one in listed] == [kept.id]
    assert listed[0].key is None


@pytest.mark.statement(227)
async def test_a_key_shows_when_it_was_last_used(memory: Any, with_key: Callable[..., Any]) -> None:
    made = await memory.keys.create()

    with_key(made.key).get("/v1/me")

    assert (await memory.keys.list())[0].last_used_at


@pytest.mark.statement(228)
def test_a_revoked_key_stops_and_can_not_be_revoked_again(
    sdk: Any, http: httpx.Client, with_key: Callable[..., Any], space: str
) -> None:
    made = sdk.keys.create()

    revoked = http.delete(f"/v1/keys/{made.id}")

    used = with_key(made.key).get("/v1/me")
    assert (revoked.status_code, revoked.json()) == (200, {"id": made.id, "space": space, "revoked": True})
    assert used.status_code == 401
    assert http.delete(f"/v1/keys/{made.id}").status_code == 404


@pytest.mark.statement(228)
async def test_another_spaces_key_is_not_found(person: Any, with_key: Callable[..., Any]) -> None:
    from geniffy import NotFoundError

    made = await person.space("left").keys.create()

    with pytest.raises(NotFoundError) as refused:
        await person.space("right").keys.revoke(made.id)
    used = with_key(made.key).get("/v1/me")
    assert (refused.value.status, refused.value.code) == (404, "not_found")
    assert used.status_code == 200


@pytest.mark.statement(228)
@pytest.mark.parametrize("name", ["0", "-1", "abc", "999999999", "9" * 40, "1.0"])
def test_an_unknown_key_is_404(http: httpx.Client, name: str) -> None:
    answer = http.delete(f"/v1/keys/{name}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.statement(229)
async def test_a_key_is_made_for_a_space(person: Any) -> None:
    from geniffy import BadRequestError

    with pytest.raises(BadRequestError) as refused:
        await person.keys.create(name="phone")

    assert (refused.value.status, refused.value.code) == (422, "bad_space")


@pytest.mark.statement(30, 34)
async def test_a_key_made_before_anything_was_written_works(memory: Any, with_key: Callable[..., Any]) -> None:
    made = await memory.keys.create()

    added = with_key(made.key).post("/v1/memories", json={"text": "I love sailing."})

    assert added.status_code == 201
    assert (await memory.sources.list()).total == 1
