import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agents.offline.claims.comparison import compare
from core.agents.offline.contradiction import MOST_CLAUSES, Slot, contradicts
from tests.core.agents.offline.judge_pairs import (
    CHINESE,
    ENGLISH,
    OTHERS_CHINESE,
    OTHERS_ENGLISH,
    PROCEDURES_CHINESE,
    PROCEDURES_ENGLISH,
)

PROCEDURES = [*PROCEDURES_ENGLISH, *PROCEDURES_CHINESE]
PAIRS = [*ENGLISH, *CHINESE, *PROCEDURES, *OTHERS_ENGLISH, *OTHERS_CHINESE]


@pytest.mark.parametrize(("expected", "a", "b"), PAIRS)
def test_pairs_contradict_where_a_careful_reader_says_so(expected: str, a: str, b: str) -> None:
    found = contradicts(a, b)

    assert (found is not None) == (expected == "conflict")


@pytest.mark.parametrize(("expected", "a", "b"), PAIRS)
def test_the_other_side_sees_the_same_contradiction_turned(expected: str, a: str, b: str) -> None:
    one, other = contradicts(a, b), contradicts(b, a)

    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert (one.value_a, one.value_b) == (other.value_b, other.value_a)
        assert one.confidence == other.confidence


@pytest.mark.parametrize(
    ("a", "b", "slot", "values"),
    [
        (
            "The CEO of Acme is Laura Stone.",
            "The CEO of Acme is Peter Novak.",
            Slot.NAME,
            ("Laura Stone", "Peter Novak"),
        ),
        ("公司的CEO是张三。", "公司的CEO是李四。", Slot.NAME, ("张三", "李四")),
        ("The bridge is 420 meters long.", "The bridge is 380 meters long.", Slot.NUMBER, ("420", "380")),
        ("项目预算为500万元。", "项目预算为300万元。", Slot.NUMBER, ("500万元", "300万元")),
        ("Acme was founded in 1999.", "Acme was founded in 2003.", Slot.DATE, ("1999", "2003")),
        ("Hannah Vik married Tom Reyes.", "Tom Reyes never married Hannah Vik.", Slot.DENIAL, None),
        (
            "Anna Bell wrote a cookbook with a foreword by Jo Park.",
            "Jo Park wrote a cookbook with a foreword by Anna Bell.",
            Slot.ROLE,
            None,
        ),
        ("Karl Braun only speaks German.", "Karl Braun speaks German and Italian.", Slot.EXCLUSION, None),
        ("张伟已婚。", "张伟未婚。", Slot.OPPOSITE, ("已婚", "未婚")),
    ],
)
def test_a_contradiction_names_its_slot_and_quotes_its_values(
    a: str, b: str, slot: Slot, values: tuple[str, str] | None
) -> None:
    found = contradicts(a, b)

    assert found is not None
    assert found.slot is slot
    assert values is None or (found.value_a, found.value_b) == values
    assert found.value_a in a
    assert found.value_b in b
    assert 0 < found.confidence < 1
    assert found.reason


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Is the CEO of Acme Laura Stone?", "The CEO of Acme is Peter Novak."),
        ("Acme might be founded in 1999.", "Acme was founded in 2003."),
        ("It is 420 meters long.", "It is 380 meters long."),
        ("Alice: I have three children.", "Bob: I have two children."),
        ("I have three children.", "She has two children."),
        ("# Budget 2021", "# Budget 2022"),
        ("- `top_k`: int (default: 5)", "- `top_n`: int (default: 3)"),
        ("", "The CEO of Acme is Peter Novak."),
        ("。。。", "，"),
        ("公司的CEO是张三。", "The CEO of the company is Peter Novak."),
        ("We could not agree more.", "We agree with the plan."),
    ],
)
def test_what_asserts_nothing_or_not_of_the_same_contradicts_nothing(a: str, b: str) -> None:
    assert contradicts(a, b) is None


def test_the_same_speaker_contradicts_oneself() -> None:
    found = contradicts("Alice: I have three children.", "Alice: I have two children.")

    assert found is not None
    assert found.slot is Slot.NUMBER


CHANGED = (
    "My husband Olav ran in Berlin and finished in four hours and six minutes.",
    "The next meeting was first set for 14 October and then moved to 21 October.",
    "He likes tea and he does not like tea.",
    "深色模式原定随4.0上线，3月6日被移到4.1。",
    "外公前年做了白内障手术，只做了右眼。",
)
"""Of two values each: what reads one against the other must not find them in a repetition."""


def test_a_sentence_never_contradicts_itself() -> None:
    texts = {text for _, a, b in PAIRS for text in (a, b)} | {*CHANGED}

    assert [text for text in texts if contradicts(text, text)] == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The museum of Naxos is open until 20:00.", "The museum of Naxos is open until 17:00."),
        ("The train leaves at 8:30.", "The train leaves at 8:45."),
        ("博物馆开放到20:00。", "博物馆开放到17:00。"),
        ("会议于14:00开始。", "会议于15:30开始。"),
    ],
)
def test_a_time_of_day_is_one_value(a: str, b: str) -> None:
    found = contradicts(a, b)

    assert found is not None
    assert (found.value_a, found.value_b) == tuple(re.findall(r"\d+:\d\d", a + b))
    assert contradicts(a, a) is None


def test_a_time_of_day_is_the_same_in_words() -> None:
    assert contradicts("The shop opens at 9:00.", "The shop opens at nine.") is None


def test_a_denial_needs_no_shared_words_once_the_matter_is_known_to_be_one() -> None:
    a = "Ravi Menon never goes anywhere without his car."
    b = "Ravi Menon cycles through the hills on Sundays."

    alone, known = contradicts(a, b), contradicts(a, b, same_matter=True)

    assert alone is None
    assert known is not None
    assert known.slot is Slot.DENIAL


def test_where_each_tells_another_figure_what_a_name_is_denied_is_no_guess() -> None:
    a = "星澜新能源的报价为276万元，不含安装费。"
    b = "星澜新能源加安装费共294万元。"

    assert contradicts(a, b, same_matter=True) is None


def test_two_denials_of_one_thing_agree() -> None:
    assert contradicts("Mina Okafor has never visited Japan.", "Mina Okafor did not visit Japan.") is None


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=200),
    st.sampled_from([text for _, a, b in PAIRS for text in (a, b)]),
    st.text(max_size=40),
)
def test_any_text_may_come(noise: str, sentence: str, inside: str) -> None:
    place = len(sentence) // 2
    mixed = sentence[:place] + inside + sentence[place:]

    for a, b in ((noise, sentence), (mixed, sentence), (mixed, noise)):
        found = contradicts(a, b, same_matter=True)
        assert found is None or 0 < found.confidence < 1


@pytest.mark.parametrize("text", ["Bob Ray works at the head office", "售价,5999元", "，,，"])
def test_a_phrase_at_the_end_and_a_stray_comma_are_read(text: str) -> None:
    assert contradicts(text, "Bob Ray works at the mill.") is None


OF_TWO_THINGS = (
    ("Depot 1 holds 37 crates of apples.", "Depot 2 holds 74 crates of apples."),
    ("The pump 3 is broken.", "The pump 4 is not broken."),
    ("Worker 1 finished in 30 s.", "Worker 2 finished in 45 s."),
    ("Order 2024-113 has 37 items.", "Order 2024-114 has 74 items."),
    ("Host 10.0.0.1 has 4 disks.", "Host 10.0.0.2 has 8 disks."),
    ("Version 1.2.3 needs 4 GB.", "Version 1.2.4 needs 8 GB."),
    ("主机10.0.0.1有4块盘。", "主机10.0.0.2有8块盘。"),
    ("房间12价格80欧元。", "房间14价格95欧元。"),
    ("3号泵每小时抽40吨水。", "4号泵每小时抽60吨水。"),
)


@pytest.mark.parametrize(("a", "b"), OF_TWO_THINGS)
def test_a_number_that_names_the_subject_tells_two_things_apart(a: str, b: str) -> None:
    first, second = (re.findall(r"\d[\d.-]*", one)[0] for one in (a, b))
    of_the_first = b.replace(second, first, 1)

    assert contradicts(a, b) is None
    assert contradicts(a, of_the_first) is not None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The service listens on 10.0.0.1.", "The service listens on 10.0.0.2."),
        ("The API runs version 1.2.3.", "The API runs version 1.2.4."),
        ("Nearly 37 crates arrived on Monday.", "Nearly 74 crates arrived on Monday."),
        ("服务的版本是1.2.3。", "服务的版本是1.2.4。"),
    ],
)
def test_a_number_behind_the_subject_is_what_is_told_of_it(a: str, b: str) -> None:
    assert contradicts(a, b) is not None


def test_of_clauses_without_end_not_all_are_compared_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []

    def counted(*sides: Any) -> Any:
        compared.append(sides)
        return compare(*sides)

    monkeypatch.setattr("core.agents.offline.contradiction.compare", counted)
    numbers = [f"第{n}件行李重{n}公斤" for n in range(10, 60)]

    contradicts("，".join(numbers), "，".join(numbers[1:]))

    assert 100 < len(compared) <= 1 + MOST_CLAUSES**2


def test_a_sentence_without_end_is_read_in_no_time() -> None:
    endless = "The council is approved by many people and " * 5000

    assert contradicts(endless + "x", endless + "y") is None


CITED_OR_DATED = [
    ("The tower is 300 metres high [1].", "The tower is 324 metres high."),
    ("The Eiffel Tower is 300 metres high.[1]", "The Eiffel Tower is 324 metres high."),
    ("The Eiffel Tower is 300 metres tall [1][2].", "The Eiffel Tower is 324 metres tall [^3]."),
    ("The Eiffel Tower is 300 metres tall¹.", "The Eiffel Tower is 324 metres tall."),
    ("The Eiffel Tower is 300 metres tall (1).", "The Eiffel Tower is 324 metres tall."),
    ("埃菲尔铁塔高300米[1]。", "埃菲尔铁塔高324米。"),
    ("埃菲尔铁塔高300米【1】。", "埃菲尔铁塔高324米。"),
    ("埃菲尔铁塔高300米（1）。", "埃菲尔铁塔高324米①。"),
    ("埃菲尔铁塔的高度为300米。", "埃菲尔铁塔的高度为324米[注1]。"),
    ("The company has 1,200 employees.", "In 2023 the company has 1,500 employees."),
    ("The Harbour Bridge is 503 metres long.", "In 2019 the Harbour Bridge was 480 metres long."),
    (
        "Norvik's plant has a capacity of 40 MW.",
        "According to the 2021 report, Norvik's plant has a capacity of 55 MW.",
    ),
    ("The plant opened with 40 turbines.", "The plant opened with 55 turbines in 2015."),
    ("The Eiffel Tower is 324 metres high.", "The Eiffel Tower, completed in 1889, is 300 metres high."),
    ("恒光电力的报价为289万元。", "2024年恒光电力的报价为305万元。"),
    ("大桥全长503米。", "2019年大桥全长480米。"),
    ("该电站装机容量为40兆瓦。", "根据2021年的报告，该电站装机容量为55兆瓦。"),
    ("大桥于2015年建成，全长503米。", "大桥全长480米。"),
    ("设备保修期为1,080小时。", "设备保修期为2,000小时。"),
    ("Firm A: the pump costs 42,000 SEK.", "Firm A: the pump costs 39,000 SEK."),
    ("恒光电力：报价为289万元。", "恒光电力：报价为305万元。"),
    ("The price of the pump is 42,000 SEK.", "The price of the pump is 39,000 SEK [2]."),
    ("The ferry leaves at nine.", "The ferry leaves at ten [1]."),
    ("The museum is open until 17:00.", "The museum is open until 20:00 [3]."),
    ("以合同为准：星澜新能源的工期为52天。", "星澜新能源的工期为38天。"),
    ("以拱顶题记为准：永济桥建于1193年。", "县志载永济桥建于1187年。"),
    ("Verdict: the pump costs 42,000 SEK.", "The pump costs 39,000 SEK."),
]
"""One fact told with two values: behind marks of citation, and with a year in one of the two."""
TWO_MATTERS = [
    ("恒光电力的年发电量为189,700千瓦时。", "恒光电力的报价为2,890,000元。"),
    ("恒光电力年发电189,700千瓦时。", "恒光电力报价2,890,000元。"),
    ("恒光电力：年发电量189,700。", "恒光电力：报价2,890,000。"),
    ("屋顶光伏每年发电189,700千瓦时。", "屋顶光伏总价2,890,000元。"),
    ("The system yields 189,700 kWh a year.", "The system costs 2,890,000 SEK."),
    ("The system's yield is 189,700 a year.", "The system's price is 2,890,000."),
    ("The plant's annual electricity is 189,700 kWh.", "The plant's total price is 2,890,000 yuan."),
    ("Firm A: the pump costs 42,000 SEK.", "Firm B: the pump costs 39,000 SEK."),
    ("Firm A: delivery takes 6 weeks.", "Firm B: delivery takes 9 weeks."),
    ("恒光电力：报价为289万元。", "星澜新能源：报价为305万元。"),
    ("In 2019 the bridge was 480 metres long.", "In 2020 the bridge was 503 metres long."),
    ("In 2022 the company had 1,200 employees.", "In 2023 the company had 1,500 employees."),
    ("The pump weighs 40 kg.", "The pump delivers 55 litres a minute."),
    ("The price of pump A is 42,000 SEK.", "The price of pump B is 39,000 SEK."),
    ("Option 1: the tower is 300 metres high.", "Option 2: the tower is 324 metres high."),
    ("The battery stores 10 kWh.", "The battery costs 10,500 euro."),
    ("The warranty is 10 years.", "The delivery time is 12 weeks."),
    ("公司有1200名员工。", "2010年公司只有300名员工。"),
    ("The company had 300 employees in 2010.", "The company has 1,200 employees."),
    ("Tidewater keeps them for eight years.", "Tidewater guarantees the Delta for three years."),
]
"""Two attributes, two subjects, or two times."""


@pytest.mark.parametrize(("a", "b"), CITED_OR_DATED)
def test_neither_a_citation_nor_a_year_in_one_of_the_two_hides_a_contradiction(a: str, b: str) -> None:
    assert contradicts(a, b) is not None
    assert contradicts(b, a) is not None


@pytest.mark.parametrize(("a", "b"), TWO_MATTERS)
def test_values_of_two_matters_do_not_contradict(a: str, b: str) -> None:
    assert contradicts(a, b) is None
    assert contradicts(b, a) is None


def test_who_reports_a_denial_is_not_who_it_is_denied_of() -> None:
    a = "The Gazette of 20 November writes that the western anchor had not been opened since 1908."
    b = "The Gazette of 19 November prints the inquiry's closing words: the western anchor had rusted through."

    assert contradicts(a, b, same_matter=True) is None


def test_a_source_named_before_a_comma_narrows_nothing_behind_it() -> None:
    found = contradicts("据2024年4月的公司公告，星河科技的CEO是李四。", "星河科技的CEO是张三。")

    assert found is not None
    assert {found.value_a, found.value_b} == {"李四", "张三"}
