from __future__ import annotations

import pytest

from geniffy_server.learn.conversation.shortened import shortened


@pytest.mark.parametrize(
    ("words", "cut"),
    [
        ("a short title", "a short title"),
        ("We moved the launch to the week after the fair", "We moved the launch to..."),
        (
            "我们昨天在公司讨论了新的预算方案,然后决定把发布会推迟到下个月",
            "我们昨天在公司讨论了新的预算方案,然后决定...",
        ),
        (
            "昨日会社で新しい予算について話し合い来月まで発表会を延期することに決めた",
            "昨日会社で新しい予算について話し合い来月まで...",
        ),
        ("कल हमने दफ़्तर में नए बजट पर चर्चा की", "कल हमने दफ़्तर में नए..."),
    ],
)
def test_words_are_cut_between_words(words: str, cut: str) -> None:
    assert shortened(words, 25) == cut


def test_a_word_that_is_too_long_is_cut_between_characters() -> None:
    assert shortened("Donaudampfschifffahrtsgesellschaftskapitän", 20) == "Donaudampfschifff..."
    assert shortened("कि" * 30, 20) == "कि" * 8 + "..."
