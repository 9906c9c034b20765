"""Requests of Conversation."""

from collections.abc import Sequence
from typing import Literal

from google.protobuf.message import Message

from core.caller import Caller
from core.ids import Collection, ConversationId, User
from core.keys import ConversationKey
from core.model.access import Scope
from core.model.conversation import ConversationSettings, SummaryKind
from core.usecases.conversation.across import MOST_CONVERSATIONS, AllConversations
from core.usecases.conversation.verbs.add_key import AddKey
from core.usecases.conversation.verbs.add_turns import AddTurns, NewTurn
from core.usecases.conversation.verbs.create_conversation import CreateConversation
from core.usecases.conversation.verbs.delete_cluster import DeleteCluster
from core.usecases.conversation.verbs.delete_conversation import DeleteConversation
from core.usecases.conversation.verbs.delete_key import DeleteKey
from core.usecases.conversation.verbs.delete_summaries import DeleteSummaries
from core.usecases.conversation.verbs.delete_turns import DeleteTurns
from core.usecases.conversation.verbs.end_conversation import EndConversation
from core.usecases.conversation.verbs.get_conversation import GetConversation
from core.usecases.conversation.verbs.list_clusters import ListClusters
from core.usecases.conversation.verbs.list_conversations import ListConversations
from core.usecases.conversation.verbs.list_keys import ListKeys
from core.usecases.conversation.verbs.list_summaries import ListSummaries
from core.usecases.conversation.verbs.list_turns import LAST, ListTurns
from core.usecases.conversation.verbs.search_turns import SearchTurns
from core.usecases.conversation.verbs.update_conversation import UpdateConversation
from core.usecases.conversation.verbs.update_key import UpdateKey
from memorybank.v1 import conversation_pb2 as pb
from service.api.enums import CONVERSATION_STATES, SUMMARY_KINDS
from service.api.from_proto.checks import GOAL, MOST_RESULTS, NAME, Checks, checking
from service.api.from_proto.records import metadata
from service.api.from_proto.retrieval import time_range
from service.api.from_proto.values import conversation_key

MOST_TURNS = 100  # of one call
MOST_STEPS = 1_000
MOST_CLUSTERS = 100  # of one search
MOST_SEARCHED = 1_000  # conversations of one search
WIDEST = 100_000  # steps of a range to be deleted
TURN_TEXT = 100_000  # code points of a side
KEY_TEXT = 1_000
CONVERSATION_GOAL = 10_000
FIELDS = ("goal", "labels", "settings", "enabled", "ttl")
SECOND = 1.0
ANY_KIND: dict[int, SummaryKind | None] = {0: None} | {int(n): kind for n, kind in SUMMARY_KINDS.items()}
ANY_STATE: dict[int, str] = {0: ""} | {int(n): str(state) for n, state in CONVERSATION_STATES.items()}


def collection_of(check: Checks, value: str) -> Collection:
    return Collection(check.text("collection", value, NAME))


def create_conversation(request: pb.CreateConversationRequest, caller: Caller) -> CreateConversation:
    with checking(caller, request) as check:
        given = check.id_or_none("conversation_id", request.conversation_id)
        return CreateConversation(
            tenant=caller.tenant,
            user=User(check.text("user", request.user, NAME, least=1)),
            conversation_id=ConversationId(given) if given else None,
            collection=collection_of(check, request.collection),
            goal=check.text("goal", request.goal, CONVERSATION_GOAL),
            labels=check.labels("labels", request.labels),
            settings=settings(check, request.settings, "settings."),
            enabled=request.enabled if request.HasField("enabled") else True,
            ttl=check.duration("ttl", request.ttl) if request.HasField("ttl") else None,
            request=check.request(request),
        )


def settings(check: Checks, given: pb.ConversationSettings, path: str) -> ConversationSettings:
    def number(name: str, least: int, most: int) -> int | None:
        return check.optional_int(given, name, least, most, f"{path}{name}")

    idle = (
        check.duration(f"{path}idle_timeout", given.idle_timeout) if given.HasField("idle_timeout") else None
    )
    if idle is not None and idle.total_seconds() < SECOND:
        check.wrong(f"{path}idle_timeout", "must be at least a second")
    return ConversationSettings(
        short_turns=number("short_turns", 1, 200),
        similarity=check.optional_share(given, "similarity", f"{path}similarity"),
        max_clusters=number("max_clusters", 1, 1_000),
        hit_threshold=number("hit_threshold", 1, 1_000_000),
        top_clusters=number("top_clusters", 0, 100),
        summary_every=number("summary_every", 2, 1_000),
        summary_length=number("summary_length", 20, 2_000),
        idle_timeout=idle,
        extract_facts=_flag(given, "extract_facts"),
        record_episodes=_flag(given, "record_episodes"),
    )


def _flag(given: pb.ConversationSettings, name: Literal["extract_facts", "record_episodes"]) -> bool | None:
    return bool(getattr(given, name)) if given.HasField(name) else None


def get_conversation(request: pb.GetConversationRequest, caller: Caller) -> GetConversation:
    with checking(caller, request) as check:
        return GetConversation(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            include_invocations=request.include_invocations,
            min_revision=check.min_revision(request),
        )


def list_conversations(request: pb.ListConversationsRequest, caller: Caller) -> ListConversations:
    with checking(caller, request) as check:
        return ListConversations(
            tenant=caller.tenant,
            user=User(check.text("user", request.user, NAME, least=1)),
            collection=collection_of(check, request.collection),
            labels=check.labels("labels", request.labels),
            state=check.choice("state", int(request.state), ANY_STATE),
            within=caller.binding,
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
        )


def update_conversation(request: pb.UpdateConversationRequest, caller: Caller) -> UpdateConversation:
    with checking(caller, request) as check:
        given = request.conversation
        for name in ("user", "conversation_id"):
            if getattr(given, name) not in ("", getattr(request, name)):
                check.wrong(f"conversation.{name}", f"must be empty, or the {name} of the request")
        return UpdateConversation(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            fields=check.mask("update_mask", request.update_mask, FIELDS),
            goal=check.text("conversation.goal", given.goal, CONVERSATION_GOAL),
            labels=check.labels("conversation.labels", given.labels),
            settings=settings(check, given.settings, "conversation.settings."),
            enabled=given.enabled,
            ttl=check.duration("conversation.ttl", given.ttl) if given.HasField("ttl") else None,
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )


def end_conversation(request: pb.EndConversationRequest, caller: Caller) -> EndConversation:
    with checking(caller, request) as check:
        return EndConversation(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            wait=request.wait,
            request=check.request(request, "wait"),
        )


def delete_conversation(request: pb.DeleteConversationRequest, caller: Caller) -> DeleteConversation:
    with checking(caller, request) as check:
        check.id_or_none("request_id", request.request_id)
        return DeleteConversation(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            allow_missing=request.allow_missing,
            if_revision=check.revision(request, "if_revision"),
            forget_records=request.forget_records,
        )


# ---- turns ----


def add_turns(request: pb.AddTurnsRequest, caller: Caller) -> AddTurns:
    with checking(caller, request) as check:
        turns = request.turns
        check.amount("turns", turns, MOST_TURNS, least=1)
        return AddTurns(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            collection=collection_of(check, request.collection),
            turns=tuple([_turn(check.within(f"turns[{i}]."), t) for i, t in enumerate(turns[:MOST_TURNS])]),
            request=check.request(request),
        )


def _turn(check: Checks, given: pb.Turn) -> NewTurn:
    if not (given.input.strip() or given.reply.strip()):
        check.wrong("input", "must not be empty or blank, unless reply is not")
    return NewTurn(
        input=check.text("input", given.input, TURN_TEXT),
        reply=check.text("reply", given.reply, TURN_TEXT),
        input_speaker=check.text("input_speaker", given.input_speaker, NAME),
        reply_speaker=check.text("reply_speaker", given.reply_speaker, NAME),
        event_time=check.optional_time(given, "event_time"),
        labels=check.labels("labels", given.labels),
        stated=check.caller.may(Scope.SPEAK_FOR_USER),
        writer=check.caller.subject,
        metadata_json=metadata(check, "metadata_json", given.metadata_json),
    )


def list_turns(request: pb.ListTurnsRequest, caller: Caller) -> ListTurns:
    with checking(caller, request) as check:
        first, last = _steps(check, request)
        return ListTurns(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            first_step=1 if first is None else first,
            last_step=LAST if last is None else last,
            newest=_newest(check, request),
            metadata=request.include_metadata,
            writer=check.text("writer", request.writer, NAME),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def _newest(check: Checks, request: pb.ListTurnsRequest) -> int | None:
    """Reads how many of the newest are wanted, which goes with no other choice of turns."""
    newest = check.optional_int(request, "last", 1, MOST_RESULTS)
    if newest is not None:
        for name in ("first_step", "last_step"):
            if request.HasField(name):
                check.wrong(name, "must not be given with last")
        if request.page_size:
            check.wrong("page_size", "must not be given with last")
    return newest


def _steps(check: Checks, request: Message) -> tuple[int | None, int | None]:
    """Reads an optional range; both ends are steps, in order."""
    first = check.optional_int(request, "first_step", 1, LAST)
    last = check.optional_int(request, "last_step", 1, LAST)
    if first is not None and last is not None and last < first:
        check.wrong("last_step", "must not be before first_step")
    return first, last


def delete_turns(request: pb.DeleteTurnsRequest, caller: Caller) -> DeleteTurns:
    with checking(caller, request) as check:
        first, last = _steps(check, request)
        named = named_steps(check, request.steps)
        _one_choice(check, named, first, last)
        return DeleteTurns(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            steps=named,
            first_step=first or 0,
            last_step=last or 0,
            keep_records=request.keep_records,
            request=check.request(request),
        )


def named_steps(check: Checks, steps: Sequence[int]) -> tuple[int, ...]:
    """Reads different steps, MOST_STEPS at most."""
    named = tuple(steps)
    check.amount("steps", named, MOST_STEPS)
    for index, step in enumerate(named[:MOST_STEPS]):
        check.between(f"steps[{index}]", step, 1, LAST)
    if len(set(named)) < len(named):
        check.wrong("steps", "must not name one twice")
    return named


def _one_choice(check: Checks, named: Sequence[int], first: int | None, last: int | None) -> None:
    if named and (first is not None or last is not None):
        check.wrong("steps", "must be empty where first_step and last_step are given")
    elif not named and (first is None or last is None):
        check.wrong("steps", "must be given, or first_step and last_step")
    elif first is not None and last is not None and last - first >= WIDEST:
        check.wrong("last_step", f"must be at most {WIDEST - 1:,} after first_step")


def search_turns(request: pb.SearchTurnsRequest, caller: Caller) -> SearchTurns:
    with checking(caller, request) as check:
        by = request.WhichOneof("query")
        if by is None:
            check.wrong("text", "must be given, or embedding")
        since, until = time_range(check, "event_time", request.event_time)
        return SearchTurns(
            among=_among(check, request, caller),
            text=check.text("text", request.text, GOAL, least=1) if by == "text" else "",
            embedding=check.vector("embedding", request.embedding) if by == "embedding" else None,
            top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
            alpha=check.optional_share(request, "alpha"),
            since=since,
            until=until,
            min_revision=check.min_revision(request),
            cluster_ids=check.ids("cluster_ids", request.cluster_ids, MOST_CLUSTERS),
        )


def _among(
    check: Checks, request: pb.SearchTurnsRequest, caller: Caller
) -> ConversationKey | AllConversations:
    if request.conversation_id:
        given = {
            "collection": bool(request.collection),
            "labels": bool(request.labels),
            "most_conversations": request.HasField("most_conversations"),
        }
        for name in (name for name, is_given in given.items() if is_given):
            check.wrong(name, "must be left out where conversation_id is given")
        return conversation_key(check, caller, request.user, request.conversation_id)
    of_one = {"min_revision": request.HasField("min_revision"), "cluster_ids": bool(request.cluster_ids)}
    for name in (name for name, is_given in of_one.items() if is_given):
        check.wrong(name, "must be left out without a conversation_id: each conversation has its own")
    return AllConversations(
        tenant=caller.tenant,
        user=User(check.text("user", request.user, NAME, least=1)),
        collection=collection_of(check, request.collection),
        labels=check.labels("labels", request.labels),
        within=caller.binding,
        most=check.optional_int(request, "most_conversations", 1, MOST_SEARCHED) or MOST_CONVERSATIONS,
    )


# ---- keys ----


def add_key(request: pb.AddKeyRequest, caller: Caller) -> AddKey:
    with checking(caller, request) as check:
        return AddKey(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            text=check.text("text", request.text, KEY_TEXT, least=1),
            request=check.request(request),
        )


def update_key(request: pb.UpdateKeyRequest, caller: Caller) -> UpdateKey:
    with checking(caller, request) as check:
        check.mask("update_mask", request.update_mask, ("text",))
        if request.key.key_id not in ("", request.key_id):
            check.wrong("key.key_id", "must be empty, or the key_id of the request")
        return UpdateKey(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            key_id=check.id("key_id", request.key_id),
            text=check.text("key.text", request.key.text, KEY_TEXT, least=1),
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )


def delete_cluster(request: pb.DeleteClusterRequest, caller: Caller) -> DeleteCluster:
    with checking(caller, request) as check:
        return DeleteCluster(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            cluster_id=check.id("cluster_id", request.cluster_id),
            request=check.request(request),
        )


def delete_key(request: pb.DeleteKeyRequest, caller: Caller) -> DeleteKey:
    with checking(caller, request) as check:
        return DeleteKey(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            key_id=check.id("key_id", request.key_id),
            request=check.request(request),
        )


def list_keys(request: pb.ListKeysRequest, caller: Caller) -> ListKeys:
    with checking(caller, request) as check:
        return ListKeys(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


# ---- clusters and summaries ----


def list_clusters(request: pb.ListClustersRequest, caller: Caller) -> ListClusters:
    with checking(caller, request) as check:
        return ListClusters(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def list_summaries(request: pb.ListSummariesRequest, caller: Caller) -> ListSummaries:
    with checking(caller, request) as check:
        first, last = _steps(check, request)
        since, until = time_range(check, "time", request.time)
        return ListSummaries(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            kind=check.choice("kind", int(request.kind), ANY_KIND),
            first_step=first,
            last_step=last,
            since=since,
            until=until,
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def delete_summaries(request: pb.DeleteSummariesRequest, caller: Caller) -> DeleteSummaries:
    with checking(caller, request) as check:
        first, last = _steps(check, request)
        since, until = time_range(check, "time", request.time)
        if first is None and last is None and since is None and until is None:
            check.wrong("first_step", "must be given, or last_step, or time")
        if (first is not None or last is not None) and request.HasField("time"):
            check.wrong("time", "must be absent where first_step or last_step are given")
        return DeleteSummaries(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            first_step=first,
            last_step=last,
            since=since,
            until=until,
            request=check.request(request),
        )
