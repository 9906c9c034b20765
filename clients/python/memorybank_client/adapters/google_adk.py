"""A memory service of Google's Agent Development Kit: sessions as conversations, memories as records.

    runner = Runner(agent=agent, app_name="ferries", session_service=sessions,
                    memory_service=MemoryBankMemoryService(client))

An app's name is the collection, so that no app finds what another was told. An event is one turn, once: adding a
session again adds what is new. What the user says teaches long-term memory, and a search finds both, turns and records.

`pip install google-adk` brings what this module imports: 2.10.0 and 2.13.0 were tried.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai.types import Content, Part
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import ErrorReason, MemoryBankClient, MemoryBankError, timestamp
from memorybank_client.adapters.turn_items import MOST_LISTED, portions, turn_of, written

FORM = "adk"
NO_SESSION = "no-session"  # the conversation of events that name none
FOUND = 10  # of a search, of turns and of records each
CONTENT = 4_096  # code points of a record's content
MISSING = (
    ErrorReason.ERROR_REASON_CONVERSATION_NOT_FOUND,
    ErrorReason.ERROR_REASON_COLLECTION_NOT_FOUND,
    ErrorReason.ERROR_REASON_RECORD_NOT_FOUND,
    ErrorReason.ERROR_REASON_TURN_NOT_FOUND,
)


class MemoryBankMemoryService(BaseMemoryService):  # type: ignore[misc]  # typed where the ADK is installed
    """The memory of every app and user that the client's key may write for."""

    def __init__(self, client: MemoryBankClient) -> None:
        self._client = client

    async def add_session_to_memory(self, session: Any) -> None:
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        of: dict[str, Any] = {"user": user_id, "conversation_id": _named(session_id or NO_SESSION, app_name)}
        known = await self._known(of)
        spoken = [event for event in events if event.content and event.content.parts]
        turns = [_turn(event, custom_metadata) for event in spoken if event.id not in known]
        for some in portions(turns):
            await self._client.add_turns(**of, collection=app_name, turns=some)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        records = [_record(memory, custom_metadata) for memory in memories]
        if records:
            once = {record.record_id: record for record in records}
            await self._client.batch_put_records(
                user=user_id, collection=app_name, records=list(once.values())
            )

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        of: dict[str, Any] = {"user": user_id, "collection": app_name}
        turns = await self._client.search_turns(**of, text=query, top_k=FOUND)
        records = await self._client.retrieve_memories(**of, query=query, top_k=FOUND, wait=True)
        said = [_said(hit) for hit in turns.hits if hit.score > 0.0]
        known = [_memory(one.record) for one in records.memories if one.similarity > 0.0]
        return SearchMemoryResponse(memories=[*said, *known])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        if not memory_id:
            return
        conversation_id, turn, step = memory_id.rpartition("#")
        try:
            if turn:
                await self._client.delete_turns(
                    user=user_id, conversation_id=conversation_id, steps=[int(step)]
                )
            else:
                await self._client.delete_records(user=user_id, collection=app_name, record_ids=[memory_id])
        except MemoryBankError as error:
            if error.reason not in MISSING:
                raise

    async def _known(self, of: Mapping[str, Any]) -> set[str]:
        """Returns the ids of the events that the conversation has."""
        known, token = set[str](), ""
        while True:
            try:
                page = await self._client.list_turns(**of, page_size=MOST_LISTED, page_token=token)
            except MemoryBankError as error:
                if error.reason in MISSING:
                    return known
                raise
            known |= {turn.labels["event"] for turn in page.turns if "event" in turn.labels}
            token = page.next_page_token
            if not token:
                return known


def _named(session_id: str, app_name: str) -> str:
    """Returns the conversation of an app's session: two apps may have sessions of one name."""
    return f"adk-{sha256(f'{app_name}/{session_id}'.encode()).hexdigest()[:40]}"


def _turn(event: Any, custom_metadata: Mapping[str, object] | None) -> talk.Turn:
    role = event.content.role or ("user" if event.author == "user" else "model")
    item = event.model_dump(mode="json", exclude_none=True)
    if custom_metadata:
        item["custom_metadata"] = {**item.get("custom_metadata", {}), **custom_metadata}
    turn = turn_of(item, role, FORM, event.content.model_dump(mode="json", exclude_none=True))
    turn.labels["event"] = event.id
    if event.author:
        turn.labels["author"] = event.author
    turn.event_time.FromNanoseconds(int(event.timestamp * 1e9))
    return turn


def _record(memory: MemoryEntry, custom_metadata: Mapping[str, object] | None) -> pb.Record:
    text = "\n".join(part.text for part in memory.content.parts or () if part.text).strip()
    if not text:
        raise ValueError("a memory has words: its content has a part with text")
    record = pb.Record(
        record_id=memory.id or f"adk-{sha256(text.encode()).hexdigest()[:40]}",
        content=text[:CONTENT],
        category="memory",
        detail=text if len(text) > CONTENT else "",
        source="google-adk",
        metadata_json=written({**memory.custom_metadata, **(custom_metadata or {})}, FORM),
    )
    if memory.timestamp:
        moment = datetime.fromisoformat(memory.timestamp)
        record.event_time.CopyFrom(timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC)))
    return record


def _said(hit: talk.TurnHit) -> MemoryEntry:
    turn = hit.turn
    user = turn.labels.get("role") == "user"
    return MemoryEntry(
        id=f"{hit.conversation_id}#{turn.step}",
        content=Content(role="user" if user else "model", parts=[Part(text=turn.input or turn.reply)]),
        author=turn.labels.get("author"),
        timestamp=_time(turn.event_time),
    )


def _memory(record: pb.Record) -> MemoryEntry:
    return MemoryEntry(
        id=record.record_id,
        content=Content(role="user", parts=[Part(text=record.detail or record.content)]),
        author=record.agent or None,
        timestamp=_time(record.event_time),
    )


def _time(moment: Timestamp) -> str:
    return str(moment.ToJsonString())
