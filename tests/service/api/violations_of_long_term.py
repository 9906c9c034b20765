"""For every field of every request of LongTerm, values that cannot be accepted."""

from collections.abc import Mapping

from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import long_term_pb2 as pb
from tests.service.api.violations import (
    BAD_IDS,
    BAD_KEYWORDS,
    BAD_PAGES,
    BAD_REVISIONS,
    BAD_SHARES,
    BAD_TIMES,
    BAD_TOP_K,
    BAD_VECTORS,
    NO_ENUM,
    REQUIRED_ID,
    TIME_RANGE,
    TIMES,
    UNSEEN,
    YES_OR_NO,
    Table,
    text,
    under,
)

SENTENCE, GOAL, DETAIL = 4_096, 16_384, 65_536
BAD_DURATIONS = [Duration(seconds=-1), Duration(nanos=-1), Duration(nanos=10**9), Duration(seconds=10**12)]
PAST_TIMES = [Timestamp(seconds=4_000_000_000), *BAD_TIMES]
BAD_JSON = [
    "{",
    "[1]",
    "3",
    '{"a": NaN}',
    '{"a": Infinity}',
    '{"a": 1e999}',
    '{"a": "\\ud83d"}',
    '{"\\udfff": 1}',
    '{"a":' * 101 + "1" + "}" * 101,
    "[" * 50_000,
    "a\0b",
]
BAD_METADATA = [*BAD_JSON, '{"a": "' + "x" * 2**20 + '"}']
BAD_ARGUMENTS = [*BAD_JSON, '{"a": "' + "x" * DETAIL + '"}']
BAD_CATEGORIES = ["Work", "a" * 65, "工作", " ", "a b", "1a"]
BAD_RECORD_IDS = [["/"], ["r1", "r1"], [f"r{n}" for n in range(101)]]
BAD_REWARDS = [-1.01, 1.01, float("nan"), float("inf")]
MASKS = [FieldMask(), FieldMask(paths=["access_count"]), FieldMask(paths=["content", "nothing"])]

WHOSE: Table = {"user": text(128, needed=True), "collection": text(128)}
READ: Table = {**WHOSE, "min_revision": BAD_REVISIONS}
WRITE: Table = {**WHOSE, "request_id": BAD_IDS}
USER: Table = {"user": text(128, needed=True)}
FAILURE: Table = {
    "error_type": text(128, needed=True),
    "tool": text(128, needed=True),
    "message": text(SENTENCE),
}
OWN: Table = {
    "category": BAD_CATEGORIES,
    "subcategory": text(128),
    "tags": BAD_KEYWORDS,
    "content": text(SENTENCE, needed=True),
    "detail": text(DETAIL),
    "confidence": BAD_SHARES,
    "reward": BAD_REWARDS,
    "source": text(1_024),
    "agent": text(128),
    "event_time": PAST_TIMES,
    "metadata_json": BAD_METADATA,
    "ttl": BAD_DURATIONS,
}
PUT: Table = {
    **OWN,
    "record_id": REQUIRED_ID,
    "kind": [pb.RECORD_KIND_FACT, pb.RECORD_KIND_EPISODE, *NO_ENUM],
    "origin": NO_ENUM,
    "conversation_id": BAD_IDS,
    "invocation_id": BAD_IDS,
    "steps": [[1] * 1_001, [0], [-1]],
    "episode": [pb.Episode(goal="g")],
    "recovery": [pb.Recovery(error_type="E", tool="t")],
}
CONDITION: Table = {
    "path": text(256, needed=True),
    "op": [0, *NO_ENUM],
    "value_json": ["", "x", "NaN", "[1]", "{}", "1 2", '"' + "x" * SENTENCE + '"'],
}
FILTER: Table = {
    "metadata": [
        [pb.MetadataCondition(path="a", op=pb.METADATA_OP_EQ, value_json="1")] * 9,
        [pb.MetadataCondition(path="a", op=pb.METADATA_OP_IN, value_json="1")],
        [pb.MetadataCondition(path="a", op=pb.METADATA_OP_IN, value_json="[[]]")],
        [pb.MetadataCondition(path="a", op=pb.METADATA_OP_IN, value_json=str([1] * 65))],
        [pb.MetadataCondition(path="a", op=pb.METADATA_OP_GT, value_json="true")],
        [pb.MetadataCondition(path="a", op=pb.METADATA_OP_LTE, value_json="null")],
    ],
    **under("metadata[].", CONDITION),
    "kinds": [[99], [1] * 17],
    "category": BAD_CATEGORIES,
    "subcategory_prefix": text(128),
    "tags": BAD_KEYWORDS,
    "states": [[99], [1] * 17],
    "conversation_id": BAD_IDS,
    "writer": text(128),
}
ALL_BUT_EPISODE = FieldMask(paths=[*OWN, "needs_revision", "state"])
WHOLE = pb.Record(
    record_id="r1",
    content="x",
    category="work",
    confidence=0.5,
    reward=0.0,
    event_time=Timestamp(seconds=1),
    state=pb.RECORD_STATE_ACTIVE,
)
ADA = "ada"
NAMED = pb.RecordFilter(metadata=[pb.MetadataCondition(path="a.b", op=pb.METADATA_OP_EQ, value_json="1")])

RIGHT: dict[str, Message] = {
    "StoreFact": pb.StoreFactRequest(user=ADA, content="x"),
    "RetrieveFacts": pb.RetrieveFactsRequest(user=ADA, query="q", filter=NAMED),
    "StoreEpisode": pb.StoreEpisodeRequest(user=ADA, goal="g"),
    "RecallEpisodes": pb.RecallEpisodesRequest(user=ADA, query="q"),
    "AddRecord": pb.AddRecordRequest(user=ADA, record=pb.Record(kind=pb.RECORD_KIND_FACT, content="x")),
    "PutRecord": pb.PutRecordRequest(user=ADA, record=pb.Record(record_id="r1", content="x")),
    "BatchPutRecords": pb.BatchPutRecordsRequest(
        user=ADA, records=[pb.Record(record_id="r1", content="x")], delete_ids=["r2"]
    ),
    "GetRecord": pb.GetRecordRequest(user=ADA, record_id="r1"),
    "UpdateRecord": pb.UpdateRecordRequest(user=ADA, record=WHOLE, update_mask=ALL_BUT_EPISODE),
    "ListRecords": pb.ListRecordsRequest(user=ADA, filter=NAMED),
    "DeleteRecords": pb.DeleteRecordsRequest(user=ADA, filter=NAMED),
    "ReviewRecords": pb.ReviewRecordsRequest(
        user=ADA, record_ids=["r1"], decision=pb.REVIEW_DECISION_CORRECT, content="c"
    ),
    "RetractRecords": pb.RetractRecordsRequest(
        user=ADA, filter=pb.RetractionFilter(source="web", written=TIMES)
    ),
    "ReleaseRetraction": pb.ReleaseRetractionRequest(user=ADA, retraction_id="x1"),
    "EraseRetraction": pb.EraseRetractionRequest(user=ADA, retraction_id="x1"),
    "ListRetractions": pb.ListRetractionsRequest(user=ADA),
    "RetrieveMemories": pb.RetrieveMemoriesRequest(user=ADA, query="q", filter=NAMED),
    "RecordRecovery": pb.RecordRecoveryRequest(user=ADA, error_type="E", tool="t", success=True),
    "FindRecoveries": pb.FindRecoveriesRequest(user=ADA, error_type="E", tool="t"),
    "ReportOutcome": pb.ReportOutcomeRequest(user=ADA, record_ids=["r1"]),
    "GiveFeedback": pb.GiveFeedbackRequest(user=ADA, record_ids=["r1"], thumb=pb.THUMB_UP),
    "ExportFeedback": pb.ExportFeedbackRequest(user=ADA),
    "GenerateReflection": pb.GenerateReflectionRequest(user=ADA, title="t", category="work"),
    "GetReflection": pb.GetReflectionRequest(user=ADA, reflection_id="m1"),
    "ListReflections": pb.ListReflectionsRequest(user=ADA),
    "DeleteReflection": pb.DeleteReflectionRequest(user=ADA, reflection_id="m1"),
    "GetCollection": pb.GetCollectionRequest(user=ADA),
    "UpdateCollection": pb.UpdateCollectionRequest(
        collection=pb.Collection(user=ADA),
        update_mask=FieldMask(paths=["half_life_days", "retention", "enabled"]),
    ),
    "ListCollections": pb.ListCollectionsRequest(user=ADA),
    "DeleteCollection": pb.DeleteCollectionRequest(user=ADA),
    "ExportCollection": pb.ExportCollectionRequest(user=ADA),
    "ImportCollection": pb.ImportCollectionRequest(options=pb.ImportCollectionOptions(user=ADA)),
    "ImportUser": pb.ImportUserRequest(options=pb.ImportUserOptions(user=ADA)),
    "DeclareTools": pb.DeclareToolsRequest(),
    "GetUser": pb.GetUserRequest(user=ADA),
    "ListUsers": pb.ListUsersRequest(),
    "UpdateUser": pb.UpdateUserRequest(
        user=pb.User(user=ADA), update_mask=FieldMask(paths=["enabled", "retention", "quotas"])
    ),
    "PurgeUser": pb.PurgeUserRequest(user=ADA),
    "EraseMentions": pb.EraseMentionsRequest(user=ADA, mentions=["Bob"]),
    "ExportUser": pb.ExportUserRequest(user=ADA),
}

WRONG: dict[str, Table] = {
    "StoreFact": {
        **WRITE,
        **{
            name: OWN[name]
            for name in ("content", "category", "source", "event_time", "metadata_json", "ttl")
        },
        "conversation_id": BAD_IDS,
        "supersedes": [*([each] for each in BAD_IDS), ["r1", "r1"], [f"r{n}" for n in range(21)]],
    },
    "RetrieveFacts": {
        **READ,
        "query": text(GOAL, needed=True),
        "embedding": BAD_VECTORS,
        "top_k": BAD_TOP_K,
        "categories": [["A"], [""], ["a"] * 65],
        "as_of": BAD_TIMES,
        "min_similarity": BAD_SHARES,
        **under("filter.", FILTER),
        "filter.awaits_review": [True],
    },
    "StoreEpisode": {
        **WRITE,
        "goal": text(SENTENCE, needed=True),
        "steps": [["s"] * 101, [""], ["s" * (SENTENCE + 1)], ["a\0b"]],
        "outcome": text(GOAL),
        "lessons": text(GOAL),
        "metadata_json": BAD_METADATA,
        "source": text(1_024),
    },
    "RecallEpisodes": {
        **READ,
        "query": text(GOAL, needed=True),
        "state": text(GOAL),
        "top_k": BAD_TOP_K,
    },
    "AddRecord": {
        **WRITE,
        **under("record.", OWN),
        "record.record_id": BAD_IDS,
        "record.kind": NO_ENUM,
        "record.origin": NO_ENUM,
        "record.conversation_id": BAD_IDS,
        "record.invocation_id": BAD_IDS,
        "record.steps": [[1] * 1_001, [0], [-1]],
        "record.episode": [pb.Episode(goal="g")],
        "record.recovery": [pb.Recovery(error_type="E", tool="t")],
    },
    "PutRecord": {
        **WRITE,
        **under("record.", PUT),
        "if_revision": BAD_REVISIONS,
    },
    "BatchPutRecords": {
        **WRITE,
        "records": [
            [pb.Record(record_id=f"r{n}", content="x") for n in range(1_001)],
            [pb.Record(record_id="r1", content="x"), pb.Record(record_id="r1", content="y")],
        ],
        **under("records[].", PUT),
        "delete_ids": [["/"], ["r2", "r2"], ["r1"], [f"d{n}" for n in range(1_001)]],
    },
    "GetRecord": {**READ, "record_id": REQUIRED_ID},
    "UpdateRecord": {
        **WRITE,
        **under("record.", OWN),
        "record.record_id": REQUIRED_ID,
        "record.category": ["", *BAD_CATEGORIES],
        "record.state": [0, 99],
        "update_mask": MASKS,
        "if_revision": BAD_REVISIONS,
    },
    "ListRecords": {**READ, **under("filter.", FILTER), **BAD_PAGES},
    "DeleteRecords": {
        **WRITE,
        "record_ids": BAD_RECORD_IDS,
        **under("filter.", FILTER),
        "filter.awaits_review": [True],
    },
    "ReviewRecords": {
        **WRITE,
        "record_ids": [[], ["r1", "r2"], *BAD_RECORD_IDS],
        "decision": [0, *NO_ENUM],
        "content": text(SENTENCE, needed=True),
    },
    "RetractRecords": {
        **WRITE,
        "record_ids": BAD_RECORD_IDS,
        "filter.source": text(1_024),
        "filter.conversation_id": BAD_IDS,
        "filter.writer": text(128),
        **under("filter.written.", TIME_RANGE),
        "reason": text(1_024),
    },
    "ReleaseRetraction": {**WRITE, "retraction_id": REQUIRED_ID},
    "EraseRetraction": {**WRITE, "retraction_id": REQUIRED_ID},
    "ListRetractions": {**READ, **BAD_PAGES},
    "RetrieveMemories": {
        **READ,
        "query": text(GOAL, needed=True),
        "route.intent": NO_ENUM,
        "route.categories": [["?"], [""], ["a"] * 65],
        "route.layers": [[99], [-1]],
        "top_k": BAD_TOP_K,
        **under("filter.", FILTER),
        "filter.awaits_review": [True],
    },
    "RecordRecovery": {
        **WRITE,
        **FAILURE,
        "original_json": BAD_ARGUMENTS,
        "fixed_json": BAD_ARGUMENTS,
        "explanation": text(SENTENCE),
        "success": [False],
    },
    "FindRecoveries": {**READ, **FAILURE, "top_k": BAD_TOP_K, "min_match": BAD_SHARES},
    "ReportOutcome": {**WRITE, "record_ids": [[], *BAD_RECORD_IDS], "response": text(DETAIL)},
    "GiveFeedback": {
        **WRITE,
        "record_ids": [[], *BAD_RECORD_IDS],
        "thumb": NO_ENUM,
        "stars": [0, 6, -1, 3],
        "reason": text(SENTENCE),
        "query": text(GOAL),
        "response": text(DETAIL),
    },
    "ExportFeedback": READ,
    "GenerateReflection": {
        **WRITE,
        "title": ["a\nb", *text(256, needed=True)],
        "category": ["", *BAD_CATEGORIES],
        "record_ids": [["/"], ["r1", "r1"], [f"r{n}" for n in range(51)]],
    },
    "GetReflection": {**READ, "reflection_id": REQUIRED_ID},
    "ListReflections": {**READ, "category": BAD_CATEGORIES, **BAD_PAGES},
    "DeleteReflection": {**WRITE, "reflection_id": REQUIRED_ID},
    "GetCollection": READ,
    "UpdateCollection": {
        **under("collection.", WHOSE),
        "collection.half_life_days": [
            {"work": -1.0},
            {"work": float("nan")},
            {"work": 36_526.0},
            {"Work": 1.0},
            {"": 1.0},
            {f"a{n}": 1.0 for n in range(65)},
        ],
        "collection.retention": BAD_DURATIONS,
        "collection.review": NO_ENUM,
        "update_mask": MASKS,
        "if_revision": BAD_REVISIONS,
        "request_id": BAD_IDS,
    },
    "ListCollections": {**USER, **BAD_PAGES},
    "DeleteCollection": {**WRITE, "if_revision": BAD_REVISIONS},
    "ExportCollection": READ,
    "ImportCollection": {**under("options.", WRITE)},
    "ImportUser": under("options.", {**USER, "request_id": BAD_IDS}),
    "DeclareTools": {"tool_format": NO_ENUM},
    "ListUsers": BAD_PAGES,
    "GetUser": {**USER, "min_revision": BAD_REVISIONS},
    "UpdateUser": {
        "user.user": USER["user"],
        "user.retention": BAD_DURATIONS,
        "user.quotas": [{"bank": 1}, {"": 1}, {"collection": -1}, {"collection": 2**31}],
        "update_mask": MASKS,
        "if_revision": BAD_REVISIONS,
        "request_id": BAD_IDS,
    },
    "PurgeUser": {**USER, "request_id": BAD_IDS},
    "EraseMentions": {
        **USER,
        "mentions": [[], ["B"], ["!?"], ["Bo", ""], ["b" * 129], ["a\0b"], [f"n{n}" for n in range(21)]],
        "request_id": BAD_IDS,
    },
    "ExportUser": {**USER, "min_revision": BAD_REVISIONS},
}

OF_RECORDS = (
    "create_time",
    "update_time",
    "last_use_time",
    "access_count",
    "metadata_bytes",
    "judged",
    "reflection_id",
    "superseded_by",
    "superseded_reason",
    "valid_from",
    "valid_until",
    "contested_with",
    "also_from",
    "revision",
    "awaits_review",
    "writer",
    "supersedes",
    "speaker",
    "said_dates",
    "context",
)
NOT_CHANGED = ("kind", "origin", "conversation_id", "steps", "invocation_id", "recovery")

HARMLESS: dict[str, Mapping[str, str]] = {
    "StoreFact": {"allow_sensitive": YES_OR_NO, "wait": YES_OR_NO},
    "RetrieveFacts": dict.fromkeys(("include_superseded", "observe", "filter.needs_revision"), YES_OR_NO),
    "RecallEpisodes": {"observe": YES_OR_NO},
    "FindRecoveries": {"observe": YES_OR_NO},
    "StoreEpisode": {"allow_sensitive": YES_OR_NO},
    "AddRecord": {f"record.{name}": UNSEEN for name in (*OF_RECORDS, "state")}
    | {
        "allow_sensitive": YES_OR_NO,
        "record.needs_revision": YES_OR_NO,
        "record.episode": "as in StoreEpisode, for a record that is one",
        "record.recovery": "made by RecordRecovery alone",
    },
    "PutRecord": {f"record.{name}": UNSEEN for name in (*OF_RECORDS, "state")}
    | dict.fromkeys(("allow_sensitive", "record.needs_revision"), YES_OR_NO)
    | dict.fromkeys(("record.episode", "record.recovery"), "no MEMORY has one"),
    "BatchPutRecords": {f"records[].{name}": UNSEEN for name in (*OF_RECORDS, "state")}
    | dict.fromkeys(("allow_sensitive", "records[].needs_revision"), YES_OR_NO)
    | dict.fromkeys(("records[].episode", "records[].recovery"), "no MEMORY has one"),
    "UpdateRecord": {f"record.{name}": UNSEEN for name in (*OF_RECORDS, *NOT_CHANGED)}
    | {
        "allow_sensitive": YES_OR_NO,
        "record.needs_revision": YES_OR_NO,
        "record.episode": "as in StoreEpisode, where update_mask names it",
    },
    "ListRecords": dict.fromkeys(("filter.needs_revision", "filter.awaits_review"), YES_OR_NO),
    "DeleteRecords": {"filter.needs_revision": YES_OR_NO},
    "ReviewRecords": {"allow_sensitive": YES_OR_NO},
    "RetractRecords": {"dry_run": YES_OR_NO},
    "RetrieveMemories": {"route.widened": UNSEEN}
    | dict.fromkeys(("observe", "strict", "wait", "filter.needs_revision"), YES_OR_NO),
    "RecordRecovery": {"allow_sensitive": YES_OR_NO},
    "ReportOutcome": dict.fromkeys(("succeeded", "by_citation"), YES_OR_NO),
    "GiveFeedback": {"by_citation": YES_OR_NO},
    "UpdateCollection": {
        f"collection.{name}": UNSEEN for name in ("create_time", "update_time", "revision", "tokens_spent")
    }
    | {"collection.enabled": YES_OR_NO},
    "DeleteCollection": {"allow_missing": YES_OR_NO},
    "ImportCollection": {
        "options.allow_sensitive": YES_OR_NO,
        "file": "what is wrong with a file is IMPORT_INVALID",
    },
    "UpdateUser": {
        f"user.{name}": UNSEEN for name in ("state", "create_time", "update_time", "revision", "tokens_spent")
    }
    | {"user.enabled": YES_OR_NO},
    "PurgeUser": {"include_banks": YES_OR_NO},
    "EraseMentions": {"dry_run": YES_OR_NO},
    "ExportUser": {"omit_banks": YES_OR_NO},
    "ImportUser": {
        "options.dry_run": YES_OR_NO,
        "file": "what is wrong with a file is IMPORT_INVALID",
    },
}
