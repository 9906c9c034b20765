"""A collection's part of a prompt."""

from core.context.budget import assemble
from core.context.evidence import Placement, said
from core.context.long_term import STRATEGIES, CollectionEvidence, long_term_sections, sentences_of
from core.context.shares import STRATEGIES as SHARE
from core.ids import RecordId
from core.language.en.headings import CONTEXT as ENGLISH
from core.model.record import STRATEGY
from tests.support.long_term import new

BUDGET = 2_000
PROVEN = CollectionEvidence(
    strategies=[
        new(
            f"Ask the harbour office of island {n}.",
            record_id=RecordId(f"r{n}"),
            category=STRATEGY,
            reward=0.9,
        )
        for n in range(20)
    ]
)


def taken(*, alone: bool = False) -> int:
    sections = long_term_sections(PROVEN, Placement({}, {}, {}), ENGLISH, alone=alone)
    made = assemble(sections, BUDGET, "token_budget")
    return next(section.tokens for section in made.sections if section.name == STRATEGIES)


def test_proven_strategies_beside_turns_keep_to_their_share_with_their_title() -> None:
    assert 0 < taken() <= SHARE * BUDGET


def test_alone_they_have_all_of_the_budget() -> None:
    assert taken(alone=True) > 3 * SHARE * BUDGET


def test_facts_stand_for_what_they_weigh_among_all_evidence() -> None:
    facts = [new(f"Lives on island {n}.", record_id=RecordId(f"f{n}")) for n in range(9)]
    placement = Placement({f"f{n}": 1.0 - n / 10 for n in (4, 2)}, {}, {})

    made = assemble(
        long_term_sections(CollectionEvidence(facts=facts), placement, ENGLISH), 25, "token_budget"
    )

    assert "island 2." not in made.text
    assert "island 4." in made.text or made.left_out[-1].item_id == "f4"
    assert "island 7." not in made.text


def test_what_a_fact_refers_to_stands_with_it() -> None:
    before, fact = "My sister Mia lives in Bath.", "She is allergic to cats."
    known = CollectionEvidence(facts=[new(fact, record_id=RecordId("f"), context=before)])

    assert sentences_of(known, Placement({"f": 0.5}, {}, {})) == said(before, fact).sentences
    assert sentences_of(known, Placement({}, {}, {})) == frozenset()
