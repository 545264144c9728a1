from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from datetime import date

import numpy as np
import pytest
from numpy.typing import NDArray

from geniffy_server.domain.memory import OWNER, MemoryId, Spoken
from geniffy_server.models.minilm import MiniLM
from geniffy_server.recall.recall import ShardRecall
from tests.recall.space_in_memory import FrozenClock, SpaceInMemory


def texts(recall: ShardRecall, space: SpaceInMemory, question: str, limit: int = 10, **filters: object) -> list[str]:
    found = recall.search(space, space.space, question, limit=limit, **filters)  # type: ignore[arg-type]
    return [one.memory.text for one in found]


class NoEmbedder:
    id = "none"
    calls = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        raise RuntimeError("the model is away")


def test_an_empty_space_finds_nothing(recall: ShardRecall, space: SpaceInMemory) -> None:
    assert texts(recall, space, "Where does Kim work?") == []


def test_an_unrelated_question_still_gets_the_nearest_memories(recall: ShardRecall, space: SpaceInMemory) -> None:
    space.add("Kim works at Acme as CFO.", "Kim")

    assert texts(recall, space, "How tall is the Eiffel tower?") == ["Kim works at Acme as CFO."]


def test_the_subject_that_is_asked_about_comes_first(recall: ShardRecall, space: SpaceInMemory) -> None:
    space.add("Ana lives in Porto.", "Ana")
    space.add("Ben lives in Turin.", "Ben")
    space.add("Porto is a town by the sea where many live.", "Porto")

    assert texts(recall, space, "Where does Ben live?")[0] == "Ben lives in Turin."
    assert texts(recall, space, "where does ana live")[0] == "Ana lives in Porto."


def test_i_and_my_mean_the_owner_by_name_or_not(recall: ShardRecall, embedder: MiniLM) -> None:
    space = SpaceInMemory(embedder, owner_name="Zoe Ferreira")
    space.add("Kim's favourite food is ramen.", "Kim")
    space.add("My favourite food is risotto.", OWNER, first_person=True)
    space.add("Zoe Ferreira's favourite food used to be pasta.", "Zoe Ferreira")

    assert "Kim" not in texts(recall, space, "What is my favourite food?", limit=2)[0]
    assert set(texts(recall, space, "What is Zoe's favourite food?", limit=2)) == {
        "My favourite food is risotto.",
        "Zoe Ferreira's favourite food used to be pasta.",
    }


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("The tunnel listens on port 6543.", "6543"),
        ("今日は成語しりとりをした", "しりとり"),
        ("隣の犬がうるさい", "犬"),
        ("We met at the café.", "cafe\u0301"),
        ("هذا كِتاب جديد", "كتاب"),
        ("תִּקּוּן עולם", "תקון"),
        ("Deploy with release v2.1 of the agent.", "v2.1"),
    ],
)
def test_an_exact_word_brings_its_memory_to_the_top(
    recall: ShardRecall, space: SpaceInMemory, said: str, question: str
) -> None:
    for other in [
        "Port authorities met on Monday.",
        "The dog sleeps.",
        "他住在北京。",
        "ספר חדש",
        "A new game was played.",
    ]:
        space.add(other)
    space.add(said)

    assert texts(recall, space, question)[0] == said


def test_limit_is_kept(recall: ShardRecall, space: SpaceInMemory) -> None:
    for number in range(30):
        space.add(f"Ticket {number} is open.")

    assert len(texts(recall, space, "Which tickets are open?", limit=7)) == 7


def test_a_kind_keeps_the_others_out(recall: ShardRecall, space: SpaceInMemory) -> None:
    space.add("Kim likes tea.", "Kim", kind="pref")
    space.add("Kim meets Ana on Friday for tea.", "Kim", kind="plan")

    assert texts(recall, space, "What about Kim and tea?", kind="plan") == ["Kim meets Ana on Friday for tea."]
    assert texts(recall, space, "What about Kim and tea?", kind="people") == []


def test_labels_keep_the_others_out(recall: ShardRecall, space: SpaceInMemory) -> None:
    for number in range(20):
        space.add(f"Server {number} runs Debian.", labels={"team": "core"})
    space.add("Server 99 runs Alpine.", labels={"team": "edge"})

    assert texts(recall, space, "Which server runs Debian?", labels={"team": ("edge",)}) == ["Server 99 runs Alpine."]
    assert texts(recall, space, "Which server runs Debian?", labels={"team": ("none",)}) == []


def test_memories_that_are_not_usable_are_left_out_and_made_up_for(recall: ShardRecall, space: SpaceInMemory) -> None:
    space.add("Kim lives in Oslo.", "Kim", status="replaced")
    space.add("Kim lives in Bergen.", "Kim")

    assert texts(recall, space, "Where does Kim live?", limit=1) == ["Kim lives in Bergen."]


def test_what_was_added_and_removed_since_is_seen_at_once(recall: ShardRecall, space: SpaceInMemory) -> None:
    first = space.add("Kim lives in Oslo.", "Kim")
    assert texts(recall, space, "Where does Kim live?") == ["Kim lives in Oslo."]

    space.add("Kim lives in Bergen now.", "Kim")
    space.remove(first)

    assert texts(recall, space, "Where does Kim live?") == ["Kim lives in Bergen now."]
    assert space.loads == 1


def test_a_cache_older_than_the_known_removals_is_loaded_anew(recall: ShardRecall, space: SpaceInMemory) -> None:
    first = space.add("Kim lives in Oslo.", "Kim")
    texts(recall, space, "Where does Kim live?")

    space.remove(first)
    space.add("Kim lives in Bergen now.", "Kim")
    space.known_removals_after = 3

    assert texts(recall, space, "Where does Kim live?") == ["Kim lives in Bergen now."]
    assert space.loads == 2


def test_a_removal_that_the_cache_missed_still_does_not_show(recall: ShardRecall, space: SpaceInMemory) -> None:
    first = space.add("Kim lives in Oslo.", "Kim")
    space.add("Kim lives in Bergen now.", "Kim")
    texts(recall, space, "Where does Kim live?")

    space.forget_without_a_trace(first)

    assert texts(recall, space, "Where does Kim live?") == ["Kim lives in Bergen now."]


def test_what_only_a_judge_weighs_is_left_out_for_a_list(recall: ShardRecall, space: SpaceInMemory) -> None:
    space.add("Kim lives in Oslo.", "Kim")

    judged = recall.search(space, space.space, "Where does Kim live?", limit=1)
    listed = recall.search(space, space.space, "Where does Kim live?", limit=1, is_judged=False)

    assert judged[0].features["coverage"] > 0
    assert listed[0].features == {}
    assert (listed[0].memory, listed[0].score) == (judged[0].memory, judged[0].score)


class Meeting:
    """An embedder whose calls wait for one another, and which says in how many threads they ran."""

    id = "meeting"

    def __init__(self, embedder: MiniLM, calls: int) -> None:
        self._embedder = embedder
        self._all_here = threading.Barrier(calls, timeout=10)
        self.threads: set[int] = set()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.threads.add(threading.get_ident())
        self._all_here.wait()
        return self._embedder.embed(texts)


def test_the_two_wordings_of_a_question_are_embedded_side_by_side(space: SpaceInMemory, embedder: MiniLM) -> None:
    space.add("Kim lives in Oslo.", "Kim")
    meeting = Meeting(embedder, 2)
    recall = ShardRecall(meeting, budget_bytes=1 << 26, clock=FrozenClock())

    assert texts(recall, space, "Where does Kim live?") == ["Kim lives in Oslo."]
    assert len(meeting.threads) == 2


def test_spaces_beyond_the_budget_are_let_go_least_used_first(embedder: MiniLM) -> None:
    recall = ShardRecall(embedder, budget_bytes=13_000, clock=FrozenClock())
    spaces = [SpaceInMemory(embedder, number) for number in (1, 2, 3)]
    for one in spaces:
        for number in range(3):
            one.add(f"Fact {number} of space {one.space.id}.")

    for at in (0, 1, 0, 2, 0, 1):
        texts(recall, spaces[at], "Which fact?")

    assert [one.loads for one in spaces] == [1, 2, 1]


def test_an_erased_space_is_not_served_from_the_cache(recall: ShardRecall, space: SpaceInMemory) -> None:
    space.add("Kim lives in Oslo.", "Kim")
    texts(recall, space, "Where does Kim live?")

    recall.forget_space(space.space.id)
    texts(recall, space, "Where does Kim live?")

    assert space.loads == 2


def test_the_same_search_gives_the_same_list_cold_and_warm(embedder: MiniLM, space: SpaceInMemory) -> None:
    for number in range(50):
        space.add(f"kim visited town {number} by train.", "Kim", first_person=number % 2 == 0)
    first = ShardRecall(embedder, budget_bytes=1 << 26, clock=FrozenClock())
    second = ShardRecall(embedder, budget_bytes=1 << 26, clock=FrozenClock())

    cold = texts(first, space, "which town did kim visit", limit=20)

    assert texts(first, space, "which town did kim visit", limit=20) == cold
    assert texts(second, space, "which town did kim visit", limit=20) == cold


def test_wordings_of_one_preference_are_shown_once(recall: ShardRecall, space: SpaceInMemory) -> None:
    for wording in ["I prefer tea.", "I prefer tea!", "Tea is my favourite.", "I do prefer tea."]:
        space.add(wording, OWNER, first_person=True)
    for other in ["I drink water at lunch.", "I drink juice on Sundays.", "I like cake.", "I had soup today."]:
        space.add(other, OWNER, first_person=True)

    for limit in (5, 8):
        found = texts(recall, space, "What do I prefer to drink?", limit=limit)

        assert sum("tea" in text.casefold() for text in found) == 1
        assert len(found) == 5


def test_wordings_of_one_statement_stand_behind_what_else_was_found(recall: ShardRecall, space: SpaceInMemory) -> None:
    for wording in ["Kim lives in Oslo.", "Kim lives in Oslo!", "In Oslo lives Kim."]:
        space.add(wording, "Kim")
    for other in ["Kim plays chess.", "Kim met Ana in Porto."]:
        space.add(other, "Kim")

    found = texts(recall, space, "Where does Kim live?", limit=5)

    assert ["Oslo" in text for text in found] == [True, False, False, True, True]


def test_without_its_embedder_it_ranks_by_words_and_says_so_once(
    space: SpaceInMemory, caplog: pytest.LogCaptureFixture
) -> None:
    space.add("Ana lives in Porto.", "Ana")
    space.add("The tunnel listens on port 6543.")
    recall = ShardRecall(NoEmbedder(), budget_bytes=1 << 26, clock=FrozenClock())

    with caplog.at_level(logging.WARNING):
        assert texts(recall, space, "6543")[0] == "The tunnel listens on port 6543."
        assert texts(recall, space, "Where does Ana live?")[0] == "Ana lives in Porto."

    assert len([one for one in caplog.records if "embedder" in one.message]) == 1


def test_memories_that_are_not_embedded_yet_are_found_by_their_words(recall: ShardRecall, space: SpaceInMemory) -> None:
    space.add("Kim plays chess.", "Kim")
    space.add("The tunnel listens on port 6543.", vector=b"")

    assert texts(recall, space, "Which port does the tunnel use?")[0] == "The tunnel listens on port 6543."


def test_near_gives_what_is_alike_and_of_the_same_subject(recall: ShardRecall, space: SpaceInMemory) -> None:
    oslo = space.add("Kim lives in Oslo.", "Kim")
    ana = space.add("Ana lives in Oslo.", "Ana")
    nobody = space.add("Lives in Oslo.", None)
    space.add("The tunnel listens on port 6543.", "Kim")
    vector = MiniLM().embed(["Kim lives in Bergen."])

    of_kim, of_anyone, of_stranger = recall.near(
        space, space.space, np.repeat(vector, 3, axis=0), ["kim", None, "Ben"], limit=10, least=0.45
    )

    assert set(of_kim) == {oslo, nobody}
    assert set(of_anyone) == {oslo, ana, nobody}
    assert set(of_stranger) == {nobody}
    assert recall.near(space, space.space, vector, ["Kim"], limit=1, least=0.45) == [[of_kim[0]]]
    assert recall.near(space, space.space, vector[:0], [], limit=1, least=0.45) == []


def test_near_in_an_empty_space_finds_nothing(recall: ShardRecall, space: SpaceInMemory) -> None:
    assert recall.near(space, space.space, np.zeros((1, 384), np.float32), [None], limit=5, least=0.0) == [[]]


def test_threads_that_search_while_another_adds_see_whole_states(recall: ShardRecall, space: SpaceInMemory) -> None:
    ids: list[MemoryId] = [space.add(f"Kim saw film {number}.", "Kim") for number in range(20)]
    faults: list[BaseException] = []

    def look() -> None:
        try:
            for _ in range(30):
                assert len(texts(recall, space, "Which film did Kim see?", limit=50)) >= 20
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(20, 60):
        space.add(f"Kim saw film {number}.", "Kim")
    for thread in threads:
        thread.join(timeout=60)

    assert faults == []
    assert len(texts(recall, space, "Which film did Kim see?", limit=100)) == len(ids) + 40


def test_what_a_named_participant_said_is_found_though_it_is_about_something_else(
    recall: ShardRecall, space: SpaceInMemory
) -> None:
    space.add("The parade made everyone so happy.", "parade", said_by="Ana Ruiz", source="talk", position=0)
    space.add("The parade was loud and long.", "parade", said_by="Ben", source="talk", position=9)

    assert texts(recall, space, "What did Ana say about the parade?")[0] == "The parade made everyone so happy."
    assert texts(recall, space, "What did Ben say about the parade?")[0] == "The parade was loud and long."


def test_a_participant_of_another_first_name_is_not_who_is_asked_about(
    recall: ShardRecall, space: SpaceInMemory
) -> None:
    space.add("I live in Split.", "Tomas Okafor", first_person=True, said_by="Tomas Okafor")
    mira = space.add("Mira Okafor lives in Porto.", "Mira Okafor")

    assert recall.search(space, space.space, "Where does Mira Okafor live?", limit=2)[0].memory.id == mira


def test_a_time_that_is_asked_about_brings_up_what_speaks_of_it(recall: ShardRecall, space: SpaceInMemory) -> None:
    day = date(2026, 10, 4)
    space.add("Priya called yesterday.", "Priya", spoken=Spoken(day, day, "day"))
    space.add("Kim called on the first of May.", "Kim", spoken=Spoken(date(2026, 5, 1), date(2026, 5, 1), "day"))
    space.add("A call costs money.", None)

    assert texts(recall, space, "What happened on 4 October?")[0] == "Priya called yesterday."


def test_a_space_whose_memories_were_all_forgotten_finds_nothing(recall: ShardRecall, space: SpaceInMemory) -> None:
    only = space.add("Kim lives in Oslo.", "Kim")
    texts(recall, space, "Where does Kim live?")

    space.remove(only)

    assert texts(recall, space, "Where does Kim live?") == []


def test_a_question_of_the_owner_that_names_another_stays_in_the_owners_words(
    recall: ShardRecall, space: SpaceInMemory
) -> None:
    space.add("I met Kim at the climbing hall in March.", OWNER, first_person=True)
    space.add("I met my wife at school.", OWNER, first_person=True)

    assert texts(recall, space, "Where did I meet Kim?")[0] == "I met Kim at the climbing hall in March."


@pytest.mark.parametrize("question", ["?", "the", "👩‍👩‍👧", "a" * 2_000, "Kim " * 500, "' OR 1=1 --", 'a*b:"('])
def test_any_question_gets_a_list(recall: ShardRecall, space: SpaceInMemory, question: str) -> None:
    space.add("Kim lives in Oslo.", "Kim")

    assert texts(recall, space, question) == ["Kim lives in Oslo."]
