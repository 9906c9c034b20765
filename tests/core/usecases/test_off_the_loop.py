"""What reads all of a large text does so in a thread, beside the loop."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from core.agents.roles import Cluster, Piece
from core.bank import prepared
from core.conversation import conversation
from core.model.interaction import Interaction
from core.text import outline
from core.usecases.bank.record import Context
from core.usecases.bank.structuring import clustering, excerpts, rereading
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.verbatim import segment_order
from core.verbatim.segment_order import SegmentMarks, marks_of
from tests.support.house import KEY, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents
from tests.support.talking import said, say

PLACES = (
    (prepared, "marks_of"),
    (clustering, "failures"),
    (excerpts, "headings"),
    (rereading, "fingerprints"),
)
PARAGRAPHS = (
    "The daily ferry to Naxos leaves at {} from pier 3.",
    "渡轮每天早上{}点从三号码头出发去纳克索斯岛。",
)


LITTLE = 2_200  # characters: the last chunk of a record may be read on the loop


def size(given: Any) -> int:
    """How many characters a record, a text or pieces of one have."""
    return sum(map(len, given)) if isinstance(given, list) else len(getattr(given, "text", given))


def as_one(pieces: Sequence[Piece], _task: str) -> Sequence[Cluster]:
    return [Cluster(pieces=tuple(piece.number for piece in pieces), context="ferries", keywords=("ferry",))]


@pytest.mark.parametrize("paragraph", PARAGRAPHS)
async def test_the_text_of_a_large_record_is_read_in_a_thread(
    paragraph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n\n".join(paragraph.format(number) for number in range(10_500 // len(paragraph)))
    threads: dict[str, set[int]] = {}

    def noted(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(given: Any) -> Any:
            if size(given) > LITTLE:
                threads.setdefault(name, set()).add(threading.get_ident())
            return act(given)

        return acting

    for module, name in PLACES:
        monkeypatch.setattr(module, name, noted(name, getattr(module, name)))
    monkeypatch.setattr(outline, "headings", noted("again", outline.headings))

    agents = ScriptedAgents()
    agents.clusterer.clusters.otherwise = as_one
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await memorize(house, Memorize(key=KEY, context=Context(text=text)))

    assert set(threads) == {name for _, name in PLACES}  # and headings not again
    assert threading.get_ident() not in set[int]().union(*threads.values())


async def test_many_turns_are_read_in_a_thread_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def noted(record: Interaction) -> SegmentMarks:
        threads.append(threading.get_ident())
        return marks_of(record)

    for module in (conversation, segment_order):
        monkeypatch.setattr(module, "marks_of", noted)
    async with open_house() as house:
        await say(house, *(said(paragraph.format(n) * 5) for n in range(20) for paragraph in PARAGRAPHS))

    assert len(threads) == 20 * len(PARAGRAPHS)
    assert threading.get_ident() not in threads
