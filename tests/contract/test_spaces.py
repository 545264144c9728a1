"""Spaces: one memory for each of an app's users, contract 7.B."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

BLUE = "The Lumen launch code is bluebird."
GREEN = "The Lumen launch code is greenfinch."


@pytest.fixture
def limited(sdk: Any, base_url: str) -> Any:
    """The published client with a key limited to the test's space, bound to no space itself."""
    from geniffy import Geniffy

    with Geniffy(sdk.keys.create(name="phone").key, base_url=base_url, max_retries=0) as one:
        yield one


@pytest.mark.statement(21)
async def test_without_a_space_the_owners_own_memory_is_read_and_written(
    person: Any, space: str, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(person, BLUE)
    await tell(person.space(space), GREEN)

    assert await texts(person) == [BLUE]
    assert await texts(person.space(space)) == [GREEN]
    assert [one.text for one in await person.space(space).search("bluebird")] == [GREEN]


@pytest.mark.statement(22)
async def test_two_spaces_never_see_each_others_memories_sources_or_files(
    person: Any, tell: Callable[..., Any], put: Callable[..., Any]
) -> None:
    left, right = person.space("left"), person.space("right")
    await tell(left, BLUE, external_id="shared/1", labels={"team": "sales"})
    await tell(right, GREEN, external_id="shared/1", labels={"team": "sales"})
    await put(left, "/memories/a.md", "Ana lives in Porto.")

    assert [one.text for one in await left.search("launch code", labels={"team": "sales"})] == [BLUE]
    assert "bluebird" not in await right.context("What is the Lumen launch code?")
    assert (await right.sources.list()).total == 1
    assert (await right.files.list()).files == []
    assert (await left.sources.get(external_id="shared/1")).id != (await right.sources.get(external_id="shared/1")).id
    assert (await right.ask("Where does Ana live?")).answer is None


@pytest.mark.statement(22)
async def test_one_session_id_in_two_spaces_is_two_sessions(person: Any, texts: Callable[..., Any]) -> None:
    from geniffy import NotFoundError

    left, right = person.space("left"), person.space("right")
    one = await left.session("run-1").save([{"role": "user", "content": "My sister Ana lives in Porto."}])
    two = await right.session("run-1").save([{"role": "user", "content": "My sister Mia lives in Oslo."}])
    await left.sources.wait(one.id)
    await right.sources.wait(two.id)

    assert one.id != two.id
    assert "Mia" not in " ".join(await texts(left))
    with pytest.raises(NotFoundError):
        await left.sources.get(two.id)


@pytest.mark.statement(23)
async def test_a_space_that_nothing_was_written_to_reads_as_empty(memory: Any) -> None:
    page = await memory.memories.list()

    assert (page.memories, page.total, page.next) == ([], 0, None)
    assert page.counts == {"all": 0, "people": 0, "plan": 0, "pref": 0, "detail": 0}
    assert (await memory.sources.list()).sources == []
    assert (await memory.files.list()).files == []
    assert await memory.search("anything") == []
    assert await memory.keys.list() == []
    assert (await memory.ask("anything?")).message
    assert (await memory.profile())["memories"] == 0


@pytest.mark.statement(23)
def test_reading_a_space_does_not_make_it(client: Any, space: str) -> None:
    client.space(space).search("anything")
    client.space(space).memories.list()

    assert client.spaces() == []


@pytest.mark.statement(24)
@pytest.mark.parametrize("name", [b"", b"\xc2\xa0", b"\xe2\x80\x8b"])
def test_a_blank_space_is_refused_and_never_the_owners_memory(
    http: httpx.Client, client: Any, learned: Callable[..., Any], name: bytes
) -> None:
    learned(client, client.memories.add(BLUE))

    read = http.get("/v1/memories", headers={"X-Geniffy-Space": name})
    written = http.post("/v1/memories", json={"text": GREEN}, headers={"X-Geniffy-Space": name})

    assert (read.status_code, read.json()["error"]["code"]) == (422, "bad_space")
    assert (written.status_code, written.json()["error"]["code"]) == (422, "bad_space")
    assert client.memories.list().total == 1


@pytest.mark.statement(25)
@pytest.mark.parametrize(
    "name", ["a:b", "a b", "é", "x" * 129, ".", "..", "a/b", "a\\b", "' OR 1=1 --", "a,b", "*", "a\u00a0b", "日本"]
)
def test_a_malformed_space_is_422_bad_space(http: httpx.Client, name: str) -> None:
    answer = http.get("/v1/memories", headers={"X-Geniffy-Space": name.encode("utf-8")})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_space")


@pytest.mark.statement(24, 25)
def test_two_space_headers_are_not_read_as_one_of_them(
    base_url: str, api_key: str, client: Any, learned: Callable[..., Any]
) -> None:
    learned(client.space("left"), client.space("left").memories.add(BLUE))
    headers = [("Authorization", f"Bearer {api_key}"), ("X-Geniffy-Space", "right"), ("X-Geniffy-Space", "left")]

    answer = httpx.get(base_url + "/v1/memories", headers=headers)

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_space")


@pytest.mark.statement(26)
async def test_a_name_of_128_characters_is_a_space(person: Any, tell: Callable[..., Any]) -> None:
    name = "A-z0._" * 21 + "zz"
    assert len(name) == 128
    await tell(person.space(name), BLUE)

    assert [one["space"] for one in await person.spaces()] == [name]
    assert (await person.space(name).memories.list()).total == 1


@pytest.mark.statement(27)
async def test_upper_and_lower_case_are_different_spaces(person: Any, tell: Callable[..., Any]) -> None:
    await tell(person.space("customer_1042"), BLUE)

    assert (await person.space("Customer_1042").memories.list()).total == 0


@pytest.mark.statement(28)
async def test_spaces_lists_what_holds_something_the_latest_written_first(
    person: Any, http: Any, tell: Callable[..., Any], put: Callable[..., Any]
) -> None:
    await tell(person, "The owner's own note is about tea.")
    await tell(person.space("first"), BLUE)
    await put(person.space("second"), "/memories/a.md", "Ana lives in Porto.\n\nMia plays the violin.")
    await person.space("read-only").search("anything")
    await tell(person.space("first"), "Ben drinks coffee.")

    listed = await person.spaces()
    assert [one["space"] for one in listed] == ["first", "second"]
    assert [(one["sources"], one["memories"]) for one in listed] == [(2, 2), (1, 2)]
    assert listed[0]["last_added_at"] > listed[1]["last_added_at"]
    assert http.get("/v1/spaces").json() == {"spaces": listed, "total": 2}


@pytest.mark.statement(28)
async def test_a_space_whose_last_source_was_deleted_is_not_listed(person: Any, tell: Callable[..., Any]) -> None:
    source = await tell(person.space("gone"), BLUE)
    await person.space("gone").sources.delete(source.id)

    assert await person.spaces() == []


@pytest.mark.statement(29)
async def test_erasing_a_space_takes_all_of_it_and_nothing_else(
    person: Any, tell: Callable[..., Any], put: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    gone, kept = person.space("gone"), person.space("kept")
    for one in (gone, kept):
        await tell(one, BLUE, external_id="note/1")
        await put(one, "/memories/a.md", "Ana lives in Porto.")
        await one.sources.wait((await one.session("run").save([{"role": "user", "content": "I love sailing."}])).id)
    before = await kept.export()

    erased = await person.forget_space("gone")

    assert erased == {"space": "gone", "erased": True, "sources_removed": 3}
    assert (
        (await gone.memories.list()).total == (await gone.sources.list()).total == (await gone.files.list()).total == 0
    )
    after = await kept.export()
    assert {key: value for key, value in after.items() if key != "exported_at"} == {
        key: value for key, value in before.items() if key != "exported_at"
    }


@pytest.mark.statement(30)
async def test_keys_limited_to_a_space_stop_when_it_is_erased(person: Any, base_url: str) -> None:
    from geniffy import AuthenticationError, Geniffy

    key = await person.space("gone").keys.create()
    await person.space("gone").memories.add(BLUE)
    await person.forget_space("gone")

    with Geniffy(key.key, base_url=base_url, max_retries=0) as phone, pytest.raises(AuthenticationError) as refused:
        phone.memories.list()
    assert (refused.value.status, refused.value.code) == (401, "bad_key")


@pytest.mark.statement(30)
def test_a_key_of_a_space_that_holds_nothing_stops_when_it_is_erased(client: Any, with_key: Callable[..., Any]) -> None:
    key = client.space("empty").keys.create()
    client.forget_space("empty")

    answer = with_key(key.key).get("/v1/me")

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_key")


@pytest.mark.statement(31)
async def test_erasing_a_space_that_was_never_written_is_200(person: Any) -> None:
    assert await person.forget_space("never") == {"space": "never", "erased": True, "sources_removed": 0}


@pytest.mark.statement(32)
@pytest.mark.parametrize(
    "segment", ["customer%201042%2F..%2Fx", "..%2Fx", "x%2F", "%2Fx", "%2e%2e", "a%3Ab", "x%00", "%20x", "x%20", "%F0"]
)
def test_an_encoded_name_never_becomes_another_space(
    http: httpx.Client, client: Any, learned: Callable[..., Any], segment: str
) -> None:
    learned(client.space("x"), client.space("x").memories.add(BLUE))

    answer = http.request("DELETE", http.base_url.copy_with(raw_path=f"/v1/spaces/{segment}".encode()))

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_space")
    assert client.space("x").memories.list().total == 1


@pytest.mark.statement(32)
def test_the_clients_own_encoding_of_a_name_with_a_path_in_it_is_refused(client: Any) -> None:
    from geniffy import BadRequestError

    with pytest.raises(BadRequestError) as refused:
        client.forget_space("customer 1042/../x")

    assert (refused.value.status, refused.value.code) == (422, "bad_space")


@pytest.mark.statement(33)
async def test_an_erased_space_starts_empty_when_it_is_written_again(
    person: Any, space: str, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    memory = person.space(space)
    first = await tell(memory, BLUE, external_id="note/1")
    forgotten = (await memory.memories.list()).memories[0]
    await memory.memories.delete(forgotten.id)
    await person.forget_space(space)

    again = await tell(memory, BLUE, external_id="note/1")

    assert again.id != first.id
    assert await texts(memory) == [BLUE]
    assert (await memory.memories.list()).memories[0].id > forgotten.id


@pytest.mark.statement(34, 35)
@pytest.mark.parametrize("named", [False, True])
def test_a_limited_key_reads_and_writes_its_space_with_and_without_naming_it(
    sdk: Any, limited: Any, learned: Callable[..., Any], named: bool
) -> None:
    phone = limited.space(sdk.space_id) if named else limited
    learned(phone, phone.memories.add(BLUE))
    phone.files.put("/memories/a.md", "")

    assert [one.text for one in sdk.memories.list().memories] == [BLUE]
    assert [one.text for one in phone.search("launch code")] == [BLUE]
    assert phone.me()["space"] == sdk.space_id
    assert phone.export()["files"][0]["path"] == "/memories/a.md"


@pytest.mark.statement(36)
def test_a_limited_key_that_names_another_space_is_refused_and_nothing_is_read_or_written(
    client: Any, limited: Any, learned: Callable[..., Any]
) -> None:
    from geniffy import AuthenticationError

    victim = client.space("victim")
    learned(victim, victim.memories.add(GREEN))
    reaching = limited.space("victim")
    for call in (
        lambda: reaching.memories.add(BLUE),
        lambda: reaching.search("launch code"),
        lambda: reaching.memories.list(),
        lambda: reaching.export(),
        lambda: reaching.files.put("/memories/a.md", "x"),
        lambda: reaching.me(),
    ):
        with pytest.raises(AuthenticationError) as refused:
            call()
        assert (refused.value.status, refused.value.code) == (403, "wrong_space")
        assert "greenfinch" not in str(refused.value)

    assert victim.memories.list().total == 1
    assert victim.files.list().total == 0


@pytest.mark.statement(36)
def test_a_limited_key_with_a_blank_space_is_refused(sdk: Any, with_key: Callable[..., Any]) -> None:
    answer = with_key(sdk.keys.create().key, **{"X-Geniffy-Space": ""}).get("/v1/memories")

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_space")


@pytest.mark.statement(37)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/spaces"),
        ("DELETE", "/v1/spaces/{own}"),
        ("DELETE", "/v1/spaces/other"),
        ("POST", "/v1/keys"),
        ("GET", "/v1/keys"),
        ("DELETE", "/v1/keys/1"),
        ("GET", "/v1/usage"),
    ],
)
def test_a_limited_key_is_refused_what_belongs_to_the_account(
    sdk: Any, with_key: Callable[..., Any], method: str, path: str
) -> None:
    answer = with_key(sdk.keys.create().key).request(method, path.format(own=sdk.space_id), json={})

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")


@pytest.mark.statement(38)
async def test_me_echoes_the_space_and_is_null_without_one(person: Any, space: str) -> None:
    assert (await person.space(space).me())["space"] == space
    assert (await person.me())["space"] is None


@pytest.mark.statement(22, 36)
def test_two_accounts_with_the_same_space_name_share_nothing(
    server: Any, sdk: Any, another_account: Any, base_url: str, learned: Callable[..., Any]
) -> None:
    from geniffy import Geniffy, NotFoundError

    source = learned(sdk, sdk.memories.add(BLUE))
    with Geniffy(another_account.key, base_url=base_url, max_retries=0) as client:
        other = client.space(sdk.space_id)

        assert other.memories.list().total == 0
        assert client.spaces() == []
        with pytest.raises(NotFoundError):
            other.sources.get(source.id)
        other.memories.add(GREEN)
        client.forget_space(sdk.space_id)
    assert sdk.memories.list().total == 1


def test_labels_that_look_like_a_space_change_nothing(client: Any, learned: Callable[..., Any]) -> None:
    victim, mine = client.space("victim"), client.space(f"user-{uuid4().hex[:8]}")
    source = learned(mine, mine.memories.add(BLUE, labels={"space": "victim", "user_id": "victim"}))

    assert source.labels == {"space": "victim", "user_id": "victim"}
    assert mine.memories.list().total == 1
    assert victim.memories.list().total == victim.sources.list().total == 0
