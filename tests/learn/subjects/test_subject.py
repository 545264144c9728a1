"""Who or what a sentence is about."""

from __future__ import annotations

import pytest

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.language import language_of
from geniffy_server.learn.subjects.subject import Setting, is_person, subject
from tests.learn.labels import SAID


def about(sentence: str, **around: object) -> tuple[str | None, str]:
    return subject(sentence, Setting(language=language_of(sentence), said=SAID, **around))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I prefer tea.", (OWNER, "first")),
        ("انتقلت أختي إلى بيروت العام الماضي.", ("أختي", "relation")),
        ("أخي انتقل إلى تونس بعد زواجه.", ("أخي", "relation")),
        ("كنت أسكن في القاهرة.", (OWNER, "first")),
        ("祖父の誕生日は十一月三日です。", ("祖父の誕生日", "topic")),
        ("मेरी बहन नेहा पुणे में रहती है।", ("नेहा", "relation")),
        ("मेरे दोस्त टिंकू ने कार खरीदी।", ("टिंकू", "relation")),
        ("मेरा भाई क्रिकेट खेलता है।", ("मेरा भाई", "relation")),
        ("priya is leaving acme in march", ("Priya", "name")),
        ("jack up the car first", (None, "none")),
        ("Le regalé un libro el año pasado.", (OWNER, "first")),
        ("Früher hat Jens in Köln gewohnt.", ("Jens", "inner-name")),
        ("Unser Nachbar Herr Wolf hat einen neuen Hund.", ("Wolf", "relation")),
        ("Mon beau-frère travaille chez Airbus.", ("mon beau-frère", "relation")),
        ("刘老师每周五教我女儿钢琴。", ("刘老师", "name")),
        ("王芳借了我一本书。", ("王芳", "name")),
        ("王芳和我去看电影。", (OWNER, "first")),
        ("دعا سامي أصدقاءه إلى العشاء.", ("سامي", "vso")),
        ("הבן שלי נועם לומד בתיכון.", ("נועם", "relation")),
        ("A mi suegra no le gusta el picante.", ("mi suegra", "relation")),
        ("A mi suegra le compré un bolso.", (OWNER, "first")),
        ("A Marta le encanta el jazz.", ("Marta", "name")),
        ("A mí me encanta el mar.", (OWNER, "first")),
        ("A mio padre piacciono le acciughe.", ("mio padre", "relation")),
        ("A Paolo non piace il caffè.", ("Paolo", "name")),
        ("Meiner Schwester gefällt der neue Job.", ("meine Schwester", "relation")),
        ("Meiner Schwester habe ich ein Buch geschenkt.", (OWNER, "first")),
        ("לאחותי יש שני כלבים.", ("אחותי", "relation")),
        ("لأختي ثلاثة أطفال.", ("أختي", "relation")),
        ("ابن عمي يوسف يدرس الطب في برلين.", ("يوسف", "relation")),
        ("Ulrikes Büro ist im dritten Stock.", ("Ulrike", "poss")),
        ("Jonas' Wohnung ist winzig.", ("Jonas", "poss")),
        ("Hans Büro ist klein.", ("Hans", "poss")),
        ("Markus Weber arbeitet bei Bosch.", ("Markus Weber", "name")),
        ("Montags Termin ist um neun.", ("Montags Termin", "name")),
        ("Dem Hund geht es besser.", ("Hund", "np")),
        ("Viene el médico el jueves.", ("médico", "np")),
        ("Duerme todo el día.", (None, "none")),
        ("那家咖啡馆周一不开门。", ("那家咖啡馆", "topic")),
        ("Yesterday Tomás and I watched the final.", (OWNER, "first-any")),
        ("Got the job!", (OWNER, "drop")),
        ("My sister Ana lives in Porto.", ("Ana", "relation")),
        ("My sister lives in Porto.", ("my sister", "relation")),
        ("My daughter is called Mia.", ("Mia", "relation")),
        ("My name is Dana.", (OWNER, "first")),
        ("Her name is Biscuit.", ("Biscuit", "naming")),
        ('"I\'m never flying again," said Leo.', ("Leo", "quote")),
        ("Kim works at Acme.", ("Kim", "name")),
        ("Ana told me that she quit.", ("Ana", "name")),
        ("Dr. Smith's office is closed.", ("Dr. Smith", "title")),
        ("Maria's manager is Joe.", ("Maria", "poss")),
        ("The Atlas team uses PostgreSQL 17.", ("Atlas", "team")),
        ("The invoice from Hetzner is due.", ("invoice from Hetzner", "np")),
        ("When Grace was small she sang.", ("Grace", "clause")),
        ("Hey Maria, Ben lives in Oslo now.", ("Ben", "name")),
        ("Yeah, Kim quit.", ("Kim", "name")),
        ("Last Friday Tom broke his arm.", ("Tom", "name")),
        ("Owner: Priya", ("Priya", "field")),
        ("Will is 34.", ("Will", "name")),
        ("User prefers dark mode.", (OWNER, "user")),
        ("My manager, Dr. Patel, approved it.", ("Dr. Patel", "relation")),
        ("INV-2044 was paid.", ("INV-2044", "name")),
        ("The API key rotates every 90 days.", ("API key", "np")),
        ("Los lunes voy a clase de yoga.", (OWNER, "first")),
        ("Yes, that works.", (None, "none")),
        ("אחי דוד גר בחיפה.", ("דוד", "relation")),
        ("אחותי עובדת בחיפה.", ("אחותי", "relation")),
        ("Acuérdate de que es celíaco.", (None, "none")),
        ("Attendees: They use the old tracker", (None, "none")),
        ("Lives at 14 Alder Grove, Bristol BS6 7QD.", (None, "none")),
        ("Avoid AWS lambda.", (None, "none")),
        ("Can't do Mondays because of physio.", (OWNER, "drop")),
        ("Use the staging proxy.", (None, "none")),
        ("Glad it worked out.", (None, "none")),
        ("Mi hermana Clara vive en Quito.", ("Clara", "relation")),
        ("Mi pareja, Andrés, se ha quedado en Bilbao.", ("Andrés", "relation")),
        ("Mein Mann, Uwe, kocht gern.", ("Uwe", "relation")),
        ("Katrin arbeitet als Lehrerin in Mainz.", ("Katrin", "name")),
        ("Sí, estamos buscando piso.", (OWNER, "first")),
        ("As for Peter, he quit last week.", ("Peter", "quote")),
        ("It turns out that Bob is colour-blind.", ("Bob", "name")),
        ("I think Tom is moving to Canada.", ("Tom", "name")),
        ("I think of moving to Canada.", (OWNER, "first")),
        ("我妹妹小红住在广州。", ("小红", "relation")),
        ("我妹妹叫小红。", ("小红", "relation")),
        ("我妹妹住在广州。", ("我妹妹", "relation")),
        ("王磊是我的同事，在深圳工作。", ("王磊", "name")),
        ("豆豆生病了。", ("豆豆", "name")),
        ("婚礼定在五月。", ("婚礼", "topic")),
        ("妹の花子は京都に住んでいる。", ("花子", "relation")),
        ("妹の誕生日は五月です。", ("妹の誕生日", "topic")),
        ("名前はモモです。", ("モモ", "naming")),
        ("猫が好き。", (OWNER, "drop")),
        ("אחותי מאיה גרה בעכו.", ("מאיה", "relation")),
        ("אחותי עבדה בעכו שנה.", ("אחותי", "relation")),
        ("אשתו נועה לומדת משפטים.", ("נועה", "relation")),
        ("أخت ليلى تعمل في البنك.", ("أخت ليلى", "relation")),
        ("أخو ليلى اسمه فادي.", ("فادي", "relation")),
        ("Ma fille Léa joue du violon avec nous.", ("Léa", "relation")),
        ("Gestern hat Jürgen das Auto verkauft.", ("Jürgen", "inner-name")),
        ("Il Dott. Rossi ha operato Marco.", ("Dott. Rossi", "name")),
        ("Моя сестра Ира работает врачом.", ("Ира", "relation")),
        ("李雷住在北京。", ("李雷", "name")),
        ("我妹妹在深圳当医生。", ("我妹妹", "relation")),
        ("田中さんが勝った。", ("田中さん", "topic")),
        ("母は京都に住んでいます。", ("母", "relation")),
        ("मेरी बहन पुणे में रहती है।", ("मेरी बहन", "relation")),
        ("أختي ليلى تعمل طبيبة.", ("ليلى", "relation")),
        ("يعيش أحمد في القاهرة.", ("أحمد", "vso")),
        ("سافر فهد إلى تونس.", ("فهد", "vso")),
        ("لم تعد رانيا تعمل في البنك.", ("رانيا", "vso")),
        ("אחותי מיכל מלמדת מתמטיקה.", ("מיכל", "relation")),
        ("אחותי מלמדת מתמטיקה.", ("אחותי", "relation")),
        ("אבא שלי פנסיונר.", ("אבא שלי", "relation")),
        ("אתמול קניתי אופניים.", (OWNER, "first")),
        ("יעל עובדת בחיפה.", ("יעל", "first-noun")),
        ("המעלית מקולקלת.", ("המעלית", "noun")),
        ("My climbing partner is Joana.", ("my climbing partner", "relation")),
        ("My new manager is Ann.", ("my manager", "relation")),
        ("Our neighbours have goats.", ("our neighbours", "relation")),
        ("My kids and I went home.", (OWNER, "first")),
        ("Practice is hard.", ("Practice", "np")),
        ("Mornings are quiet.", ("Mornings", "np")),
        ("Jana no longer works at Helix.", ("Jana", "name")),
        ("It was Leonie who called.", ("Leonie", "name")),
        ("According to Fatou, it rained.", ("Fatou", "quote")),
        ("Leo: I moved to Oslo.", ("Leo", "quote")),
        ("Todo: I need milk.", (OWNER, "first")),
        ("Spoke to Beatriz.", (OWNER, "drop")),
        ("Window seats only.", (None, "none")),
        ("[Lumen] The renewal is due.", ("renewal", "np")),
        ("Mi abuela cose.", ("mi abuela", "relation")),
        ("Guardo los planos en casa.", (OWNER, "first")),
        ("Ya no vivo con mis padres.", (OWNER, "first")),
        ("Non mangio latticini.", (OWNER, "first")),
        ("Margaux a un chat.", ("Margaux", "name")),
        ("Meine Tante wohnt in Bremen.", ("meine Tante", "relation")),
        ("Am Mittwoch um 15 Uhr kommt der Klempner.", ("Klempner", "np")),
        ("Domani alle 9 viene l'idraulico.", ("idraulico", "np")),
        ("徐亮不再住在广州。", ("徐亮", "name")),
        ("钱包丢了。", ("钱包丢", "topic")),
        ("डॉ. शर्मा पुणे में रहते हैं।", ("डॉ. शर्मा", "first-noun")),
    ],
)
def test_the_first_rule_that_fits_names_the_subject(sentence: str, expected: tuple[str | None, str]) -> None:
    assert about(sentence) == expected


def test_a_person_is_meant_by_she_and_a_thing_by_it() -> None:
    recent = ["version 2", "Ana"]
    assert about("She left.", recent=recent) == ("Ana", "pronoun")
    assert about("It slipped.", recent=recent) == ("version 2", "pronoun")


def test_a_pronoun_never_means_the_owner() -> None:
    assert about("She left.", recent=[OWNER]) == (None, "none")


def test_a_name_the_memory_has_is_found_whatever_its_case() -> None:
    assert about("wifi at home is down", known={"wifi at home": "Wifi at home"}) == ("Wifi at home", "known")


def test_an_item_is_about_its_heading_unless_it_names_someone() -> None:
    assert about("CFO at Acme", heading="Kim Park", is_item=True) == ("Kim Park", "heading")
    assert about("Ravi to email legal", heading="Standup", is_item=True) == ("Ravi", "name")
    assert about("Owner: Priya", heading="Atlas", is_item=True) == ("Priya", "field")
    assert about("Omar (CTO) lives in Cairo", heading="Notes", is_item=True) == ("Omar", "name")


def test_under_a_heading_that_names_a_group_an_item_is_about_its_key() -> None:
    for key, heading in (("Halima", "Wedding guests"), ("Nuria", "Vecinos"), ("孙浩", "团队"), ("דנה", "צוות")):
        assert about(f"{key}: 7", heading=heading, is_item=True) == (key, "name")
    assert about("Landlady: Mrs Oduya", heading="Harbour flat", is_item=True) == ("Harbour flat", "heading")
    assert about("Lead: Ann", heading="Team", is_item=True) == ("Ann", "field")


@pytest.mark.parametrize(
    ("line", "heading", "expected"),
    [
        ("Kim: finished the importer", "Standup 12 Nov", "Kim"),
        ("Lee Park – will call the vendor", "Team sync", "Lee Park"),
        ("Decision: we keep it", "Standup 12 Nov", OWNER),
        ("Migration: planned for May", "Weekly", "Weekly"),
        ("Auth: uses JWT", "Project Heron", "Project Heron"),
        ("Mei — PM", "Team", "Mei"),
        ("wants to move into management", "Weekly 1:1 with Dana", "Dana"),
    ],
)
def test_in_minutes_an_item_is_about_whoever_it_names_first(line: str, heading: str, expected: str) -> None:
    assert about(line, heading=heading, is_item=True)[0] == expected


def test_a_participant_speaks_of_themselves_by_name() -> None:
    assert about("I went to the fair.", speaker="Caroline") == ("Caroline", "first")
    assert about("My mom baked a cake.", speaker="Nora") == ("Nora's mom", "relation")


@pytest.mark.parametrize(
    ("name", "how", "sentence", "expected"),
    [
        ("Ana", "name", "Ana sings.", True),
        ("my sister", "relation", "My sister sings.", True),
        ("田中さん", "topic", "田中さんが勝った。", True),
        ("会議", "topic", "会議は明日です。", False),
        ("Atlas", "team", "The Atlas team sings.", False),
        ("Project Kestrel", "name", "Project Kestrel ships.", False),
        ("Rollback", "name", "Rollback takes 5 min.", False),
        ("Painting", "name", "Painting is fun.", False),
        ("Jordan River Park", "name", "Jordan River Park is open.", False),
        ("Kim Park", "name", "Kim Park is in.", True),
        ("City Library", "name", "City Library is open.", False),
        ("父", "relation", "父が入院した。", True),
        ("Marrakesh", "name", "Marrakesh was hot.", False),
        ("Spotify", "name", "Spotify raised its price.", False),
        ("婚礼", "topic", "婚礼在杭州西湖边。", False),
        ("ma sœur", "pronoun", "Elle a dix ans.", True),
        ("בת דודה שלי", "pronoun", "היא עובדת במלון.", True),
        (OWNER, "first", "I sing.", False),
        (None, "none", "Singing.", False),
    ],
)
def test_a_person_is_told_from_a_thing(name: str | None, how: str, sentence: str, expected: bool) -> None:
    assert is_person(name, how, sentence) is expected
