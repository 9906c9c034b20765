import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agents.offline.forms import title_of_form
from core.agents.offline.naming import (
    WIDEST,
    clipped,
    context_of,
    related_to,
    short_name,
    topic_name,
    unrelated,
)
from core.text.outline import Heading
from core.text.scripts import display_width


def test_a_heading_names_its_topic_and_a_short_one_gets_a_sentence() -> None:
    texts = ["## Costs\n\nThe rent of the Berlin office is 900 EUR."]

    short = context_of(texts, ["rent", "Berlin"], [Heading(level=2, title="Costs")])
    long = context_of(texts, ["rent"], [Heading(level=2, title="What the Berlin office costs us")])

    assert short == "Costs: The rent of the Berlin office is 900 EUR."
    assert long == "What the Berlin office costs us"


def test_without_a_heading_the_sentence_that_speaks_of_most_keywords_does() -> None:
    text = "Hello there. Anna sells the house in Turin. What now?"

    assert context_of([text], ["Anna", "Turin", "house"]) == "Anna sells the house in Turin."
    assert context_of(["你好。公司的CEO是张三。好的。"], ["CEO", "张三"]) == "公司的CEO是张三。"


def test_a_context_is_one_line_of_bounded_width() -> None:
    found = context_of(["word " * 200 + "\n" + "很长" * 200], [])

    assert "\n" not in found
    assert 0 < display_width(found) <= WIDEST
    assert clipped("很长" * 100).endswith("…")


def test_a_relation_is_put_behind_in_the_language_of_the_topic_and_taken_off_again() -> None:
    chinese = related_to("量子纠缠研究", "量子计算综合报告（包含IBM芯片技术）")
    english = related_to("Entanglement", "Quantum report (including chips)")

    assert chinese == "量子纠缠研究（与量子计算综合报告相关）"
    assert english == "Entanglement (related to Quantum report)"
    assert unrelated(chinese) == "量子纠缠研究"
    assert unrelated(related_to(english, "Chips")) == "Entanglement"
    assert topic_name("The CEO is Ann.") == "The CEO is Ann"


def test_a_relation_joins_earlier_ones_or_takes_their_place() -> None:
    both = related_to("量子纠缠研究（与2020年量子计算进展相关）", "量子算法")
    english = related_to("Entanglement (related to Chips)", "Algorithms")

    merged = related_to(both, "量子计算综合报告", instead_of=["2020年量子计算进展"])

    assert both == "量子纠缠研究（与2020年量子计算进展；量子算法相关）"
    assert english == "Entanglement (related to Chips; Algorithms)"
    assert merged == "量子纠缠研究（与量子算法；量子计算综合报告相关）"
    assert unrelated(both) == "量子纠缠研究"
    assert related_to(both, "量子算法") == both


def test_a_relation_stands_apart_from_the_sentence_and_names_the_other_topic_briefly() -> None:
    chinese = related_to(
        "星辰科技成立于2015年，总部在杭州。",
        "经核实年报，星辰科技的CEO是李四，张三已于2023年卸任。",
        ["星辰科技", "CEO", "李四", "张三"],
    )
    english = related_to("Acme sits in Bern.", "The CEO of Acme is Ann Lee.", ["Acme", "Ann Lee"])

    assert chinese == "星辰科技成立于2015年，总部在杭州。（与CEO、李四、张三相关）"
    assert english == "Acme sits in Bern. (related to Ann Lee)"
    assert unrelated("Acme sits in Bern (related to Ann Lee).") == "Acme sits in Bern.", (
        "as it was written before"
    )
    assert unrelated(chinese) == "星辰科技成立于2015年，总部在杭州。"
    assert unrelated(english) == "Acme sits in Bern."


def test_a_short_name_is_the_heading_before_a_colon_or_else_keywords() -> None:
    keywords = ["rent", "Berlin"]

    assert short_name("Office costs: The rent in Berlin is 900 EUR.", keywords) == "Office costs"
    assert short_name("办公室的费用：柏林的租金为900欧元。", ["租金"]) == "办公室的费用"
    assert short_name("Maria: I rent a flat in Berlin", keywords) == "rent, Berlin"
    assert short_name("概述：柏林的租金为900欧元", ["租金"]) == "租金"
    assert short_name("Anna sells the house in Turin.", keywords) == "rent, Berlin"
    assert short_name("Storage engine", keywords) == "Storage engine"
    assert display_width(short_name("很长" * 50, [])) <= 40


@pytest.mark.slow
@given(st.text(max_size=120), st.text(max_size=120), st.lists(st.text(min_size=1, max_size=30), max_size=4))
def test_a_relation_comes_off_again_whatever_the_texts_are(own: str, other: str, keywords: list[str]) -> None:
    plain = unrelated(own)

    assert unrelated(related_to(own, other, keywords)) == plain


def test_a_context_does_not_begin_in_mid_sentence() -> None:
    texts = ["of the memory model by Sarita V. Adve and others. The memory model orders reads and writes."]

    assert context_of(texts, ["Adve", "memory model"]) == "The memory model orders reads and writes."
    assert context_of(["i moved to rome", "sure, rome is fine"], ["rome"]) == "i moved to rome"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("city,month,visitors\nGhent,2024-01,1204\nBruges,2024-01,2210", "city, month, visitors"),
        ("城市,月份,游客数\n苏州,2024-01,1204\n杭州,2024-01,2210", "城市、月份、游客数"),
        (
            "service: billing\nreplicas: 3\nenv:\n  - name: KEY\n    secret: pay",
            "service: billing, replicas: 3",
        ),
        ("HOST=db.local\nPORT=5432\nPOOL=8", "HOST=db.local, PORT=5432, POOL=8"),
        (
            "def retry(call, times=3):\n    for n in range(times):\n        call(n)",
            "def retry(call, times=3)",
        ),
    ],
)
def test_what_has_a_form_in_the_place_of_sentences_is_named_by_it(text: str, told: str) -> None:
    assert context_of([text], ["2024", "KEY"]) == told


@pytest.mark.parametrize(
    "text",
    [
        "Lena: 18,400 euros for 24 panels.\nMark: That is 2,000 less.\nLena: Then take it.",
        "We met in Ghent, Bruges, Leuven.\nIn 2024, in May, it rained.\nIn 2023, in June, too.",
    ],
)
def test_talk_and_prose_have_no_such_form(text: str) -> None:
    assert title_of_form(text) == ""


@pytest.mark.parametrize(
    ("heading", "sentence"),
    [("Notes", "The Kestrel sensor needs 3.3 volts."), ("说明", "红隼传感器需要3.3伏电压。")],
)
def test_a_heading_that_may_stand_above_anything_names_nothing(heading: str, sentence: str) -> None:
    above = [Heading(level=2, title=heading)]

    assert context_of([f"## {heading}\n\n{sentence}"], ["3.3"], above) == sentence
    assert context_of([f"## {heading}"], [], above) == heading


@pytest.mark.parametrize(
    "text",
    [
        "Present: Ada, Bo. The pump in hall 3 lost pressure twice.",
        "参加：安安、小博。三号车间的水泵掉了两次压力。",
    ],
)
def test_who_was_there_is_no_label_of_what_was_said(text: str) -> None:
    assert not context_of([text], ["pump", "水泵"]).startswith(("Present", "参加"))
