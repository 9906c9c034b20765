"""A request of every method that writes, a world in which it fits, and calls that change what it has written."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2
from tests.service.api.every_violation import METHODS
from tests.support.server import Service

CEO_A, CEO_B, CEO_C = "公司的CEO是张三。", "公司的CEO是李四。", "The CEO of the firm is Ada Berg."
ADA, OWNER = "ada", instructions.Owner(user="ada")
Requests = Sequence[Message]
"""What a call sends: one message, or those of a stream."""


def mask(*paths: str) -> FieldMask:
    return FieldMask(paths=paths)


def fact(text: str, **fields: Any) -> long_term.Record:
    return long_term.Record(kind=long_term.RECORD_KIND_FACT, category="work", content=text, **fields)


TALK: dict[str, Any] = {"user": ADA, "conversation_id": "talk"}
GROUPED: dict[str, Any] = {"user": ADA, "conversation_id": "grouped"}
RUN: dict[str, Any] = {"user": ADA, "invocation_id": "run"}
FACTS: dict[str, Any] = {"user": ADA, "collection": "facts"}
SOURCE: dict[str, Any] = {"owner": OWNER, "path": "a.md"}
TURN = conversation.Turn(input="I have a dog. 我有一只狗。", reply="Good. 好的。")
ITEMS = [
    conversation.Item(step=step, type=kind, content=f"found {step}", tool="search")
    for step in (1, 2)
    for kind in (conversation.ITEM_TYPE_ACTION, conversation.ITEM_TYPE_OBSERVATION)
]

REVIEWED: dict[str, Any] = {"user": ADA, "collection": "reviewed"}
WORLD: Sequence[tuple[str, Message]] = (
    ("CreateBank", bank.CreateBankRequest(bank_id="b", goal="Who is the CEO?")),
    *(
        ("AddNode", graph.AddNodeRequest(bank_id="b", node_id=f"n{n}", summary=f"Ferry {n}"))
        for n in range(1, 7)
    ),
    ("Relate", graph.RelateRequest(bank_id="b", node_id="n3", other_node_id="n4")),
    ("Memorize", bank.MemorizeRequest(bank_id="b", text=CEO_A, interaction_id="i1")),
    ("Memorize", bank.MemorizeRequest(bank_id="b", text=CEO_B)),
    ("Memorize", bank.MemorizeRequest(bank_id="b", text="The moon is made of cheese.", source="web")),
    ("CreateBank", bank.CreateBankRequest(bank_id="gone")),
    ("AddTurns", conversation.AddTurnsRequest(turns=[TURN] * 3, **TALK)),
    ("AddTurns", conversation.AddTurnsRequest(user=ADA, conversation_id="gone", turns=[TURN])),
    (
        "CreateConversation",
        conversation.CreateConversationRequest(
            settings=conversation.ConversationSettings(short_turns=1), **GROUPED
        ),
    ),
    ("AddTurns", conversation.AddTurnsRequest(turns=[TURN] * 3, **GROUPED)),
    (
        "StartInvocation",
        conversation.StartInvocationRequest(query="Go", enable_memory=True, **TALK, invocation_id="run"),
    ),
    ("AddWorkingItems", conversation.AddWorkingItemsRequest(items=ITEMS, **RUN)),
    *(
        ("AddRecord", long_term.AddRecordRequest(record=fact(f"Boat {n}", record_id=f"r{n}"), **FACTS))
        for n in range(1, 6)
    ),
    ("AddRecord", long_term.AddRecordRequest(record=fact("Boat 9", source="web"), **FACTS)),
    ("AddRecord", long_term.AddRecordRequest(user=ADA, collection="gone", record=fact("Boat"))),
    ("PutSource", instructions.PutSourceRequest(text="Be brief. 请简短。", **SOURCE)),
    ("PutSource", instructions.PutSourceRequest(owner=OWNER, path="gone.md", text="Be brief.")),
    ("AddRecord", long_term.AddRecordRequest(user="eve", record=fact("Boat"))),
    (
        "UpdateCollection",
        long_term.UpdateCollectionRequest(
            collection=long_term.Collection(review=long_term.REVIEW_ALL, **REVIEWED),
            update_mask=mask("review"),
        ),
    ),
    ("AddRecord", long_term.AddRecordRequest(record=fact("Sail", record_id="w1"), **REVIEWED)),
)


def requests(known: dict[str, str]) -> dict[str, Requests]:
    """What each method is called with. `known`: ids that the service has made."""
    memorize = bank.MemorizeRequest(bank_id="b", text="The tide turns at noon. 中午涨潮。")
    settings = conversation.ConversationRecord(goal="Travel", ttl=Duration(seconds=86_400))
    return {
        "CreateBank": [bank.CreateBankRequest(bank_id="new", goal="Go", labels={"a": "1"})],
        "UpdateBank": [
            bank.UpdateBankRequest(bank_id="b", bank=types_pb2.Bank(goal="Stay"), update_mask=mask("goal"))
        ],
        "DeleteBank": [bank.DeleteBankRequest(bank_id="gone", allow_missing=True)],
        "StartTask": [bank.StartTaskRequest(bank_id="task", goal="When is the tide?", text=CEO_C)],
        "AdvanceTask": [bank.AdvanceTaskRequest(bank_id="b", text=CEO_C)],
        "Memorize": [memorize],
        "MemorizeStream": [
            bank.MemorizeStreamRequest(header=bank.MemorizeRequest(bank_id="b")),
            bank.MemorizeStreamRequest(text=memorize.text),
        ],
        "UploadAttachment": [
            bank.UploadAttachmentRequest(
                header=bank.UploadAttachmentHeader(bank_id="b", media_type="text/plain")
            ),
            bank.UploadAttachmentRequest(chunk=b"bytes"),
        ],
        "Restructure": [bank.RestructureRequest(bank_id="b", interaction_ids=["i1"])],
        "RetractInteractions": [bank.RetractInteractionsRequest(bank_id="b", interaction_ids=["i1"])],
        "ReleaseInteractions": [
            bank.ReleaseInteractionsRequest(bank_id="b", retraction_id=known["interactions"])
        ],
        "EraseInteractions": [
            bank.EraseInteractionsRequest(bank_id="b", retraction_id=known["interactions"])
        ],
        "ConfirmConflict": [bank.ConfirmConflictRequest(bank_id="b", conflict_id=known["conflict"])],
        "ResolveConflict": [
            bank.ResolveConflictRequest(bank_id="b", conflict_id=known["conflict"], verdict="张三是CEO。")
        ],
        "UpdateInsight": [
            bank.UpdateInsightRequest(
                bank_id="b", insight=types_pb2.Insight(goal="Rest"), update_mask=mask("goal")
            )
        ],
        "ImportBank": [],
        "AddNode": [graph.AddNodeRequest(bank_id="b", node_id="new", summary="Trains 火车")],
        "BatchAddNodes": [
            graph.BatchAddNodesRequest(bank_id="b", nodes=[graph.NewNode(node_id="new", summary="Trains")])
        ],
        "UpdateNode": [
            graph.UpdateNodeRequest(
                bank_id="b", node=types_pb2.Node(node_id="n1", summary="Cars"), update_mask=mask("summary")
            )
        ],
        "DeleteNode": [graph.DeleteNodeRequest(bank_id="b", node_id="n6")],
        "Relate": [graph.RelateRequest(bank_id="b", node_id="n1", other_node_id="n2")],
        "Unrelate": [graph.UnrelateRequest(bank_id="b", node_id="n3", other_node_id="n4")],
        "MergeNodes": [graph.MergeNodesRequest(bank_id="b", node_ids=["n1", "n2"])],
        "PutSource": [instructions.PutSourceRequest(text="Be kind.", **SOURCE)],
        "EditSource": [instructions.EditSourceRequest(old_text="brief", new_text="kind", **SOURCE)],
        "DeleteSource": [instructions.DeleteSourceRequest(owner=OWNER, path="gone.md")],
        "CreateConversation": [
            conversation.CreateConversationRequest(user=ADA, conversation_id="new", goal="Go")
        ],
        "UpdateConversation": [
            conversation.UpdateConversationRequest(
                conversation=settings, update_mask=mask("goal", "ttl"), **TALK
            )
        ],
        "EndConversation": [conversation.EndConversationRequest(wait=True, **TALK)],
        "DeleteConversation": [
            conversation.DeleteConversationRequest(user=ADA, conversation_id="gone", allow_missing=True)
        ],
        "AddTurns": [conversation.AddTurnsRequest(turns=[TURN, TURN], **TALK)],
        "DeleteTurns": [conversation.DeleteTurnsRequest(steps=[1], **TALK)],
        "RetractTurns": [conversation.RetractTurnsRequest(steps=[3], **TALK)],
        "ReleaseTurns": [conversation.ReleaseTurnsRequest(retraction_id=known["turns"], **TALK)],
        "EraseTurns": [conversation.EraseTurnsRequest(retraction_id=known["turns"], **TALK)],
        "AddKey": [conversation.AddKeyRequest(text="No nuts. 不吃坚果。", **TALK)],
        "UpdateKey": [
            conversation.UpdateKeyRequest(
                key_id=known["key"],
                key=conversation.Key(text="No milk."),
                update_mask=mask("text"),
                **TALK,
            )
        ],
        "DeleteKey": [conversation.DeleteKeyRequest(key_id=known["key"], **TALK)],
        "DeleteCluster": [conversation.DeleteClusterRequest(cluster_id=known["cluster"], **GROUPED)],
        "DeleteSummaries": [conversation.DeleteSummariesRequest(first_step=1, **TALK)],
        "StartInvocation": [
            conversation.StartInvocationRequest(query="Go", enable_memory=True, invocation_id="new", **TALK)
        ],
        "AddWorkingItems": [conversation.AddWorkingItemsRequest(items=ITEMS[-1:], **RUN)],
        "EndInvocation": [conversation.EndInvocationRequest(result="42", succeeded=True, wait=True, **RUN)],
        "AddInvocationSummary": [
            conversation.AddInvocationSummaryRequest(
                summary=conversation.InvocationSummary(invocation_id="other", query="Go", summary="Went."),
                **TALK,
            )
        ],
        "StoreFact": [
            long_term.StoreFactRequest(content="Ada lives in Oslo. 住在奥斯陆。", category="life", **FACTS)
        ],
        "StoreEpisode": [long_term.StoreEpisodeRequest(goal="Go", steps=["went"], outcome="there", **FACTS)],
        "AddRecord": [long_term.AddRecordRequest(record=fact("Trains 火车", record_id="new"), **FACTS)],
        "PutRecord": [
            long_term.PutRecordRequest(record=long_term.Record(record_id="put", content="Put 放"), **FACTS)
        ],
        "BatchPutRecords": [
            long_term.BatchPutRecordsRequest(
                records=[long_term.Record(record_id="put", content="Put again 再放")],
                delete_ids=["nothing"],
                **FACTS,
            )
        ],
        "UpdateRecord": [
            long_term.UpdateRecordRequest(
                record=fact("Boat one", record_id="r1", tags=["a"]),
                update_mask=mask("content", "tags"),
                **FACTS,
            )
        ],
        "DeleteRecords": [long_term.DeleteRecordsRequest(record_ids=["r5"], **FACTS)],
        "ReviewRecords": [
            long_term.ReviewRecordsRequest(
                record_ids=["w1"],
                decision=long_term.REVIEW_DECISION_CORRECT,
                content="Sail 1",
                **REVIEWED,
            )
        ],
        "RetractRecords": [long_term.RetractRecordsRequest(record_ids=["r4"], **FACTS)],
        "ReleaseRetraction": [long_term.ReleaseRetractionRequest(retraction_id=known["retraction"], **FACTS)],
        "EraseRetraction": [long_term.EraseRetractionRequest(retraction_id=known["retraction"], **FACTS)],
        "RecordRecovery": [
            long_term.RecordRecoveryRequest(
                error_type="Timeout",
                tool="search",
                message="late",
                original_json='{"n": 500}',
                fixed_json='{"n": 50}',
                success=True,
                **FACTS,
            )
        ],
        "ReportOutcome": [long_term.ReportOutcomeRequest(record_ids=["r1", "r2"], succeeded=True, **FACTS)],
        "GiveFeedback": [long_term.GiveFeedbackRequest(record_ids=["r1"], stars=5, **FACTS)],
        "GenerateReflection": [
            long_term.GenerateReflectionRequest(title="Boats 船", category="work", **FACTS)
        ],
        "DeleteReflection": [long_term.DeleteReflectionRequest(reflection_id=known["reflection"], **FACTS)],
        "UpdateCollection": [
            long_term.UpdateCollectionRequest(
                collection=long_term.Collection(retention=Duration(seconds=9_000_000), **FACTS),
                update_mask=mask("retention"),
            )
        ],
        "DeleteCollection": [
            long_term.DeleteCollectionRequest(user=ADA, collection="gone", allow_missing=True)
        ],
        "ImportCollection": [],
        "ImportUser": [],
        "UpdateUser": [
            long_term.UpdateUserRequest(
                user=long_term.User(user=ADA, retention=Duration(seconds=90_000_000)),
                update_mask=mask("retention"),
            )
        ],
        "EraseMentions": [long_term.EraseMentionsRequest(user=ADA, mentions=["Rex"])],
        "PurgeUser": [long_term.PurgeUserRequest(user="eve")],
    }


OTHERWISE: dict[str, tuple[str, Message]] = {
    "a fact that is judged first": (
        "StoreFact",
        long_term.StoreFactRequest(
            content="Ada lives in Oslo. 住在奥斯陆。", category="life", wait=True, **FACTS
        ),
    ),
    "a fact that takes the place of others": (
        "StoreFact",
        long_term.StoreFactRequest(
            content="Three boats. 三条船。", supersedes=["r1", "r2"], wait=True, **FACTS
        ),
    ),
    "a fact that is known": ("StoreFact", long_term.StoreFactRequest(content="Boat 1", **FACTS)),
    "a known fact that is judged": (
        "StoreFact",
        long_term.StoreFactRequest(content="Boat 1", wait=True, **FACTS),
    ),
    "a record that is known": ("AddRecord", long_term.AddRecordRequest(record=fact("Boat 1"), **FACTS)),
    "an end that is not waited for": ("EndConversation", conversation.EndConversationRequest(**TALK)),
    "a run's end that is not waited for": (
        "EndInvocation",
        conversation.EndInvocationRequest(result="42", succeeded=True, **RUN),
    ),
    "a bank with a name of the service's": ("CreateBank", bank.CreateBankRequest(goal="Go")),
    "a conversation with a name of the service's": (
        "CreateConversation",
        conversation.CreateConversationRequest(user=ADA, goal="Go"),
    ),
}
"""Other ways to call some of them."""

CHANGES: Sequence[tuple[str, Message]] = (
    (
        "UpdateBank",
        bank.UpdateBankRequest(bank_id="b", bank=types_pb2.Bank(goal="Else"), update_mask=mask("goal")),
    ),
    (
        "UpdateBank",
        bank.UpdateBankRequest(bank_id="new", bank=types_pb2.Bank(goal="Else"), update_mask=mask("goal")),
    ),
    ("Memorize", bank.MemorizeRequest(bank_id="b", text="The tide turns at ten.")),
    *(
        (
            "UpdateNode",
            graph.UpdateNodeRequest(
                bank_id="b", node=types_pb2.Node(node_id=n, summary="Else 别的"), update_mask=mask("summary")
            ),
        )
        for n in ("n1", "new")
    ),
    ("PutSource", instructions.PutSourceRequest(text="Be else.", **SOURCE)),
    *(
        (
            "UpdateConversation",
            conversation.UpdateConversationRequest(
                user=ADA,
                conversation_id=name,
                conversation=conversation.ConversationRecord(goal="Else"),
                update_mask=mask("goal"),
            ),
        )
        for name in ("talk", "new")
    ),
    ("AddTurns", conversation.AddTurnsRequest(turns=[TURN], **TALK)),
    ("AddKey", conversation.AddKeyRequest(text="Else.", **TALK)),
    *(
        (
            "UpdateRecord",
            long_term.UpdateRecordRequest(
                record=long_term.Record(record_id=r, tags=["else"]), update_mask=mask("tags"), **FACTS
            ),
        )
        for r in ("r1", "r2", "new")
    ),
    ("GiveFeedback", long_term.GiveFeedbackRequest(record_ids=["r1", "r2"], stars=1, **FACTS)),
    ("ReportOutcome", long_term.ReportOutcomeRequest(record_ids=["r1", "r3"], succeeded=False, **FACTS)),
    (
        "StoreFact",
        long_term.StoreFactRequest(
            content="Ada lives in Rome. 住在罗马。", category="life", wait=True, **FACTS
        ),
    ),
    (
        "UpdateBank",
        bank.UpdateBankRequest(bank_id="task", bank=types_pb2.Bank(goal="Else"), update_mask=mask("goal")),
    ),
    ("Memorize", bank.MemorizeRequest(bank_id="task", text="The tide turns at ten. 十点涨潮。")),
    (
        "UpdateCollection",
        long_term.UpdateCollectionRequest(
            collection=long_term.Collection(half_life_days={"work": 3}, **FACTS),
            update_mask=mask("half_life_days"),
        ),
    ),
    (
        "UpdateUser",
        long_term.UpdateUserRequest(
            user=long_term.User(user=ADA, quotas={"run": 9}), update_mask=mask("quotas")
        ),
    ),
)
"""Calls that change what the others have written; those about what is not there in a test are refused."""


async def made(service: Service) -> dict[str, str]:
    """Makes what the calls are about; returns ids of it."""
    for name, request in WORLD:
        await call(service, name, [request])
    key = await call(service, "AddKey", [conversation.AddKeyRequest(text="No eggs.", **TALK)])
    reflecting = long_term.GenerateReflectionRequest(title="All", category="work", **FACTS)
    reflection = await call(service, "GenerateReflection", [reflecting])
    retracting = long_term.RetractRecordsRequest(filter=long_term.RetractionFilter(source="web"), **FACTS)
    retracted = await call(service, "RetractRecords", [retracting])
    taking = bank.RetractInteractionsRequest(bank_id="b", source="web")
    taken = await call(service, "RetractInteractions", [taking])
    turns = await call(service, "RetractTurns", [conversation.RetractTurnsRequest(steps=[2], **TALK)])
    grouped = conversation.ListClustersResponse()
    while not grouped.clusters:  # turns are placed in the background
        grouped = await call(service, "ListClusters", [conversation.ListClustersRequest(**GROUPED)])
    listed = await call(service, "ListConflicts", [bank.ListConflictsRequest(bank_id="b")])
    return {
        "key": key.key.key_id,
        "cluster": grouped.clusters[0].cluster_id,
        "reflection": reflection.reflection.reflection_id,
        "retraction": retracted.retraction.retraction_id,
        "turns": turns.retraction.retraction_id,
        "interactions": taken.retraction.retraction_id,
        "conflict": listed.conflicts[0].conflict_id,
    }


async def call(service: Service, name: str, sent: Requests) -> Any:
    """Returns the last answer."""
    method, answer = METHODS[name], None
    calling = service.channel.stream_stream(f"/{method.containing_service.full_name}/{name}")
    async for encoded in calling(iter([request.SerializeToString() for request in sent])):
        answer = encoded
    assert answer is not None
    found: Any = GetMessageClass(method.output_type)()
    found.ParseFromString(answer)
    return found


async def sent_by(service: Service, way: str, known: dict[str, str]) -> tuple[str, Requests]:
    """Returns the method, and the call's messages under a request_id. `way`: a method, or a way of OTHERWISE."""
    name, other = OTHERWISE.get(way, (way, None))
    sent = [*requests(known)[name]] if other is None else [type(other).FromString(other.SerializeToString())]
    if name == "ImportBank":
        exported = [r.record async for r in service.bank.ExportBank(bank.ExportBankRequest(bank_id="b"))]
        options = bank.ImportOptions(bank_id="copy")
        sent = [
            bank.ImportBankRequest(options=options),
            *(bank.ImportBankRequest(record=r) for r in exported),
        ]
    if name == "ImportCollection":
        files = [
            f async for f in service.long_term.ExportCollection(long_term.ExportCollectionRequest(**FACTS))
        ]
        to = long_term.ImportCollectionOptions(user=ADA, collection="copy")
        sent = [
            long_term.ImportCollectionRequest(options=to),
            *(long_term.ImportCollectionRequest(file=each) for each in files),
        ]
    if name == "ImportUser":
        whole = long_term.ExportUserRequest(user=ADA, omit_banks=True)
        sent = [
            long_term.ImportUserRequest(options=long_term.ImportUserOptions(user="copy")),
            *[long_term.ImportUserRequest(file=f) async for f in service.long_term.ExportUser(whole)],
        ]
    first: Any = sent[0]
    parts = (getattr(first, part, None) for part in ("header", "options"))
    asked = first if hasattr(first, "request_id") else next(filter(None, parts))
    asked.request_id = "again"
    return name, sent


async def change(service: Service) -> None:
    """Changes what there is: calls about what is not there in a test are refused."""
    for name, request in (*CHANGES, *await _of_all(service)):
        with suppress(grpc.aio.AioRpcError):
            await call(service, name, [request])


async def _of_all(service: Service) -> list[tuple[str, Message]]:
    """Returns changes of every node, record and key."""
    nodes = await call(service, "ListNodes", [graph.ListNodesRequest(bank_id="b")])
    records = await call(service, "ListRecords", [long_term.ListRecordsRequest(**FACTS)])
    keys = await call(service, "ListKeys", [conversation.ListKeysRequest(**TALK)])
    return [
        *(
            (
                "UpdateNode",
                graph.UpdateNodeRequest(
                    bank_id="b",
                    node=types_pb2.Node(node_id=node.node_id, context="else", keywords=["else"]),
                    update_mask=mask("context", "keywords"),
                ),
            )
            for node in nodes.nodes
        ),
        *(
            (
                "UpdateRecord",
                long_term.UpdateRecordRequest(
                    record=long_term.Record(record_id=record.record_id, tags=["else"]),
                    update_mask=mask("tags"),
                    **FACTS,
                ),
            )
            for record in records.records
        ),
        *(
            (
                "UpdateKey",
                conversation.UpdateKeyRequest(
                    key_id=key.key_id,
                    key=conversation.Key(text="Else. 别的。"),
                    update_mask=mask("text"),
                    **TALK,
                ),
            )
            for key in keys.keys
        ),
    ]


async def restrict(service: Service) -> None:
    """Leaves no room for more, and switches memory off."""
    user = long_term.User(user=ADA, quotas={"conversation": 1, "collection": 1, "run": 1})
    for name in ("talk", "new"):
        off = conversation.UpdateConversationRequest(
            user=ADA,
            conversation_id=name,
            conversation=conversation.ConversationRecord(enabled=False),
            update_mask=mask("enabled"),
        )
        with suppress(grpc.aio.AioRpcError):
            await call(service, "UpdateConversation", [off])
    collection = long_term.Collection(enabled=False, **FACTS)
    await call(
        service,
        "UpdateCollection",
        [long_term.UpdateCollectionRequest(collection=collection, update_mask=mask("enabled"))],
    )
    await call(
        service,
        "UpdateUser",
        [long_term.UpdateUserRequest(user=user, update_mask=mask("quotas", "enabled"))],
    )
