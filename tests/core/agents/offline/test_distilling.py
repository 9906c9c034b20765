"""What the offline Distiller takes a run to teach."""

from datetime import UTC, datetime

import pytest

from core.agents.faithful import problem_of_distilled
from core.agents.memory_roles import Execution
from core.agents.offline.distilling import distilled
from core.model.invocation import Item, ItemType

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def run(query: str, *said: tuple[ItemType, str, str]) -> Execution:
    items = tuple(
        Item(number=n, step=n, type=type_, content=content, tool=tool, event_time=NOW)
        for n, (type_, tool, content) in enumerate(said, start=1)
    )
    return Execution(query=query, items=items, result="Done.", succeeded=True)


@pytest.mark.parametrize(
    ("query", "seen", "decision", "told"),
    [
        (
            "Book the ferry to Naxos",
            "Ferry 7 has 2 places left.",
            "Book at once and ask later.",
            "For “Book the ferry to Naxos”: search: Ferry 7 has 2 places left. → Book at once and ask later.",
        ),
        (
            "订去纳克索斯的渡轮",
            "7号渡轮还剩2个座位。",
            "先订票再确认。",
            "要做“订去纳克索斯的渡轮”：search: 7号渡轮还剩2个座位。 → 先订票再确认。",
        ),
    ],
)
def test_a_decision_is_taught_with_what_it_was_for_and_what_it_followed(
    query: str, seen: str, decision: str, told: str
) -> None:
    execution = run(
        query,
        (ItemType.ACTION, "search", ""),
        (ItemType.OBSERVATION, "search", seen),
        (ItemType.DECISION, "", decision),
        (ItemType.ACTION, "book", ""),
        (ItemType.OBSERVATION, "book", "ok"),
        (ItemType.DECISION, "", "Pay by card."),
    )

    found = distilled(execution)

    assert [lesson.content for lesson in found.strategies][1] == told
    assert found.strategies[1].items == (2, 3)
    assert problem_of_distilled(found, execution) == ""


def called(number: int, tool: str, arguments: str, answer: str, error: str = "") -> list[Item]:
    return [
        Item(
            number=number,
            step=number,
            type=ItemType.ACTION,
            content="",
            tool=tool,
            arguments_json=arguments,
            event_time=NOW,
        ),
        Item(
            number=number + 1,
            step=number,
            type=ItemType.OBSERVATION,
            content=answer,
            tool=tool,
            failed=bool(error),
            error_type=error,
            event_time=NOW,
        ),
    ]


@pytest.mark.parametrize(
    ("offers", "decision", "told"),
    [
        (
            {"Nera": "79 euros each, warranty 12 months", "Oril": "84 euros each, warranty 36 months"},
            "Leave out Nera: a warranty of 12 months is too short.",
            'read_offer {"firm":"Nera"}: 79 euros each, warranty 12 months → Leave out Nera:',
        ),
        (
            {"星联": "单价79元，质保12个月", "中电仪": "单价84元，质保36个月"},
            "排除星联：质保只有12个月。",
            'read_offer {"firm":"星联"}: 单价79元，质保12个月 → 排除星联：',
        ),
    ],
)
def test_a_decision_is_taught_with_the_result_that_it_speaks_of(
    offers: dict[str, str], decision: str, told: str
) -> None:
    calls = [
        called(2 * n + 1, "read_offer", f'{{"firm":"{firm}"}}', answer)
        for n, (firm, answer) in enumerate(offers.items())
    ]
    items = [item for each in calls for item in each]
    items.append(Item(number=5, step=5, type=ItemType.DECISION, content=decision, event_time=NOW))
    execution = Execution(query="Buy sensors", items=tuple(items), result="Done.", succeeded=True)

    found = distilled(execution)

    assert told in found.strategies[1].content
    assert found.strategies[1].items == (1, 2, 5)
    assert problem_of_distilled(found, execution) == ""


@pytest.mark.parametrize(
    ("query", "error", "result"),
    [
        ("Deploy version 2.8", "1 of 3 replicas ready", "Not deployed: 2.8 needs the secret PAY_KEY."),
        ("发布2.8版", "只有1个副本就绪", "没有发布：2.8版需要密钥 PAY_KEY；环境里没有。"),
    ],
)
def test_a_failure_is_taught_with_what_the_run_said_of_it(query: str, error: str, result: str) -> None:
    items = (*called(1, "deploy", "{}", "ok"), *called(3, "wait", "{}", error, "Timeout"))
    execution = Execution(query=query, items=items, result=result, succeeded=False)

    found = distilled(execution)

    assert found.failure is not None
    assert found.failure.content.endswith(
        f"wait {'gave' if query.isascii() else '报错'} Timeout: {error} → {result}"
    )
    assert problem_of_distilled(found, execution) == ""
