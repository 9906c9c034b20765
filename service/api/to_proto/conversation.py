"""Answers of Conversation."""

from collections.abc import Iterable

from core.model.conversation import (
    ClusterHits,
    ConversationRecord,
    ConversationSettings,
    KeyMemory,
    StepRange,
    Summary,
    Turn,
    TurnCluster,
)
from core.ports.aggregates import Committed
from core.usecases.conversation.verbs.add_key import KeyKept, KeyNamed
from core.usecases.conversation.verbs.add_turns import TurnsAdded
from core.usecases.conversation.verbs.delete_cluster import ClusterDeleted
from core.usecases.conversation.verbs.delete_conversation import ConversationPurged
from core.usecases.conversation.verbs.delete_summaries import SummariesDeleted
from core.usecases.conversation.verbs.delete_turns import TurnsDeleted
from core.usecases.conversation.verbs.end_conversation import ConversationEnded
from core.usecases.conversation.verbs.get_conversation import ConversationSeen
from core.usecases.conversation.verbs.list_clusters import ClustersListed
from core.usecases.conversation.verbs.list_conversations import ConversationsListed
from core.usecases.conversation.verbs.list_keys import KeysListed
from core.usecases.conversation.verbs.list_summaries import SummariesListed
from core.usecases.conversation.verbs.list_turns import PlacedTurn, TurnsListed
from core.usecases.conversation.verbs.search_turns import FoundTurn, TurnsFound
from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import CONVERSATION_STATES, KEY_TYPES, SUMMARY_KINDS, numbers
from service.api.to_proto.invocations import summary as invocation
from service.api.to_proto.values import duration, time, time_or_none, usage

_STATES = numbers(CONVERSATION_STATES)
_KINDS = numbers(SUMMARY_KINDS)
_TYPES = numbers(KEY_TYPES)


# ---- values ----


def record(value: ConversationRecord) -> pb.ConversationRecord:
    return pb.ConversationRecord(
        user=value.user,
        conversation_id=value.key.conversation_id,
        collection=value.collection,
        goal=value.goal,
        labels=value.labels,
        settings=settings(value.settings),
        enabled=value.enabled,
        state=_STATES[value.state],
        turn_count=value.turn_count,
        last_step=value.last_step,
        extracted_to=value.extracted_to,
        ttl=None if value.ttl is None else duration(value.ttl),
        create_time=time(value.create_time),
        update_time=time(value.update_time),
        last_turn_time=time_or_none(value.last_turn_time),
        end_time=time_or_none(value.end_time),
        tokens_spent=value.tokens_spent,
        revision=value.edited_at,
    )


def settings(value: ConversationSettings) -> pb.ConversationSettings:
    return pb.ConversationSettings(
        short_turns=value.short_turns,
        similarity=value.similarity,
        max_clusters=value.max_clusters,
        hit_threshold=value.hit_threshold,
        top_clusters=value.top_clusters,
        summary_every=value.summary_every,
        summary_length=value.summary_length,
        idle_timeout=None if value.idle_timeout is None else duration(value.idle_timeout),
        extract_facts=value.extract_facts,
        record_episodes=value.record_episodes,
    )


def placed_turn(value: PlacedTurn) -> pb.Turn:
    made = turn(value.turn, value.cluster_id)
    made.metadata_json = value.metadata_json
    return made


def turn(value: Turn, cluster_id: str = "") -> pb.Turn:
    return pb.Turn(
        step=value.step,
        input=value.input,
        reply=value.reply,
        input_speaker=value.input_speaker,
        reply_speaker=value.reply_speaker,
        event_time=time(value.event_time),
        create_time=time(value.create_time),
        cluster_id=cluster_id,
        labels=value.labels,
        invocation_id=value.invocation_id,
        writer=value.writer,
        metadata_bytes=value.metadata_bytes,
    )


def cluster(value: TurnCluster, hits: ClusterHits | None, label: str = "") -> pb.Cluster:
    return pb.Cluster(
        cluster_id=value.cluster_id,
        steps=value.steps,
        hits=hits.hits if hits else 0,
        last_hit_time=time_or_none(hits.last_hit_time if hits else None),
        promoted=value.promoted,
        label=label,
    )


def ranges(values: Iterable[StepRange]) -> list[pb.StepRange]:
    return [pb.StepRange(first_step=r.first_step, last_step=r.last_step) for r in values]


def summary(value: Summary) -> pb.Summary:
    return pb.Summary(
        summary_id=value.summary_id,
        kind=_KINDS[value.kind],
        first_step=value.first_step,
        last_step=value.last_step,
        ranges=ranges(value.ranges),
        text=value.text,
        start_time=time(value.start_time),
        end_time=time(value.end_time),
        create_time=time(value.create_time),
    )


def key(value: KeyMemory) -> pb.Key:
    return pb.Key(
        key_id=value.key_id,
        type=_TYPES[value.type],
        text=value.text,
        cluster_id=value.cluster_id,
        from_steps=value.from_steps,
        create_time=time(value.create_time),
        update_time=time(value.update_time),
        revision=value.revision,
        event_time=time_or_none(value.event_time),
        shown_time=time_or_none(value.shown_time),
    )


# ---- the conversation ----


def create_conversation(done: Committed[ConversationRecord]) -> pb.CreateConversationResponse:
    return pb.CreateConversationResponse(
        conversation=record(done.result), revision=done.revision, replayed=done.replayed
    )


def get_conversation(seen: ConversationSeen) -> pb.GetConversationResponse:
    counts = seen.counts
    return pb.GetConversationResponse(
        conversation=record(seen.record),
        counts=pb.ConversationCounts(
            turns=counts.turns,
            clusters=counts.clusters,
            long_summaries=counts.long_summaries,
            folded_summaries=counts.folded_summaries,
            keys=counts.keys,
            unplaced_turns=counts.unplaced_turns,
            unembedded_turns=counts.unembedded_turns,
        ),
        invocations=map(invocation, seen.invocations),
        revision=seen.revision,
    )


def list_conversations(listed: ConversationsListed) -> pb.ListConversationsResponse:
    return pb.ListConversationsResponse(
        conversations=map(record, listed.conversations), next_page_token=listed.next_page_token
    )


def update_conversation(done: Committed[ConversationRecord]) -> pb.UpdateConversationResponse:
    return pb.UpdateConversationResponse(
        conversation=record(done.result), revision=done.revision, replayed=done.replayed
    )


def end_conversation(ended: ConversationEnded) -> pb.EndConversationResponse:
    taught = ended.record.taught
    return pb.EndConversationResponse(
        conversation=record(ended.record),
        revision=ended.revision,
        replayed=ended.replayed,
        fact_ids=taught.fact_ids,
        episode_id=taught.episode_id,
        withheld=taught.withheld,
        usage=usage(ended.usage) if ended.usage.roles else None,
    )


def delete_conversation(purged: ConversationPurged) -> pb.DeleteConversationResponse:
    items = purged.counts.items
    return pb.DeleteConversationResponse(
        turns=items.get("turns", 0),
        clusters=items.get("clusters", 0),
        summaries=items.get("summaries", 0),
        keys=items.get("keys", 0),
        revision=purged.revision,
    )


# ---- turns ----


def add_turns(added: TurnsAdded) -> pb.AddTurnsResponse:
    return pb.AddTurnsResponse(turns=map(turn, added.turns), revision=added.revision, replayed=added.replayed)


def list_turns(listed: TurnsListed) -> pb.ListTurnsResponse:
    return pb.ListTurnsResponse(
        turns=map(placed_turn, listed.turns),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def delete_turns(done: Committed[TurnsDeleted]) -> pb.DeleteTurnsResponse:
    return pb.DeleteTurnsResponse(
        turns=done.result.turns,
        clusters=done.result.clusters,
        summaries=done.result.summaries,
        keys=done.result.keys,
        revision=done.revision,
        replayed=done.replayed,
    )


def search_turns(found: TurnsFound) -> pb.SearchTurnsResponse:
    return pb.SearchTurnsResponse(
        hits=[_hit(one, found.by_words) for one in found.hits],
        revision=found.revision,
        truncated=found.truncated,
        conversations=found.conversations,
        more_conversations=found.more,
    )


def _hit(found: FoundTurn, by_words: bool) -> pb.TurnHit:
    hit = found.hit
    return pb.TurnHit(
        conversation_id=found.conversation_id,
        turn=turn(hit.turn, hit.cluster_id),
        segment=hit.segment,
        in_reply=hit.in_reply,
        score=hit.score,
        attribute_score=hit.attribute_score if by_words else None,
        embedding_score=hit.embedding_score,
        why=[types_pb2.ScoreShare(component=name, share=share) for name, share in hit.why],
    )


# ---- keys ----


def _key(kept: KeyKept) -> pb.Key:
    return pb.Key(key_id=kept.key_id) if kept.key is None else key(kept.key)


def add_key(kept: KeyKept) -> pb.AddKeyResponse:
    return pb.AddKeyResponse(key=_key(kept), revision=kept.revision, replayed=kept.replayed)


def update_key(kept: KeyKept) -> pb.UpdateKeyResponse:
    return pb.UpdateKeyResponse(key=_key(kept), revision=kept.revision, replayed=kept.replayed)


def delete_cluster(done: Committed[ClusterDeleted]) -> pb.DeleteClusterResponse:
    return pb.DeleteClusterResponse(
        cluster_ids=done.result.cluster_ids,
        keys=done.result.keys,
        revision=done.revision,
        replayed=done.replayed,
    )


def delete_key(done: Committed[KeyNamed]) -> pb.DeleteKeyResponse:
    return pb.DeleteKeyResponse(revision=done.revision, replayed=done.replayed)


def list_keys(listed: KeysListed) -> pb.ListKeysResponse:
    return pb.ListKeysResponse(
        keys=map(key, listed.keys), next_page_token=listed.next_page_token, revision=listed.revision
    )


# ---- clusters and summaries ----


def list_clusters(listed: ClustersListed) -> pb.ListClustersResponse:
    return pb.ListClustersResponse(
        clusters=[cluster(*each) for each in listed.clusters],
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def list_summaries(listed: SummariesListed) -> pb.ListSummariesResponse:
    return pb.ListSummariesResponse(
        summaries=map(summary, listed.summaries),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def delete_summaries(done: Committed[SummariesDeleted]) -> pb.DeleteSummariesResponse:
    return pb.DeleteSummariesResponse(
        summaries=done.result.summaries, revision=done.revision, replayed=done.replayed
    )
