"""A collection's part of a prompt."""

from core.context.budget import assemble
from core.context.long_term import FACTS, SHARES, Known, long_term_sections
from core.context.words import ENGLISH
from core.text.tokens import estimate
from tests.support.long_term import new

BUDGET = 1_000
KNOWN = Known(facts=[new(f"Ferry {number} leaves the old harbour at nine sharp.") for number in range(5)])


def test_facts_beside_turns_keep_to_their_share_with_their_title() -> None:
    made = assemble(long_term_sections(KNOWN, ENGLISH), BUDGET, "token_budget")

    assert 0 < estimate(made.text) <= SHARES[FACTS] * BUDGET
    assert made.left_out


def test_facts_alone_have_all_of_the_budget() -> None:
    made = assemble(long_term_sections(KNOWN, ENGLISH, alone=True), BUDGET, "token_budget")

    assert made.left_out == ()
    assert made.text.count("Ferry") == len(KNOWN.facts)
