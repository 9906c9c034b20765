"""The tools of `adapters.mcp`: each a method with its arguments described, bounded, and its answer typed.

Whose memory it is, is fixed when they are made: no tool takes a user.
"""

import heapq
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from inspect import signature
from typing import Annotated, Any, Literal

from google.protobuf.timestamp_pb2 import Timestamp
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank_client import ErrorReason, MemoryBankClient, MemoryBankError
from memorybank_client.adapters.mcp_arguments import Content, Ids, Path, Query, Time, Top
from memorybank_client.adapters.mcp_keys import with_hosts_key
from memorybank_client.adapters.mcp_results import (
    Document,
    ForgetResult,
    Memories,
    Passages,
    StoreResult,
    answer,
    document_answer,
    forgotten_answer,
    line,
    listed,
    memories_answer,
    memory,
    passages_answer,
    segment_passage,
    turn_passage,
)
from memorybank_client.adapters.react import ReActAdapter
from memorybank_client.adapters.reading import TOOL_NAME
from memorybank_client.quoting import day, quoted

PAGE = 1_000
HELD = (pb.RECORD_STATE_ACTIVE, pb.RECORD_STATE_CONTESTED)
KINDS = {"fact": pb.RECORD_KIND_FACT, "episode": pb.RECORD_KIND_EPISODE, "memory": pb.RECORD_KIND_MEMORY}
ABSENT = (ErrorReason.ERROR_REASON_COLLECTION_NOT_FOUND,)
MISSING = (*ABSENT, ErrorReason.ERROR_REASON_RECORD_NOT_FOUND)

BRACKETS = "[] "  # ids stand in them, and a model copies them with their brackets

Tool = Callable[..., Awaitable[CallToolResult | str]]


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool with what a host shows of it."""

    call: Tool
    annotations: ToolAnnotations

    @property
    def name(self) -> str:
        return self.call.__name__

    @property
    def is_structured(self) -> bool:
        """Whether it answers an object; else a document as it is."""
        return signature(self.call).return_annotation is not str


class MemoryTools:
    """The tools, over a client. `bank_id`: the bank that `search_memory` and `deep_retrieval` read; `conversation_id`:
    the conversation that `search_turns` reads; empty: none, and no such tools."""

    def __init__(
        self,
        client: MemoryBankClient,
        *,
        user: str,
        collection: str = "",
        bank_id: str = "",
        conversation_id: str = "",
    ) -> None:
        self._own = client
        self._user = user
        self._owner: dict[str, Any] = {"user": user, "collection": collection}
        self._documents = instructions.Owner(user=user)
        self._bank_id = bank_id
        self._conversation_id = conversation_id

    @property
    def _client(self) -> MemoryBankClient:
        return with_hosts_key(self._own)

    @property
    def offered(self) -> list[OfferedTool]:
        """Those for which there is something to read."""
        tools = [
            OfferedTool(self.retrieve_facts, _reading("Find facts")),
            OfferedTool(self.recall_episodes, _reading("Recall earlier attempts")),
            OfferedTool(self.list_recent, _reading("List what was remembered last")),
            OfferedTool(self.search_conversations, _reading("Search all conversations")),
            OfferedTool(self.store_fact, _writing("Remember a fact")),
            OfferedTool(self.correct, _writing("Correct a fact", destructive=True)),
            OfferedTool(self.forget, _writing("Forget memories", destructive=True)),
            OfferedTool(self.load_instructions, _reading("Load instructions")),
            OfferedTool(self.create_instructions, _writing("Create an instruction document")),
            OfferedTool(self.edit_instructions, _writing("Edit instructions", destructive=True, again=False)),
        ]
        if self._conversation_id:
            tools.append(OfferedTool(self.search_turns, _reading("Search the conversation")))
        if self._bank_id:
            tools.append(OfferedTool(self.search_memory, _reading("Search the task's memory")))
            tools.append(OfferedTool(self.deep_retrieval, _reading("Read a record word for word")))
        return tools

    # ---- what is known ----

    async def retrieve_facts(self, query: Query, top_k: Top = 5) -> Annotated[CallToolResult, Memories]:
        """Find facts remembered about the user that bear on a question. 检索关于用户的已知事实。"""
        found = await self._client.retrieve_facts(**self._owner, query=query, top_k=top_k)
        return memories_answer([one.record for one in found.facts])

    async def recall_episodes(
        self,
        query: Query,
        state: Annotated[
            str, Field(description="Where the task stands now; may be empty", max_length=16_384)
        ] = "",
        top_k: Top = 3,
    ) -> Annotated[CallToolResult, Memories]:
        """Find earlier attempts at similar tasks, with steps, outcomes and lessons. 回忆以往类似任务的经过与教训。"""
        found = await self._client.recall_episodes(**self._owner, query=query, state=state, top_k=top_k)
        return memories_answer([one.record for one in found.episodes])

    async def list_recent(
        self,
        limit: Top = 10,
        kind: Annotated[
            Literal["", "fact", "episode", "memory"], Field(description="Only these. Empty: all kinds")
        ] = "",
    ) -> Annotated[CallToolResult, Memories]:
        """List what was remembered or changed last, newest first. 列出最近记住或修改的内容。"""
        wanted = pb.RecordFilter(states=HELD, kinds=[KINDS[kind]] if kind else [])
        every = [record async for record in self._records(wanted)]
        newest = heapq.nlargest(limit, every, key=lambda one: one.update_time.ToNanoseconds())
        return memories_answer(newest)

    # ---- what is to be known ----

    async def store_fact(
        self,
        content: Content,
        category: Annotated[
            str,
            Field(description="work, life, preference, emotion, or another lower-case word", max_length=64),
        ] = "",
        time: Time = "",
    ) -> Annotated[CallToolResult, StoreResult]:
        """Remember a fact for later conversations: one plain statement, no secrets. 记住一条以后有用的事实。"""
        told: dict[str, Any] = {"content": content, "category": category} | _event_time(time)
        return await self._stored(await self._client.store_fact(**self._owner, **told, wait=True))

    async def correct(
        self,
        record_id: Annotated[
            str, Field(description="The fact that is wrong, by its id", min_length=1, max_length=128)
        ],
        content: Content,
        time: Time = "",
    ) -> Annotated[CallToolResult, StoreResult]:
        """Put the right statement in the place of a fact that is wrong or out of date, after the user said so. It also
        settles a contradiction: name the wrong one, and say the right one. 用正确的说法取代一条错误或过时的事实。"""
        wrong = await self._record(record_id)
        told: dict[str, Any] = {"content": content, "category": wrong.category} | _event_time(time)
        stored = await self._client.store_fact(**self._owner, **told, supersedes=[wrong.record_id], wait=True)
        return await self._stored(stored)

    async def forget(
        self,
        record_ids: Ids,
        dry_run: Annotated[
            bool,
            Field(description="Only tell what would go. Show it to the user before you set this to false"),
        ] = True,
        chain: Annotated[
            bool,
            Field(description="Also what these had replaced, which else comes back or stays in the history"),
        ] = False,
    ) -> Annotated[CallToolResult, ForgetResult]:
        """Delete memories for good, or tell first what would go (`dry_run`, the default). 永久删除记忆；默认只预览。"""
        found = [await self._record(record_id) for record_id in dict.fromkeys(record_ids)]
        named = list({record.record_id: record for record in found}.values())
        before = await self._replaced_by(named)
        going = named + before if chain else named
        if dry_run:
            return forgotten_answer(going, [] if chain else before, dry_run=True)
        deleted = await self._client.delete_records(
            **self._owner, record_ids=[record.record_id for record in going]
        )
        revived = [await self._record(record_id) for record_id in deleted.revived_ids]
        return forgotten_answer(going, revived, dry_run=False)

    # ---- conversations ----

    async def search_conversations(self, query: Query, top_k: Top = 8) -> Annotated[CallToolResult, Passages]:
        """Search what was said in any conversation with the user. 检索与用户的所有对话。"""
        found = await self._client.search_turns(user=self._user, text=query, top_k=top_k)
        return passages_answer(turn_passage(hit, hit.conversation_id) for hit in found.hits)

    async def search_turns(self, query: Query, top_k: Top = 8) -> Annotated[CallToolResult, Passages]:
        """Search what was said earlier in the conversation. 检索对话中说过的话。"""
        found = await self._client.search_turns(
            user=self._user, conversation_id=self._conversation_id, text=query, top_k=top_k
        )
        return passages_answer(turn_passage(hit) for hit in found.hits)

    # ---- a task's memory ----

    async def search_memory(self, query: Query, top_k: Top = 8) -> Annotated[CallToolResult, Passages]:
        """Search the task's memory: what was read and found so far. 检索任务记忆。"""
        found = await self._client.search(
            bank_id=self._bank_id, text=query, top_k=top_k, target=retrieval.SEARCH_TARGET_SEGMENTS
        )
        return passages_answer(segment_passage(hit.segment) for hit in found.hits if hit.HasField("segment"))

    async def deep_retrieval(
        self,
        node_id: Annotated[
            str,
            Field(
                description="A memory's id, or a place that search_memory gave", min_length=1, max_length=256
            ),
        ],
        attachment_id: Annotated[
            str, Field(description="One of its attachments. Empty: the record", max_length=128)
        ] = "",
    ) -> str:
        """Read the verbatim record behind a memory, or one of its attachments. 读取一条记忆背后的原始记录。"""
        adapter = ReActAdapter(self._client, bank_id=self._bank_id)
        asked = {"node_id": node_id.strip(BRACKETS), "attachment_id": attachment_id}
        read = await adapter.call_tool(TOOL_NAME, asked)
        if read.startswith("error:"):
            raise ToolError(read.removeprefix("error:").strip())
        return read

    # ---- instructions ----

    async def load_instructions(self) -> str:
        """Load the user's instruction documents. 读取用户的指令文档。"""
        ref = instructions.SourceRef(owner=self._documents)
        loaded = await self._client.load_sources(refs=[ref], user=self._user)
        return loaded.block or "(no instructions yet)"

    async def create_instructions(
        self,
        path: Path,
        text: Annotated[str, Field(description="The whole document, in Markdown", max_length=65_536)],
    ) -> Annotated[CallToolResult, Document]:
        """Create an instruction document of the user; one that is there stays as it is. 新建指令文档。"""
        put = await self._client.put_source(owner=self._documents, path=path, text=text, if_version=0)
        return document_answer(path, put.source.version)

    async def edit_instructions(
        self,
        path: Path,
        old_text: Annotated[
            str,
            Field(description="A passage that stands there exactly once", min_length=1, max_length=65_536),
        ],
        new_text: Annotated[str, Field(description="What is to stand in its place", max_length=65_536)],
    ) -> Annotated[CallToolResult, Document]:
        """Replace a passage that stands exactly once in an instruction document of the user. 修改指令文档。"""
        try:
            edited = await self._client.edit_source(
                owner=self._documents, path=path, old_text=old_text, new_text=new_text
            )
        except MemoryBankError as error:
            if error.reason != ErrorReason.ERROR_REASON_SOURCE_NOT_FOUND:
                raise
            remedy = "create_instructions makes it; load_instructions shows which there are"
            raise ToolError(f"there is no document {path}: {remedy}") from None
        return document_answer(path, edited.source.version)

    # ---- for people ----

    async def known(self) -> str:
        """Returns all that is held of the user, as Markdown, newest first."""
        held = [record async for record in self._records(pb.RecordFilter(states=HELD))]
        held.sort(key=lambda one: one.update_time.ToNanoseconds(), reverse=True)
        return f"# What is remembered of {self._user}\n\n{listed(map(line, held))}\n"

    # ---- inside ----

    async def _record(self, record_id: str) -> pb.Record:
        """Raises ToolError where it is not there."""
        record_id = record_id.strip(BRACKETS)
        try:
            return (await self._client.get_record(**self._owner, record_id=record_id)).record
        except MemoryBankError as error:
            if error.reason not in MISSING:
                raise
            remedy = "retrieve_facts and list_recent give the ids of what is there"
            raise ToolError(f"there is no memory [{record_id}]: {remedy}") from None

    async def _records(self, wanted: pb.RecordFilter) -> AsyncIterator[pb.Record]:
        token = ""
        while True:
            try:
                page = await self._client.list_records(
                    **self._owner, filter=wanted, page_size=PAGE, page_token=token
                )
            except MemoryBankError as error:
                if error.reason in ABSENT:
                    return
                raise
            for record in page.records:
                yield record
            token = page.next_page_token
            if not token:
                return

    async def _replaced_by(self, records: Sequence[pb.Record]) -> list[pb.Record]:
        """Returns what gave way to these, and what had given way to that."""
        gone = pb.RecordFilter(states=[pb.RECORD_STATE_SUPERSEDED])
        left = [record async for record in self._records(gone)]
        over, found = {record.record_id for record in records}, list[pb.Record]()
        while grown := [one for one in left if one.superseded_by in over and one.record_id not in over]:
            found += grown
            over |= {one.record_id for one in grown}
        return found

    async def _stored(self, stored: pb.StoreFactResponse) -> CallToolResult:
        contested = [await self._record(record_id) for record_id in stored.contested_ids]
        record_id = stored.record.record_id
        if stored.forgotten:
            said = "not stored: a person rejected these words of this source before; do not try again"
        elif stored.record.awaits_review:
            said = f"waits until a person approves it: [{record_id}]; it is not found before"
        else:
            said = f"{'known already' if stored.known else 'stored'}: [{record_id}]"
        judged = stored.record.judged or stored.record.awaits_review or stored.forgotten
        if not judged:
            said += "; not compared with what is known yet, that follows by itself"
        if stored.superseded_ids:
            said += f"; it takes the place of {', '.join(stored.superseded_ids)}"
        if contested:
            others = "; ".join(f"[{one.record_id}] {day(one)} {quoted(one)}" for one in contested)
            said += (
                f"; it contradicts {others}. Ask the user which is right, then correct or forget the other"
            )
        structured = StoreResult(
            id=record_id,
            known=stored.known,
            superseded_ids=list(stored.superseded_ids),
            contested=[memory(one) for one in contested],
            awaits_review=stored.record.awaits_review,
            judged=judged,
        )
        return answer(said, structured)


def _reading(title: str) -> ToolAnnotations:
    return ToolAnnotations(title=title, read_only_hint=True, idempotent_hint=True, open_world_hint=False)


def _writing(title: str, *, destructive: bool = False, again: bool = True) -> ToolAnnotations:
    return ToolAnnotations(
        title=title,
        read_only_hint=False,
        destructive_hint=destructive,
        idempotent_hint=again,
        open_world_hint=False,
    )


def _event_time(text: str) -> dict[str, Timestamp]:
    """Returns the field for a time that was given. Raises ToolError."""
    if not text:
        return {}
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ToolError(f"time: not ISO 8601: {text!r}; write 2026-03-01 or 2026-03-01T09:30:00Z") from None
    stamp = Timestamp()
    stamp.FromDatetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return {"event_time": stamp}
