"""A house with conversations in it: what a caller and the background do, in few words."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.ids import Collection, ConversationId, RequestId, Tenant, User
from core.keys import ConversationKey
from core.model.conversation import Turn
from core.ports.aggregates import RequestKey
from core.usecases.conversation.learning.extract_facts import extract_facts
from core.usecases.conversation.tiers.embed_turns import embed_turns
from core.usecases.conversation.tiers.fold_clusters import fold_clusters
from core.usecases.conversation.tiers.place_turns import place_turns
from core.usecases.conversation.tiers.promote_clusters import promote_clusters
from core.usecases.conversation.tiers.summarise_turns import summarise_turns
from core.usecases.conversation.verbs.add_turns import AddTurns, NewTurn, TurnsAdded, add_turns
from core.usecases.house import House

KEY = ConversationKey(tenant=Tenant("acme"), user=User("王明"), conversation_id=ConversationId("c1"))


def said(input_: str, reply: str = "", at: datetime | None = None, **changed: Any) -> NewTurn:
    return NewTurn(input=input_, reply=reply, event_time=at, **changed)


async def say(
    house: House, *turns: NewTurn, key: ConversationKey = KEY, request: RequestKey | None = None
) -> TurnsAdded:
    return await add_turns(house, AddTurns(key=key, collection=Collection(""), turns=turns, request=request))


async def tend(house: House, key: ConversationKey = KEY) -> None:
    """All that is due, once."""
    ledger = house.workshop.ledger(key)
    for chore in (embed_turns, place_turns, fold_clusters, promote_clusters, summarise_turns, extract_facts):
        await chore(house, key, ledger)


async def talked(house: House, count: int, key: ConversationKey = KEY) -> Sequence[Turn]:
    """So many turns on three matters, in English and in Chinese."""
    matters = (
        ("When does ferry {} leave?", "Ferry {} leaves the harbour at nine."),
        ("第{}次备份成功了吗？", "数据库的第{}次备份已经完成。"),
        ("How much is ticket {}?", "Ticket {} costs twelve euros."),
    )
    made: list[Turn] = []
    for number in range(count):
        asked, answered = matters[number % 3]
        added = await say(house, said(asked.format(number), answered.format(number)), key=key)
        made += added.turns
    return made


def once(name: str = "r1", verb: str = "AddTurns", digest: str = "d") -> RequestKey:
    return RequestKey(request_id=RequestId(name), verb=verb, digest=digest)
