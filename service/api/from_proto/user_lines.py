"""The lines of a user's files, each as core wrote it: what one may be by itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from core.ids import ConversationId, InvocationId, RecordId
from core.keys import CollectionKey, ConversationKey, InvocationKey, UserKey
from core.model.collection import CollectionRecord, Feedback, Tombstone
from core.model.conversation import (
    ClusterHits,
    ConversationRecord,
    ForgettingOwed,
    KeyMemory,
    StepRange,
    Summary,
    SummaryOwed,
    Taught,
    Turn,
    TurnCluster,
)
from core.model.instructions import Level, Owner, Source
from core.model.invocation import InvocationRecord, InvocationSummary, Item
from core.model.user import UserRecord
from core.text.tokens import estimate
from core.usecases.bank.exchange.import_records import MOST
from core.usecases.conversation.verbs.list_turns import LAST, PlacedTurn
from core.usecases.whole_user.user_lines import (
    CollectionRead,
    HitCluster,
    OwnedSource,
    Progress,
    Read,
    Running,
    TombstoneLine,
    UserRead,
)
from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import instructions_pb2
from memorybank.v1 import long_term_pb2 as pb
from service.api.enums import CONVERSATION_STATES, KEY_TYPES, REVIEWS, SUMMARY_KINDS, or_first
from service.api.from_proto import conversation
from service.api.from_proto.checks import EPOCH, NAME, SENTENCE, Checks
from service.api.from_proto.collections import half_lives
from service.api.from_proto.forms import json_text, line
from service.api.from_proto.invocations import GIVEN
from service.api.from_proto.users import quotas
from service.api.mapping.rules import greatest, longest

MOST_STEPS = MOST_IDS = HASHES = 100_000
MOST_TOKENS = 10_000_000  # above which a run shows its items compressed
SUMMARY = 65_536  # code points
TEXT = longest(talk.Item, "content")
LAST_STEP = greatest(talk.Item, "step")
KINDS_OF_SUMMARIES = {int(number): kind for number, kind in SUMMARY_KINDS.items()}


# ---- the user, and what is the user's alone ----


def _user(check: Checks, given: pb.GetUserResponse, key: UserKey) -> UserRead:
    user = given.user
    record = UserRecord(
        key=key,
        uid="",
        user=key.user,
        create_time=check.time("user.create_time", user.create_time),
        update_time=check.time("user.update_time", user.update_time),
        enabled=user.enabled,
        retention=check.duration("user.retention", user.retention) if user.HasField("retention") else None,
        quotas=quotas(check, "user.quotas", user.quotas),
        tokens_spent=check.between("user.tokens_spent", user.tokens_spent, 0, MOST),
    )
    return UserRead(record=record, revision=check.between("revision", given.revision, 0, MOST) or 1)


def _source(check: Checks, given: instructions_pb2.Source, key: UserKey) -> OwnedSource:
    text = check.text("text", given.text)
    version = check.between("version", given.version, 1, LAST)
    source = Source(
        path=line(check, "path", given.path, longest(instructions_pb2.SourceRef, "path"), least=1),
        text=text,
        version=version,
        first_version=version,
        characters=len(text),
        tokens=estimate(text),
        create_time=check.time("create_time", given.create_time),
        update_time=check.time("update_time", given.update_time),
        update_by=check.text("update_by", given.update_by, NAME),
    )
    return OwnedSource(owner=Owner(level=Level.USER, name=key.user), source=source)


# ---- conversations ----


def _conversation(check: Checks, given: talk.ConversationRecord, key: UserKey) -> ConversationRecord:
    conversation_id = ConversationId(check.id("conversation_id", given.conversation_id))
    return ConversationRecord(
        key=ConversationKey(tenant=key.tenant, user=key.user, conversation_id=conversation_id),
        uid="",
        user=key.user,
        collection=conversation.collection_of(check, given.collection),
        create_time=check.time("create_time", given.create_time),
        update_time=check.time("update_time", given.update_time),
        goal=check.text("goal", given.goal, longest(talk.ConversationRecord, "goal")),
        labels=check.labels("labels", given.labels),
        settings=conversation.settings.part(given.settings, check.within("settings.")),
        enabled=given.enabled,
        state=check.choice("state", int(given.state), or_first(CONVERSATION_STATES)),
        ttl=check.duration("ttl", given.ttl) if given.HasField("ttl") else None,
        last_step=check.between("last_step", given.last_step, 0, LAST),
        extracted_to=check.between("extracted_to", given.extracted_to, 0, LAST),
        last_turn_time=check.optional_time(given, "last_turn_time"),
        end_time=check.optional_time(given, "end_time"),
        tokens_spent=check.between("tokens_spent", given.tokens_spent, 0, MOST),
        edited_at=check.between("revision", given.revision, 0, MOST) or 1,
    )


def _progress(check: Checks, given: pb.ConversationProgress, _: UserKey) -> Progress:
    taught = Taught(
        fact_ids=tuple(map(RecordId, check.ids("fact_ids", given.fact_ids, MOST_IDS))),
        withheld=check.between("withheld", given.withheld, 0, LAST),
        episode_id=RecordId(check.id_or_none("episode_id", given.episode_id) or ""),
    )
    return Progress(
        placed_to=check.between("placed_to", given.placed_to, 0, LAST),
        summarised_to=check.between("summarised_to", given.summarised_to, 0, LAST),
        attempts=check.between("attempts", given.attempts, 0, LAST),
        unstated=_steps(check, "unstated_steps", given.unstated_steps),
        anew=_steps(check, "anew_steps", given.anew_steps),
        actions=_counts(check, "actions", given.actions),
        seen_to=_counts(check, "seen_to", given.seen_to),
        taught=taught,
        owed=tuple(_owed(check.within(f"owed[{i}]."), each) for i, each in enumerate(given.owed)),
        forgetting=tuple(
            _forgetting(check.within(f"forgetting[{i}]."), each) for i, each in enumerate(given.forgetting)
        ),
    )


def _counts(check: Checks, field: str, values: Mapping[str, int]) -> dict[str, int]:
    return {check.id(field, name): check.between(field, count, 0, LAST) for name, count in values.items()}


def _owed(check: Checks, given: pb.SummaryOwed) -> SummaryOwed:
    return SummaryOwed(
        summary_id=check.id("summary_id", given.summary_id),
        kind=check.choice("kind", int(given.kind), KINDS_OF_SUMMARIES),
        ranges=_ranges(check, given.ranges),
    )


def _forgetting(check: Checks, given: pb.ForgettingOwed) -> ForgettingOwed:
    return ForgettingOwed(
        number=check.between("number", given.number, 0, LAST),
        steps=_steps(check, "steps", given.steps),
        everything=given.everything,
        again=given.again,
    )


def _turn(check: Checks, given: talk.Turn, _: UserKey) -> PlacedTurn:
    if not (given.input.strip() or given.reply.strip()):
        check.wrong("input", "must not be empty or blank, unless reply is not")
    kept = json_text(check, "metadata_json", given.metadata_json)
    turn = Turn(
        step=check.between("step", given.step, 1, LAST),
        input=check.text("input", given.input, TEXT),
        reply=check.text("reply", given.reply, TEXT),
        event_time=check.time("event_time", given.event_time),
        create_time=check.time("create_time", given.create_time),
        input_speaker=check.text("input_speaker", given.input_speaker, NAME),
        reply_speaker=check.text("reply_speaker", given.reply_speaker, NAME),
        labels=check.labels("labels", given.labels),
        invocation_id=check.id_or_none("invocation_id", given.invocation_id) or "",
        writer=check.text("writer", given.writer, NAME),
        metadata_bytes=len(kept.encode()),
    )
    return PlacedTurn(turn=turn, metadata_json=kept)


def _cluster(check: Checks, given: talk.Cluster, _: UserKey) -> HitCluster:
    cluster_id = check.id("cluster_id", given.cluster_id)
    cluster = TurnCluster(
        cluster_id=cluster_id, steps=_steps(check, "steps", given.steps), promoted=given.promoted
    )
    last_hit_time = check.optional_time(given, "last_hit_time")
    count = check.between("hits", given.hits, 0, LAST)
    if last_hit_time is None:
        return HitCluster(cluster=cluster, hits=None)
    return HitCluster(
        cluster=cluster, hits=ClusterHits(cluster_id=cluster_id, hits=count, last_hit_time=last_hit_time)
    )


def _summary(check: Checks, given: talk.Summary, _: UserKey) -> Summary:
    return Summary(
        summary_id=check.id("summary_id", given.summary_id),
        kind=check.choice("kind", int(given.kind), KINDS_OF_SUMMARIES),
        ranges=_ranges(check, given.ranges),
        text=check.text("text", given.text, SUMMARY),
        start_time=check.time("start_time", given.start_time),
        end_time=check.time("end_time", given.end_time),
        create_time=check.time("create_time", given.create_time),
    )


def _key(check: Checks, given: talk.Key, _: UserKey) -> KeyMemory:
    return KeyMemory(
        key_id=check.id("key_id", given.key_id),
        type=check.choice("type", int(given.type), or_first(KEY_TYPES)),
        text=check.text("text", given.text, SENTENCE, least=1),
        create_time=check.time("create_time", given.create_time),
        update_time=check.time("update_time", given.update_time),
        revision=check.between("revision", given.revision, 0, MOST),
        cluster_id=check.id_or_none("cluster_id", given.cluster_id) or "",
        from_steps=_steps(check, "from_steps", given.from_steps),
        event_time=check.optional_time(given, "event_time"),
        shown_time=check.optional_time(given, "shown_time"),
    )


def _ranges(check: Checks, values: Sequence[talk.StepRange]) -> tuple[StepRange, ...]:
    check.amount("ranges", values, MOST_STEPS, least=1)
    found = tuple(StepRange(first_step=each.first_step, last_step=each.last_step) for each in values)
    for place, each in enumerate(found):
        if not 1 <= each.first_step <= each.last_step <= LAST:
            check.wrong(f"ranges[{place}]", "must go from a step to the same or a later one")
    return found or (StepRange(first_step=1, last_step=1),)


def _steps(check: Checks, field: str, values: Sequence[int]) -> tuple[int, ...]:
    check.amount(field, values, MOST_STEPS)
    for place, step in enumerate(values):
        check.between(f"{field}[{place}]", step, 1, LAST)
    return tuple(values)


# ---- invocations ----


def _invocation(check: Checks, given: talk.InvocationSummary, _: UserKey) -> InvocationSummary:
    return InvocationSummary(
        invocation_id=InvocationId(check.id("invocation_id", given.invocation_id)),
        query=check.text("query", given.query, TEXT),
        summary=check.text("summary", given.summary, SUMMARY),
        result=check.text("result", given.result, TEXT),
        succeeded=given.succeeded,
        step=check.between("step", given.step, 0, LAST),
        event_time=check.time("event_time", given.event_time),
    )


def _running(check: Checks, given: pb.RunningInvocation, key: UserKey) -> Running:
    record = InvocationRecord(
        key=InvocationKey(tenant=key.tenant, user=key.user, invocation_id=InvocationId("")),
        uid="",
        user=key.user,
        collection=conversation.collection_of(check, given.collection),
        conversation_id=ConversationId(check.id_or_none("conversation_id", given.conversation_id) or ""),
        conversation_uid="",
        query="",
        threshold=check.between("threshold", given.threshold, 1, MOST_TOKENS),
        keep_steps=check.between("keep_steps", given.keep_steps, 1, MOST_STEPS),
        create_time=EPOCH,
        due_time=EPOCH,
        tokens_spent=check.between("tokens_spent", given.tokens_spent, 0, MOST),
        stated=not given.unstated,
        writer=check.text("writer", given.writer, NAME),
    )
    return Running(record=record)


def _item(check: Checks, given: talk.Item, _: UserKey) -> Item:
    return Item(
        number=check.between("number", given.number, 1, LAST),
        step=check.between("step", given.step, 0, LAST_STEP),
        type=check.choice("type", int(given.type), GIVEN),
        content=check.text("content", given.content, TEXT),
        event_time=check.time("event_time", given.event_time),
        tool=check.text("tool", given.tool, NAME),
        arguments_json=json_text(
            check, "arguments_json", given.arguments_json, longest(talk.Item, "arguments_json")
        ),
        failed=given.failed,
        error_type=check.text("error_type", given.error_type, NAME),
        record_ids=tuple(map(RecordId, check.ids("record_ids", given.record_ids, MOST_IDS))),
        metadata=check.labels("metadata", given.metadata),
    )


# ---- collections ----


def _collection(check: Checks, given: pb.Collection, key: UserKey) -> CollectionRead:
    name = conversation.collection_of(check, given.collection)
    record = CollectionRecord(
        key=CollectionKey(tenant=key.tenant, user=key.user, collection=name),
        uid="",
        user=key.user,
        collection=name,
        salt="",
        create_time=check.time("create_time", given.create_time),
        update_time=check.time("update_time", given.update_time),
        half_life_days=half_lives(check, "half_life_days", given.half_life_days),
        retention=check.duration("retention", given.retention) if given.HasField("retention") else None,
        enabled=given.enabled,
        tokens_spent=check.between("tokens_spent", given.tokens_spent, 0, MOST),
        review=check.choice("review", given.review, or_first(REVIEWS)),
    )
    return CollectionRead(record=record, revision=check.between("revision", given.revision, 0, MOST) or 1)


def _feedback(check: Checks, given: pb.Feedback, _: UserKey) -> Feedback:
    if not -1.0 <= given.value <= 1.0:  # NaN is neither
        check.wrong("value", f"must be -1 to 1, not {given.value:g}")
    return Feedback(
        feedback_id=check.id("feedback_id", given.feedback_id),
        record_ids=tuple(map(RecordId, check.ids("record_ids", given.record_ids, MOST_IDS))),
        value=given.value,
        time=check.time("time", given.time),
        reason=check.text("reason", given.reason, TEXT),
        query=check.text("query", given.query, TEXT),
        response=check.text("response", given.response, TEXT),
    )


def _tombstone(check: Checks, given: pb.Tombstone, _: UserKey) -> TombstoneLine:
    stone = Tombstone(
        record_id=RecordId(check.id("record_id", given.record_id)),
        text_hash=check.text("text_hash", given.text_hash, NAME),
        term_hashes=check.texts("term_hashes", given.term_hashes, HASHES, NAME),
        time=check.time("time", given.time),
        source_hash=check.text("source_hash", given.source_hash, NAME),
    )
    return TombstoneLine(tombstone=stone, salt=check.text("salt", given.salt, NAME, least=1))


Reader = Callable[[Checks, Any, UserKey], Read]

WHOLE: Mapping[str, tuple[type[Message], Reader]] = {
    "user.json": (pb.GetUserResponse, _user),
    "collection.json": (pb.Collection, _collection),
}
"""Files that are one message."""

_OF_INVOCATIONS: tuple[type[Message], Reader] = (talk.InvocationSummary, _invocation)
LINES: Mapping[str, Mapping[str, tuple[type[Message], Reader]]] = {
    "instructions.jsonl": {"source": (instructions_pb2.Source, _source)},
    "conversations": {
        "conversation": (talk.ConversationRecord, _conversation),
        "progress": (pb.ConversationProgress, _progress),
        "turn": (talk.Turn, _turn),
        "cluster": (talk.Cluster, _cluster),
        "summary": (talk.Summary, _summary),
        "key": (talk.Key, _key),
        "invocation": _OF_INVOCATIONS,
    },
    "invocations": {
        "invocation": _OF_INVOCATIONS,
        "running": (pb.RunningInvocation, _running),
        "item": (talk.Item, _item),
    },
    "collections": {
        "feedback": (pb.Feedback, _feedback),
        "tombstone": (pb.Tombstone, _tombstone),
    },
}
"""The lines of files by their folder, each under the name of its field."""
