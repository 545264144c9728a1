"""Rules for the subject of a sentence in Chinese, Japanese and Hindi."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.learn.lexicon import alternatives, listed, word_set
from geniffy_server.learn.subjects.pronouns import pronoun
from geniffy_server.learn.subjects.rules import (
    Read,
    Rule,
    Subject,
    carried,
    first_anywhere,
    known,
    member,
    said_by,
    under_heading,
)


@cache
def _chinese_relative() -> regex.Pattern[str]:
    return regex.compile(rf"我(?:的)?(?:{alternatives(listed('subject', 'relations', 'zh'))})")


def _chinese_relation(read: Read) -> Subject | None:
    """`我妹妹小红住在广州`, `我妹妹叫小红`: the name, else the relation."""
    found = _chinese_relative().match(read.rest)
    if found is None:
        return None
    named = _CHINESE_CALLED.match(read.rest, found.end()) or _CHINESE_NAME.match(read.rest, found.end())
    return (named[1] if named else found.group()), "relation"


# Characters that begin what is said of someone and seldom a name.
_CHINESE_VERBS: Final = (
    "住在是喜买昨今明要有的去说和也已会想做从把被叫搬换认开工负讨爱结毕出到下回给跟对打学教写看听吃喝不没当任管退请带送很每刚曾正向于为帮养"
    "借问陪约请跑走参加成觉知希需应必可能得让使用租卖修病生死丢找见遇约离将准负擅精拥最讨答跳唱弹"
)
_CHINESE_CALLED: Final = regex.compile(r"(?:的名字)?(?:叫做?|名叫)(\p{Han}{2,3})(?=[，。、！,.!]|$)")
_CHINESE_NAME: Final = regex.compile(rf"((?![{_CHINESE_VERBS}])\p{{Han}}{{2,3}}?)(?=[{_CHINESE_VERBS}])")
# `豆豆`, `小红`, `阿明`: names by their form; words of the same form that are none are listed.
_CHINESE_PET_NAME: Final = regex.compile(
    rf"(?!老师|老板|老人|老家|老婆|老公|小学|小区|小时|小说|小孩|小组|小心|天天|常常|刚刚|慢慢|渐渐|偏偏|人人|家家|年年|往往|仅仅|爷爷|奶奶|爸爸|妈妈|哥哥|姐姐|弟弟|妹妹|叔叔|舅舅|姑姑)"
    rf"((\p{{Han}})\2|[小阿老]\p{{Han}})(?=[{_CHINESE_VERBS}])"
)
_TOPIC_BEFORE_TIME: Final = regex.compile(r"([\p{Han}]{2})(?=明年|今年|去年|昨天|今天|明天|上|下|已)")


def _chinese_topic_before_time(read: Read) -> Subject | None:
    found = _TOPIC_BEFORE_TIME.match(read.rest)
    if found is None or found[1][0] in listed("subject", "surnames") or found[1][0] in "他她我它":
        return None
    return found[1], "topic"


@cache
def _chinese_surname() -> regex.Pattern[str]:
    surnames = "".join(listed("subject", "surnames"))
    return regex.compile(rf"([{surnames}][\p{{Han}}]{{1,2}}?)(?=[{_CHINESE_VERBS}])")


def _chinese_named(read: Read) -> Subject | None:
    found = _chinese_surname().match(read.rest) or _CHINESE_PET_NAME.match(read.rest)
    if found is None or read.rest.startswith(listed("subject", "not_people", "zh")):
        return None
    return found[1], "name"


def _chinese_relative_of_mine(read: Read) -> Subject | None:
    """`王磊是我的同事` and `刘老师教我女儿` are about whom they name first, though they speak of me."""
    titled = _CHINESE_TITLED.match(read.rest)
    if titled:
        return titled.group(), "name"
    found = _chinese_named(read)
    return found if found and found[0] and _OF_ME_LATER.match(read.rest, len(found[0])) else None


_OF_ME_LATER: Final = regex.compile(r"是我|(?:借|送|教|给|帮|告诉|请|约|问|陪)(?:了|给|过)?我")
_CHINESE_TITLED: Final = regex.compile(
    r"(?!我|你|他|她)\p{Han}(?:老师|先生|女士|小姐|医生|经理|主任|教授|叔叔|阿姨)(?!和我|跟我|与我|的)"
)


_CHINESE_TOPIC: Final = regex.compile(
    r"([\p{Han}]{2,8}?)(?:是|在|改|到|有|要|将|会|已|坏|定|安排|取消|推迟|提前|住|喜欢|搬|叫|开始|结束|需|必须|应|不|没|很|太|非常|都|也|还|正|被|由|从|每|只|快|了)"
)


def _chinese_topic(read: Read) -> Subject | None:
    """What stands before the verb; of those who did something before, the last when it is nothing but a verb."""
    found = _CHINESE_TOPIC.match(read.rest)
    if found is None or found[1].startswith(("把", "给", "对", "为")):
        return None
    return (_CHINESE_TIME.sub("", found[1]) or found[1]), "topic"


_CHINESE_TIME: Final = regex.compile(
    r"(?<=\p{Han}{2})(?:每?(?:周|星期|礼拜)[一二三四五六日天末]|今天|明天|昨天|后天|前天|上午|下午|晚上|早上|[今明去]年|[上下]个?(?:周|月))+$"
)
_JAPANESE_WISH: Final = regex.compile(r"[\p{Katakana}ー]+は.*(?:ません|たい|ます)[。.]?$")
_JAPANESE_TOPIC: Final = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}ー]{1,12}?)[はが]")


def _japanese_wish(read: Read) -> Subject | None:
    return (read.setting.speaker, "drop") if _JAPANESE_WISH.match(read.rest) else None


@cache
def _japanese_relatives() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "ja"))
    return regex.compile(rf"(?:(?:私|僕|俺|うち)の)?({relations})[はがも]")


@cache
def _japanese_named_relative() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "ja"))
    return regex.compile(
        rf"(?:(?:私|僕|俺|うち)の)?(?:{relations})の"
        r"(?!息子|様子|調子|女子|男子|帽子|電子|菓子|椅子|子)"
        r"(\p{Han}{0,2}[子美香奈菜恵江代郎介助輔斗翔蓮健樹也哉彦吾治司誠剛隆浩陽結衣咲愛莉里佳紀希沙織]|\p{Han}{1,2}[一二太平人夫男]"
        r"|\p{Katakana}[\p{Katakana}ー]{1,4}|さくら|ひなた?|ゆい|はるか?|みお|あおい|ひかり|めぐみ|かおり|まゆみ?)(?=[はがも])"
    )


_JAPANESE_CALLED: Final = regex.compile(
    r"名前は([\p{Han}\p{Hiragana}\p{Katakana}ー]{1,10}?)(?:です|だ|といいます|と言います)?(?:[。！.!]|$)"
)
_JAPANESE_TASTE: Final = regex.compile(
    r"[^はがもを。、]{1,15}(?:が|は|も)(?:大好き|好き|大嫌い|嫌い|苦手|欲しい|ほしい|食べたい|飲みたい)"
)


def _japanese_called(read: Read) -> Subject | None:
    """`名前はモモです`: of whom was spoken of last, by the name."""
    found = _JAPANESE_CALLED.match(read.rest)
    return (found[1], "naming") if found else None


def _japanese_taste(read: Read) -> Subject | None:
    """`猫が好き`: what is liked stands there, who likes it does not."""
    if not _JAPANESE_TASTE.match(read.rest):
        return None
    previous = read.setting.previous
    if previous and (previous in word_set("subject", "relations", "ja") or previous.endswith(("犬", "猫"))):
        return previous, "carry"
    person = next((name for name in read.setting.recent if name.endswith(("さん", "くん", "ちゃん", "君"))), None)
    return (person, "carry") if person else (read.setting.speaker, "drop")


def _japanese_relation(read: Read) -> Subject | None:
    """`妹の花子は`, else `妹は`."""
    found = _japanese_named_relative().match(read.rest) or _japanese_relatives().match(read.rest)
    return (found[1], "relation") if found else None


def _japanese_topic(read: Read) -> Subject | None:
    found = _JAPANESE_TOPIC.match(read.rest)
    if found is None:
        return None
    return (carried(read) if found[1] == "場所" else None) or (found[1], "topic")


def _japanese_dropped(read: Read) -> Subject | None:
    return carried(read) or (read.setting.speaker, "drop")


@cache
def _hindi_relatives() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "hi"))
    return regex.compile(rf"(?:मेरा|मेरी|मेरे|हमारा|हमारी) (?:{relations})(?![\p{{L}}\p{{M}}])")


def _hindi_relation(read: Read) -> Subject | None:
    """`मेरी बहन नेहा पुणे में रहती है`: a name that is known as one, or that does something; else the relation."""
    found = _hindi_relatives().match(read.rest)
    if found is None:
        return None
    named = _HINDI_NAMED.match(read.rest, found.end())
    is_name = named and (named[1] in word_set("subject", "given_names", "hi") or named["does"])
    return (named[1] if named and is_name else found.group()), "relation"


_HINDI_NAMED: Final = regex.compile(r",? (?!(?:भी|ही|और|या|तो) )([\p{L}\p{M}]{2,})(?:,? (?P<does>ने )?|$)")


_HINDI_NAME: Final = regex.compile(r"(?:(?:डॉ|श्री|श्रीमती|प्रो)\.?\s+)?[\p{L}\p{M}]+")


def _hindi_first_word(read: Read) -> Subject | None:
    found = _HINDI_NAME.match(read.rest)
    return (found.group(), "first-noun") if found else None


CHINESE: Final[Sequence[Rule]] = (
    _chinese_relation, _chinese_relative_of_mine, _chinese_topic_before_time, said_by, first_anywhere, pronoun, known,
    member, _chinese_named, under_heading, _chinese_topic, carried,
)  # fmt: skip
JAPANESE: Final[Sequence[Rule]] = (
    _japanese_called, _japanese_relation, _japanese_taste, _japanese_wish, said_by, first_anywhere, pronoun,
    known, member, under_heading, _japanese_topic, _japanese_dropped,
)  # fmt: skip
HINDI: Final[Sequence[Rule]] = (
    _hindi_relation, said_by, first_anywhere, pronoun, known, member, under_heading, _hindi_first_word,
)  # fmt: skip
