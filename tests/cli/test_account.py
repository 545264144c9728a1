"""Accounts, added, listed, closed and opened from a shell."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ANA = ("--email", "ana@example.com", "--name", "Ana Lima")
LINK = re.compile(r"http://127\.0\.0\.1:8787/app/setup\?token=gnf_setup_[\w-]{43}")


def test_an_account_without_a_password_gets_a_link_as_the_last_line(run: Run, data: Path) -> None:
    made = run("account", "add", "--data", data, *ANA, "--time-zone", "Europe/Lisbon")
    (owner, ana) = json.loads(run("account", "list", "--data", data, "--json").out)["accounts"]

    assert made.status == 0
    assert LINK.fullmatch(made.last_line)
    assert (owner["id"], owner["email"]) == (1, None)
    assert (ana["email"], ana["name"], ana["time_zone"]) == ("ana@example.com", "Ana Lima", "Europe/Lisbon")
    assert (ana["has_password"], ana["closed_at"]) == (False, None)


def test_a_password_is_read_from_standard_input(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a few plain words\n"))

    made = json.loads(run("account", "add", "--data", data, *ANA, "--password-stdin", "--json").out)
    listed = json.loads(run("account", "list", "--data", data, "--json").out)["accounts"]

    assert made["setup_link"] is None
    assert [one["has_password"] for one in listed] == [False, True]


def test_an_account_is_closed_and_opened_again(run: Run, data: Path) -> None:
    run("account", "add", "--data", data, *ANA)

    closed = run("account", "close", "ANA@example.com", "--data", data)
    after_closing = run("account", "list", "--data", data).out
    opened = run("account", "open", "ana@example.com", "--data", data)

    assert (closed.status, opened.status) == (0, 0)
    assert after_closing.splitlines()[1].endswith("closed")
    assert run("account", "list", "--data", data).out.splitlines()[1].endswith("no password yet")


def test_a_link_is_made_again_for_the_owner_or_for_an_email(run: Run, data: Path) -> None:
    run("account", "add", "--data", data, *ANA)

    links = [run("account", "link", *who, "--data", data).last_line for who in ([], ["ana@example.com"])]

    assert all(LINK.fullmatch(link) for link in links)
    assert links[0] != links[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["add", *ANA], "There is an account with the email 'ana@example.com' already."),
        (["add", "--email", "nobody", "--name", "N"], "'nobody' can't be an email"),
        (["add", "--email", "b@example.com", "--name", " "], "A name has 1 to 100 characters."),
        (["add", "--email", "b@example.com", "--name", "B", "--time-zone", "Moon/Sea"], "'Moon/Sea' is no time zone"),
        (["close", "b@example.com"], "No account here has the email 'b@example.com'."),
        (["link", "b@example.com"], "No account here has the email 'b@example.com'."),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence(run: Run, data: Path, arguments: list[str], says: str) -> None:
    run("account", "add", "--data", data, *ANA)

    ran = run("account", *arguments, "--data", data)

    assert ran.status == 1
    assert ran.err.startswith(says)
    assert len(ran.err.splitlines()) == 1
