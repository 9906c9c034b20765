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
