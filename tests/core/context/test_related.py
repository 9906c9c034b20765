"""What is told about nodes repeats no sentence that stands already."""

import numpy as np
import pytest

from core.bank.query import Hit
from core.context.bank_evidence import BankEvidence, bank_sections, candidate_of
from core.context.evidence import Placement, Source, untold, whole_of
from core.language import Wording
from core.language.en.headings import TASK as ENGLISH
from core.language.zh.headings import TASK as CHINESE
from core.model.node import Node
from tests.core.context.test_sizes import segment_of
from tests.support.changes import node

ANCHOR = "The Gazette of 19 November 1931 prints that the western anchor had rusted through."
PEOPLE = "140 people stood on the footbridge when it fell."
CABLES = "The footbridge hung on two wire cables."
NEWS = "Eleven people drowned."
ANCHOR_ZH = "1931年11月19日的报纸写道，西侧的锚已经锈穿。"
PEOPLE_ZH = "桥塌的时候，桥上站着一百四十个人。"
CABLES_ZH = "这座人行桥挂在两根钢索上。"


def related(said: list[str], nodes: list[Node], neighbors: list[Node], words: Wording) -> dict[str, str]:
    """What stands under *Related to those* beside what was said, by node."""
    segments = [segment_of(number, text) for number, text in enumerate(said)]
    candidates = [candidate_of(each) for each in segments]
    found = BankEvidence(
        source=Source(candidates, np.zeros((len(said), 0), dtype=np.bool_), np.zeros(len(said))),
        shown={c.name: Hit(0.9, 0.9, 0.9, segment=s) for c, s in zip(candidates, segments, strict=True)},
        handles={each.node_id: each.node_id for each in (*nodes, *neighbors)} | {"n1": "n1"},
        nodes=nodes,
        neighbors=neighbors,
        attempts=(),
    )
    placement = Placement({each.name: 0.5 for each in candidates}, {}, {})
    _, below = bank_sections(found, placement, words, 100_000)
    return {item.item_id: item.full.partition("] ")[2] for item in below.items}


@pytest.mark.parametrize(
    ("said", "other", "third", "cut", "words"),
    [
        (ANCHOR, PEOPLE, CABLES, "The Gazette of 19 November 1931 prints that the western…", ENGLISH),
        (ANCHOR_ZH, PEOPLE_ZH, CABLES_ZH, "1931年11月19日的报纸写道…", CHINESE),
    ],
)
def test_no_sentence_stands_twice(said: str, other: str, third: str, cut: str, words: Wording) -> None:
    nodes = [
        node("n2", context=cut, summary=said, keywords=("anchor",)),
        node("n3", context=other, summary=f"{said} {other}", keywords=()),
        node("n4", context=third, summary=third, keywords=()),
    ]
    neighbors = [
        node("n5", context=cut, summary=said),
        node("n6", context=other, summary=other),
        node("n7", context=f"{third} {NEWS}", summary=other),
    ]

    below = related([said], nodes, neighbors, words)

    assert below == {
        "n2": f"{words.keywords}: anchor",
        "n3": f"{words.summary}: {other}",
        "n4": f"{words.summary}: {third}",
        "n7": NEWS,
    }


def test_what_was_cut_and_stands_nowhere_whole_is_told() -> None:
    told = related([PEOPLE], [], [node("n5", context="The Gazette of 19 November…", summary=ANCHOR)], ENGLISH)

    assert told == {"n5": "The Gazette of 19 November…"}


def test_sentences_are_cut_out_of_a_text_and_its_other_words_stay() -> None:
    stands = candidate_of(segment_of(0, PEOPLE)).said

    assert untold(f"{ANCHOR} {PEOPLE} {CABLES}", stands.sentences) == f"{ANCHOR} {CABLES}"
    assert untold(PEOPLE.upper(), stands.sentences) == ""
    assert untold(CABLES, stands.sentences) == CABLES
    assert whole_of("The footbridge…", f"{PEOPLE} {CABLES}") == CABLES.removesuffix(".")
    assert whole_of("The footbridge", CABLES) == whole_of("…", CABLES) == ""
