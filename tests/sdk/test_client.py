"""How a client is made, whose memory it reaches, and who closes its connections."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import geniffy
import pytest

import geniffy_agents
from geniffy_agents import AsyncGeniffy, Geniffy, GeniffyError
from tests.sdk.capture import KEY, Wire, outcome

NOTHING_SET: Mapping[str, str] = {
    "GENIFFY_API_KEY": "",
    "GENIFFY_BASE_URL": "",
    "GENIFFY_REGION": "",
}


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NOTHING_SET.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("made", [Geniffy, AsyncGeniffy])
class TestSettings:
    def test_without_an_address_it_calls_this_machine_and_no_hosted_service(self, made: Any) -> None:
        assert made(KEY).base_url == "http://127.0.0.1:8787"

    def test_the_variables_are_read_when_a_client_is_made(self, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GENIFFY_API_KEY", "  gnf_env \n")
        monkeypatch.setenv("GENIFFY_BASE_URL", " http://memory.test/pre/// ")

        client = made()

        assert client.base_url == "http://memory.test/pre"
        assert client._settings.headers["Authorization"] == "Bearer gnf_env"

    def test_an_argument_goes_before_its_variable(self, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GENIFFY_API_KEY", "gnf_env")
        monkeypatch.setenv("GENIFFY_BASE_URL", "http://env.test")

        client = made("gnf_own", base_url="http://own.test/")

        assert client.base_url == "http://own.test"
        assert client._settings.headers["Authorization"] == "Bearer gnf_own"

    def test_a_blank_argument_counts_as_left_out(self, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GENIFFY_API_KEY", "gnf_env")

        client = made(" ", base_url="", region="")

        assert client._settings.headers["Authorization"] == "Bearer gnf_env"

    def test_no_key_is_refused_with_how_to_get_one(self, made: Any) -> None:
        with pytest.raises(GeniffyError, match="geniffy-server key create"):
            made()

    @pytest.mark.parametrize("key", ["gnf\nX: y", "gnf_é"])
    def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(self, made: Any, key: str) -> None:
        with pytest.raises(GeniffyError) as raised:
            made(key)
        assert key not in str(raised.value)

    @pytest.mark.parametrize("url", ["localhost:8787", "127.0.0.1", "ftp://h", "http://", "http:///x", "file:///x"])
    def test_what_is_no_web_address_is_refused(self, made: Any, url: str) -> None:
        with pytest.raises(ValueError, match="base_url"):
            made(KEY, base_url=url)

    def test_a_region_is_refused_in_one_sentence(self, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ValueError, match="your own server"):
            made(KEY, base_url="http://own.test", region="eu")
        monkeypatch.setenv("GENIFFY_REGION", "in")
        with pytest.raises(ValueError, match="your own server"):
            made(KEY)

    def test_an_integration_is_named_beside_the_client(self, made: Any) -> None:
        client = made(KEY, integration="geniffy-langchain/0.1.0")

        agent = client._settings.headers["User-Agent"]

        assert agent == f"geniffy-agents/{geniffy_agents.__version__} geniffy-langchain/0.1.0"

    @pytest.mark.parametrize("integration", ["x", "x/", "/1", "x/1\nY: z", "x y/1", "x" * 65 + "/1"])
    def test_an_integration_that_is_no_name_and_version_is_refused(self, made: Any, integration: str) -> None:
        with pytest.raises(ValueError, match="integration"):
            made(KEY, integration=integration)

    def test_an_integration_that_is_given_a_client_names_itself_unless_the_app_did(self, made: Any) -> None:
        plain, named = made(KEY, space="42"), made(KEY, integration="my-app/2.0")

        agents = [each.through("geniffy-langchain/0.1.0")._settings.headers["User-Agent"] for each in (plain, named)]

        own = f"geniffy-agents/{geniffy_agents.__version__}"
        assert agents == [f"{own} geniffy-langchain/0.1.0", f"{own} my-app/2.0"]
        assert plain.through("geniffy-langchain/0.1.0").space_id == "42"
        assert plain._settings.headers["User-Agent"] == own
        with pytest.raises(ValueError, match="integration"):
            plain.through("langchain")

    def test_the_key_is_never_shown(self, made: Any) -> None:
        client = made(KEY, space="42")

        assert repr(client) == f"{made.__name__}(base_url='http://127.0.0.1:8787', space='42')"


@pytest.mark.parametrize("made", [Geniffy, AsyncGeniffy])
class TestSpaces:
    @pytest.mark.parametrize("space", ["", " ", "\t\n"])
    def test_a_blank_space_is_refused_at_every_door(self, made: Any, space: str) -> None:
        with pytest.raises(ValueError, match="blank"):
            made(KEY, space=space)
        with pytest.raises(ValueError, match="blank"):
            made(KEY).space(space)

    @pytest.mark.parametrize("space", [None, True, 1.0, b"x", ["x"]])
    def test_what_is_no_name_is_refused(self, made: Any, space: Any) -> None:
        with pytest.raises(TypeError, match="string or an int"):
            made(KEY).space(space)

    @pytest.mark.parametrize("space", ["é", "a\nb", ".", ".."])
    def test_a_name_that_could_not_arrive_as_it_is_is_refused(self, made: Any, space: str) -> None:
        with pytest.raises(ValueError, match="can't name a space"):
            made(KEY).space(space)

    def test_an_explicit_none_is_the_owners_own_memory(self, made: Any) -> None:
        assert made(KEY, space=None).space_id == ""

    @pytest.mark.parametrize(
        ("space", "name"), [(42, "42"), (0, "0"), (" user-1 ", "user-1"), ("Customer_1", "Customer_1")]
    )
    def test_an_id_is_sent_as_its_name(self, made: Any, space: str | int, name: str) -> None:
        assert made(KEY).space(space).space_id == name
        assert made(KEY, space=space)._settings.headers["X-Geniffy-Space"] == name


async def test_everything_of_a_bound_client_stays_in_its_space() -> None:
    blocking, waiting = Wire(), Wire()

    for client in (blocking.client().space("one").space("two"), waiting.async_client().space("one").space("two")):
        for result in (
            client.me(),
            client.memories.add("t"),
            client.memories.iterate(),
            client.sources.list(),
            client.files.get("/a"),
            client.keys.list(),
            client.sections.list(),
            client.session("s").save([{"role": "user", "content": "hi"}]),
            client.export(),
        ):
            await outcome(result)

    for request in (*blocking.sent, *waiting.sent):
        assert request.headers["x-geniffy-space"] == "two"
    assert len(blocking.sent) == len(waiting.sent) == 9


@pytest.mark.parametrize(
    ("space", "error"), [("", ValueError), (" ", ValueError), (None, TypeError), (True, TypeError)]
)
async def test_an_item_for_a_user_without_an_id_is_refused_before_anything_is_sent(
    space: Any, error: type[Exception]
) -> None:
    wire = Wire()

    for client in (wire.client(), wire.async_client()):
        with pytest.raises(error):
            await outcome(client.memories.add_many([{"text": "t", "space": space}]))
        with pytest.raises(error):
            await outcome(client.forget_space(space))
    assert wire.sent == []


def test_closing_a_client_closes_its_connections_and_closing_a_bound_one_does_not() -> None:
    http = Wire().http()
    client = Geniffy(KEY, http_client=http)

    with client.space("42"), client.through("my-app/1.0"):
        pass
    assert not http.is_closed
    with client:
        pass
    assert http.is_closed


@pytest.mark.parametrize("name", ["close", "aclose"])
async def test_an_asyncio_client_closes_under_both_names(name: str) -> None:
    http = Wire().async_http()
    client = AsyncGeniffy(KEY, http_client=http)

    async with client.space("42"):
        pass
    assert not http.is_closed
    await getattr(client, name)()
    assert http.is_closed


@pytest.mark.parametrize(
    ("url", "through_proxies"),
    [("http://127.0.0.1:8787", False), ("http://localhost", False), ("http://[::1]:1", False), ("http://h.test", True)],
)
async def test_a_server_on_this_machine_is_not_called_through_a_proxy(url: str, through_proxies: bool) -> None:
    waiting: Any = AsyncGeniffy(KEY, base_url=url)._http

    assert Geniffy(KEY, base_url=url)._http.trust_env is through_proxies
    assert waiting.of_this_loop().trust_env is through_proxies


def test_every_public_name_of_the_published_client_is_here_but_its_regions() -> None:
    assert set(geniffy.__all__) - set(geniffy_agents.__all__) == {"REGIONS"}
    for ours, theirs in ((Geniffy(KEY), geniffy.Geniffy(KEY)), (AsyncGeniffy(KEY), geniffy.AsyncGeniffy(KEY))):
        for noun in ("", "memories", "sources", "files", "keys", "sections"):
            mine, known = (getattr(ours, noun), getattr(theirs, noun)) if noun else (ours, theirs)
            assert {name for name in dir(known) if not name.startswith("_")} <= set(dir(mine))


def test_importing_the_sdk_leaves_http_and_asyncio_for_when_they_are_needed() -> None:
    program = "import sys, geniffy_agents; print({'httpx', 'asyncio', 'geniffy_server'} & set(sys.modules) or '')"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.strip() == ""
