"""Requests of Conversation: what does not follow from name and type, and what binds several fields."""

from typing import Any

from core.ids import Collection, User
from core.model.conversation import ConversationSettings
from core.usecases.conversation.across import MOST_CONVERSATIONS, AllConversations
from core.usecases.conversation.verbs.add_turns import NewTurn
from core.usecases.conversation.verbs.close_turns import CloseTurns
from core.usecases.conversation.verbs.delete_summaries import DeleteSummaries
from core.usecases.conversation.verbs.delete_turns import DeleteTurns
from core.usecases.conversation.verbs.list_conversations import ListConversations
from core.usecases.conversation.verbs.list_summaries import ListSummaries
from core.usecases.conversation.verbs.list_turns import ListTurns
from core.usecases.conversation.verbs.retract_turns import RetractTurns
from core.usecases.conversation.verbs.search_turns import SearchTurns
from core.usecases.conversation.verbs.update_conversation import UpdateConversation
from core.usecases.conversation.verbs.update_key import UpdateKey
from memorybank.v1 import conversation_pb2 as pb
from service.api.enums import CONVERSATION_STATES
from service.api.from_proto.checks import NAME, Checks
from service.api.mapping.lines import By, Const
from service.api.mapping.reading import reading

WIDEST = 100_000  # steps of a range to be deleted
ANY_STATE: dict[int, str] = {0: ""} | {int(n): str(state) for n, state in CONVERSATION_STATES.items()}


def collection_of(check: Checks, value: str) -> Collection:
    return Collection(check.text("collection", value, NAME))


list_conversations = reading(
    ListConversations,
    pb.ListConversationsRequest,
    state=By(lambda check, path, value: check.choice(path, int(value), ANY_STATE)),
)


def _same_conversation(check: Checks, request: pb.UpdateConversationRequest) -> None:
    given = request.conversation
    for name, same in (("user", request.user), ("conversation_id", request.conversation_id)):
        if getattr(given, name) not in ("", same):
            check.wrong(f"conversation.{name}", f"must be empty, or the {name} of the request")


update_conversation = reading(
    UpdateConversation,
    pb.UpdateConversationRequest,
    _same_conversation,
    named=("goal", "labels", "settings", "enabled", "ttl"),
)


# ---- turns ----


def _something_said(check: Checks, given: pb.Turn) -> None:
    if not (given.input.strip() or given.reply.strip()):
        check.wrong("input", "must not be empty or blank, unless reply is not")


turn = reading(NewTurn, pb.Turn, _something_said)


def _steps_in_order(check: Checks, request: Any) -> None:
    given = request.HasField("first_step") and request.HasField("last_step")
    if given and request.last_step < request.first_step:
        check.wrong("last_step", "must not be before first_step")


def _newest_alone(check: Checks, request: pb.ListTurnsRequest) -> None:
    """How many of the newest are wanted goes with no other choice of turns."""
    if request.HasField("last"):
        for name in ("first_step", "last_step"):
            if request.HasField(name):
                check.wrong(name, "must not be given with last")
        if request.page_size:
            check.wrong("page_size", "must not be given with last")


list_turns = reading(
    ListTurns,
    pb.ListTurnsRequest,
    _steps_in_order,
    _newest_alone,
    newest="last",
    metadata="include_metadata",
)


def _one_choice(check: Checks, request: pb.DeleteTurnsRequest) -> None:
    has_first, has_last = request.HasField("first_step"), request.HasField("last_step")
    if request.steps and (has_first or has_last):
        check.wrong("steps", "must be empty where first_step and last_step are given")
    elif not request.steps and not (has_first and has_last):
        check.wrong("steps", "must be given, or first_step and last_step")
    elif has_first and has_last and request.last_step - request.first_step >= WIDEST:
        check.wrong("last_step", f"must be at most {WIDEST - 1:,} after first_step")


delete_turns = reading(DeleteTurns, pb.DeleteTurnsRequest, _steps_in_order, _one_choice)


def _one_place(check: Checks, request: pb.SearchTurnsRequest) -> None:
    """One conversation is searched, or all of a user's: some fields are of the one, others of all."""
    if request.WhichOneof("query") is None:
        check.wrong("text", "must be given, or embedding")
    if request.conversation_id:
        names: tuple[str, ...] = ("collection", "labels", "most_conversations")
        why = "must be left out where conversation_id is given"
    else:
        names = ("min_revision", "cluster_ids")
        why = "must be left out without a conversation_id: each conversation has its own"
    for field, _ in request.ListFields():
        if field.name in names:
            check.wrong(field.name, why)


def _among(check: Checks, request: pb.SearchTurnsRequest) -> Any:
    if request.conversation_id:
        return check.caller.conversation(request.user, request.conversation_id)
    return AllConversations(
        tenant=check.caller.tenant,
        user=User(request.user),
        collection=request.collection,
        labels=dict(request.labels),
        within=check.caller.binding,
        most=request.most_conversations or MOST_CONVERSATIONS,
    )


search_turns = reading(
    SearchTurns,
    pb.SearchTurnsRequest,
    _one_place,
    among=_among,
    since="event_time.start",
    until="event_time.end",
)


# ---- turns that are taken back ----


def _turns_or_writer(check: Checks, request: pb.RetractTurnsRequest) -> None:
    written = request.written.HasField("start") or request.written.HasField("end")
    if bool(request.steps) is (bool(request.writer) or written):
        check.wrong("steps", "must name the turns, or writer or written must, not both")


retract_turns = reading(
    RetractTurns,
    pb.RetractTurnsRequest,
    _turns_or_writer,
    since="written.start",
    until="written.end",
)
release_turns = reading(CloseTurns, pb.ReleaseTurnsRequest, erases=Const(False))
erase_turns = reading(CloseTurns, pb.EraseTurnsRequest, erases=Const(True))


# ---- keys and summaries ----


def _same_key(check: Checks, request: pb.UpdateKeyRequest) -> None:
    check.mask("update_mask", request.update_mask, ("text",))
    if request.key.key_id not in ("", request.key_id):
        check.wrong("key.key_id", "must be empty, or the key_id of the request")
    check.text("key.text", request.key.text, least=1)


update_key = reading(UpdateKey, pb.UpdateKeyRequest, _same_key, text="key.text")


list_summaries = reading(
    ListSummaries, pb.ListSummariesRequest, _steps_in_order, since="time.start", until="time.end"
)


def _steps_or_time(check: Checks, request: pb.DeleteSummariesRequest) -> None:
    steps = request.HasField("first_step") or request.HasField("last_step")
    if not (steps or request.time.HasField("start") or request.time.HasField("end")):
        check.wrong("first_step", "must be given, or last_step, or time")
    if steps and request.HasField("time"):
        check.wrong("time", "must be absent where first_step or last_step are given")


delete_summaries = reading(
    DeleteSummaries,
    pb.DeleteSummariesRequest,
    _steps_in_order,
    _steps_or_time,
    since="time.start",
    until="time.end",
)


settings = reading(ConversationSettings, pb.ConversationSettings)
