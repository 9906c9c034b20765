"""Fitting memories into a token budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.context.budget import Item, Loss, Section, assemble
from core.errors import BudgetTooSmall
from core.text.tokens import estimate


def item(
    item_id: str, weight: float, full: str = "a full text of quite some words", short: str = "short"
) -> Item:
    return Item(
        item_id=item_id, full=f"{item_id} {full}", short=short and f"{item_id} {short}", weight=weight
    )


def sections(*items: Item) -> list[Section]:
    fixed = Item(item_id="goal", full="the goal stands", fixed=True)
    return [
        Section(name="insight", title="Insight", items=(fixed,)),
        Section(name="memories", title="Memories", items=items),
    ]


def test_everything_stands_in_full_without_a_budget() -> None:
    made = assemble(sections(item("a", 1.0), item("b", 0.5)), None, estimate, "token_budget")

    assert made.left_out == ()
    assert [line.split()[0] for line in made.text.splitlines() if line] == ["##", "the", "##", "a", "b"]
    assert made.tokens == estimate(made.text)


def test_the_lightest_is_shortened_first_and_dropped_before_the_heavier() -> None:
    given_ = sections(item("a", 1.0), item("b", 0.5), item("c", 0.2))
    whole = assemble(given_, None, estimate, "token_budget").tokens

    tight = assemble(given_, whole - 1, estimate, "token_budget")
    tighter = assemble(
        given_, estimate("## Insight\nthe goal stands\n\n## Memories\na short") + 1, estimate, "f"
    )

    assert [(lost.item_id, lost.loss) for lost in tight.left_out] == [("c", Loss.SHORTENED)]
    assert [(lost.item_id, lost.loss) for lost in tighter.left_out] == [
        ("a", Loss.SHORTENED),
        ("b", Loss.DROPPED),
        ("c", Loss.DROPPED),
    ]


def test_a_budget_too_small_for_what_is_fixed_is_refused_by_name() -> None:
    with pytest.raises(BudgetTooSmall) as refused:
        assemble(sections(item("a", 1.0)), 3, estimate, "token_budget")

    assert (refused.value.field, refused.value.budget) == ("token_budget", 3)
    assert refused.value.needed > 3


def test_an_empty_section_has_no_title() -> None:
    made = assemble(sections(), 100, estimate, "token_budget")

    assert "Memories" not in made.text
    assert [size.name for size in made.sections] == ["insight"]


@given(
    weights=st.lists(st.floats(0, 1), min_size=0, max_size=12),
    budget=st.integers(10, 200),
    text=st.text(max_size=80),
)
def test_the_text_never_exceeds_its_budget_and_every_loss_is_reported(
    weights: list[float], budget: int, text: str
) -> None:
    items = [item(f"m{n}", weight, f"{text} 中文内容") for n, weight in enumerate(weights)]

    made = assemble(sections(*items), budget, estimate, "token_budget")

    lost = {left.item_id: left.loss for left in made.left_out}
    assert made.tokens == estimate(made.text) <= budget
    for one in items:
        stands = (
            one.full if one.item_id not in lost else one.short if lost[one.item_id] is Loss.SHORTENED else ""
        )
        assert stands in made.text
