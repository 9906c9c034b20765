"""For every field of every request of Conversation, and of AssembleContext, values that cannot be accepted."""

from collections.abc import Mapping

from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1.types_pb2 import TimeRange
from tests.service.api.violations import (
    BAD_BUDGETS,
    BAD_IDS,
    BAD_LABELS,
    BAD_PAGES,
    BAD_REVISIONS,
    BAD_SHARES,
    BAD_TIMES,
    BAD_TOP_K,
    BAD_VECTORS,
    NO_ENUM,
    REQUIRED_ID,
    TIME_RANGE,
    UNSEEN,
    YES_OR_NO,
    Table,
    text,
    under,
)
from tests.service.api.violations_of_instructions import ADA, OWNER, REF, UNPRINTED

BAD_TTLS = [Duration(seconds=-2), Duration(nanos=-1), Duration(seconds=10**12)]
BAD_STEPS = [0, -1, 10**12]
BAD_MASKS = [FieldMask(), FieldMask(paths=["user"]), FieldMask(paths=["goal", "nothing"])]
ONE: Table = {"user": text(128, needed=True), "conversation_id": REQUIRED_ID}
READ: Table = {**ONE, "min_revision": BAD_REVISIONS}
WRITE: Table = {**ONE, "request_id": BAD_IDS}
SETTINGS: Table = {
    "short_turns": [0, -1, 201],
    "similarity": BAD_SHARES,
    "max_clusters": [0, 1_001],
    "hit_threshold": [0, 1_000_001],
    "top_clusters": [-1, 101],
    "summary_every": [1, 1_001],
    "summary_length": [19, 2_001],
    "idle_timeout": [Duration(), Duration(nanos=999_999_999), *BAD_TTLS],
}
OWN: Table = {"goal": text(10_000), "labels": BAD_LABELS, **under("settings.", SETTINGS), "ttl": BAD_TTLS}
TURN: Table = {
    "input": ["", " \n", *text(100_000)],
    "reply": text(100_000),
    "input_speaker": text(128),
    "reply_speaker": text(128),
    "event_time": BAD_TIMES,
    "labels": BAD_LABELS,
    "metadata_json": [
        "x",
        "[1]",
        '{"a": NaN}',
        '{"a":' * 101 + "1" + "}" * 101,
        '{"a": "' + "x" * 1_048_570 + '"}',
    ],
}
RANGE: Table = {"first_step": BAD_STEPS, "last_step": BAD_STEPS}
LATER = TimeRange(start=Timestamp(seconds=1))
SAID = pb.Turn(input="Hello")

RUN: Table = {"user": text(128, needed=True), "invocation_id": BAD_IDS}
THOUGHT = pb.Item(type=pb.ITEM_TYPE_THOUGHT, content="Look it up.")
ITEM: Table = {
    "step": [-1, 1_000_001],
    "type": [0, pb.ITEM_TYPE_COMPRESSED, 99],
    "content": ["", " \n", *text(100_000), "x" * 1_000_000],
    "tool": text(128),
    "arguments_json": ["{", "[]", '{"a": NaN}', '{"a": "' + "x" * 65_536 + '"}'],
    "error_type": text(128),
    "record_ids": [["/"], ["r1", "r1"], [f"r{n}" for n in range(101)]],
    "event_time": BAD_TIMES,
    "metadata": BAD_LABELS,
}

RIGHT: dict[str, Message] = {
    "StartInvocation": pb.StartInvocationRequest(user="ada", query="When?", enable_memory=True),
    "AddWorkingItems": pb.AddWorkingItemsRequest(user="ada", invocation_id="i1", items=[THOUGHT]),
    "GetWorkingMemory": pb.GetWorkingMemoryRequest(user="ada", invocation_id="i1"),
    "EndInvocation": pb.EndInvocationRequest(user="ada", invocation_id="i1", result="At nine."),
    "AddInvocationSummary": pb.AddInvocationSummaryRequest(
        user="ada",
        conversation_id="c1",
        summary=pb.InvocationSummary(invocation_id="i1", query="When?"),
    ),
    "ListInvocations": pb.ListInvocationsRequest(user="ada", conversation_id="c1"),
    "CreateConversation": pb.CreateConversationRequest(user="ada", conversation_id="c1"),
    "GetConversation": pb.GetConversationRequest(user="ada", conversation_id="c1"),
    "ListConversations": pb.ListConversationsRequest(user="ada"),
    "UpdateConversation": pb.UpdateConversationRequest(
        user="ada",
        conversation_id="c1",
        conversation=pb.ConversationRecord(goal="g"),
        update_mask=FieldMask(paths=["goal"]),
    ),
    "EndConversation": pb.EndConversationRequest(user="ada", conversation_id="c1"),
    "DeleteConversation": pb.DeleteConversationRequest(user="ada", conversation_id="c1"),
    "AddTurns": pb.AddTurnsRequest(user="ada", conversation_id="c1", turns=[SAID]),
    "ListTurns": pb.ListTurnsRequest(user="ada", conversation_id="c1"),
    "DeleteTurns": pb.DeleteTurnsRequest(user="ada", conversation_id="c1", steps=[1]),
    "RetractTurns": pb.RetractTurnsRequest(user="ada", conversation_id="c1", writer="web", written=LATER),
    "ReleaseTurns": pb.ReleaseTurnsRequest(user="ada", conversation_id="c1", retraction_id="x1"),
    "EraseTurns": pb.EraseTurnsRequest(user="ada", conversation_id="c1", retraction_id="x1"),
    "ListTurnRetractions": pb.ListTurnRetractionsRequest(user="ada", conversation_id="c1"),
    "SearchTurns": pb.SearchTurnsRequest(user="ada", conversation_id="c1", text="hello", event_time=LATER),
    "AddKey": pb.AddKeyRequest(user="ada", conversation_id="c1", text="budget: 500"),
    "UpdateKey": pb.UpdateKeyRequest(
        user="ada",
        conversation_id="c1",
        key_id="k1",
        key=pb.Key(text="t"),
        update_mask=FieldMask(paths=["text"]),
    ),
    "DeleteKey": pb.DeleteKeyRequest(user="ada", conversation_id="c1", key_id="k1"),
    "ListKeys": pb.ListKeysRequest(user="ada", conversation_id="c1"),
    "ListClusters": pb.ListClustersRequest(user="ada", conversation_id="c1"),
    "DeleteCluster": pb.DeleteClusterRequest(user="ada", conversation_id="c1", cluster_id="c1"),
    "ListSummaries": pb.ListSummariesRequest(user="ada", conversation_id="c1", time=LATER),
    "DeleteSummaries": pb.DeleteSummariesRequest(user="ada", conversation_id="c1", time=LATER),
    "AssembleContext": retrieval.AssembleContextRequest(user="ada", conversation_id="c1", input="Hello?"),
    "Explain": retrieval.ExplainRequest(user="ada", conversation_id="c1", input="Hello?", text="Hello"),
}

CONTEXT: Table = {
    "input": text(100_000, needed=True),
    "system": text(100_000),
    **ONE,
    "conversation_id": BAD_IDS,
    "bank_id": BAD_IDS,
    "parts": [[0], [99], [1] * 17],
    "refs": [[REF, REF], [instructions.SourceRef(owner=ADA, path=f"{n}.md") for n in range(65)]],
    **under("refs[].owner.", OWNER),
    "refs[].path": [*text(1_024), *UNPRINTED],
    "run_id": ["r1", *BAD_IDS],
    "top_memories": BAD_TOP_K,
    "top_clusters": [-1, 101],
    "collection": text(128),
    "invocation_id": BAD_IDS,
    "state": text(16_384),
    "top_facts": [-1, 1_001],
    "top_episodes": [-1, 1_001],
    "token_budget": BAD_BUDGETS,
    "tool_format": NO_ENUM,
    "min_revisions": [
        {f"bank/{n}": 1 for n in range(129)},
        {"": 1},
        {"k" * 2_049: 1},
        {"bank/trip": -1},
    ],
}
"""The fields that say which context is meant."""

WRONG: dict[str, Table] = {
    "StartInvocation": {
        **RUN,
        "collection": text(128),
        "conversation_id": BAD_IDS,
        "query": text(100_000, needed=True),
        "threshold_tokens": [0, 399, 1_000_001],
        "context_window": [0, 799, 10_000_001],
        "keep_steps": [0, 101],
        "request_id": BAD_IDS,
    },
    "AddWorkingItems": {
        **RUN,
        "items": [[], [THOUGHT] * 101],
        **under("items[].", ITEM),
        "request_id": BAD_IDS,
    },
    "GetWorkingMemory": {**RUN, "min_revision": BAD_REVISIONS},
    "EndInvocation": {**RUN, "result": [*text(100_000), "x" * 1_000_000], "request_id": BAD_IDS},
    "AddInvocationSummary": {
        **ONE,
        "summary.invocation_id": REQUIRED_ID,
        "summary.query": text(2_000, needed=True),
        "summary.summary": text(4_096),
        "summary.result": text(2_000),
        "summary.step": [-1],
        "summary.event_time": BAD_TIMES,
        "request_id": BAD_IDS,
    },
    "ListInvocations": {**READ, **BAD_PAGES},
    "CreateConversation": {
        "user": text(128, needed=True),
        "conversation_id": BAD_IDS,
        "collection": text(128),
        **OWN,
        "request_id": BAD_IDS,
    },
    "GetConversation": READ,
    "ListConversations": {
        "user": text(128, needed=True),
        "collection": text(128),
        "labels": BAD_LABELS,
        "state": NO_ENUM,
        **BAD_PAGES,
    },
    "UpdateConversation": {
        **WRITE,
        "if_revision": BAD_REVISIONS,
        "update_mask": BAD_MASKS,
        "conversation.user": ["eve"],
        "conversation.conversation_id": ["c2"],
        **under("conversation.", OWN),
    },
    "EndConversation": WRITE,
    "DeleteConversation": {**WRITE, "if_revision": BAD_REVISIONS},
    "AddTurns": {
        **WRITE,
        "collection": text(128),
        "turns": [[], [SAID] * 101],
        **under("turns[].", TURN),
    },
    "ListTurns": {**READ, **RANGE, "writer": text(128), "last": [0, -1, 1_001], **BAD_PAGES},
    "DeleteTurns": {
        **WRITE,
        "steps": [[], [0], [-1], [1, 1], [10**12], list(range(1, 1_002))],
        **RANGE,
    },
    "RetractTurns": {
        **WRITE,
        "steps": [[0], [-1], [1, 1], [1], list(range(1, 1_002))],
        "writer": text(128),
        **under("written.", TIME_RANGE),
        "reason": text(1_024),
    },
    "ReleaseTurns": {**WRITE, "retraction_id": REQUIRED_ID},
    "EraseTurns": {**WRITE, "retraction_id": REQUIRED_ID},
    "ListTurnRetractions": {**READ, **BAD_PAGES},
    "SearchTurns": {
        **{name: values for name, values in READ.items() if name != "conversation_id"},
        "conversation_id": BAD_IDS,
        "collection": ["work"],
        "labels": [{"a": "b"}],
        "most_conversations": [0, 1_001, 5],
        "text": text(16_384, needed=True),
        "embedding": BAD_VECTORS,
        "top_k": BAD_TOP_K,
        "alpha": BAD_SHARES,
        "cluster_ids": [["a b"], ["c1", "c1"], ["c1"] * 101],
        **under("event_time.", TIME_RANGE),
    },
    "AddKey": {**WRITE, "text": text(1_000, needed=True)},
    "UpdateKey": {
        **WRITE,
        "key_id": REQUIRED_ID,
        "key.key_id": ["k2"],
        "key.text": text(1_000, needed=True),
        "update_mask": [FieldMask(), FieldMask(paths=["type"])],
        "if_revision": BAD_REVISIONS,
    },
    "DeleteKey": {**WRITE, "key_id": REQUIRED_ID},
    "ListKeys": {**READ, **BAD_PAGES},
    "ListClusters": {**READ, **BAD_PAGES},
    "DeleteCluster": {**WRITE, "cluster_id": REQUIRED_ID},
    "ListSummaries": {**READ, "kind": NO_ENUM, **RANGE, **under("time.", TIME_RANGE), **BAD_PAGES},
    "DeleteSummaries": {**WRITE, **RANGE, **under("time.", TIME_RANGE)},
    "AssembleContext": {
        **CONTEXT,
        "part_timeout": [Duration(), Duration(seconds=1), Duration(seconds=61), Duration(seconds=-1)],
        "min_score": BAD_SHARES,
        "form": NO_ENUM,
    },
    "Explain": {
        **CONTEXT,
        "min_score": BAD_SHARES,
        "node_id": BAD_IDS,
        "segment.interaction_id": BAD_IDS,
        "segment.index": [-1],
        "record_id": BAD_IDS,
        "step": [0, -1],
        "text": text(16_384, needed=True),
    },
}

OF_RECORDS = (
    "collection",
    "state",
    "turn_count",
    "last_step",
    "extracted_to",
    "create_time",
    "update_time",
    "last_turn_time",
    "end_time",
    "tokens_spent",
    "revision",
)
OF_KEYS = (
    "type",
    "cluster_id",
    "from_steps",
    "event_time",
    "shown_time",
    "create_time",
    "update_time",
    "revision",
)

SWITCHES = ("enabled", "settings.extract_facts", "settings.record_episodes")

HARMLESS: dict[str, Mapping[str, str]] = {
    "StartInvocation": {"enable_memory": YES_OR_NO},
    "AddWorkingItems": {"items[].failed": YES_OR_NO, "items[].number": UNSEEN, "items[].tokens": UNSEEN},
    "GetWorkingMemory": {"raw": YES_OR_NO},
    "GetConversation": {"include_invocations": YES_OR_NO},
    "AddInvocationSummary": {"summary.succeeded": YES_OR_NO},
    "EndInvocation": dict.fromkeys(("succeeded", "skip_turn", "wait"), YES_OR_NO),
    "CreateConversation": dict.fromkeys(SWITCHES, YES_OR_NO),
    "EndConversation": {"wait": YES_OR_NO},
    "DeleteTurns": {"keep_records": YES_OR_NO},
    "RetractTurns": {"dry_run": YES_OR_NO},
    "UpdateConversation": {f"conversation.{name}": UNSEEN for name in OF_RECORDS}
    | {f"conversation.{name}": YES_OR_NO for name in SWITCHES},
    "DeleteConversation": dict.fromkeys(("allow_missing", "forget_records"), YES_OR_NO),
    "AddTurns": {
        f"turns[].{name}": UNSEEN
        for name in ("step", "create_time", "cluster_id", "invocation_id", "writer", "metadata_bytes")
    },
    "ListTurns": {"include_metadata": YES_OR_NO},
    "UpdateKey": {f"key.{name}": UNSEEN for name in OF_KEYS},
    "AssembleContext": dict.fromkeys(
        ("tools", "tools_apart", "allow_partial", "observe", "recall_turns"), YES_OR_NO
    ),
    "Explain": dict.fromkeys(("tools", "tools_apart", "recall_turns"), YES_OR_NO),
}
