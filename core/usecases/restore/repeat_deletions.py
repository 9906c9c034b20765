"""Deletes once more what had been deleted of memories before a store was set back to an earlier state.

Law: as the verbs do it, with all that rests on it. What is not there any more is passed over.
"""

from collections.abc import Mapping
from contextlib import suppress

from core.errors import KeyNotFound, NodeAbsorbed, NodeNotFound
from core.ids import NodeId, RecordId
from core.keys import BankKey, CollectionKey, ConversationKey, Key
from core.usecases.bank.ports import NodeDeletionPorts
from core.usecases.bank.verbs.delete_node import DeleteNode, delete_node
from core.usecases.conversation.ports import KeyDeletionPorts, TurnDeletionPorts
from core.usecases.conversation.verbs.delete_key import DeleteKey, delete_key
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.deletions import KEYS, NODES, RECORDS, TURNS
from core.usecases.long_term.ports import DeletionPorts
from core.usecases.long_term.verbs.delete_records import DeleteRecords, delete_records
from core.usecases.restore.ports import RepeatedDeletionPorts
from core.usecases.restore.repeat_erasures import standing

Parts = Mapping[str, set[str]]
"""Ids by part."""


async def repeat_deletions(ports: RepeatedDeletionPorts, deleted: Mapping[str, Parts]) -> int:
    """Deletes of the memories with these uids what is told of each; returns how many items there were."""
    count = 0
    async for key, uid in standing(ports.store):
        if uid in deleted:
            count += await _delete(ports, key, deleted[uid])
    return count


async def _delete(ports: RepeatedDeletionPorts, key: Key, parts: Parts) -> int:
    match key:
        case BankKey():
            return await _nodes(ports, key, sorted(parts.get(NODES, ())))
        case ConversationKey():
            return await _turns(ports, key, parts.get(TURNS, set())) + await _keys(
                ports, key, sorted(parts.get(KEYS, ()))
            )
        case CollectionKey():
            return await _records(ports, key, parts.get(RECORDS, set()))
        case _:
            return 0


async def _nodes(ports: NodeDeletionPorts, key: BankKey, node_ids: list[str]) -> int:
    count = 0
    for node_id in node_ids:
        with suppress(NodeNotFound, NodeAbsorbed):
            await delete_node(ports, DeleteNode(key=key, node_id=NodeId(node_id)))
            count += 1
    return count


async def _turns(ports: TurnDeletionPorts, key: ConversationKey, named: set[str]) -> int:
    async with ports.conversations.reading(key) as conversation:
        steps = tuple(step for step in conversation.turns.steps if str(step) in named)
    if steps:
        await delete_turns(ports, DeleteTurns(key=key, steps=steps))
    return len(steps)


async def _keys(ports: KeyDeletionPorts, key: ConversationKey, key_ids: list[str]) -> int:
    count = 0
    for key_id in key_ids:
        with suppress(KeyNotFound):
            await delete_key(ports, DeleteKey(key=key, key_id=key_id))
            count += 1
    return count


async def _records(ports: DeletionPorts, key: CollectionKey, named: set[str]) -> int:
    async with ports.collections.reading(key) as collection:
        record_ids = tuple(record_id for record_id in collection.records if record_id in named)
    if record_ids:
        await delete_records(ports, DeleteRecords(key=key, record_ids=tuple(map(RecordId, record_ids))))
    return len(record_ids)
