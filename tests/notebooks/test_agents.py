"""What a reader of the notebooks about agents sees, where no key is set and a script speaks for the model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.notebooks.running import Ran

WALNUTS = "- My sister Ana is allergic to walnuts.  ["


@pytest.fixture(scope="module")
def claude(ran: Callable[[str], Ran]) -> Ran:
    return ran("02_claude_memory")


def test_claude_finds_its_memory_empty_then_what_it_wrote(claude: Ran) -> None:
    first, second = claude.printed("first"), claude.printed("second")

    assert "0B\t/memories\n" in first
    assert "-> File created successfully at: /memories/noor.md" in first
    assert "2\t- Priya Nair signs the Acme renewal." in second
    assert "2\t- Kim Park signs the Acme renewal." in second.partition("str_replace")[2]


def test_what_claude_wrote_is_a_file_to_the_letter_and_an_answer(claude: Ran) -> None:
    who, how, unknown = claude.lines("asked")

    assert claude.printed("files").startswith("# Noor\n- Kim Park signs the Acme renewal.\n- Noor prefers WhatsApp")
    assert who.endswith("Kim Park signs the Acme renewal.")
    assert how.endswith("Noor prefers WhatsApp to email.")
    assert "won't guess" in unknown
    assert claude.printed("context").startswith("- Kim Park signs the Acme renewal.  [/memories/noor.md, ")


def test_what_the_app_clears_is_answered_no_more(claude: Ran) -> None:
    cleared, asked = claude.lines("clear")

    assert cleared == "All memory cleared"
    assert "won't guess" in asked


@pytest.mark.parametrize("name", ["03_langchain", "04_llamaindex"])
def test_a_new_conversation_is_given_what_another_one_taught(name: str, ran: Callable[[str], Ran]) -> None:
    shown = ran(name)

    assert "There is nothing stored about this yet." in shown.printed("tell")
    assert WALNUTS in shown.printed("ask")
    assert shown.lines("ask")[-1] == "Agent: Walnuts. A lemon cake would have none."


def test_langchain_gives_another_user_nothing_of_it(ran: Callable[[str], Ran]) -> None:
    told = ran("03_langchain").printed("other")

    assert "There is nothing stored about this yet." in told
    assert "walnuts" not in told


def test_langchain_finds_documents_and_items(ran: Callable[[str], Ran]) -> None:
    shown = ran("03_langchain")

    assert shown.lines("retrieve")[0].startswith("My sister Ana is allergic to walnuts.")
    assert shown.lines("put")[0].startswith("lemon {'name': 'Lemon cake'")


def test_llamaindex_saves_each_conversation_once_and_its_tools_recall(ran: Callable[[str], Ran]) -> None:
    shown = ran("04_llamaindex")

    assert [line.split()[0] for line in shown.lines("sources")] == ["thursday", "monday"]
    assert "-> - Ana comes to stay on Friday.  [" in shown.printed("decide")
