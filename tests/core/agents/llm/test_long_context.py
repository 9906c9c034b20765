"""A long context: chunks clustered at once, in order, every piece remembered."""

import asyncio
from collections.abc import Sequence

import pytest

from core.agents.llm.agents import llm_agents
from core.errors import StructuringFailed
from core.ids import InteractionId
from core.internal_errors import ModelUnavailable
from core.model.structuring import StructuringState
from core.ports.chat import ChatMessage, ChatReply, ReplyShape
from core.text.tokens import estimate
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.restructure import Restructure, restructure
from tests.core.agents.llm.replies import fences, said
from tests.support.house import KEY, make_bank, open_house
from tests.support.scripted_chat import ScriptedChat

ROLES = ("clusterer", "structurer", "judge", "consolidator", "planner")

LONG = "\n\n".join(
    f"Section {n}. The survey of field {n} took {n % 97} days and found {n * 7} stones of grade {n % 5}. "
    f"第{n}号地块的调查历时{n % 97}天。" + "Nothing else of note was seen, and the party moved on. " * 3
    for n in range(1_000)
)


def obliging(messages: Sequence[ChatMessage], shape: ReplyShape) -> str:
    if shape.name == "clusters":
        first = next(text for name, text in fences(messages[1].text) if name == "0")
        context = first.split(". ")[0]
        return said(
            should_cluster=False,
            clusters=[{"cluster_id": 1, "pieces": [], "context": context, "keywords": ["survey"]}],
        )
    if shape.name == "summary":
        return said(summary=messages[1].text.split(" record]]\n")[1][:200])
    return said(relations=[])


class Slow(ScriptedChat):
    """Answers after some turns of the loop; the first question of a kind last. Counts who waits at a time."""

    def __init__(self, window: int, fails_at: int | None = None) -> None:
        super().__init__(obliging, window)
        self.most: dict[str, int] = {}
        self._waiting: dict[str, int] = {}
        self._fails_at = fails_at

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        kind = shape.name
        asked = len(self.asked)
        self._waiting[kind] = self._waiting.get(kind, 0) + 1
        self.most[kind] = max(self.most.get(kind, 0), self._waiting[kind])
        made = await super().reply(messages, shape)
        for _ in range(20 - asked % 20):
            await asyncio.sleep(0)
        self._waiting[kind] -= 1
        if asked == self._fails_at:
            raise ModelUnavailable("the endpoint answers 503")
        return made


async def test_a_long_text_is_clustered_several_chunks_at_a_time_and_remembered_in_order() -> None:
    assert len(LONG) > 250_000
    chat = Slow(window=16_000)
    async with open_house(agents=llm_agents(dict.fromkeys(ROLES, chat))) as house:
        await make_bank(house)

        told = await memorize(house, Memorize(key=KEY, context=Context(text=LONG)))

        async with house.banks.reading(KEY) as bank:
            segments = [[ref.index for ref in bank.nodes[n].segments] for n in told.node_ids]
            count = len(bank.tree.interaction(told.interaction_id).spans)
        assert [index for indexes in segments for index in indexes] == list(range(count))
        assert len(segments) > 5
        assert chat.most["clusters"] == 4
        assert all(sum(estimate(m.text) for m in messages) < 16_000 for messages, _ in chat.asked)


async def test_a_failure_among_chunks_at_once_leaves_what_came_before_and_is_taken_up_again() -> None:
    chat = Slow(window=4_000, fails_at=2)
    text = LONG[:40_000]
    async with open_house(agents=llm_agents(dict.fromkeys(ROLES, chat))) as house:
        await make_bank(house)

        with pytest.raises(StructuringFailed) as failed:
            await memorize(house, Memorize(key=KEY, context=Context(text=text)))

        interaction_id = failed.value.interaction_id
        async with house.banks.reading(KEY) as bank:
            before = set(bank.nodes)
            (structuring,) = bank.tree.unfinished()
        assert structuring.state is StructuringState.FAILED
        assert len(before) == 2

        await restructure(house, Restructure(key=KEY))

        async with house.banks.reading(KEY) as bank:
            segments = sorted(ref.index for node in bank.nodes.values() for ref in node.segments)
            assert segments == list(range(len(bank.tree.interaction(InteractionId(interaction_id)).spans)))
            assert before < set(bank.nodes)
