"""For every field of every request, values that cannot be accepted; or why there are none.

A key is a field's path; `[]` stands for the first element of a repeated field. A value replaces the
field in a request that is right but for it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types

Table = Mapping[str, list[Any]]

LEAVES = {
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "google.protobuf.FieldMask",
    types.Vector.DESCRIPTOR.full_name,
}
UNSEEN = "not read from requests"
YES_OR_NO = "either value is right"

BAD_IDS = ["-x", "x" * 129, "a/b", "节点", "a\0b"]
REQUIRED_ID = ["", *BAD_IDS]
NO_ENUM = [99, -1]
BAD_TIMES = [
    Timestamp(seconds=10**12),
    Timestamp(seconds=-(10**12)),
    Timestamp(nanos=-1),
    Timestamp(nanos=10**9),
]
BAD_VECTORS = [
    types.Vector(),
    types.Vector(f32=b"12345"),
    types.Vector(f32=bytes(16)),
    types.Vector(values=[0.0, 0.0]),
    types.Vector(values=[1.0, float("nan")]),
    types.Vector(values=[1.0, float("-inf")]),
    types.Vector(f32=b"1234", values=[1.0]),
    types.Vector(values=[1.0] * 8_193),
]
BAD_LABELS = [
    {f"k{i}": "v" for i in range(65)},
    {"": "v"},
    {"k" * 129: "v"},
    {"k": "v" * 1_025},
    {"k": "a\0b"},
]
BAD_KEYWORDS = [["w"] * 65, [""], ["  "], ["w" * 257], ["a\0b"]]
BAD_SHARES = [-0.1, 1.1, float("nan"), float("inf")]
BAD_TOP_K = [0, -1, 1_001, 10**9]
BAD_BUDGETS = [0, -1, 10_000_001]
BAD_PAGES: Table = {"page_size": [-1, 1_001, 10**9], "page_token": ["x", "ZZZZ", "é", "x" * 1_025, "a\0b"]}
BAD_TTLS = [
    Duration(seconds=-2),
    Duration(seconds=-1, nanos=-1),
    Duration(nanos=-1),
    Duration(seconds=10**12),
]  # -1 s: never
BAD_REVISIONS = [-1, -(2**63)]


def text(most: int | None = None, *, needed: bool = False) -> list[str]:
    values = ["a\0b"]
    if most is not None:
        values.append("字" * (most + 1))
    return values + (["", " \n"] if needed else [])


def under(prefix: str, table: Table) -> dict[str, list[Any]]:
    return {f"{prefix}{path}": values for path, values in table.items()}


READ: Table = {"bank_id": REQUIRED_ID, "min_revision": BAD_REVISIONS}
WRITE: Table = {"bank_id": REQUIRED_ID, "request_id": BAD_IDS}
CHANGE: Table = {**WRITE, "if_revision": BAD_REVISIONS}
SETTINGS: Table = {
    "top_k": BAD_TOP_K,
    "alpha": BAD_SHARES,
    "chunk_ratio": [0.0, *BAD_SHARES],
    "validation_floor": BAD_SHARES,
}
SPACE: Table = {
    "name": ["", "n" * 129, "a\0b"],
    "dimension": [0, -1, 8_193],
    "source": NO_ENUM,
    "cosine_floor": [float("nan"), -1.5],
    "cosine_ceiling": [float("nan"), 1.5, -0.5],
}
ATTACHMENT: Table = {
    "attachment_id": REQUIRED_ID,
    "type": ["Image", "x" * 65, "a b"],
    "uri": text(4_096),
    "media_type": text(255),
    "size": [-1],
}
MESSAGE: Table = {
    "message_id": text(128),
    "role": text(128),
    "speaker": text(128),
    "text": text(needed=True),
    "event_time": BAD_TIMES,
}
TASK: Table = {
    "type": text(128),
    "description": text(16_384),
    "status": NO_ENUM,
    "task_id": BAD_IDS,
    "retry_of": BAD_IDS,
}
CONTEXT: Table = {
    "text": ["a\0b", " \n "],
    **under("messages[].", MESSAGE),
    **under("attachments[].", ATTACHMENT),
    "attachments": [
        [types.Attachment(attachment_id=f"a{i}") for i in range(101)],
        [types.Attachment(attachment_id="a")] * 2,
    ],
    "event_time": BAD_TIMES,
    "source": text(1_024),
    "labels": BAD_LABELS,
    "interaction_id": BAD_IDS,
    "wait": NO_ENUM,
    "request_id": BAD_IDS,
}
BAD_WEIGHTS = [-0.1, 10.1, float("nan"), float("inf")]
STRUCTURE: Table = {
    **dict.fromkeys(("near", "reply", "speaker", "time", "topic", "quote", "user"), BAD_WEIGHTS),
    "diversity": BAD_SHARES,
    "newer": BAD_SHARES,
}
PROMPT: Table = {
    "token_budget": BAD_BUDGETS,
    "tool_format": NO_ENUM,
    "top_k": BAD_TOP_K,
    "alpha": BAD_SHARES,
}
OF_A_USER: Table = {
    "user": text(128, needed=True),
    "conversation_id": BAD_IDS,
    "collection": text(128),
    "invocation_id": BAD_IDS,
    "min_revisions": [
        {f"conversation/ada/{n}": 1 for n in range(129)},
        {"": 1},
        {"k" * 2_049: 1},
        {"conversation/ada/c1": -1},
    ],
}
NODE: Table = {
    "summary": text(65_536, needed=True),
    "context": text(4_096),
    "keywords": BAD_KEYWORDS,
    "embedding": BAD_VECTORS,
    "event_time": BAD_TIMES,
    "labels": BAD_LABELS,
    "source": text(1_024),
}
NEW_NODE: Table = {
    **NODE,
    "node_id": BAD_IDS,
    "related_node_ids": [[f"n{i}" for i in range(1_001)], ["-x"], ["a", "a"]],
    "interaction_ids": [[f"i{i}" for i in range(101)], ["-x"], ["a", "a"]],
    "verbatim": ["a\0b", " "],
}
TIME_RANGE: Table = {"start": BAD_TIMES, "end": [*BAD_TIMES, Timestamp(seconds=1)]}
FILTER: Table = {
    **under("event_time.", TIME_RANGE),
    "keywords": BAD_KEYWORDS,
    "labels": BAD_LABELS,
    "states": [[0], [99], [1] * 17],
    "sources": [["s"] * 65, [""], ["s" * 1_025]],
}
SEARCH: Table = {
    "text": text(16_384, needed=True),
    "embedding": BAD_VECTORS,
    "node_id": REQUIRED_ID,
    "keywords": BAD_KEYWORDS,
    "top_k": BAD_TOP_K,
    "alpha": BAD_SHARES,
    "mode": NO_ENUM,
    "target": NO_ENUM,
    "hops": [-1, 4],
    "exclude_node_ids": [[f"n{i}" for i in range(1_001)], ["-x"], ["a", "a"]],
    **under("filter.", FILTER),
    "min_score": BAD_SHARES,
    "max_neighbors": [-1, 1_001],
    "fusion": NO_ENUM,
    **under("structure.", STRUCTURE),
}
COMPLETED: Table = {
    "task_id": BAD_IDS,
    "type": text(128),
    "description": text(16_384),
    "status": NO_ENUM,
    "context": text(16_384),
    "retry_of": BAD_IDS,
}
PENDING: Table = {
    "task_id": BAD_IDS,
    "type": text(128),
    "description": text(16_384),
    "how": text(16_384),
    "conflict_id": BAD_IDS,
    "retry_of": BAD_IDS,
}


def mask(*others: str) -> list[FieldMask]:
    return [FieldMask(), FieldMask(paths=["nothing"]), FieldMask(paths=list(others))]


CLIENT = types.EmbeddingSpace(
    name="mine", dimension=4, source=types.SPACE_SOURCE_CLIENT, cosine_floor=0.0, cosine_ceiling=1.0
)
TIMES = types.TimeRange(start=Timestamp(seconds=5), end=Timestamp(seconds=6))
BANK_MASK = FieldMask(
    paths=["goal", "top_k", "alpha", "chunk_ratio", "validation_floor", "judge_assistants", "labels", "ttl"]
)
NODE_MASK = FieldMask(paths=["summary", "context", "keywords", "labels", "source"])
INSIGHT_MASK = FieldMask(paths=["goal", "completed", "pending"])

RIGHT: dict[str, Message] = {
    "ExplainPair": retrieval.ExplainPairRequest(bank_id="b1", first="n1", second="n2"),
    "CreateBank": bank.CreateBankRequest(bank_id="new", embedding_space=CLIENT),
    "GetBank": bank.GetBankRequest(bank_id="b1"),
    "ListBanks": bank.ListBanksRequest(),
    "UpdateBank": bank.UpdateBankRequest(bank_id="b1", update_mask=BANK_MASK),
    "DeleteBank": bank.DeleteBankRequest(bank_id="b1"),
    "StartTask": bank.StartTaskRequest(bank_id="b1", goal="g", user="ada", conversation_id="c1"),
    "AdvanceTask": bank.AdvanceTaskRequest(bank_id="b1", text="t", user="ada", conversation_id="c1"),
    "Memorize": bank.MemorizeRequest(bank_id="b1", text="t"),
    "MemorizeStream": bank.MemorizeStreamRequest(header=bank.MemorizeRequest(bank_id="b1")),
    "UploadAttachment": bank.UploadAttachmentRequest(header=bank.UploadAttachmentHeader(bank_id="b1")),
    "Restructure": bank.RestructureRequest(bank_id="b1"),
    "ListConflicts": bank.ListConflictsRequest(bank_id="b1"),
    "ConfirmConflict": bank.ConfirmConflictRequest(bank_id="b1", conflict_id="c1"),
    "ResolveConflict": bank.ResolveConflictRequest(bank_id="b1", conflict_id="c1", verdict="v"),
    "GetInsight": bank.GetInsightRequest(bank_id="b1"),
    "UpdateInsight": bank.UpdateInsightRequest(bank_id="b1", update_mask=INSIGHT_MASK),
    "WatchBank": bank.WatchBankRequest(bank_id="b1"),
    "ExportBank": bank.ExportBankRequest(bank_id="b1"),
    "ImportBank": bank.ImportBankRequest(options=bank.ImportOptions()),
    "AddNode": graph.AddNodeRequest(bank_id="b1", summary="s"),
    "BatchAddNodes": graph.BatchAddNodesRequest(bank_id="b1", nodes=[graph.NewNode(summary="s")]),
    "GetNode": graph.GetNodeRequest(bank_id="b1", node_id="n1"),
    "ListNodes": graph.ListNodesRequest(bank_id="b1", filter=types.Filter(event_time=TIMES)),
    "UpdateNode": graph.UpdateNodeRequest(
        bank_id="b1", node=types.Node(node_id="n1", summary="s"), update_mask=NODE_MASK
    ),
    "DeleteNode": graph.DeleteNodeRequest(bank_id="b1", node_id="n1"),
    "Relate": graph.RelateRequest(bank_id="b1", node_id="n1", other_node_id="n2"),
    "Unrelate": graph.UnrelateRequest(bank_id="b1", node_id="n1", other_node_id="n2"),
    "ListNeighbors": graph.ListNeighborsRequest(bank_id="b1", node_id="n1"),
    "MergeNodes": graph.MergeNodesRequest(bank_id="b1", node_ids=["n1", "n2"], summary="s"),
    "Search": retrieval.SearchRequest(bank_id="b1", text="t", filter=types.Filter(event_time=TIMES)),
    "BatchSearch": retrieval.BatchSearchRequest(
        bank_id="b1", searches=[retrieval.SearchRequest(text="t", filter=types.Filter(event_time=TIMES))]
    ),
    "Augment": retrieval.AugmentRequest(bank_id="b1"),
    "RetractInteractions": bank.RetractInteractionsRequest(bank_id="b1", source="web", written=TIMES),
    "ReleaseInteractions": bank.ReleaseInteractionsRequest(bank_id="b1", retraction_id="x1"),
    "EraseInteractions": bank.EraseInteractionsRequest(bank_id="b1", retraction_id="x1"),
    "ListInteractionRetractions": bank.ListInteractionRetractionsRequest(bank_id="b1"),
    "GetInteraction": deep.GetInteractionRequest(bank_id="b1", node_id="n1"),
    "ListInteractions": deep.ListInteractionsRequest(bank_id="b1", event_time=TIMES),
    "ReadAttachment": deep.ReadAttachmentRequest(bank_id="b1", attachment_id="a1"),
    "GetLineage": deep.GetLineageRequest(bank_id="b1", node_id="n1"),
}
"""A request for each method with which nothing is wrong."""

WRONG: dict[str, Table] = {
    "ExplainPair": {
        "user": text(128),
        "collection": text(128),
        "bank_id": REQUIRED_ID,
        "first": REQUIRED_ID,
        "second": ["n1", *REQUIRED_ID],
        "min_revision": BAD_REVISIONS,
    },
    "CreateBank": {
        "bank_id": BAD_IDS,
        "goal": text(16_384),
        "user": text(128),
        "collection": text(128),
        **SETTINGS,
        **under("embedding_space.", SPACE),
        "labels": BAD_LABELS,
        "ttl": BAD_TTLS,
        "request_id": BAD_IDS,
    },
    "GetBank": READ,
    "ListBanks": {"user": text(128), "collection": text(128), "labels": BAD_LABELS, **BAD_PAGES},
    "UpdateBank": {
        **CHANGE,
        "bank.bank_id": ["b2"],
        "bank.goal": text(16_384),
        **under("bank.", SETTINGS),
        "bank.labels": BAD_LABELS,
        "bank.ttl": BAD_TTLS,
        "update_mask": mask("goal", "uid"),
    },
    "DeleteBank": CHANGE,
    "StartTask": {
        **CONTEXT,
        **PROMPT,
        "bank_id": BAD_IDS,
        "goal": text(16_384),
        "prompt": ["", " ", "a\0b"],
        "interaction_id": BAD_IDS,
        "ttl": BAD_TTLS,
        **OF_A_USER,
    },
    "AdvanceTask": {
        **CONTEXT,
        **PROMPT,
        **OF_A_USER,
        **under("task.", TASK),
        "bank_id": REQUIRED_ID,
        "text": ["", *CONTEXT["text"]],
        "conflict_id": BAD_IDS,
        "verdict_type": NO_ENUM,
        "result": text(16_384),
    },
    "Memorize": {**CONTEXT, **under("task.", TASK), "bank_id": REQUIRED_ID, "text": ["", *CONTEXT["text"]]},
    "MemorizeStream": {
        **under("header.", {**CONTEXT, **under("task.", TASK), "bank_id": REQUIRED_ID}),
        "header.text": ["too early"],
        "header.messages": [[types.Message(text="too early")]],
        "text": ["a\0b", "x" * 1_048_577],
    },
    "UploadAttachment": {
        "header.bank_id": REQUIRED_ID,
        "header.attachment_id": BAD_IDS,
        "header.type": ["Image", "a b"],
        "header.media_type": text(255),
        "header.request_id": BAD_IDS,
        "chunk": [b"x" * 1_048_577],
    },
    "Restructure": {
        **WRITE,
        "interaction_ids": [[f"i{i}" for i in range(101)], ["-x"], ["a", "a"]],
        "wait": NO_ENUM,
    },
    "ListConflicts": {**READ, **BAD_PAGES, "statuses": [[0], [99], [1] * 17], "node_id": BAD_IDS},
    "ConfirmConflict": {**WRITE, "conflict_id": REQUIRED_ID},
    "ResolveConflict": {
        **CHANGE,
        "conflict_id": REQUIRED_ID,
        "verdict": text(needed=True),
        "verdict_type": NO_ENUM,
        "evidence": text(),
        "embedding": BAD_VECTORS,
    },
    "GetInsight": {**READ, **BAD_PAGES},
    "UpdateInsight": {
        **CHANGE,
        "insight.goal": text(16_384),
        **under("insight.completed[].", COMPLETED),
        **under("insight.pending[].", PENDING),
        "insight.completed_before": [-1, 10**9],
        "update_mask": mask("goal", "finished"),
    },
    "WatchBank": {"bank_id": REQUIRED_ID, "from_revision": BAD_REVISIONS},
    "ExportBank": READ,
    "ImportBank": {"options.bank_id": BAD_IDS, "options.request_id": BAD_IDS},
    "AddNode": {**WRITE, **NEW_NODE},
    "BatchAddNodes": {
        **WRITE,
        **under("nodes[].", NEW_NODE),
        "nodes": [[], [graph.NewNode(summary="s")] * 101],
    },
    "GetNode": {**READ, "node_id": REQUIRED_ID},
    "ListNodes": {**READ, **BAD_PAGES, **under("filter.", FILTER)},
    "UpdateNode": {
        **CHANGE,
        **under("node.", NODE),
        "node.node_id": REQUIRED_ID,
        "update_mask": mask("summary", "state"),
    },
    "DeleteNode": {**CHANGE, "node_id": REQUIRED_ID},
    "Relate": {**WRITE, "node_id": REQUIRED_ID, "other_node_id": [*REQUIRED_ID, "n1"]},
    "Unrelate": {**CHANGE, "node_id": REQUIRED_ID, "other_node_id": [*REQUIRED_ID, "n1"]},
    "ListNeighbors": {**READ, **BAD_PAGES, "node_id": REQUIRED_ID, "hops": [0, -1, 4]},
    "MergeNodes": {
        **CHANGE,
        "node_ids": [[], ["n1"], ["n1", "n1"], ["-x", "n1"], [f"n{i}" for i in range(101)]],
        "new_node_id": BAD_IDS,
        "summary": ["a\0b", " ", "字" * 65_537],
        "context": NODE["context"],
        "keywords": BAD_KEYWORDS,
        "embedding": BAD_VECTORS,
    },
    "RetractInteractions": {
        **WRITE,
        "interaction_ids": [["a b"], ["x"], [f"i{n}" for n in range(101)]],
        "source": text(1_024),
        "writer": text(128),
        **under("written.", TIME_RANGE),
        "reason": text(1_024),
    },
    "ReleaseInteractions": {**WRITE, "retraction_id": REQUIRED_ID},
    "EraseInteractions": {**WRITE, "retraction_id": REQUIRED_ID},
    "ListInteractionRetractions": {**READ, **BAD_PAGES},
    "Search": {**READ, **SEARCH},
    "BatchSearch": {
        **READ,
        **under("searches[].", SEARCH),
        "searches[].bank_id": ["b2"],
        "searches[].min_revision": [1],
        "searches": [[], [retrieval.SearchRequest(text="t")] * 101],
    },
    "Augment": {
        **READ,
        **PROMPT,
        "query": text(16_384),
        "mode": NO_ENUM,
        "target": NO_ENUM,
        "min_score": BAD_SHARES,
        **under("structure.", STRUCTURE),
    },
    "GetInteraction": {
        **READ,
        "node_id": REQUIRED_ID,
        "interaction_id": REQUIRED_ID,
        "attachment_id": BAD_IDS,
        "passages.query": text(16_384),
        "passages.segment": [-1],
        "passages.surroundings": [-1, 100_001],
        "start": [-1],
        "end": [-1, 0],
        "page_size": [-1, 101],
        "page_token": BAD_PAGES["page_token"],
    },
    "ListInteractions": {
        **READ,
        **BAD_PAGES,
        "node_id": BAD_IDS,
        **under("event_time.", TIME_RANGE),
        "sources": FILTER["sources"],
        "labels": BAD_LABELS,
        "states": [[0], [99], [1] * 17],
        "writer": text(128),
    },
    "ReadAttachment": {**READ, "attachment_id": REQUIRED_ID, "offset": [-1], "limit": [-1]},
    "GetLineage": {**READ, **BAD_PAGES, "node_id": REQUIRED_ID},
}

OF_BANKS = (
    "uid",
    "user",
    "collection",
    "create_time",
    "update_time",
    "finish_time",
    "revision",
    "tokens_spent",
    "purge_time",
)
OF_NODES = (
    "create_time",
    "update_time",
    "state",
    "interaction_ids",
    "revision",
    "base_context",
    "base_keywords",
    "writer",
)

OF_INSIGHTS = (
    "finished",
    "outcome",
    "reason",
    "earlier_tasks",
    "digest",
    "digested_tasks",
    "purge_time",
)

EITHER_IN_A_STEP = ("allow_partial", "tools_apart")
EITHER_IN_SEARCH = ("include_embedding", "structure.conflicts", "skip_reranker")

HARMLESS: dict[str, Mapping[str, str]] = {
    "CreateBank": {"allow_existing": YES_OR_NO, "judge_assistants": YES_OR_NO},
    "DeleteBank": {"allow_missing": YES_OR_NO},
    "UpdateBank": {f"bank.{name}": UNSEEN for name in OF_BANKS}
    | {"bank.embedding_space": UNSEEN, "bank.judge_assistants": YES_OR_NO},
    "UpdateNode": {f"node.{name}": UNSEEN for name in OF_NODES} | {"node.segments": UNSEEN},
    "UpdateInsight": {f"insight.{name}": UNSEEN for name in OF_INSIGHTS},
    "ResolveConflict": {"dismiss": YES_OR_NO},
    "ExportBank": {"omit_files": YES_OR_NO, "omit_segment_vectors": YES_OR_NO},
    "ImportBank": {"record": "what is wrong with a record is IMPORT_INVALID"},
    "GetNode": {"include_embedding": YES_OR_NO},
    "ListNodes": {"include_embedding": YES_OR_NO},
    "RetractInteractions": {"dry_run": YES_OR_NO},
    "Search": dict.fromkeys(EITHER_IN_SEARCH, YES_OR_NO),
    "BatchSearch": {f"searches[].{name}": YES_OR_NO for name in EITHER_IN_SEARCH},
    "Augment": dict.fromkeys(("structure.conflicts", "skip_reranker", "tools_apart"), YES_OR_NO),
    "StartTask": {"attachments[].stored": UNSEEN} | dict.fromkeys(EITHER_IN_A_STEP, YES_OR_NO),
    "AdvanceTask": {"attachments[].stored": UNSEEN, "task.result": UNSEEN}
    | dict.fromkeys(EITHER_IN_A_STEP, YES_OR_NO),
    "Memorize": {"attachments[].stored": UNSEEN, "task.result": UNSEEN, "skip_judging": YES_OR_NO},
    "MemorizeStream": {
        "header.attachments[].stored": UNSEEN,
        "header.task.result": UNSEEN,
        "header.skip_judging": YES_OR_NO,
        **dict.fromkeys(under("header.messages[].", MESSAGE), "see header.messages"),
    },
}


def paths(descriptor: Descriptor, covered: frozenset[str], prefix: str = "") -> Iterator[str]:
    """The paths of a message's fields down to its leaves; those `covered` as a whole are not entered."""
    for field in descriptor.fields:
        path = f"{prefix}{field.name}"
        entry = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.message_type is None or entry or field.message_type.full_name in LEAVES or path in covered:
            yield path
        else:
            yield from paths(field.message_type, covered, f"{path}{'[]' if field.is_repeated else ''}.")


def put(message: Message, path: str, value: Any) -> None:
    """Replace a field's value; `[]` goes into the first element, which is made if it is missing."""
    head, _, rest = path.partition(".")
    name = head.removesuffix("[]")
    if rest:
        inside = getattr(message, name)
        if head.endswith("[]"):
            inside = inside[0] if inside else inside.add()
        put(inside, rest, value)
        return
    field = message.DESCRIPTOR.fields_by_name[name]
    if isinstance(value, dict):
        message.ClearField(name)
        getattr(message, name).update(value)
    elif isinstance(value, list):
        message.ClearField(name)
        getattr(message, name).extend(value)
    elif field.message_type is not None:
        getattr(message, name).CopyFrom(value)
        getattr(message, name).SetInParent()
    else:
        setattr(message, name, value)
