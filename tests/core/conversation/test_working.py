"""Working memory as it is shown: bounded at every read, with what must stay."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.agents.offline import compressing
from core.agents.offline.compressing import compress
from core.agents.outcomes import essence, figures
from core.conversation.working import size_of, tokens_of
from core.model.invocation import Item, ItemType
from core.text.scripts import is_chinese
from core.text.tokens import estimate
from core.usecases.conversation.get_working_memory import bounded

NOW = datetime(2024, 5, 1, tzinfo=UTC)
ENGLISH = "The nightly job reads every order and writes a report for the sales team. "
CHINESE = "夜间任务会读取每一张订单，并为销售团队写一份报告。"


def item(number: int, step: int, type_: ItemType, content: str, **more: object) -> Item:
    made = Item(number=number, step=step, type=type_, content=content, event_time=NOW)
    return replace(made, **more)  # type: ignore[arg-type]


def long_run(filler: str, decision: str, result: str) -> tuple[Item, ...]:
    """Thirty steps of thought, action, result; the third is a decision, the fifth's result has figures and an error."""
    items: list[Item] = []
    for step in range(1, 31):
        seen = filler * 20 + (result if step == 5 else "")
        items += [
            item(
                0,
                step,
                ItemType.DECISION if step == 3 else ItemType.THOUGHT,
                decision if step == 3 else filler,
            ),
            item(0, step, ItemType.ACTION, "", tool="search", arguments_json='{"page": 1}'),
            item(0, step, ItemType.OBSERVATION, seen, tool="search"),
        ]
    return tuple(replace(each, number=number) for number, each in enumerate(items, start=1))


@pytest.mark.parametrize(
    ("filler", "decision", "result", "kept"),
    [
        (
            ENGLISH,
            "We will use PostgreSQL. It is known to us.",
            "\nTimeoutError: no answer\ntotal: 4711 EUR",
            ["We will use PostgreSQL.", "TimeoutError: no answer", "4711 EUR"],
        ),
        (
            CHINESE,
            "决定采用PostgreSQL。大家都熟悉它。",
            "\n错误：连接超时\n总价：4711元",
            ["决定采用PostgreSQL。", "错误：连接超时", "4711元"],
        ),
    ],
)
def test_older_steps_show_as_one_text_that_keeps_decisions_figures_and_errors(
    filler: str, decision: str, result: str, kept: list[str]
) -> None:
    shown = bounded(long_run(filler, decision, result), 2_000, 4)

    assert shown[0].type is ItemType.COMPRESSED
    assert all(each in shown[0].content for each in kept), shown[0].content
    assert size_of(shown[0]) <= 1_000
    assert [each.step for each in shown[1:]] == [step for step in (27, 28, 29, 30) for _ in range(3)]
    assert tokens_of(shown) <= 2_000


def test_what_fits_is_shown_word_for_word() -> None:
    items = long_run("Short.", "Done.", "")

    assert bounded(items, 20_000, 4) == items


def any_items(chosen: random.Random) -> tuple[Item, ...]:
    """Up to 119 items of every type, short and long, with and without figures and errors."""
    step, made = 1, []
    texts = [
        ENGLISH,
        CHINESE,
        "7 " * 50,
        "🦆" * 40,
        "\n\n",
        "x" * 500,
        "Sum: 12 EUR, 3% off.\n",
        "访问被拒绝。\n",
    ]
    for number in range(1, chosen.randint(2, 120)):
        step += chosen.random() < 0.4
        made.append(
            item(
                number,
                step,
                chosen.choice([t for t in ItemType if t is not ItemType.COMPRESSED]),
                "".join(chosen.choices(texts, k=chosen.randint(0, 3))) * chosen.randint(0, 10),
                tool=chosen.choice(["", "search", "工" * 128]),
                arguments_json=chosen.choice(["", '{"q": "' + "长" * 900 + '"}']),
                failed=chosen.random() < 0.3,
                error_type=chosen.choice(["", "KeyError"]),
            )
        )
    return tuple(made)


def test_no_items_whatever_they_are_make_it_longer_than_it_may_be() -> None:
    for seed in range(20):
        chosen = random.Random(seed)
        made = any_items(chosen)
        threshold, keep = chosen.choice([400, 2_000, 5_000]), chosen.randint(1, 8)

        shown = bounded(made, threshold, keep)

        assert tokens_of(shown) <= threshold, seed
        assert shown == bounded(made, threshold, keep)


def test_what_finds_no_room_is_not_read_and_the_text_is_the_same() -> None:
    for seed in range(60):
        chosen = random.Random(seed)
        made, room = any_items(chosen), chosen.choice([30, 200, 1_000, 4_000])

        assert compress(made, room) == all_read_first(made, room), seed


def all_read_first(items: tuple[Item, ...], room: int) -> str:
    """The same by the plain formula: what every item comes to, and then what of it finds room."""
    told: list[compressing._Piece] = []
    left = room - compressing.COUNTED
    decisions = [each for each in items if each.type is ItemType.DECISION and essence(each)]
    results = [each for each in items if each.type is not ItemType.DECISION and essence(each)]
    must = {each.number for each in (*decisions, *results)}
    for pieces in (
        list(compressing._decisions(decisions)),
        list(compressing._results(results)),
        list(compressing._sentences(items, must)),
    ):
        missed = 0
        for piece in pieces:
            cost = estimate(piece.text) + compressing.BESIDE
            if cost <= left:
                told.append(piece)
                left -= cost
            elif (missed := missed + 1) == compressing.MISSES:
                break
    chinese = is_chinese("".join(each.content[:1_000] for each in items))
    return compressing._fitting(told, len(must - {piece.covers for piece in told}), chinese, room)


def test_decisions_without_room_go_oldest_first_and_are_counted() -> None:
    items = [item(n, n, ItemType.DECISION, f"Decision {n}: {ENGLISH}") for n in range(1, 101)]

    text = compress(items, 300)

    assert estimate(text) <= 300
    assert "older items left out)" in text.splitlines()[0]
    assert "[100] Decision 100" in text
    assert "Decision 1:" not in text


def test_figures_keep_the_words_around_them_and_are_read_quickly() -> None:
    assert figures("total: 4711 EUR, 12% of 2024-05-01") == ["total: 4711 EUR", "12%", "of 2024-05-01"]
    assert figures("总价：4711元，折扣9折") == ["总价：4711元", "折扣9折"]
    assert len(figures("a" + " " * 20_000 + "1 " * 9_000)) <= 24
