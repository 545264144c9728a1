"""API keys, made, listed and revoked from a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_a_key_is_the_last_line_printed_and_never_shown_again(run: Run, data: Path) -> None:
    made = run("key", "create", "--data", data, "--name", "laptop")
    listed = run("key", "list", "--data", data)

    assert made.status == 0
    assert made.last_line.startswith("gnf_live_")
    assert len(made.last_line) == len("gnf_live_") + 43
    assert "laptop" in listed.out
    assert made.last_line not in listed.out


def test_a_key_can_be_limited_in_reach_rate_and_time(run: Run, data: Path) -> None:
    options = ["--space", "customer_1042", "--rpm", "30", "--expires", "2099-12-31", "--json"]

    made = json.loads(run("key", "create", "--data", data, *options).out)
    (listed,) = json.loads(run("key", "list", "--data", data, "--json").out)["keys"]

    assert made.pop("key").startswith(made["starts_with"])
    assert listed == made
    assert (made["space"], made["rpm"], made["expires_at"]) == ("customer_1042", 30, "2100-01-01T00:00:00+00:00")


def test_a_revoked_key_is_listed_no_more_and_cannot_be_revoked_again(run: Run, data: Path) -> None:
    key_id = json.loads(run("key", "create", "--data", data, "--json").out)["id"]

    first = run("key", "revoke", key_id, "--data", data)
    second = run("key", "revoke", key_id, "--data", data)

    assert first.status == 0
    assert run("key", "list", "--data", data).out == ""
    assert (second.status, second.err) == (1, f"There is no working key {key_id}.\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--space", ""], "'' can't name a space"),
        (["--space", "a b"], "'a b' can't name a space"),
        (["--rpm", "601"], "rpm is a whole number from 1 to 600"),
        (["--expires", "soon"], "--expires must be a date or time in ISO 8601"),
        (["--expires", "2020-01-01"], "--expires 2020-01-01 has passed already"),
        (["--account", "nobody@example.com"], "No account here has the email 'nobody@example.com'."),
    ],
)
def test_a_key_that_cannot_be_made_is_refused_in_one_sentence(
    run: Run, data: Path, options: list[str], says: str
) -> None:
    ran = run("key", "create", "--data", data, *options)

    assert ran.status == 1
    assert ran.out == ""
    assert ran.err.startswith(says)
    assert len(ran.err.splitlines()) == 1
