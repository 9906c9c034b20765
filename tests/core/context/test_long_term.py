"""A collection's part of a prompt."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.context.budget import assemble
from core.context.disputes import Disputes
from core.context.evidence import Placement, said
from core.context.long_term import (
    FACTS,
    PREFERENCES,
    STRATEGIES,
    CollectionEvidence,
    add_contests,
    long_term_sections,
    sentences_of,
)
from core.context.shares import STRATEGIES as SHARE
from core.ids import RecordId
from core.language.en.headings import CONTEXT as ENGLISH
from core.model.record import LIFE, PREFERENCE, STRATEGY, RecordState
from tests.support.long_term import OBSERVED, STATED, new

BUDGET = 2_000
DAY, DAYS = datetime(2026, 3, 1, tzinfo=UTC), timedelta(days=1)
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
        long_term_sections(CollectionEvidence(facts=facts), placement, ENGLISH), 30, "token_budget"
    )

    assert "island 2." not in made.text
    assert "island 4." in made.text
    assert "island 7." not in made.text


def _shown(known: CollectionEvidence, placement: Placement) -> list[str]:
    sections = {
        section.name: section for section in long_term_sections(known, placement, ENGLISH, alone=True)
    }
    return [item.item_id for name in (PREFERENCES, FACTS) for item in sections[name].items]


@pytest.mark.parametrize("category", [LIFE, PREFERENCE])
def test_of_a_contest_what_takes_precedence_stands_first_though_the_other_has_more_of_the_query(
    category: str,
) -> None:
    ids = ("old", "tool", "new")
    told = (
        "We meet on Thursday in front of the library.",
        "Library: Saturday.",
        "We meet on Friday instead.",
    )
    sides = [
        new(
            text,
            record_id=RecordId(name),
            category=category,
            event_time=DAY + day * DAYS,
            origin=OBSERVED if name == "tool" else STATED,
            state=RecordState.CONTESTED,
            contested_with=tuple(RecordId(other) for other in ids if other != name),
        )
        for day, (name, text) in enumerate(zip(ids, told, strict=True))
    ]
    one = replace(sides[0], record_id=RecordId("x"), state=RecordState.ACTIVE, contested_with=())
    is_plain = category == LIFE
    known = CollectionEvidence(
        facts=[*sides, one] if is_plain else (), preferences=() if is_plain else [*sides, one]
    )
    disputes = Disputes()
    add_contests(disputes, known.contests())
    weights = {"old": 0.9, "tool": 0.9, "new": 0.9, "x": 0.1}
    placement = Placement(weights if is_plain else {}, {}, {}, disputes, disputes.told_apart.keys())

    assert _shown(known, placement) == ["new", "old", "tool", "x"]


def test_what_a_fact_refers_to_stands_with_it() -> None:
    before, fact = "My sister Mia lives in Bath.", "She is allergic to cats."
    known = CollectionEvidence(facts=[new(fact, record_id=RecordId("f"), context=before)])

    assert sentences_of(known, Placement({"f": 0.5}, {}, {})) == said(before, fact).sentences
    assert sentences_of(known, Placement({}, {}, {})) == frozenset()
