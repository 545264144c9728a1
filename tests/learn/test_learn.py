"""Facts from readings: offsets, wording, who speaks, what is left out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.domain.answer import NOTHING_STORED
from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.learn import LONGEST_QUOTE, Reading, facts_of, stated_owner_name, whole_fact
from geniffy_server.learn.quotes import normalised
from tests.learn.labels import SAID, learned, spoken

NOW = datetime(2026, 10, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "worded"),
    [
        ("Kim works at Acme. He joined in 2019.", ["Kim works at Acme.", "Kim joined in 2019."]),
        ("Ana lives in Porto. Her birthday is on 12 March.", ["Ana lives in Porto.", "Ana's birthday is on 12 March."]),
        ("Ana called. She'll come by.", ["Ana called.", "Ana will come by."]),
        ("The Atlas team uses Go. They deploy daily.", ["The Atlas team uses Go.", "Atlas: They deploy daily."]),
        ("Jürgen wohnt in Ulm. Er fährt Rad.", ["Jürgen wohnt in Ulm.", "Jürgen fährt Rad."]),
        ("Giulia abita a Torino. Ieri ha corso.", ["Giulia abita a Torino.", "Giulia: Ieri ha corso."]),
        ("李雷住在北京。他昨天买了一辆车。", ["李雷住在北京。", "李雷昨天买了一辆车。"]),
        ("# Kim Park\n\n- CFO at Acme\n- Prefers calls", ["Kim Park: CFO at Acme", "Kim Park: Prefers calls"]),
        ("# Atlas\n\n- Owner: Priya", ["Atlas: Owner: Priya"]),
        ("| Name | Role |\n|---|---|\n| Ana | Designer |", ["Name: Ana; Role: Designer"]),
        ("|  |  |\n|---|---|\n| Ana | Designer |", ["Ana: Designer"]),
        ("We ship **Borealis** with `make`.", ["We ship Borealis with make."]),
        ("See [the plan](https://a.example/b) for more.", ["See the plan (https://a.example/b) for more."]),
        ("> Luca said the hotel\n> is closed.", ["Luca said the hotel is closed."]),
        ("Met Priya for coffee. She is leaving Acme.", ["Met Priya for coffee.", "Priya is leaving Acme."]),
        ("Borealis is our new system. It's down.", ["Borealis is our new system.", "Borealis is down."]),
        ("Remember that Leo is vegan.", ["Leo is vegan."]),
        ("My partner is Joana. She climbs.", ["My partner is Joana.", "Joana climbs."]),
        ("Spoke to Beatriz. She is leaving.", ["Spoke to Beatriz.", "Beatriz is leaving."]),
        ("Ana (my aunt) sings. Her husband Luca cooks.", ["Ana (my aunt) sings.", "Ana's husband Luca cooks."]),
        ("lol my boss is out. Kim hates bees btw", ["My boss is out.", "Kim hates bees"]),
        ("Note to self: cancel the gym by Friday", ["Cancel the gym by Friday"]),
        ("I'm 34.", ["I'm 34."]),
        ("moved to Leeds in May and now I'm at the hospital", ["moved to Leeds in May", "I'm at the hospital"]),
        ("The 2 * 3 * 4 box is snake_case.", ["The 2 * 3 * 4 box is snake_case."]),
    ],
)  # fmt: skip
def test_a_memory_is_worded_to_stand_alone(text: str, worded: list[str]) -> None:
    assert [fact.text for fact in learned(text)] == worded


def test_a_named_participant_is_put_before_what_they_say_of_themselves() -> None:
    (fact,) = learned("I went to a support group yesterday.", speaker="Caroline")
    assert fact.text == "Caroline: I went to a support group yesterday."
    assert (fact.about, fact.first_person, fact.quote) == ("Caroline", True, "I went to a support group yesterday.")


def test_the_owner_is_named_once_their_name_is_known() -> None:
    assert [fact.about for fact in learned("I prefer tea.")] == [OWNER]
    assert [fact.about for fact in learned("I prefer tea. Zoë likes jazz.", owner="Zoë Ferreira")] == [
        "Zoë Ferreira",
        "Zoë Ferreira",
    ]


def test_a_first_name_means_the_one_full_name_that_begins_with_it() -> None:
    assert [fact.about for fact in learned("Apple hired May Chen in June. May starts next week.")][1] == "May Chen"
    assert learned("Ana lives in Porto.", known=["Ana Reis"])[0].about == "Ana Reis"
    assert learned("Ana lives in Porto.", known=["Ana Reis", "Ana Melo"])[0].about == "Ana"


def test_agents_teach_nothing_and_unwanted_readings_only_name() -> None:
    readings = [
        Reading("Ana lives in Porto.", NOW, wanted=False),
        Reading("You should drink more water.", NOW, is_agent=True),
        Reading("She works at Acme.", NOW),
    ]
    before, agent, wanted = facts_of(readings, owner=None)
    assert (before, agent) == ([], [])
    assert [fact.about for fact in wanted] == ["Ana"]


def test_a_pronoun_does_not_reach_past_a_heading_or_another_speaker() -> None:
    assert [fact.about for fact in learned("# A\n\nAna called.\n\n# B\n\nShe left.")] == ["Ana", None]
    readings = [Reading("Ana called.", NOW, speaker="Bo"), Reading("She left.", NOW, speaker="Cy")]
    assert [facts[0].about for facts in facts_of(readings, owner=None)] == ["Ana", None]


def test_a_sentence_that_held_a_secret_is_no_fact_and_the_rest_is() -> None:
    facts = learned("I live in Porto. My password is hunter2. I work at Acme.")
    assert [fact.quote for fact in facts] == ["I live in Porto.", "I work at Acme."]


def test_a_line_with_a_secret_takes_no_other_line_with_it() -> None:
    facts = learned("key: AKIAIOSFODNN7EXAMPLE and more\nthe cat is called Biscuit\nAna lives in Porto")
    assert [fact.quote for fact in facts] == ["the cat is called Biscuit", "Ana lives in Porto"]


@pytest.mark.parametrize(
    "text",
    [
        "404 Not Found",
        "lol ok",
        "Kim!",
        "बहुत धन्यवाद।",
        "תודה רבה!",
        "ok",
        "thanks!",
        "What time is it?",
        "Can you help me?",
        NOTHING_STORED,
        "👍",
        "谢谢！",
    ],
)
def test_what_states_nothing_teaches_nothing(text: str) -> None:
    assert learned(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Wow, that looks amazing, Caroline!",
        "That photo is stunning, you have a real eye for light.",
        "I'm so excited for you, Caroline!",
        "You deserve it.",
        "Your support means the world to me.",
        "Kayaking sounds awesome!",
        "¡Me alegro mucho por ti!",
    ],
)
def test_praise_teaches_nothing(text: str) -> None:
    assert learned(text, speaker="Mehmet") == []


@pytest.mark.parametrize("text", ["Kim likes tea!", "Dmitri got promoted!", "I'm proud of my sister Ann."])
def test_what_is_told_with_joy_is_learned(text: str) -> None:
    assert [fact.quote for fact in learned(text, speaker="Mehmet")] == [text]


def test_what_a_user_says_of_their_agent_is_not_learned() -> None:
    readings = [
        Reading(
            "You said that you would remind me. Shorter please. You must always answer in French.", NOW, kind="turn"
        ),
        Reading("Sure.", NOW, kind="turn", is_agent=True),
    ]
    facts, _ = facts_of(readings, owner=None)
    assert [fact.quote for fact in facts] == ["You must always answer in French."]


@pytest.mark.parametrize("end", ["\r\n", "\n", "\u2028", "\x0c", "\n\n"])
def test_offsets_are_exact_after_any_line_end_emoji_and_combining_mark(end: str) -> None:
    text = f"Zoe\u0308 👩‍👩‍👧 likes tea.{end}Ana\u0301 lives in Porto 🇵🇹. Bo works in Ulm."
    facts = learned(text)
    assert [fact.quote for fact in facts][-1] == "Bo works in Ulm."
    assert facts[-1].about == "Bo"


def test_a_date_is_counted_from_the_local_day_it_was_said() -> None:
    late = datetime.fromisoformat("2026-10-05T23:30:00-07:00")
    ((fact,),) = facts_of([Reading("Priya called yesterday.", late)], owner=None)
    assert fact.spoken == spoken("2026-10-04")
    assert (fact.quote, fact.said_at) == ("Priya called yesterday.", late)


def test_a_turn_in_markdown_is_read_block_by_block() -> None:
    text = "Fix this:\n```python\nAna = 1\n```\nIt fails. I'm using Debian.\n\n# Stack\n- Postgres 17\n"
    readings = [Reading(text, NOW, kind="turn"), Reading("Sure.", NOW, kind="turn", is_agent=True)]
    facts, _ = facts_of(readings, owner=None)
    assert [(fact.text, text[fact.start : fact.end]) for fact in facts] == [
        ("It fails.", "It fails."),
        ("I'm using Debian.", "I'm using Debian."),
        ("Stack: Postgres 17", "Postgres 17"),
    ]


def test_a_participant_is_named_before_what_only_they_can_mean() -> None:
    facts = learned("I went to a fair. It was great to see the horses.", speaker="Nora")
    assert [fact.text for fact in facts] == ["Nora: I went to a fair.", "Nora: It was great to see the horses."]


def test_what_is_mine_in_a_heading_is_the_owners() -> None:
    (fact,) = learned("# My goals\n\n- run a marathon")
    assert (fact.about, fact.text) == (OWNER, "My goals: run a marathon")


PRINTED = "- Kim joined in 2019.  [note, 2026-10-05]\n- Kim Park: CFO at Acme  [Team, notes, 2026-10-04]\n"


def test_what_a_context_printed_is_read_as_the_same_statements() -> None:
    facts = learned(PRINTED)
    assert [normalised(fact.text) for fact in facts] == [
        normalised("Kim joined in 2019."),
        normalised("Kim Park: CFO at Acme"),
    ]
    assert [fact.quote for fact in facts] == ["Kim joined in 2019.", "Kim Park: CFO at Acme"]


def test_a_heading_over_printed_lines_is_not_put_before_them() -> None:
    assert learned(f"# Memory\n\n{PRINTED}")[0].text == "Kim joined in 2019."


def test_what_a_context_printed_keeps_its_date_when_it_is_told_again() -> None:
    facts = learned("- Priya called yesterday.  [note, 2026-09-01]")
    assert [fact.spoken for fact in facts] == [spoken("2026-08-31")]


def test_a_very_long_sentence_is_learned_in_parts_that_are_its_own_words() -> None:
    text = "Ana bought apples, " * 400
    facts = learned(text)
    assert len(facts) > 3
    assert all(len(fact.quote) <= LONGEST_QUOTE and fact.quote in text for fact in facts)


_PIECES = "Ana She I my sister Kim's works in 2019 . ! ? \n - | # ** 他 昨天 です today , : [x](y) password: hunter2"


@given(
    st.lists(
        st.sampled_from(_PIECES.split(" "))
        | st.text(max_size=6),
        max_size=30,
    ).map(" ".join),
    st.sampled_from(["para", "item", "row", "quote", "turn"]),
    st.sampled_from([None, "Caroline"]),
)  # fmt: skip
def test_every_quote_is_the_texts_own_words(text: str, kind: str, speaker: str | None) -> None:
    reading = Reading(text, NOW, "Heading", kind, speaker)  # type: ignore[arg-type]
    (facts,) = facts_of([reading], owner=None)
    for fact in facts:
        assert fact.quote == text[fact.start : fact.end]
        assert fact.quote.strip()
        assert fact.text.strip()


def test_a_correction_is_one_fact_whole() -> None:
    fact = whole_fact("She lives in Faro. Not in Porto!", NOW, owner=None, about="Ana", kind="people")
    assert (fact.text, fact.quote, fact.start, fact.end) == ("She lives in Faro. Not in Porto!",) * 2 + (0, 32)
    assert (fact.about, fact.kind) == ("Ana", "people")


def test_a_correction_with_its_own_subject_and_kind_keeps_them() -> None:
    fact = whole_fact("Ben prefers calls.", NOW, owner=None, about="Ana", kind="people")
    assert (fact.about, fact.kind) == ("Ben", "pref")
    assert whole_fact("I prefer calls.", NOW, owner="Zoë", about=None, kind=None).about == "Zoë"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hi! My name is Zoë and I work for Initech.", "Zoë"),
        ("my name is Ana Maria Reis.", "Ana Maria Reis"),
        ("I'm Zoë Ferreira.", "Zoë Ferreira"),
        ("Hi, I'm Zoë!", "Zoë"),
        ("Call me Ishmael.", "Ishmael"),
        ("Me llamo Lucía.", "Lucía"),
        ("Ich heiße Jürgen Weiß.", "Jürgen Weiß"),
        ("我叫李雷。", "李雷"),
        ("私の名前は田中です。", "田中"),
        ("I'm Marek.", "Marek"),
        ("I'm Dana, and I live in Faro.", "Dana"),
        ("Priya here!", "Priya"),
        ("Soy Marta.", "Marta"),
        ("Hola, soy Marta y vivo en Cádiz.", "Marta"),
        ("Hallo, ich bin Torsten und lebe in Kassel.", "Torsten"),
        ("はじめまして、美穂です。", "美穂"),
        ("This is Priya speaking.", "Priya"),
        ("Hallo, ich bin Jonas.", "Jonas"),
        ("Ciao, sono Luca!", "Luca"),
        ("Je suis Luc.", "Luc"),
        ("Ich bin Lehrer.", None),
        ("Je suis Suisse.", None),
        ("I'm Polish, from Kraków.", None),
        ("I'm Russian Orthodox.", None),
        ("I'm Team Lead", None),
        ("Soy Tauro.", None),
        ("Soy Teresa.", "Teresa"),
        ("Je suis Lyonnais.", None),
        ("Je suis Julien.", "Julien"),
        ("Sono Milanese.", None),
        ("Sono Romina.", "Romina"),
        ("नमस्ते, मैं अर्जुन हूँ।", "अर्जुन"),
        ("مرحبا، أنا يوسف وأعيش في دبي", "يوسف"),
        ("היי, קוראים לי רועי ואני גר ברעננה.", "רועי"),
        ("I'm Dutch.", None),
        ("I'm Adrian.", "Adrian"),
        ("I am Omri.", "Omri"),
        ("I'm Nigerian.", None),
        ("I'm Israeli!", None),
        ("Everyone here.", None),
        ("Only Tuesdays here.", None),
        ("I'm Portuguese.", None),
        ("I'm South Korean.", None),
        ("I'm so happy.", None),
        ("Her name is Zoë.", None),
        ("Call me tomorrow.", None),
        ("My name is a secret.", None),
    ],
)
def test_the_owner_names_themselves(text: str, name: str | None) -> None:
    assert stated_owner_name([Reading(text, NOW)]) == name


def test_nobody_else_names_the_owner() -> None:
    assert stated_owner_name([Reading("My name is Bo.", NOW, speaker="Bo")]) is None
    assert stated_owner_name([Reading("My name is Bot.", NOW, is_agent=True)]) is None


def test_said_is_a_monday() -> None:
    assert SAID.weekday() == 0


def _talk(*turns: tuple[str | None, str]) -> list[tuple[str, str | None]]:
    when = datetime(2026, 10, 5, tzinfo=UTC)
    readings = [Reading(text, when, kind="turn", speaker=name) for name, text in turns]
    return [(fact.text, fact.about) for facts in facts_of(readings, owner=None) for fact in facts]


@pytest.mark.parametrize(
    ("turns", "last"),
    [
        ([("Ana", "Tom came by."), ("Ana", "They were so excited.")], ("Ana: They were so excited.", None)),
        (
            [("Ana", "My parents came by. They were so excited.")],
            ("Ana's parents: They were so excited.", "Ana's parents"),
        ),
        ([(None, "My son has surgery. Bram covers for me."), (None, "He's six.")], ("He's six.", None)),
        ([(None, "My son has surgery."), (None, "He's six.")], ("My son is six.", "my son")),
        ([("Bo", "Who feeds Biscuit?"), ("Al", "Lena too.")], ("Lena feeds Biscuit too.", "Lena")),
        ([("Al", "I met a Canadian woman. She dives.")], ("Al: She dives.", None)),
        ([("Al", "It's my first trip to Oslo.")], ("Al: It's my first trip to Oslo.", "Al")),
    ],
)
def test_no_wrong_name_is_put_in_for_a_pronoun(
    turns: list[tuple[str | None, str]], last: tuple[str, str | None]
) -> None:
    assert _talk(*turns)[-1] == last


@pytest.mark.parametrize(
    "said",
    ["That's neat.", "Yeah, it was awesome.", "Pretty good.", "Whoa.", "Love it.", "It really mattered.", "Long time.",
     "Great talking to you.", "You too, buddy.", "They're priceless.", "Fine with me."],
)  # fmt: skip
def test_a_remark_teaches_nothing(said: str) -> None:
    assert learned(said, speaker="Ben") == []


@pytest.mark.parametrize(
    "said", ["I'm vegan.", "Love jazz.", "Kim is great.", "It was amazing up on that stage!", "My trip was awesome."]
)
def test_a_taste_or_a_state_is_kept_however_short(said: str) -> None:
    assert len(learned(said, speaker="Ben")) == 1


def test_a_list_in_a_list_stands_under_its_item_and_what_is_ticked_off_is_done() -> None:
    text = "# Garden\n\n1. Compost\n   - never add meat\n"
    text += "2. Ask Omar about seeds.\n   - [x] buy seeds\n   - [ ] fix the fence\n"
    assert [(fact.text, fact.kind) for fact in learned(text)] == [
        ("Compost: never add meat", "pref"),
        ("Garden: Ask Omar about seeds.", "plan"),
        ("Garden: buy seeds (done)", "detail"),
        ("Garden: fix the fence", "plan"),
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Thanks, Maria! I see them every week.", [("John: I see them every week.", "John")]),
        ("It's true, Maria. They help me.", [("It's true, Maria.", None), ("John: They help me.", None)]),
        ("Good to hear, Maria. His kids love the park.", [("John: His kids love the park.", None)]),
        ("Maria! I see them at church.", [("John: I see them at church.", "John")]),
        ("Maria moved to Bonn. She likes it.", [("Maria moved to Bonn.", "Maria"), ("Maria likes it.", "Maria")]),
    ],
)
def test_no_pronoun_stands_for_the_participant_who_is_spoken_to(
    said: str, expected: list[tuple[str, str | None]]
) -> None:
    when = datetime(2026, 10, 5, tzinfo=UTC)
    turns = [("Maria", "My kids love the park."), ("John", said)]
    readings = [Reading(text, when, kind="turn", speaker=name) for name, text in turns]

    _, facts = facts_of(readings, owner=None)

    assert [(fact.text, fact.about) for fact in facts] == expected
