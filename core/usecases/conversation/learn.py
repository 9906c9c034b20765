"""What an invocation that ended leaves in long-term memory: an episode, and how failed calls of tools were mended.

Law: each under a request of its own, so that an end that is carried out again leaves them once. What holds a secret,
finds no room or meets memory switched off is not kept.
"""

from contextlib import suppress

from core.agents.offline.distilling import episode, recoveries
from core.agents.offline.thinking import think
from core.errors import LimitReached, MemoryOff, SensitiveContent
from core.ids import RecordId, RequestId
from core.keys import CollectionKey
from core.model.invocation import Ending, InvocationRecord, Item
from core.model.record import STRATEGY, Origin, Record, RecordKind
from core.ports.aggregates import RequestKey
from core.usecases.house import House
from core.usecases.long_term.add_record import AddRecord, store
from core.usecases.long_term.record_recovery import RecordRecovery, record_recovery

SOURCE = "invocation"


async def learn(
    house: House, record: InvocationRecord, ending: Ending, items: tuple[Item, ...]
) -> tuple[str, tuple[RecordId, ...]]:
    """The ids of the episode (empty: none) and of the recoveries."""
    key = CollectionKey(tenant=record.key.tenant, user=record.user, collection=record.collection)
    strategies: dict[RecordId, None] = {}
    for number, recovery in enumerate(await think(recoveries, items)):
        with suppress(SensitiveContent, LimitReached, MemoryOff):
            request = _request(record, f"fix{number}")
            kept = await record_recovery(house, RecordRecovery(key=key, recovery=recovery, request=request))
            strategies.update(dict.fromkeys(kept.kept.record_ids))
    return await _episode(house, key, record, ending, items), tuple(strategies)


async def _episode(
    house: House, key: CollectionKey, record: InvocationRecord, ending: Ending, items: tuple[Item, ...]
) -> str:
    told = await think(episode, record.query, items, ending.result)
    if told is None:
        return ""
    made = Record(
        record_id=RecordId(""),
        kind=RecordKind.EPISODE,
        category=STRATEGY,
        content=told.goal,
        confidence=Origin.DISTILLED.first_confidence,
        event_time=ending.end_time,
        create_time=ending.end_time,
        update_time=ending.end_time,
        valid_from=ending.end_time,
        source=SOURCE,
        origin=Origin.DISTILLED,
        conversation_id=record.conversation_id,
        invocation_id=record.key.invocation_id,
        tags=("succeeded" if ending.succeeded else "failed",),
        episode=told,
    )
    with suppress(SensitiveContent, LimitReached, MemoryOff):
        done = await store(house, AddRecord(key=key, record=made, request=_request(record, "episode")))
        return next(iter(done.result.record_ids), "")
    return ""


def _request(record: InvocationRecord, part: str) -> RequestKey:
    return RequestKey(request_id=RequestId(f"{part}-{record.uid}"), verb="EndInvocation", digest=record.uid)
