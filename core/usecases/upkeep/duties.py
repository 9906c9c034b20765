"""Which use case does which chore, of every kind."""

from collections.abc import Awaitable, Callable
from typing import Any

from core.bank.due import EMBED
from core.conversation.invocation import COMPRESS, CONCLUDE, END
from core.instructions.kind import TRIM
from core.keys import BankKey, CollectionKey, ConversationKey, InstructionsKey, InvocationKey, UserKey
from core.usecases.bank.structuring.reworded import embed_when_at_rest
from core.usecases.conversation.learning.compress_items import compress_items
from core.usecases.conversation.learning.conclude_invocation import conclude
from core.usecases.conversation.tiers.chores import conversation_chores
from core.usecases.conversation.verbs.end_invocation import end_idle
from core.usecases.house import House
from core.usecases.instructions.trim_versions import trim_versions
from core.usecases.long_term.chores import CHORES as OF_COLLECTIONS
from core.usecases.whole_user.import_user import abandon
from core.usecases.whole_user.purge_user import carry_on
from core.user.user import ABANDON, PURGE


def assign_chores(house: House) -> None:
    """Lets the house's chores be done from now on."""

    def here(act: Callable[[House, Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        return lambda key: act(house, key)

    house.chores.assign(BankKey.kind, {EMBED.name: here(embed_when_at_rest)})
    house.chores.assign(UserKey.kind, {PURGE.name: here(carry_on), ABANDON.name: here(abandon)})
    house.chores.assign(InstructionsKey.kind, {TRIM.name: here(trim_versions)})
    house.chores.assign(CollectionKey.kind, {name: here(act) for name, act in OF_COLLECTIONS.items()})
    house.chores.assign(ConversationKey.kind, conversation_chores(house))
    house.chores.assign(InvocationKey.kind, {END.name: here(end_idle), CONCLUDE.name: here(conclude)})
    if house.memory_agents.compressor is not None:
        house.chores.assign(InvocationKey.kind, {COMPRESS.name: here(compress_items)})
