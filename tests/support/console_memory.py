"""A memory to look into: a user with a bank, a conversation, a collection and a document, all of the same words."""

from dataclasses import dataclass
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import types_pb2 as types
from memorybank.v1.conversation_pb2 import Turn
from memorybank_client import SyncMemoryBankClient

NINE, TEN = "The ferry to Naxos leaves at nine.", "The ferry to Naxos leaves at ten."
PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The names under which it is remembered."""

    user: str
    bank_id: str
    conversation_id: str
    collection: str
    path: str
    node_id: str
    other_id: str
    interaction_id: str
    conflict_id: str
    record_id: str
    contested_ids: tuple[str, ...]
    key_id: str
    attachment_id: str


def remember(client: SyncMemoryBankClient, name: str, words: str = "It takes cars.") -> Remembered:
    """Remembers a journey, with these words in every field that takes any."""
    user, collection, path = f"{name} {words}", words[:100], f"{name}/{words}"[:1_000]
    bank_id, conversation_id = f"{name}-bank", f"{name}-talk"
    client.create_bank(
        bank_id=bank_id, user=user, collection=collection, goal=words, labels={words[:100]: words}
    )
    file = client.upload_attachment(
        PNG, bank_id=bank_id, attachment_id="map", type="image", media_type="text/html"
    )
    first = client.memorize(
        bank_id=bank_id,
        text=f"{NINE}\n\n{words}",
        source=f"timetable {words}",
        labels={"told": words},
        attachments=[file.attachment, types.Attachment(attachment_id="far", type="image", uri=words[:900])],
    )
    second = client.memorize(bank_id=bank_id, text=f"{TEN}\n\n{words}", source=f"captain {words}")
    assert second.conflict_ids, "the memory is to hold a conflict"
    other = client.add_node(
        bank_id=bank_id,
        summary=words,
        context=words,
        keywords=[words[:200]],
        verbatim=words,
        source=words,
        related_node_ids=[first.node_ids[0]],
    )
    client.update_insight(
        bank_id=bank_id,
        insight=types.Insight(pending=[types.PendingTask(type=words[:100], description=words, how=words)]),
        update_mask=FieldMask(paths=["pending"]),
    )
    turns = [
        Turn(input=f"{words} {number}", reply=words, input_speaker=words[:100], reply_speaker=words[:100])
        for number in range(3)
    ]
    client.add_turns(user=user, conversation_id=conversation_id, collection=collection, turns=turns)
    key = client.add_key(user=user, conversation_id=conversation_id, text=words)
    return Remembered(
        user=user,
        bank_id=bank_id,
        conversation_id=conversation_id,
        collection=collection,
        path=path,
        node_id=other.node.node_id,
        other_id=first.node_ids[0],
        interaction_id=first.interaction_id,
        conflict_id=second.conflict_ids[0],
        key_id=key.key.key_id,
        attachment_id="map",
        **_long_term(client, user, collection, path, words),
    )


def _long_term(
    client: SyncMemoryBankClient, user: str, collection: str, path: str, words: str
) -> dict[str, Any]:
    owner: dict[str, Any] = {"user": user, "collection": collection}
    facts = [
        client.store_fact(**owner, content=f"Ada lives in {town}. {words}"[:4_000], source=words, wait=True)
        for town in ("Porto", "Lisbon")
    ]
    client.store_episode(
        **owner, goal=words[:4_000], steps=[words[:4_000]], outcome=words, lessons=words, source=words
    )
    record = client.add_record(
        **owner,
        record=long_term.Record(
            kind=long_term.RECORD_KIND_MEMORY,
            content=words[:4_000],
            detail=words,
            source=words,
            agent=words[:100],
            tags=[words[:200]],
            subcategory=words[:100],
            metadata_json='{"a": "<b>"}',
        ),
    )
    client.generate_reflection(
        **owner, title=words[:200].replace("\n", " "), record_ids=[record.record.record_id]
    )
    client.put_source(owner=instructions.Owner(user=user), path=path, text=words, update_by=words[:100])
    return {"record_id": record.record.record_id, "contested_ids": tuple(f.record.record_id for f in facts)}
