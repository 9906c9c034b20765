"""Fitting memories into a token budget."""

from collections import Counter
from random import Random

import pytest

from core.context import budget as budget_module
from core.context.budget import LEAST_LEFT, assemble
from core.context.sections import Assembly, Item, Loss, Section, Tier
from core.errors import BudgetTooSmall
from core.text.tokens import PARTS, estimate, weight
from tests.support.scale import scaled


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
    made = assemble(sections(item("a", 1.0), item("b", 0.5)), None, "token_budget")

    assert made.left_out == ()
    assert [line.split()[0] for line in made.text.splitlines() if line] == ["##", "the", "##", "a", "b"]
    assert made.tokens == estimate(made.text)


def test_the_lightest_is_shortened_first_and_dropped_before_the_heavier() -> None:
    given_ = sections(item("a", 1.0), item("b", 0.5), item("c", 0.2))
    whole = assemble(given_, None, "token_budget").tokens

    tight = assemble(given_, whole - 1, "token_budget")
    tighter = assemble(given_, estimate("## Insight\nthe goal stands\n\n## Memories\na short") + 1, "f")

    assert [(lost.item_id, lost.loss) for lost in tight.left_out] == [("c", Loss.SHORTENED)]
    assert [(lost.item_id, lost.loss) for lost in tighter.left_out] == [
        ("a", Loss.SHORTENED),
        ("b", Loss.DROPPED),
        ("c", Loss.DROPPED),
    ]


def test_what_has_no_shorter_form_goes_before_what_is_heavier_is_shortened() -> None:
    given_ = sections(item("a", 1.0), item("b", 0.5), item("near", 0.1, short=""))
    whole = assemble(given_, None, "token_budget").tokens

    tight = assemble(given_, whole - 1, "token_budget")
    tighter = assemble(given_, tight.tokens - 1, "token_budget")

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

    made = assemble([state, memories], 4 * room, "token_budget")
    roomy = assemble([state, memories], 2000, "token_budget")

    lines = made.text.splitlines()
    assert [line.split()[0] for line in lines] == ["##", "the", "c2", "c3", "and", "then"]
    assert "and 2 more" in lines
    assert [lost.item_id for lost in made.left_out] == ["c0", "c1", "m"]
    assert roomy.left_out == ()
    assert "more" not in roomy.text


def test_what_is_left_of_a_share_goes_when_nothing_else_is_left() -> None:
    state = Section(name="state", title="State", items=(item("c", 0.0, "word " * 10, short=""),), share=1.0)
    room = estimate(f"## State\n{state.items[0].full}")

    made = assemble([state, *sections(item("a", 1.0))], room, "token_budget")

    assert [(lost.item_id, lost.loss) for lost in made.left_out] == [
        ("c", Loss.DROPPED),
        ("a", Loss.SHORTENED),
    ]
    assert made.text == "## Insight\nthe goal stands\n\n## Memories\na short"


def test_each_form_of_a_thousand_memories_is_weighed_at_most_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given_ = sections(*(item(f"m{n}", float(n)) for n in range(1000)))
    weighed: Counter[str] = Counter()

    def counting(text: str) -> int:
        weighed[text] += 1
        return weight(text)

    monkeypatch.setattr(budget_module, "weight", counting)
    assemble(given_, 5000, "token_budget")

    assert max(weighed.values()) == 1


def test_a_budget_too_small_for_what_is_fixed_is_refused_by_name() -> None:
    with pytest.raises(BudgetTooSmall) as refused:
        assemble(sections(item("a", 1.0)), 3, "token_budget")

    assert (refused.value.field, refused.value.budget) == ("token_budget", 3)
    assert refused.value.needed > 3


def test_what_is_said_of_a_section_stands_behind_its_title_and_is_weighed() -> None:
    section = Section(name="memories", title="Memories", note="Only recorded.", items=(item("a", 1.0),))

    made = assemble([section], 100, "f")

    assert made.text.splitlines()[0] == "## Memories. Only recorded."
    assert made.tokens == estimate(made.text)


def test_an_empty_section_has_no_title() -> None:
    made = assemble(sections(), 100, "token_budget")

    assert "Memories" not in made.text
    assert [size.name for size in made.sections] == ["insight"]


SETS = scaled(200)
WORDS = "the ferry leaves at nine 三号码头 costs 12 euros 明天 👍 ## [n-1]".split()


def _text(chance: Random, most: int) -> str:
    """Words of both scripts, sometimes on several lines, sometimes none."""
    return "".join(
        f"{chance.choice(WORDS)}{chance.choice('   ' + chr(10))}" for _ in range(chance.randrange(most))
    ).strip()


def _item(chance: Random, item_id: str) -> Item:
    return Item(
        item_id=item_id,
        full=_text(chance, 30),
        short=_text(chance, 10) if chance.random() < 0.5 else "",
        weight=chance.choice((0.0, 0.25, 0.5, chance.random())),
        tier=chance.choice(list(Tier)),
        fixed=chance.random() < 0.15,
        spare=chance.random() < 0.2,
    )


def _sections(chance: Random) -> list[Section]:
    """Up to twelve sections, some without a title, with a share of the budget, or saying how much more there is."""
    return [
        Section(
            name=f"s{number}",
            title=_text(chance, 4).replace("\n", " "),
            note=chance.choice(("", "What stands here was 记录的.")),
            items=tuple(_item(chance, f"i{n}") for n in range(chance.randrange(8))),
            share=chance.choice((None, None, None, 0.0, 0.2, 0.5)),
            more=chance.choice((None, None, "(and {} more)".format)),
        )
        for number in range(chance.randrange(13))
    ]


def test_random_sets_keep_their_budget_tell_every_loss_and_touch_nothing_fixed() -> None:
    chance = Random(20)
    refused = 0
    for _ in range(SETS):
        given_, budget = _sections(chance), chance.randrange(1, 600)
        try:
            made = assemble(given_, budget, "token_budget")
        except BudgetTooSmall as too_small:
            refused += 1
            budget = max(too_small.needed, budget + 1)
            made = assemble(given_, budget, "token_budget")
        assert made.tokens == estimate(made.text) <= budget
        assert [size.tokens for size in made.sections] == [estimate(text) for text in made.texts.values()]
        lost = {(left.section, left.item_id): left.loss for left in made.left_out}
        assert len(lost) == len(made.left_out)
        for section in given_:
            lines = [_stands(one, lost.get((section.name, one.item_id))) for one in section.items]
            shown = "\n".join(filter(None, lines))
            assert shown in made.texts.get(section.name, "") or section.more is not None
            assert all(line in made.texts.get(section.name, "") for line in lines)
            assert not any(one.fixed and (section.name, one.item_id) in lost for one in section.items)
            if section.share is not None and not section.more and not any(one.fixed for one in section.items):
                assert estimate(made.texts.get(section.name, "")) <= section.share * budget
    assert SETS / 20 < refused < SETS - SETS / 20


def _stands(one: Item, loss: Loss | None) -> str:
    """What stands of an item after what was told of it."""
    return {None: one.full, Loss.SHORTENED: one.short, Loss.DROPPED: ""}[loss]


def test_what_stands_of_a_tier_is_the_same_whatever_there_is_of_lower_ones() -> None:
    chance = Random(21)
    compared = 0
    for _ in range(SETS):
        given_ = [
            section._replace(
                share=None, more=None, items=tuple(one._replace(spare=False) for one in section.items)
            )
            for section in _sections(chance)
        ]
        budget = chance.randrange(20, 400)
        tier = chance.choice((Tier.FITTING, Tier.NEEDED, Tier.LAST))
        of_tier = [
            section._replace(items=tuple(i for i in section.items if i.fixed or i.tier >= tier))
            for section in given_
        ]
        try:
            alone, among = assemble(of_tier, budget, "f"), assemble(given_, budget, "f")
        except BudgetTooSmall:
            continue
        highest = {(s.name, i.item_id) for s in of_tier for i in s.items}
        assert _losses(alone) == {key: loss for key, loss in _losses(among).items() if key in highest}
        compared += bool(alone.left_out) and len(among.left_out) > len(alone.left_out)
    assert compared > SETS / 20


def test_nothing_is_lost_that_has_room() -> None:
    chance = Random(22)
    empty = 0
    for _ in range(SETS):
        given_ = [section._replace(share=None, more=None) for section in _sections(chance)]
        budget = chance.randrange(20, 400)
        try:
            made = assemble(given_, budget, "f")
        except BudgetTooSmall:
            continue
        room = budget - made.tokens
        for left in made.left_out:
            titles = {section.name: estimate(section.title_line) for section in given_}
            title = 0 if left.section in made.texts else titles[left.section] + 2
            assert room < LEAST_LEFT // PARTS or left.tokens + title + 1 > room
        empty += bool(made.left_out) and room >= LEAST_LEFT // PARTS
    assert empty > SETS / 50


def _losses(made: Assembly) -> dict[tuple[str, str], Loss]:
    return {(left.section, left.item_id): left.loss for left in made.left_out}


LONG, MIDDLE, SHORT = "word " * 90, "word " * 20, "word " * 10


def test_room_that_no_item_of_a_higher_tier_fits_into_is_filled_from_a_lower_one() -> None:
    needed = item("needed", 1.0, LONG, short="")._replace(tier=Tier.NEEDED)
    pair = [
        item(one, 0.9, MIDDLE, short="")._replace(requires=(other,), is_pair=True)
        for one, other in (("a", "b"), ("b", "a"))
    ]
    light = item("light", 0.1, SHORT, short="")
    given_ = sections(needed, *pair, light)
    all_three = assemble(sections(*pair, light), None, "f").tokens

    both = assemble(given_, all_three, "f")
    neither = assemble(given_, all_three - 20, "f")

    assert _standing(both) == {"goal", "a", "b", "light"}
    assert _standing(neither) == {"goal", "light"}


def test_what_has_no_room_in_a_share_leaves_it_to_what_has() -> None:
    items = (item("long", 1.0, LONG, short=""), item("short", 0.5, SHORT, short=""))
    kept = Section(name="kept", title="Kept", items=items, share=0.3)

    made = assemble([*sections(), kept], 100, "f")

    assert _standing(made) == {"goal", "short"}


def test_a_listed_item_comes_back_and_is_counted_no_more() -> None:
    items = (item("long", 1.0, LONG, short=""), item("short", 0.5, SHORT, short=""))
    listed = Section(name="listed", title="Listed", items=items, more="and {} more".format)

    made = assemble([*sections(), listed], 40, "f")

    assert _standing(made) == {"goal", "short"}
    assert "and 1 more" in made.text
    assert made.tokens == estimate(made.text)


def _standing(made: Assembly) -> set[str]:
    return {one.item_id for section in made.sections for one in section.items}
