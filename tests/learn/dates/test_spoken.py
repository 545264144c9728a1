"""Dates that texts speak of."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.learn.dates import spans
from geniffy_server.learn.dates.periods import periods
from geniffy_server.learn.dates.spoken import MOST, find, pick
from tests.learn.labels import SAID, spoken


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Priya called yesterday.", "2026-10-04"),
        ("The wedding is on Saturday, November 14.", "2026-11-14"),
        ("La boda será el sábado 14 de noviembre en Cuenca.", "2026-11-14"),
        ("Le mariage sera samedi 14 novembre.", "2026-11-14"),
        ("Il matrimonio è sabato 14 novembre.", "2026-11-14"),
        ("Die Hochzeit ist am Samstag, dem 14. November.", "2026-11-14"),
        ("On 14 November, Saturday, we close.", "2026-11-14"),
        ("From Monday 2 November to Friday 6 November I'm away.", "2026-11-02..2026-11-06"),
        ("La cita es el martes 20 a las 10.", "2026-10-20T10:00"),
        ("The review is Tuesday the 20th.", "2026-10-20"),
        ("Der Termin ist am Dienstag, den 20.10. um 10 Uhr.", "2026-10-20T10:00"),
        ("Parto il 3/11.", "2026-11-03"),
        ("They marry in June next year.", "2027-06"),
        ("We're in Porto from Thursday the 22nd to Sunday the 25th.", "2026-10-22..2026-10-25"),
        ("हम अगले साल जून में शादी करेंगे।", "2027-06"),
        ("来月の三日に引っ越します。", "2026-11-03"),
        ("אנחנו עוברים דירה בנובמבר.", "2026-11"),
        ("Se mudaron en marzo del año pasado.", "2025-03"),
        ("Sie heiraten im Juni nächsten Jahres.", "2027-06"),
        ("Si sposano a giugno dell'anno prossimo.", "2027-06"),
        ("弟は去年の四月から大阪で働いている。", "since:2025-04"),
        ("Next week on Tuesday we fly.", "2026-10-13"),
        ("अगले हफ़्ते सोमवार को परीक्षा है।", "2026-10-12"),
        ("Übernächste Woche bin ich in Wien.", "2026-10-19..2026-10-25"),
        ("再来週の月曜日に出張。", "2026-10-19"),
        ("这个周末我们去爬山。", "2026-10-10..2026-10-11"),
        ("Este fin de semana vamos al lago.", "2026-10-10..2026-10-11"),
        ("金曜日に会議がある。", "2026-10-09"),
        ("金曜日に友達に会った。", "2026-10-02"),
        ("彼は金曜日にヨガを習っています。", None),
        ("半年前他搬走了。", "2026-04"),
        ("十一月三号开学。", "2026-11-03"),
        ("परसों बैठक है।", "2026-10-07"),
        ("परसों वह दिल्ली गया।", "2026-10-03"),
        ("दो हफ़्ते बाद परीक्षा है।", "2026-10-19"),
        ("दुकान रविवार को बंद रहती है।", None),
        ("那家咖啡馆周一不开门。", None),
        ("他每周三打篮球。", None),
        ("المتجر مغلق أيام الجمعة.", None),
        ("Tuesday 13 pupils were ill.", "2026-09-29"),
        ("Le 24/7 est cher.", None),
        ("I have to call Ana on the 1st.", "2026-11-01"),
        ("Ines told me that Paulo is moving to Braga in December.", "2026-12"),
        ("La riunione è stata spostata a venerdì.", "2026-10-09"),
        ("Das Treffen wurde auf Freitag verschoben.", "2026-10-09"),
        ("The museum is open Monday to Friday.", None),
        ("Die Praxis ist von Montag bis Mittwoch geöffnet.", None),
        ("We leave the day after tomorrow", "2026-10-07"),
        ("She met Tom last Friday.", "2026-10-02"),
        ("Dinner is next Friday", "2026-10-16"),
        ("Pay by Friday.", "2026-10-09"),
        ("On Monday I talked to Ravi.", "2026-10-05"),
        ("We met on Wednesday.", "2026-09-30"),
        ("It ships on 20 Oct.", "2026-10-20"),
        ("Born on 3 May 1984", "1984-05-03"),
        ("May 3, 1984 was sunny", "1984-05-03"),
        ("Due 15/11/2026.", "2026-11-15"),
        ("On 11/15/2026 we ship", "2026-11-15"),
        ("Renew before 2027-02-01", "2027-02-01"),
        ("at 3 p.m. on 4 October in Room 2.1", "2026-10-04T15:00"),
        ("The appointment is tomorrow at 9.", "2026-10-06T09:00"),
        ("It starts in March 2027", "2027-03"),
        ("We met two Fridays ago", "2026-09-25"),
        ("Christmas 2025 was fun", "2025-12-25"),
        ("The Christmas party is on 18 December.", "2026-12-18"),
        ("Our November invoice is due on 3 December.", "2026-12-03"),
        ("The Monday meeting is on 14 October this time.", "2026-10-14"),
        ("The Christmas party is in Lisbon.", "2026-12-25"),
        ("At Christmas we left, and came back on 3 January.", "2025-12-25"),
        ("The trip is from 3 May to 17 June.", "2027-05-03..2027-06-17"),
        ("We were away between 3 May and 17 June.", "2026-05-03..2026-06-17"),
        ("Fair: December 28, 2026 – January 5, 2027", "2026-12-28..2027-01-05"),
        ("Le stage va du 3 mai 2027 au 17 juin 2027.", "2027-05-03..2027-06-17"),
        ("Die Messe geht vom 3. Mai 2027 bis 17. Juni 2027.", "2027-05-03..2027-06-17"),
        ("It moved from 3 October to 17 October.", "2026-10-17"),
        ("The meeting is on 18 March.", "2027-03-18"),
        ("The meeting was on 18 March.", "2026-03-18"),
        ("last summer I was in Rome", "2026-06..2026-08"),
        ("next winter we ski", "2026-12..2027-02"),
        ("the week of 12 October", "2026-10-12..2026-10-18"),
        ("It opens in mid-November", "2026-11"),
        ("two weeks from now", "2026-10-19"),
        ("Targets for H2 2027", "2027-07..2027-12"),
        ("Dinner is tonight at 8", "2026-10-05T20:00"),
        ("He left at noon yesterday", "2026-10-04T12:00"),
        ("I'm on holiday from the 12th to the 20th.", "2026-10-12..2026-10-20"),
        ("We're away between the 28th and the 3rd", "2026-10-28..2026-11-03"),
        ("We were away from the 12th to the 20th.", "2026-09-12..2026-09-20"),
        ("They live between the 3rd and the 5th floor", None),
        ("We're thinking about moving to Vienna in August.", "2027-08"),
        ("We hope to visit them in June", "2027-06"),
        ("Ravi's parents visit from 12 to 30 May.", "2027-05-12..2027-05-30"),
        ("Ravi's parents visited from 12 to 30 May.", "2026-05-12..2026-05-30"),
        ("No, it moved to August 17", "2027-08-17"),
        ("She's here! Born on the 17th, three days early.", "2026-09-17"),
        ("明年五月结婚", "2027-05"),
        ("The recital is on the 14th at 6pm.", "2026-10-14T18:00"),
        ("We paid on the 14th.", "2026-09-14"),
        ("She moved to Bern in August.", "2026-08"),
        ("We moved to 12 Elm Street in March.", "2026-03"),
        ("I need it before December.", "2026-12"),
        ("The release is planned for Q3.", "2026-Q3"),
        ("Revenue in 2025 Q4", "2025-Q4"),
        ("our budget for FY27", "2027"),
        ("He quit in 2019", "2019"),
        ("In the summer of 2022 she studied", "2022-06..2022-08"),
        ("winter 2025 was cold", "2025-12..2026-02"),
        ("In the 1990s Dad drove a Volvo", "1990..1999"),
        ("From 3 to 7 November I'm away", "2026-11-03..2026-11-07"),
        ("November 3-7 is blocked", "2026-11-03..2026-11-07"),
        ("Between 2019 and 2021 I lived in Ghent", "2019..2021"),
        ("from March to May 2027", "2027-03..2027-05"),
        ("I have lived here since 2019.", "since:2019"),
        ("seit März in Graz", "since:2026-03"),
        ("2015年以来", "since:2015"),
        ("Her birthday is on 12 March.", "--03-12"),
        ("Lena's birthday is 29 February.", "--02-29"),
        ("two weeks ago", "2026-09-21"),
        ("in three months", "2027-01"),
        ("a couple of days ago", "2026-10-03"),
        ("next week I fly", "2026-10-12..2026-10-18"),
        ("last month", "2026-09"),
        ("It was last weekend", "2026-10-03..2026-10-04"),
        ("rent is due at the end of the month", "2026-10-31"),
        ("New Year's Eve 2025", "2025-12-31"),
        ("The meeting was moved from Tuesday to Wednesday.", "2026-10-07"),
        ("The launch moved to 5 June from 3 May.", "2027-06-05"),
        ("The Acme renewal moved to June because SSO slipped.", "2027-06"),
        ("The Acme renewal moved from May to June.", "2027-06"),
        ("The review was postponed to March.", "2027-03"),
        ("The launch was brought forward to May.", "2027-05"),
        ("The renewal is now June.", "2027-06"),
        ("The lease ends June.", "2027-06"),
        ("Das Treffen wurde auf Juni verschoben.", "2027-06"),
        ("La réunion est reportée à juin.", "2027-06"),
        ("La reunión se movió a junio.", "2027-06"),
        ("La riunione è spostata a giugno.", "2027-06"),
        ("Встреча перенесена на июнь.", "2027-06"),
        ("El viernes pasado compró una casa", "2026-10-02"),
        ("La reunión será el 15 de noviembre a las 10.", "2026-11-15T10:00"),
        ("Il arrive dans deux semaines", "2026-10-19"),
        ("Am 4. Oktober um 12 Uhr", "2026-10-04T12:00"),
        ("La prossima settimana parto", "2026-10-12..2026-10-18"),
        ("Встреча 15 ноября в 10:00", "2026-11-15T10:00"),
        ("下周三下午三点开会", "2026-10-14T15:00"),
        ("2週間前に退院した", "2026-09-21"),
        ("来月東京に引っ越す", "2026-11"),
        ("वह कल आया था।", "2026-10-04"),
        ("वह कल आएगा।", "2026-10-06"),
        ("سافر أمس إلى دبي", "2026-10-04"),
        ("قبل ثلاثة أيام فقدت محفظتي.", "2026-10-02"),
        ("قبل أسبوعين سافرت", "2026-09-21"),
        ("سأعود بعد شهر", "2026-11"),
        ("הבחינה תתקיים ב-12 בדצמבר 2026.", "2026-12-12"),
        ("לפני שבועיים עברנו דירה", "2026-09-21"),
        ("בשבוע הבא אני טס", "2026-10-12..2026-10-18"),
        ("מחר בשעה 9 יש לי תור", "2026-10-06T09:00"),
        ("ביום שלישי שעבר חזרתי", "2026-09-29"),
        ("אני עובד כאן מאז 2016.", "since:2016"),
        ("התחתנו ב-2014.", "2014"),
        ("A fortnight ago it rained", "2026-09-21"),
        ("I moved half a year ago", "2026-04"),
        ("The audit ended last quarter.", "2026-Q3"),
        ("It is due the week after next.", "2026-10-19..2026-10-25"),
        ("The fair is on the first Monday of November", "2026-11-02"),
        ("She left at 10.30 yesterday", "2026-10-04T10:30"),
        ("I have worked here for the past three years", "since:2023"),
        ("We opened the shop in March.", "2026-03"),
        ("The fair is in March.", "2027-03"),
        ("I graduated on 20 December.", "2025-12-20"),
        ("En marzo abrimos la tienda.", "2026-03"),
        ("Im März haben wir geheiratet.", "2026-03"),
        ("Letzten Sommer war Ida weg.", "2026-06..2026-08"),
        ("L'année dernière, il a plu.", "2025"),
        ("à 20 h 30 le 12 décembre", "2026-12-12T20:30"),
        ("Elio vive qui da tre anni.", "since:2023"),
        ("去年冬天很冷。", "2025-12..2026-02"),
        ("2018年から横浜で働いています。", "since:2018"),
        ("来週から休みます", "2026-10-12..2026-10-18"),
    ],
)
def test_a_date_is_counted_from_the_day_it_was_said(text: str, value: str) -> None:
    assert pick(text, SAID) == spoken(value)


@pytest.mark.parametrize(
    "text",
    [
        "Version 1.5.2 may slip.",
        "Turn 40 lights off, march on, second floor, chapter 12.",
        "24/7 support in Room 2.1",
        "They deploy every Thursday at 14:30.",
        "He sees patients on Mondays.",
        "The sun was out and we may go.",
        "She sat in the sun.",
        "It costs 2019 euros",
        "I ran 5k in 24:30",
        "45 February",
        "The market is held every second Sunday.",
        "We meet on the last Friday of each month.",
        "Chapter 7 of 1984 is long.",
        "We moved to June's flat.",
        "I handed it to April.",
        "",
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert pick(text, SAID) is None


def test_a_habit_does_not_hide_the_date_beside_it() -> None:
    assert pick("Every Tuesday since 2019 we swim", SAID) == spoken("since:2019")


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("What happened on 4 October?", ["2026-10-04"]),
        ("What happened on 4 October 2025?", ["2025-10-04"]),
        ("What did Ana do last week?", ["2026-09-28..2026-10-04"]),
        ("Where was I in May?", ["2026-05"]),
        ("Where was I in 2019 and in 2021?", ["2019", "2021"]),
        ("What did Kim say?", []),
    ],
)
def test_a_question_names_its_periods(question: str, values: list[str]) -> None:
    assert periods(question, SAID) == [spoken(value) for value in values]


def test_a_calendar_of_dates_is_looked_at_for_no_more_than_a_few() -> None:
    assert len(find("4 October, " * 300, SAID)) == MOST


def test_offsets_show_the_words_of_each_date() -> None:
    text = "We met yesterday and meet again on 20 October."
    assert [text[start:end] for start, end, _ in find(text, SAID)] == ["yesterday", "20 October"]


_PIECES = "in on 31 30 Feb 2026 May last next Friday since weeks ago 年 月 日 1/1/2026"


@given(
    st.text() | st.lists(st.sampled_from(_PIECES.split())).map(" ".join),
    st.dates(),
)
def test_any_text_on_any_day_gives_dates_in_order(text: str, said: date) -> None:
    at = 0
    for start, end, value in find(text, said):
        assert at <= start < end <= len(text)
        assert value.low <= value.high
        at = end


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("Our car is a blue estate, tax due 14 March.", date(2027, 3, 14)),
        ("We booked a cottage in Wales for 3 August.", date(2027, 8, 3)),
        ("We booked the flights on 3 August.", date(2026, 8, 3)),
        ("Ruby's birthday's the 22nd", date(2026, 12, 22)),
        ("Passport valid until 03/2031", date(2031, 3, 1)),
        ("This is the 3rd edition of it", None),
    ],
)
def test_a_day_leans_as_what_is_said_of_it(text: str, low: date | None) -> None:
    found = pick(text, date(2026, 12, 1))

    assert (found.low if found else None) == low


@given(st.integers(1, 12), st.integers(1, 31), st.dates(date(1990, 1, 1), date(2100, 12, 31)))
def test_a_day_without_a_year_is_within_a_year(month: int, day: int, said: date) -> None:
    try:
        found = spans.nearest_day(day, month, said, "none")
    except ValueError:
        assert day > 28
    else:
        assert (found.day, found.month) == (day, month)
        assert abs((found - said).days) <= (366 if (month, day) != (2, 29) else 731)
