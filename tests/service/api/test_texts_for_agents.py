"""Whatever text a caller brings, no agent is blamed for it: the call succeeds, or its field is refused.

An agent that cannot be asked is UNAVAILABLE, which says "try again"; of a text that it can never take, that would be so
for ever.
"""

from collections.abc import Callable, Sequence
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2
from tests.core.agents.llm.hostile import HOSTILE
from tests.support.scale import scaled
from tests.support.server import Service, refusal

CEO_A, CEO_B = "公司的CEO是张三。", "公司的CEO是李四。"
TEXTS = (
    *(text.replace("{mark}", "a1b2c3")[:5_000] for text in HOSTILE[:: 10 if scaled(1) == 1 else 1]),
    "<b>T</b>",
    "<script>alert(1)</script> 价格是 12,345.67 元",
    "<!-- hidden -->",
    "a < b and b > c",
    "1" * 400,
    "12,345,678 " * 60,
    "9" * 300 + "元的价格由公司决定。",
    "价格是" + "１" * 300 + "元。",
    "价格" * 149 + "1234567890 结束",
    "word " * 59 + "1234567890 end",
    "①②③④ ½ ² 10²",
    "．１２，３４５",
    "- item\n" * 100,
    "# h\n\n> q",
    "```\ncode\n```",
    "\u200b\u200b",
    "!!!",
    "…",
    "。。。",
    "a",
    "是",
    "😀😀",
    "x\u2028y\x85z",
    "1.2.3.4",
    "٣٤٥ १२३ Ⅷ",
    "v1_2_3 " * 40,
    "https://example.test/" + "a1" * 400,
    "MIXED 中文 " * 60,
    "|a|1|\n|-|-|\n|b|2|",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" * 30,
)
Call = tuple[Any, Message]
"""A method, and its request."""
Calls = Callable[[Service, str, str], Sequence[Call]]


async def tried(call: Call) -> str:
    """Returns what is wrong with how the call ended; empty if nothing is."""
    method, request = call
    try:
        await method(request)
    except grpc.aio.AioRpcError as error:
        told = refusal(error)
        is_named = told.code is grpc.StatusCode.INVALID_ARGUMENT and told.fields
        return "" if is_named else f"{told.code.name} {told.reason} {told.message}"
    return ""


def of_reflections(service: Service, text: str, name: str) -> Sequence[Call]:
    """A reflection with this title, over records with these words and this subcategory."""
    at: dict[str, Any] = {"user": "ada", "collection": name}
    of: dict[str, Any] = {"kind": long_term.RECORD_KIND_FACT, "category": "work"}
    records = [
        long_term.Record(content=text, **of),
        long_term.Record(content="three boats 三条船", subcategory=text[:128], **of),
    ]
    adding = [long_term.AddRecordRequest(record=each, allow_sensitive=True, **at) for each in records]
    asking = [
        long_term.GenerateReflectionRequest(title=title, category="work", **at)
        for title in ("Boats", text[:256])
    ]
    of_memory = service.long_term
    return [
        *((of_memory.AddRecord, each) for each in adding),
        *((of_memory.GenerateReflection, each) for each in asking),
    ]


def of_records(service: Service, text: str, name: str) -> Sequence[Call]:
    at: dict[str, Any] = {"user": "ada", "collection": name}
    kept: dict[str, Any] = {**at, "allow_sensitive": True}
    of_memory = service.long_term
    recovery: dict[str, Any] = {
        "tool": text[:128],
        "error_type": text[:128],
        "message": text,
        "explanation": text,
    }
    return [
        (of_memory.StoreFact, long_term.StoreFactRequest(content=text, wait=True, **kept)),
        (of_memory.StoreFact, long_term.StoreFactRequest(content=f"{text} 二", wait=True, **kept)),
        (
            of_memory.StoreEpisode,
            long_term.StoreEpisodeRequest(
                goal=text, steps=[text[:1_000]], outcome=text, lessons=text, **kept
            ),
        ),
        (of_memory.RecordRecovery, long_term.RecordRecoveryRequest(success=True, **recovery, **kept)),
        (of_memory.RetrieveMemories, long_term.RetrieveMemoriesRequest(query=text, **at)),
    ]


def of_tasks(service: Service, text: str, name: str) -> Sequence[Call]:
    report = types_pb2.TaskReport(task_id="t1", type=text[:64], description=text)
    said = types_pb2.Message(text=text, speaker=text[:128])
    return [
        (service.bank.StartTask, bank.StartTaskRequest(bank_id=name, prompt=text)),
        (service.bank.StartTask, bank.StartTaskRequest(bank_id=name, goal=text, text=text)),
        (service.bank.AdvanceTask, bank.AdvanceTaskRequest(bank_id=name, text=text, task=report)),
        (service.bank.Memorize, bank.MemorizeRequest(bank_id=name, text=text, source=text[:1_024])),
        (service.bank.Memorize, bank.MemorizeRequest(bank_id=name, messages=[said])),
    ]


def of_verdicts(service: Service, text: str, name: str) -> Sequence[Call]:
    settling = bank.ResolveConflictRequest(bank_id=name, verdict=text)

    async def resolve(request: bank.ResolveConflictRequest) -> None:
        (conflict,) = (await service.bank.ListConflicts(bank.ListConflictsRequest(bank_id=name))).conflicts
        request.conflict_id = conflict.conflict_id
        await service.bank.ResolveConflict(request)

    return [
        (service.bank.CreateBank, bank.CreateBankRequest(bank_id=name)),
        (service.bank.Memorize, bank.MemorizeRequest(bank_id=name, text=CEO_A)),
        (service.bank.Memorize, bank.MemorizeRequest(bank_id=name, text=CEO_B)),
        (resolve, settling),
    ]


def of_nodes(service: Service, text: str, name: str) -> Sequence[Call]:
    words: dict[str, Any] = {"summary": text or "s", "context": text, "keywords": [text[:128]]}
    nodes = [graph.NewNode(node_id=f"n{n}", **words) for n in (1, 2)]
    neighbor = graph.NewNode(node_id="n3", related_node_ids=["n1"], **words)
    merging = graph.MergeNodesRequest(bank_id=name, node_ids=["n1", "n2"])

    async def merge(request: graph.MergeNodesRequest) -> None:
        if await service.revision(name) > 1:  # else what the nodes are to say is refused
            await service.graph.MergeNodes(request)

    return [
        (service.bank.CreateBank, bank.CreateBankRequest(bank_id=name)),
        (service.graph.BatchAddNodes, graph.BatchAddNodesRequest(bank_id=name, nodes=[*nodes, neighbor])),
        (merge, merging),
    ]


def of_conversations(service: Service, text: str, name: str) -> Sequence[Call]:
    talk: dict[str, Any] = {"user": "ada", "conversation_id": name}
    run: dict[str, Any] = {"user": "ada", "invocation_id": name}
    turns = [conversation.Turn(input=text, reply=text, input_speaker=f"{text[:100]} 4711") for _ in range(12)]
    kinds = (conversation.ITEM_TYPE_ACTION, conversation.ITEM_TYPE_OBSERVATION)
    items = [
        conversation.Item(step=step, type=kind, content=text, tool="search", failed=step == 2)
        for step in (1, 2, 3)
        for kind in kinds
    ]
    of_talk = service.conversation
    return [
        (of_talk.AddTurns, conversation.AddTurnsRequest(turns=turns, **talk)),
        (
            of_talk.StartInvocation,
            conversation.StartInvocationRequest(query=text, enable_memory=True, invocation_id=name, **talk),
        ),
        (of_talk.AddWorkingItems, conversation.AddWorkingItemsRequest(items=items, **run)),
        (
            of_talk.EndInvocation,
            conversation.EndInvocationRequest(result=text, succeeded=True, wait=True, **run),
        ),
        (of_talk.AddKey, conversation.AddKeyRequest(text=text, **talk)),
        (of_talk.EndConversation, conversation.EndConversationRequest(wait=True, **talk)),
    ]


KINDS: Sequence[Calls] = (of_reflections, of_records, of_tasks, of_verdicts, of_nodes, of_conversations)


@pytest.mark.parametrize("calls", KINDS, ids=lambda calls: calls.__name__)
async def test_no_agent_is_blamed_for_what_a_caller_wrote(service: Service, calls: Calls) -> None:
    """At soak's size each text goes into each kind of call, else into every other kind."""
    unexpected = []
    step, first = (1, 0) if scaled(1) > 1 else (2, KINDS.index(calls) % 2)

    for number, text in list(enumerate(TEXTS))[first::step]:
        for call in calls(service, text, f"x{number}"):
            if problem := await tried(call):
                unexpected.append((text[:40], type(call[1]).__name__, problem))

    assert not unexpected, "\n".join(map(str, unexpected))
