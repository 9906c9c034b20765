"""Answers of Conversation."""

from core.model.conversation import (
    ClusterHits,
    ConversationRecord,
    KeyMemory,
    Summary,
    Turn,
    TurnCluster,
)
from core.ports.aggregates import CommitResult
from core.usecases.conversation.verbs.add_key import KeyKept
from core.usecases.conversation.verbs.delete_conversation import ConversationPurged
from core.usecases.conversation.verbs.end_conversation import ConversationEnded
from core.usecases.conversation.verbs.get_conversation import ConversationSeen
from core.usecases.conversation.verbs.list_clusters import ClustersListed
from core.usecases.conversation.verbs.list_turns import PlacedTurn
from core.usecases.conversation.verbs.search_turns import FoundTurn, TurnsFound
from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.mapping.rendering import UNSET, rendering
from service.api.to_proto.scalars import time_or_none
from service.api.to_proto.values import usage

# ---- values ----


record = rendering(ConversationRecord, pb.ConversationRecord, revision="edited_at")


placed_turn = rendering(PlacedTurn, pb.Turn)


_turn = rendering(Turn, pb.Turn, cluster_id=UNSET, metadata_json=UNSET)


def turn(value: Turn, cluster_id: str = "") -> pb.Turn:
    made = _turn(value)
    made.cluster_id = cluster_id
    return made


def cluster(value: TurnCluster, hits: ClusterHits | None, label: str = "") -> pb.Cluster:
    return pb.Cluster(
        cluster_id=value.cluster_id,
        steps=value.steps,
        hits=hits.hits if hits else 0,
        last_hit_time=time_or_none(hits.last_hit_time if hits else None),
        promoted=value.promoted,
        label=label,
    )


summary = rendering(Summary, pb.Summary)


key = rendering(KeyMemory, pb.Key)


# ---- the conversation ----


create_conversation = rendering(
    CommitResult[ConversationRecord], pb.CreateConversationResponse, conversation="result"
)


get_conversation = rendering(ConversationSeen, pb.GetConversationResponse, conversation="record")


update_conversation = rendering(
    CommitResult[ConversationRecord], pb.UpdateConversationResponse, conversation="result"
)


end_conversation = rendering(
    ConversationEnded,
    pb.EndConversationResponse,
    conversation="record",
    fact_ids="record.taught.fact_ids",
    episode_id="record.taught.episode_id",
    withheld="record.taught.withheld",
    usage=lambda ended: usage(ended.usage) if ended.usage.roles else None,
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


search_turns = rendering(
    TurnsFound,
    pb.SearchTurnsResponse,
    hits=lambda found: [_hit(one, found.by_words) for one in found.hits],
    more_conversations="more",
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


add_key = rendering(KeyKept, pb.AddKeyResponse, key=_key)


update_key = rendering(KeyKept, pb.UpdateKeyResponse, key=_key)


# ---- clusters and summaries ----


list_clusters = rendering(
    ClustersListed,
    pb.ListClustersResponse,
    clusters=lambda listed: [cluster(*each) for each in listed.clusters],
)
