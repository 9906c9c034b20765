"""Which use case does which chore of a conversation."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from core.agents.usage import Ledger
from core.conversation import due
from core.keys import ConversationKey, Key
from core.usecases.conversation.learning.extract_facts import extract_facts
from core.usecases.conversation.learning.finish_conversation import finish_conversation
from core.usecases.conversation.learning.forget_turns import forget_turns
from core.usecases.conversation.ports import ConversationChorePorts, ForgettingPorts
from core.usecases.conversation.tiers.embed_turns import embed_turns
from core.usecases.conversation.tiers.fold_clusters import fold_clusters
from core.usecases.conversation.tiers.place_turns import place_turns
from core.usecases.conversation.tiers.promote_clusters import promote_clusters
from core.usecases.conversation.tiers.settle import end_idle, settle
from core.usecases.conversation.tiers.summarise_turns import summarise_turns
from core.usecases.user.permission import permission_of

Work = Callable[[ConversationChorePorts, ConversationKey, Ledger], Awaitable[None]]

WORKS: Mapping[str, Work] = {
    due.EMBED.name: embed_turns,
    due.PLACE.name: place_turns,
    due.FOLD.name: fold_clusters,
    due.PROMOTE.name: promote_clusters,
    due.SUMMARISE.name: summarise_turns,
    due.EXTRACT.name: extract_facts,
    due.END.name: end_idle,
    due.FINISH.name: finish_conversation,
    due.SETTLE.name: settle,
}


def conversation_chores(ports: ConversationChorePorts) -> Mapping[str, Callable[[Key], Awaitable[None]]]:
    """Returns the chores by name, each at work for a key, within the budget of a call. They raise MemoryOff where
    the user's is."""
    adding = {name: _at_work(ports, work) for name, work in WORKS.items()}
    return adding | {due.FORGET.name: partial(_forget, ports)}


async def _forget(ports: ForgettingPorts, key: Key) -> None:
    """Forgets also where memory is off: it only deletes."""
    assert isinstance(key, ConversationKey), "assigned to conversations"
    await forget_turns(ports, key)


def _at_work(ports: ConversationChorePorts, work: Work) -> Callable[[Key], Awaitable[None]]:
    async def do(key: Key) -> None:
        assert isinstance(key, ConversationKey), "assigned to conversations"
        (await permission_of(ports, key)).tender()  # no agent reads what is switched off
        await work(ports, key, ports.workshop.ledger(key))

    return do
