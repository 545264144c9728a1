"""Rules for the subject of an English sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.lexicon import alternatives, fragments, keyed, listed, word_set
from geniffy_server.learn.subjects.names import (
    NAME_WORD,
    clean,
    first_names,
    is_in_lower_case,
    is_personal,
    name_pattern,
    not_names,
    only_opens,
)
from geniffy_server.learn.subjects.pronouns import pronoun
from geniffy_server.learn.subjects.rules import (
    Read,
    Rule,
    Subject,
    field_of,
    headed,
    known,
    member,
    noun,
    opening_name,
    said_by,
    their_relative,
)


@cache
def _relation_named() -> regex.Pattern[str]:
    return regex.compile(
        r"(?:[Mm]y|[Oo]ur)\s+(?:(?P<before>\p{Ll}+)\s+)??(?!(?:name|is|was|are|and|or|in|at|for|with|to|from|of|on|by)\b)"
        rf"(\p{{L}}+(?:-in-law)?)(?:\s+|,\s*)(?P<name>{name_pattern().pattern})"
    )


@cache
def _any_relation() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "en"))
    plain = alternatives(listed("subject", "plain_before_relation", "en"))
    return regex.compile(
        rf"(?P<whose>my|our)\s+(?:(?:{plain})\s+)*(?P<which>(?:\p{{Ll}}[\p{{Ll}}-]*\s+)?(?:{relations})(?:-in-law)?)(?:['’]s)?\b"
        r"(?!\s+and\s+(?:I|me)\b)",
        regex.IGNORECASE,
    )


def _is_named_so(named: regex.Match[str]) -> bool:
    """Whether the name is the relation's: in `my mum thinks Ana …` and `my mum and I …` it is another's."""
    return (
        named["before"] not in word_set("subject", "relations") and named["name"].split()[0].lower() not in not_names()
    )


@cache
def _relative_of_mine() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "en"))
    return regex.compile(
        rf"(?:[Mm]y|[Oo]ur)\s+(?:\p{{Ll}}+\s+)?\p{{Ll}}+s?['’]s?\s+(?:{relations}),?\s+(?P<name>{NAME_WORD})(?!['’]s)"
    )


def _relative_of_relative(read: Read) -> Subject | None:
    """`My boss's husband Felix`."""
    found = _relative_of_mine().match(read.rest)
    return (clean(found["name"]), "relation") if found else None


_CALLED: Final = regex.compile(r".{0,25}?\bis (?:called|named) (\p{Lu}\p{L}+)")


def _relation(read: Read) -> Subject | None:
    """`My sister Ana`, `my sister`, `my daughter is called Mia`."""
    named = _relation_named().match(read.rest)
    if named and _is_named_so(named) and not read.rest.startswith("'s ", named.end("name")):
        return clean(named["name"]), "relation"
    found = _any_relation().match(read.rest)
    if found is None:
        return None
    called = _CALLED.match(read.rest, found.end())
    if called:
        return called[1], "relation"
    whose = found["whose"].lower() if read.setting.speaker == OWNER else f"{read.setting.speaker}'s"
    return f"{whose} {found['which'].lower()}", "relation"


@cache
def _relation_asked() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "en"))
    return regex.compile(rf"\byour\s+(?:\p{{Ll}}+\s+)?({relations})\b", regex.IGNORECASE)


def relations_asked(question: str, asked: str) -> list[str]:
    """Whom a question to `asked` means by `your`: `my mum` for `Have you told your mum?`, `Ana's mum` for Ana."""
    whose = "my" if asked == OWNER else f"{asked}'s"
    return [f"{whose} {found[1].lower()}" for found in _relation_asked().finditer(question)]


_NAMED_BEHIND: Final = regex.compile(r",?\s+(?:is |was |called |named )*\p{Lu}|\)")  # my niece Ruby; Sofia (my sister)


def relations_told(sentence: str, speaker: str) -> list[str]:
    """Relatives that a sentence speaks of: `my wife` for `for my wife's birthday`, `Ana's wife` if Ana says it."""
    whose = "my" if speaker == OWNER else f"{speaker}'s"
    found = [
        f"{whose} {one['which'].lower()}"
        for one in _any_relation().finditer(sentence)
        if not _NAMED_BEHIND.match(sentence, one.end())
    ]
    return [one for one in found if one.rpartition(" ")[2] in word_set("subject", "relations")]


@cache
def _first_name_in_lower_case() -> regex.Pattern[str]:
    verbs = "is|was|has|had|will|can|said|got|went|told|moved|quit|left|just|still|no longer"
    names = alternatives(first_names())
    return regex.compile(rf"(?P<name>{names})(?:['’]s\s|\s+(?:{verbs}|\p{{Ll}}{{2,}}(?:ed|[^su]s))\b)")


def _in_lower_case(read: Read) -> Subject | None:
    """`priya leaves acme in march`, of a note that is in lower case."""
    found = _first_name_in_lower_case().match(read.rest)
    if found is None or not is_in_lower_case(read.whole):
        return None
    return found["name"].capitalize(), "name"


_USER: Final = regex.compile(r"(?:the )?user(?:['’]s)?\b(?!['’-])", regex.IGNORECASE)


def _user(read: Read) -> Subject | None:
    """`User prefers …`, as an app writes of the person whose memory it is."""
    return (OWNER, "user") if _USER.match(read.rest) else None


_NAMING: Final = regex.compile(r"(?:her|his|their|its) name(?: is|['’]s| was) (?-i:(\p{Lu}\p{L}+))", regex.IGNORECASE)


def _naming(read: Read) -> Subject | None:
    found = _NAMING.match(read.rest)
    return (found[1], "naming") if found else None


@cache
def _reporting() -> regex.Pattern[str]:
    return regex.compile(rf"[\"”»,]\s*(?:said|says|told me)\s+(my \p{{L}}+|{name_pattern().pattern})")


def _reported(read: Read) -> Subject | None:
    found = _reporting().search(read.whole)
    return (clean(found[1]), "quote") if found else None


@cache
def _first_word() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{alternatives(listed('subject', 'first', 'en'))})\b", regex.IGNORECASE)


def _first(read: Read) -> Subject | None:
    return (read.setting.speaker, "first") if _first_word().match(read.rest) else None


_ITEM_VERB: Final = regex.compile(
    r"(?:\s+\([^()\n]{1,60}\))?\s+(?:to|is|was|will|has|can(?:not|['’]t)?|must|should|(?:is|was|does|did|has|wo)n['’]t|\p{Ll}+(?:s|ed))\b|\s+\([^()\n]{1,60}\)"
)
_ONE_NAME: Final = regex.compile(r"\p{Lu}\p{Ll}+")


def _item(read: Read) -> Subject | None:
    """A list item is about its heading, unless it opens with its own: `Owner: Priya`, `Ravi to email legal`."""
    if not (read.setting.is_item and read.setting.heading):
        return None
    if present := member(read):
        return present
    if owned := field_of(read):
        return owned
    name = name_pattern().match(read.rest)
    if name and _ITEM_VERB.match(read.rest, name.end()):
        first = name.group().split()[0]
        is_thing = first.endswith(listed("subject", "thing_endings")) or only_opens(
            first, read.rest[name.end() :], "en"
        )
        if first.lower() not in not_names() and _ONE_NAME.fullmatch(first) and not is_thing:
            return clean(name.group()), "name"
    return headed(read.setting)


_TITLED: Final = regex.compile(
    r"(?P<title>(?:Dr|Mr|Mrs|Ms|Prof)\.?\s+\p{Lu}[\p{L}'-]+)|[Tt]he\s+(?P<team>\p{Lu}\p{L}+)\s+(?:team|project|squad|group)\b"
)


def _titled(read: Read) -> Subject | None:
    found = _TITLED.match(read.rest)
    if found is None:
        return None
    return (clean(found["title"]), "title") if found["title"] else (found["team"], "team")


_NOBODYS: Final = frozenset({"it", "that", "what", "there", "here", "let"})  # what's, let's
_POSSESSIVE: Final = regex.compile(r"(\p{Lu}[\p{L}-]+)['’]s\s+\p{Ll}")


def _possessive(read: Read) -> Subject | None:
    found = _POSSESSIVE.match(read.rest)
    if found is None or found[1].lower() in _NOBODYS | not_names() | word_set("subject", "openers"):
        return None
    return found[1], "poss"


@cache
def _dropping() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{alternatives(listed('subject', 'dropped', 'en'))})\b", regex.IGNORECASE)


_FULL_NAME: Final = regex.compile(r"\p{Lu}[\p{L}\p{M}'’-]+(?:\s\p{Lu}[\p{L}\p{M}'’-]*){1,3}")
_ACTS: Final = regex.compile(
    r"(?:\s*\([^()\n]{1,60}\))?(?:\s+(?:also|now|still|just|never|always|only|often|usually|once|\p{Ll}+ly))?\s+(?P<verb>[\p{L}'’]+)"
    r"|,\s+(?:my|our|who)\b"
)


def _actor(read: Read) -> Subject | None:
    """A name with its verb in front: `Ana told me that …` is about Ana, `Ana and I …` is not."""
    found = name_pattern().match(read.rest)
    acts = _ACTS.match(read.rest, found.end()) if found else None
    if found is None or acts is None:
        return None
    verb = acts["verb"]
    if verb and not (verb.endswith(("s", "ed")) or verb in word_set("subject", "past_verbs")):
        return None
    return opening_name(read)


_I_ANYWHERE: Final = regex.compile(r"\b(?:I|i|i'm|I'm|I've|my|me)\b")


def _dropped(read: Read) -> Subject | None:
    """`Got the job!`: the speaker, left out; under a person's heading that person."""
    is_doing = read.setting.is_turn and fragments("subject", "doing", "en").match(read.rest)
    if not is_doing and not _dropping().match(read.rest):
        return None
    heading = read.setting.heading
    if heading is not None and _FULL_NAME.fullmatch(heading) and is_personal(heading):
        return heading, "heading"
    return read.setting.speaker, "drop"


def _first_anywhere(read: Read) -> Subject | None:
    return (read.setting.speaker, "first-any") if _I_ANYWHERE.search(read.rest) else None


_IN_ADDRESS: Final = regex.compile(
    r"\b\d{1,5}[a-zA-Z]? (?:\p{Lu}\p{L}+ )*(?:\p{Lu}\p{L}+, )?$"
)  # 14 Alder Grove, Leeds
_CALLED_LAST: Final = regex.compile(r"\s*(?:[.!?,;)…\"”–—-]|$)")
_WE: Final = regex.compile(r"\b(?:we|our|us)\b")


def _inner_name(read: Read) -> Subject | None:
    if read.rest.partition(" ")[0].lower() in word_set("subject", "commands"):
        return None
    for found in name_pattern().finditer(read.rest):
        name = clean(found.group())
        lower = name.lower()
        if not found.start() or len(name) < 2 or name.isupper() or lower.split()[0] in not_names():
            continue
        if not {lower, lower.removesuffix("s")}.isdisjoint((*keyed("months"), *keyed("weekdays"))):
            continue
        if _IN_ADDRESS.search(read.rest, 0, found.start()):
            continue
        if _WE.search(read.rest):
            return read.setting.speaker, "first-any"
        before = read.rest[: found.start()].rstrip()
        if before.endswith((",", "-", "–", "—")) and _CALLED_LAST.match(read.rest, found.end()):
            continue  # spoken to, not of
        if before.rpartition(" ")[2].lower() not in word_set("subject", "position_words"):
            return name, "inner-name"
    return None


def _we_anywhere(read: Read) -> Subject | None:
    return (read.setting.speaker, "first-any") if _WE.search(read.rest) else None


_TOPIC: Final = regex.compile(
    r"(?:the\s+)?((?:\p{L}[\p{L}-]*\s+){0,4}?\p{L}[\p{L}-]+)(?:\s*:|\s+(?:is|was|are|were|takes?|took|needs?|has|had|costs?"
    r"|goes|went|starts?|started|ends?|ended|opens?|closes?|meets?|lasts?|expires?|leaks?|runs|works)\b)",
    regex.IGNORECASE,
)


def _topic(read: Read) -> Subject | None:
    """`Rent is 95 pounds`: the nouns before the verb, where no small word or participle is among them."""
    found = _TOPIC.match(read.rest) if read.setting.heading is None else None
    if found is None:
        return None
    words = found[1].lower().split()
    small = not_names() | word_set("subject", "position_words")
    if words[0] in word_set("subject", "openers") or (len(words) > 1 and words[0].endswith("ing")):
        return None
    if found[1].lower() in word_set("subject", "labels"):
        return None
    return None if any(word in small for word in words) else (found[1], "np")


_TITLE_LINE: Final = regex.compile(
    r"(?P<of>\p{L}+ (?:for|of) (?:the |our )?)?(?P<topic>\p{L}[\p{L}\p{N}' -]{2,40}?):\s"
)


def _title_line(read: Read) -> Subject | None:
    """`Wi-Fi at the cabin: …`, `Deadline for the grant: …`."""
    found = _TITLE_LINE.match(read.rest)
    if found is None or " " not in found.group().strip() or _I_ANYWHERE.search(found["topic"]):
        return None
    if found["topic"].lower() in word_set("subject", "labels"):
        return None
    return found["topic"], "np"


_WISH: Final = regex.compile(
    r"\W*please\s+(?:always|never|don't|do not|use|keep|call|answer|reply|write|speak|be|avoid)\b", regex.IGNORECASE
)


_NOTHING_ELSE: Final = regex.compile(r"(?:\p{L}+ ){1,4}only(?P<please>,? please)?[.!]?$", regex.IGNORECASE)


def _wish(read: Read) -> Subject | None:
    """`Please always answer in French`: the speaker's wish. `Window seats only` is nobody's that it says."""
    if _WISH.match(read.whole):
        return read.setting.speaker, "wish"
    found = _NOTHING_ELSE.match(read.rest)
    if found and found["please"]:
        return read.setting.speaker, "wish"
    return (None, "none") if found else None


_CLEFT: Final = regex.compile(rf"[Ii]t(?: is| was|['’]s)\s+({NAME_WORD}(?:\s+{NAME_WORD})*)\s+(?:who|that)\b")
_SOURCE: Final = regex.compile(rf"(?:According to|As for|Speaking of) ({NAME_WORD}(?:\s+{NAME_WORD})*)\s*,")


def _pointed_out(read: Read) -> Subject | None:
    """`It was Leo who called`, `According to Leo, …`."""
    found = _CLEFT.match(read.rest)
    if found:
        return clean(found[1]), "name"
    found = _SOURCE.match(read.rest)
    return (clean(found[1]), "quote") if found else None


_CLAUSE: Final = regex.compile(r"(?:When|While|After|Before|If|Once|Neither)\s+(?:\p{Ll}+\s+)?(\p{Lu}[\p{L}'-]+)\b")


def _clause(read: Read) -> Subject | None:
    found = _CLAUSE.match(read.rest)
    return (clean(found[1]), "clause") if found else None


ENGLISH: Final[Sequence[Rule]] = (
    _relative_of_relative, _relation, their_relative, _user, said_by, _naming, _reported, _first, _pointed_out, pronoun,
    known, member, _item, _in_lower_case, field_of, _titled, _possessive, _dropped, _wish, _actor, _first_anywhere,
    _title_line, opening_name, noun, _inner_name, _we_anywhere, _topic, _clause,
)  # fmt: skip
