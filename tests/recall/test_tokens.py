from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.recall.tokens import key, keys


def is_found(query: str, text: str) -> bool:
    return bool(set(keys(query)) & set(keys(text)))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("6543", "The tunnel listens on port 6543."),
        ("v2.1", "We ship v2.1 on Friday."),
        ("INV-2044", "Invoice INV-2044 is unpaid."),
        ("2044", "Invoice INV-2044 is unpaid."),
        ("a@b.com", "Write to a@b.com."),
        ("1500", "1,500 people came."),
        ("running", "She runs every morning."),
        ("When did he give it?", "He gave her a book."),
        ("How many children?", "She has one child."),
        ("Dad", "My father drives a Volvo."),
        ("C++", "He writes C++."),
        ("しりとり", "今日は成語しりとりをした"),
        ("犬", "隣の犬がうるさい"),
        ("北京", "李雷住在北京。"),
        ("서울", "나는 서울에 산다"),
        ("ภาษา", "ฉันชอบภาษาไทย"),
        ("café", "We met at the cafe\u0301."),
        ("cafe\u0301", "We met at the café."),
        ("كتاب", "هذا كِتاب جديد"),
        ("תקון", "תִּקּוּן עולם"),
        ("STRASSE", "in der Straße"),
    ],
)
def test_what_was_written_is_found_however_it_is_asked_for(query: str, text: str) -> None:
    assert is_found(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [("6543", "port 6544"), ("the of and", "the end of it"), ("tea", "team"), ("大阪", "李雷住在北京。")],
)
def test_other_words_are_not_found(query: str, text: str) -> None:
    assert not is_found(query, text)


def test_every_occurrence_counts() -> None:
    assert keys("tea, Tea and teas").count(key("tea")) == 3


@pytest.mark.parametrize("text", ["", "   ", "...", "👩‍👩‍👧", "the", "don't"])
def test_a_text_without_content_words_has_no_keys(text: str) -> None:
    assert keys(text) == []


def test_a_key_is_the_same_on_any_machine() -> None:
    assert key("port") == int.from_bytes(bytes.fromhex("586f6e63"), "little")


@pytest.mark.parametrize("text", ["a-" * 200_000, "a1" * 200_000, "あ" * 200_000, "7," * 200_000])
def test_a_text_without_a_blank_has_keys_in_proportion_to_its_length(text: str) -> None:
    assert len(keys(text)) <= 2 * len(text)


@given(st.text())
def test_any_text_gives_32_bit_keys(text: str) -> None:
    assert all(0 <= one < 2**32 for one in keys(text))
