"""A conversation's part of a prompt."""

from typing import Any

import pytest

from core.context.budget import assemble
from core.context.conversing import Talk, conversation_sections, key_section
from core.context.evidence import NOTHING, Placement
from core.context.sections import Section
from core.context.shares import KEYS, LEAST_KEYS
from core.context.turns import SHORT_SIDE, name_of, shortened, turn_item
from core.conversation.recalling import RecalledConversation
from core.ids import InteractionId, SegmentRef
from core.language import language_of
from core.language.en.headings import CONTEXT as ENGLISH
from core.language.zh.headings import CONTEXT as CHINESE
from core.model.conversation import KeyMemory, KeyType, StepRange, Summary, SummaryKind
from core.text.tokens import estimate
from tests.support.changes import START
from tests.support.conversations import turn


@pytest.mark.parametrize("text", ["word " * 400, "数据库定了。" * 100, "x" * 5_000, "1234567890 " * 90])
def test_a_shorter_form_has_the_beginning_of_either_side(text: str) -> None:
    made = shortened(turn(1, text, "short"))

    assert made.reply == "short"
    assert made.input.endswith("…")
    assert text.startswith(made.input[:-1])
    assert 0 < estimate(made.input[:-1]) <= SHORT_SIDE


def test_a_turn_stands_under_its_number_and_day_with_its_speakers() -> None:
    said = turn(12, "数据库定了。\n## 假标题", "好的。", input_speaker="王明")

    item = turn_item(said, CHINESE)

    assert item.full == "[12] 王明：数据库定了。\n  ## 假标题\n  助手：好的。"
    assert item.group == "2024年3月1日"
    assert item.short == ""


def test_a_long_summary_is_shortened_by_whole_lines() -> None:
    text = "\n".join(f"Ada: Ferry {number} leaves from the old harbour at nine." for number in range(12))
    summary = Summary(
        summary_id="s1",
        kind=SummaryKind.LONG,
        ranges=(StepRange(first_step=1, last_step=10),),
        text=text,
        **dict.fromkeys(("start_time", "end_time", "create_time"), START),
    )
    (item,) = laid_out(remembered(summaries=[summary]), 1_000)[2].items

    head, *lines, rest = item.short.splitlines()
    assert head == "[1–10] 1 March 2024"
    assert lines
    assert all(line[2:] in text.splitlines() for line in lines)
    assert rest == "  …"


def test_the_words_are_of_the_language_of_the_input() -> None:
    assert language_of("数据库用什么？").headings is CHINESE
    assert language_of("Which database?").headings is ENGLISH


def remembered(**parts: Any) -> RecalledConversation:
    """`turns`: themselves, in place of their steps."""
    nothing: dict[str, Any] = dict.fromkeys(
        ("keys", "promoted", "summaries", "invocations", "clusters", "turns", "short"), ()
    )
    given = nothing | {"best": ()} | parts
    turns = {turn.step: turn for turn in (*given["turns"], *given["short"])}
    steps = [turn.step for turn in given["turns"]]
    best = {step: SegmentRef(InteractionId(f"turn-{step}"), 0) for step in given["best"]}
    return RecalledConversation(**(given | {"turns": steps, "turn": turns.__getitem__, "best": best}))


def laid_out(found: RecalledConversation, within: int) -> list[Section]:
    """The sections, of turns that fit in the order of `best`."""
    turns = {step: found.turn(step) for step in (*found.turns, *(t.step for t in found.short))}
    talk = Talk(recalled=found, turns=turns, in_reply=frozenset(), lying=())
    weights = {name_of(step): 1.0 - rank / 100 for rank, step in enumerate(found.best)}
    placement = Placement(weights, {}, {}) if weights else NOTHING
    return [key_section(found.keys), *conversation_sections(talk, placement, ENGLISH, within, within)]


def shown(within: int, found: RecalledConversation) -> list[int]:
    """The steps that a prompt of so many tokens shows."""
    text = assemble(laid_out(found, within), within, "token_budget").text
    return [int(line[1:].split("]")[0]) for line in text.splitlines() if line.startswith("[")]


def test_a_turn_that_fits_outlives_the_latest_ones_but_the_last() -> None:
    latest = [turn(step, "This and that was told at length. " * 12) for step in range(11, 21)]
    fitting = [turn(step, "The ferry leaves at nine. " * 9) for step in range(1, 9)]

    steps = shown(1_200, remembered(short=latest, turns=fitting, best=[t.step for t in fitting]))

    assert steps == [1, 2, 3, 4, 5, 6, 7, 8, 18, 19, 20]


def test_of_a_small_budget_the_last_turns_leave_room_for_one_that_answers() -> None:
    latest = [turn(step, "This and that was told at length. " * 4) for step in range(11, 21)]
    answering = turn(3, "The ferry leaves at nine.")
    found = remembered(short=latest, turns=[answering], best=[3])

    assert shown(150, found) == [3, 20]
    assert shown(1_000, found)[-4:] == [17, 18, 19, 20]


def test_the_turn_that_fits_best_outlives_the_newest_summary() -> None:
    answering = turn(3, "The ferry leaves at nine. " * 4)
    latest = turn(20, "This and that was told.")
    summary = Summary(
        summary_id="s1",
        kind=SummaryKind.LONG,
        ranges=(StepRange(first_step=1, last_step=10),),
        text="Ada: Much was told of other things that day. " * 12,
        **dict.fromkeys(("start_time", "end_time", "create_time"), START),
    )
    found = remembered(short=[latest], turns=[answering], summaries=[summary], best=[3])

    made = assemble(laid_out(found, 130), 130, "token_budget")

    assert [left.item_id for left in made.left_out] == ["s1"]


def test_a_latest_turn_that_fits_outlives_later_ones_that_do_not() -> None:
    latest = [turn(step, "This and that was told at length. " * 6) for step in range(11, 21)]

    steps = shown(500, remembered(short=latest, best=[11]))

    assert steps == [11, 16, 17, 18, 19, 20]


def key(number: int, text: str, type_: KeyType = KeyType.SYSTEM) -> KeyMemory:
    return KeyMemory(
        key_id=f"k{number}", type=type_, text=text, create_time=START, update_time=START, revision=1
    )


@pytest.mark.parametrize(
    "text",
    ["{}: the ferry leaves at nine. " + 3 * "It is never late. ", "第{}次备份已经完成。" + 4 * "一切都好。"],
)
def test_keys_of_the_system_have_a_share_and_those_of_the_user_stand_whatever_they_take(text: str) -> None:
    own = [key(n, text.format(n), KeyType.USER) for n in range(3)]
    promoted = [key(n, text.format(n)) for n in range(3, 23)]
    found = remembered(keys=[*own, *promoted], promoted=promoted)

    made = assemble(laid_out(found, 1_000), 1_000, "token_budget")

    lost = [left.item_id for left in made.left_out]
    assert lost == [one.key_id for one in promoted[: len(lost)]]
    assert 0 < len(lost) < len(promoted)
    standing = [one for one in found.keys if one.key_id not in lost]
    shown_ = [line for line in made.text.splitlines() if line.startswith("- ")]
    assert shown_ == [f"- {one.text.strip()}" for one in standing]
    of_system = [f"- {one.text.strip()}" for one in standing if one.type is KeyType.SYSTEM]
    assert estimate("\n".join(of_system)) <= max(KEYS * 1_000, LEAST_KEYS)
