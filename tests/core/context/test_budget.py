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


def test_what_has_no_shorter_form_goes_before_what_is_heavier_is_shortened() -> None:
    given_ = sections(item("a", 1.0), item("b", 0.5), item("near", 0.1, short=""))
    whole = assemble(given_, None, estimate, "token_budget").tokens

    tight = assemble(given_, whole - 1, estimate, "token_budget")
    tighter = assemble(given_, tight.tokens - 1, estimate, "token_budget")

    assert [(lost.item_id, lost.loss) for lost in tight.left_out] == [("near", Loss.DROPPED)]
    assert [(lost.item_id, lost.loss) for lost in tighter.left_out] == [
        ("b", Loss.SHORTENED),
        ("near", Loss.DROPPED),
    ]


def test_a_section_with_a_share_is_cut_to_it_and_says_how_much_more_there_was() -> None:
    state = Section(
        name="state",
        title="State",
        items=(
            Item(item_id="goal", full="the goal stands", fixed=True),
            *(item(f"c{n}", float(n), short="") for n in range(4)),
            Item(item_id="next", full="then the next", fixed=True),
        ),
        share=0.25,
        more="and {} more".format,
    )
    memories = Section(name="memories", title="Memories", items=(item("m", 0.0, "word " * 200, short=""),))

    room = estimate(f"{state.items[3].full}\n{state.items[4].full}\nand 2 more")

    made = assemble([state, memories], 4 * room, estimate, "token_budget")
    roomy = assemble([state, memories], 2000, estimate, "token_budget")

    lines = made.text.splitlines()
    assert [line.split()[0] for line in lines] == ["##", "the", "c2", "c3", "and", "then"]
    assert "and 2 more" in lines
    assert [lost.item_id for lost in made.left_out] == ["c0", "c1", "m"]
    assert roomy.left_out == ()
    assert "more" not in roomy.text


def test_what_is_left_of_a_share_stands_as_what_is_fixed_does() -> None:
    state = Section(name="state", title="State", items=(item("c", 0.0, "word " * 10, short=""),), share=1.0)

    with pytest.raises(BudgetTooSmall):
        assemble([state, *sections()], estimate(state.items[0].full), estimate, "token_budget")


def test_a_thousand_memories_are_fitted_in_a_few_counts_of_the_text() -> None:
    given_ = sections(*(item(f"m{n}", float(n)) for n in range(1000)))
    counted = []

    def count(text: str) -> int:
        counted.append(len(text))
        return estimate(text)

    assemble(given_, 5000, count, "token_budget")

    assert sum(counted) < 20 * max(counted)


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
