"""Facts from passages and turns, without a model: sentence, subject, date, kind, and the wording of each.

Everything here is pure and looks at what it is given alone: the store is asked by the caller, before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Final

import regex

from geniffy_server.domain.answer import NOTHING_STORED
from geniffy_server.domain.instants import said_on
from geniffy_server.domain.memory import OWNER, Fact, Kind
from geniffy_server.domain.source import PassageKind
from geniffy_server.learn import wording
from geniffy_server.learn.answers import Answer, answered, takes_offer
from geniffy_server.learn.asked import asked_before
from geniffy_server.learn.beside_secrets import beside_secrets
from geniffy_server.learn.change.compounds import clauses
from geniffy_server.learn.dates.spoken import pick
from geniffy_server.learn.exports import mail_head, messages_in
from geniffy_server.learn.kinds import kind as kind_of
from geniffy_server.learn.language import evidence_of, language_of
from geniffy_server.learn.layout import Talk, after_asides, is_address, own_words, record_of
from geniffy_server.learn.lexicon import fragments, word_set
from geniffy_server.learn.quotes import echo_of
from geniffy_server.learn.read import blocks, cells
from geniffy_server.learn.secrets import MARK
from geniffy_server.learn.split import not_fact, sentences
from geniffy_server.learn.subjects.antecedents import Antecedents
from geniffy_server.learn.subjects.objects import thing_in, with_object
from geniffy_server.learn.subjects.pronouns import opens_with_pronoun, pronoun, sex_told
from geniffy_server.learn.subjects.rules import Read
from geniffy_server.learn.subjects.subject import FIRST_PERSON, WEAK, Setting, is_person, subject

_BY_NAME: Final = frozenset({"name", "inner-name", "known"})
ANSWER: Final = "answer"
"""How the subject of a bare answer was found: in the words of its question, which its text has too."""
LONGEST_QUOTE: Final = 2_000  # characters; a longer sentence is learned in parts


@dataclass(frozen=True, slots=True)
class Reading:
    """A passage or turn as it is read.

    `text` is the passage's own characters with its secrets masked. `speaker` is a participant's name; None means the
    memory's owner. A reading that is not `wanted`, or is an agent's, teaches nothing: it is there for what it names.
    """

    text: str
    said_at: datetime
    heading: str | None = None
    kind: PassageKind = "para"
    speaker: str | None = None
    wanted: bool = True
    is_agent: bool = False


def facts_of(
    readings: Sequence[Reading],
    *,
    owner: str | None,
    known: Sequence[str] = (),
    before_each: Callable[[], None] = lambda: None,
) -> list[list[Fact]]:
    """The facts in each reading, in order: a list for each, empty where nothing is stated or it is not wanted.

    Offsets are into the reading's text, and `quote == text[start:end]`. `owner` is the name of the memory's owner, if
    it is known, and `known` the subjects that the memory already has. A sentence that held a secret is no fact.
    `before_each` is called before each statement; what it raises ends the reading.
    """
    reader = _Reader(
        owner=owner,
        known=_names(known, owner),
        has_agent=any(one.is_agent for one in readings),
        before_each=before_each,
        meant=Antecedents(
            language_of("\n".join(one.text[:500] for one in readings[:40])),
            frozenset(name for one in readings if one.speaker for name in (one.speaker, one.speaker.split()[0])),
        ),
    )
    return [list(reader.facts(reading, asked)) for reading, asked in zip(readings, asked_before(readings), strict=True)]


def whole_fact(text: str, said_at: datetime, *, owner: str | None, about: str | None, kind: Kind | None) -> Fact:
    """A correction as one fact: its text whole, with the subject and kind found in it, else `about` and `kind`."""
    said = said_on(said_at)
    language = language_of(text)
    setting = Setting(language, said, known=_names([about] if about else [], owner))
    found, how = subject(text, setting)
    if about is not None and (found is None or how in WEAK):
        found, how = about, "inherited"
    spoken = pick(text, said)
    own = kind_of(text, spoken, said, is_person=is_person(found, how, text), language=language)
    return Fact(
        text=text,
        quote=text,
        start=0,
        end=len(text),
        about=owner if found == OWNER and owner else found,
        how=how,
        kind=kind if own == "detail" and kind is not None else own,
        spoken=spoken,
        said_at=said_at,
        first_person=how in FIRST_PERSON,
    )


def stated_owner_name(readings: Sequence[Reading]) -> str | None:
    """The name that the owner last gave as their own ("My name is Zoë", "I'm Zoë Ferreira"); None when they did not."""
    name = None
    for reading in readings:
        if reading.speaker is not None or reading.is_agent or not reading.wanted:
            continue
        for start, end in sentences(reading.text):
            found = fragments("names", "stated", flags=0).match(reading.text, start, min(end, start + 200))
            stated = next(group for group in found.groups() if group) if found else None
            if stated and not any(fragments("names", "no_names").fullmatch(word) for word in stated.split()):
                name = stated
    return name


@dataclass(slots=True)
class _Reader:
    """What carries over from one reading to the next: who was named, what is talked of, and what was asked."""

    owner: str | None
    known: Mapping[str, str]
    has_agent: bool
    before_each: Callable[[], None]
    meant: Antecedents
    talk: Talk = field(default_factory=Talk)
    asked: str | None = None  # what the first statement of this turn may answer
    thing: str | None = None  # what `it` may stand for behind a verb
    thing_asked: str | None = None  # the same in the turn that asks

    def facts(self, reading: Reading, asked: str | None = None) -> Iterator[Fact]:
        if reading.is_agent:
            return
        place = (_section(reading), reading.speaker)
        if self.meant.enter(place, is_turn=reading.kind == "turn", asked=asked):
            self.talk = Talk()
            self.thing, self.thing_asked = None, self.thing
        self.asked = asked
        language, signs = evidence_of(reading.text)
        if signs < 1:
            language = self.meant.language
        for part, shift, day in self._parts_of(reading):
            for start, end, printed in _statements(part):
                self.before_each()
                fact = self._fact(part, start, end, printed or day, language)
                if fact is not None and reading.wanted:
                    yield replace(fact, start=shift + start, end=shift + end) if shift else fact

    def _parts_of(self, reading: Reading) -> Iterator[tuple[Reading, int, date | None]]:
        """The reading; the blocks of a turn in Markdown; of a pasted talk what its user said, of an exported one each
        message; each with its start, and with the day it was said on where a stamp says so."""
        if reading.kind == "turn":
            yield from ((part, start, None) for part, start in _blocks_of(reading))
            return
        if reading.kind == "para" and (messages := messages_in(reading.text)):
            for one in messages:
                yield replace(reading, text=reading.text[one.start : one.end], speaker=one.who), one.start, one.day
            return
        spans, self.talk = own_words(reading.text, self.talk)
        for start, end in spans:
            part = reading if (start, end) == (0, len(reading.text)) else replace(reading, text=reading.text[start:end])
            record = record_of(part.text) if part.kind == "para" and part.heading is None else None
            yield (part if record is None else replace(part, heading=record, kind="item")), start, None

    def _fact(self, reading: Reading, start: int, end: int, printed: date | None, language: str) -> Fact | None:
        quote = reading.text[start:end]
        if MARK in quote:
            return None
        said_to = self.meant.without_called(quote) if reading.speaker else quote
        to_assistant = self.has_agent and reading.speaker is None
        reason = not_fact(said_to, to_assistant=to_assistant)
        answer = None
        if reason in (None, "no words", "remark"):
            answer, language = self._answer(reading, quote, language, is_number=reason == "no words")
        is_wish = to_assistant and self.asked is not None and takes_offer(self.asked, quote, language)
        if (reason is not None and answer is None) or is_wish:
            self.meant.remember(None, quote, is_thing=False)
            return None
        self.asked = None
        said = printed or said_on(reading.said_at)
        if printed:
            reading = replace(reading, heading=None, kind="para")  # the statement stands alone already
        speaker = reading.speaker or OWNER
        words = answer.text if answer else quote
        about, how = self._subject(reading, words if answer is None or answer.is_told else quote, said, language)
        if answer and not answer.is_told and answer.of_asked:
            about, how = speaker, "first"
        if about is not None and how in _BY_NAME and self.meant.is_called(about, quote):
            about, how = None, "none"
        is_named = is_person(about, how, words) or (how in ("carry", "pronoun") and about in self.meant.persons)
        person = about not in self.meant.things and is_named and not _is_row_of_things(reading)
        text = _worded(reading, quote, about, how, language, answer)
        if how == "relation" and language == "en" and (whose := self._whose(reading, words, said)) is not None:
            text = wording.named(text, whose, language)
        is_done = reading.kind in ("item", "para") and _DONE.search(reading.text, 0, start) is not None
        if is_done:
            text = f"{text.rstrip('.')} (done)"
        if language == "en" and (thing := self.thing_asked if answer else self.thing):
            text = with_object(text, thing)
        if reading.kind != "row":
            self.thing = thing_in(words, about if how in ("np", "noun") else None, before=self.thing)
        self.meant.remember(about, words, is_thing=not person)
        spoken = pick(words, said)
        kind = kind_of(words, spoken, said, is_person=person, language=language)
        if is_done and kind == "plan":
            kind = "people" if person else "detail"
        about_owner = about == OWNER
        return Fact(
            text=text,
            quote=quote,
            start=start,
            end=end,
            about=self.owner if about_owner and self.owner else about,
            how=ANSWER if answer else how,
            kind=kind,
            spoken=spoken,
            said_at=reading.said_at,
            first_person=about == speaker and how in FIRST_PERSON,
            said_by=reading.speaker,
        )

    def _answer(self, reading: Reading, quote: str, language: str, *, is_number: bool) -> tuple[Answer | None, str]:
        """What a bare answer states, and the language that question and answer are in; a number too is an answer."""
        if self.asked is None or reading.kind != "turn" or (is_number and not _HOLDS_NUMBER.search(quote)):
            return None, language
        spoken_in, signs = evidence_of(f"{self.asked} {quote}")
        spoken_in = spoken_in if signs >= 1 else self.meant.language
        answer = answered(self.asked, wording.plain(quote), spoken_in)
        return answer, (spoken_in if answer else language)

    def _subject(self, reading: Reading, quote: str, said: date, language: str) -> tuple[str | None, str]:
        if reading.kind == "row":
            first = wording.plain(cells(quote)[0])
            return (first, "row") if first else (_section(reading), "heading")
        about, how = subject(quote, self._setting(reading, said, language))
        if how == "pronoun" and about is not None and (sex := sex_told(quote, language)):
            self.meant.sexes[about] = sex
        return (self._full_name(about, how), how)

    def _setting(self, reading: Reading, said: date, language: str) -> Setting:
        return Setting(
            language=language,
            said=said,
            speaker=reading.speaker or OWNER,
            heading=_section(reading),
            recent=self.meant.recent,
            previous=self.meant.previous,
            known=self.known,
            things=self.meant.things,
            is_item=reading.kind == "item",
            is_turn=reading.kind == "turn",
            sexes=self.meant.sexes,
            before=self.meant.named_just_before(),
        )

    def _whose(self, reading: Reading, words: str, said: date) -> str | None:
        """Sofia, where `Her husband Luca is a chef` follows on what was said of her."""
        if not opens_with_pronoun(words, "en"):
            return None
        found = pronoun(Read(words, words, self._setting(reading, said, "en")))
        return None if found is None or found[0] in (None, OWNER) else found[0]

    def _full_name(self, about: str | None, how: str) -> str | None:
        """`May` is `May Chen` where only one such name was given; the owner's own name is the owner."""
        if about is None or about == OWNER:
            return about
        if self.owner and about.casefold() in (self.owner.casefold(), self.owner.split()[0].casefold()):
            return OWNER
        if " " in about or how not in ("name", "poss", "known", "quote"):
            return about
        longer = {
            name
            for name in (*self.meant.recent, *self.meant.named, *self.known.values())
            if name.startswith(f"{about} ")
        }
        return longer.pop() if len(longer) == 1 else about


def _names(known: Sequence[str], owner: str | None) -> dict[str, str]:
    names = {name.lower(): name for name in known if name != OWNER and len(name) > 1}
    return names | ({owner.lower(): owner} if owner else {})


def _section(reading: Reading) -> str | None:
    """The heading that a reading stands under; a row's also carries its table's column heads."""
    if reading.heading is None:
        return None
    return (reading.heading.partition("\n")[0] if reading.kind == "row" else reading.heading) or None


def _is_row_of_things(reading: Reading) -> bool:
    """Whether a table's first column is headed by a word for things: `Plant`, not `Person` or `Name`."""
    first = (reading.heading or "").partition("\n")[2].partition(" | ")[0].strip().lower()
    if reading.kind != "row" or not first:
        return False
    return first not in word_set("subject", "people_columns") and first not in word_set("subject", "name_columns")


_DONE: Final = regex.compile(r"\[[xX]\][ \t]+$")
_HOLDS_NUMBER: Final = regex.compile(r"\d")
_MARKDOWN: Final = regex.compile(r"(?m)^[ \t]*(?:```|~~~|#{1,6} |\||>|[-*+] |\d{1,3}[.)] )")


def _blocks_of(reading: Reading) -> Iterator[tuple[Reading, int]]:
    """A turn, or the blocks of one that is written in Markdown, each with where it begins."""
    if not _MARKDOWN.search(reading.text):
        yield reading, 0
        return
    for block in blocks(reading.text):
        text = reading.text[block.start : block.end]
        yield replace(reading, text=text, kind=block.kind, heading=block.heading or reading.heading), block.start


def _statements(reading: Reading) -> Iterator[tuple[int, int, date | None]]:
    """Spans that may state something: a row, or sentences of at most `LONGEST_QUOTE`; a printed line with its date."""
    text = reading.text
    if reading.kind == "row" or (reading.kind == "para" and is_address(text)):
        yield 0, len(text), None
        return
    if text.strip() == NOTHING_STORED:
        return
    behind, subject = mail_head(text) if reading.kind == "para" else (0, None)
    if subject is not None:
        yield *subject, None
    for start, end, printed in _stretches(text, behind):
        if printed is not None:
            yield start, end, printed
            continue
        for first, last in sentences(text[start:end]):
            for a, b in _parts(text, start + first, start + last):
                for begins, ends in clauses(text, a, b):
                    told = beside_secrets(text, begins, ends) if MARK in text[begins:ends] else ((begins, ends),)
                    yield from ((*span, None) for span in told)


_PRINTED: Final = regex.compile(r", (\d{4}-\d\d-\d\d)\][ \t\r]*(?=\n|$)")


def _stretches(text: str, at: int) -> Iterator[tuple[int, int, date | None]]:
    """The text from `at` on in lines that a context printed, each with its date, and what stands between them."""
    for found in _PRINTED.finditer(text, at):
        begins = text.rfind("\n", at, found.start()) + 1 or at
        statement = echo_of(text[begins : found.end()])
        try:
            printed = date.fromisoformat(found[1])
        except ValueError:
            continue
        if statement is None:
            continue
        if begins > at:
            yield at, begins, None
        start = text.index(statement, begins)
        yield start, start + len(statement), printed
        at = found.end()
    if at < len(text):
        yield at, len(text), None


_LIST_MARK: Final = regex.compile(r"(?:>[ \t]?)*(?:[-*+•–▪◦][ \t]+|\d{1,3}[.)][ \t]+(?=\S))?(?:\[[ xX]\][ \t]+)?")
_CLAUSE_END: Final = regex.compile(r".*[,;:，、；：\n]\s|.*\s", regex.DOTALL)


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence without its list mark; one that is too long in parts that end where a clause or a word does."""
    mark = _LIST_MARK.match(text, start, end)
    start = after_asides(text, mark.end() if mark and mark.end() < end else start, end)
    while end - start > LONGEST_QUOTE:
        cut = _CLAUSE_END.match(text, start + LONGEST_QUOTE // 2, start + LONGEST_QUOTE)
        at = cut.end() if cut else start + LONGEST_QUOTE
        yield start, at - (len(text[start:at]) - len(text[start:at].rstrip()))
        start = at
    if start < end:
        yield start, end


def _worded(reading: Reading, quote: str, about: str | None, how: str, language: str, answer: Answer | None) -> str:
    if reading.kind == "row":
        return wording.row(quote, (reading.heading or "").partition("\n")[2])
    if reading.kind == "para" and is_address(quote):
        return ", ".join(line.strip().rstrip(",") for line in quote.splitlines())
    words = answer.text if answer else wording.without_chatter(wording.told(wording.plain(quote)) or quote, language)
    if about is not None and how in ("heading", "field") and reading.heading:
        words = wording.under(reading.heading, words)
    elif about is not None and about != OWNER and how in ("pronoun", "carry"):
        words = wording.named(words, about, language)
    is_own = about == reading.speaker or how in FIRST_PERSON
    is_open = about is None and opens_with_pronoun(words, language)
    if reading.speaker and (is_own or is_open or fragments("subject", "speaks_of_self", language).search(words)):
        words = wording.said_by(reading.speaker, words)
    return words
