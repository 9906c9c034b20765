"""Users whose memory went through every state: conversations, invocations, collections and documents."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import grpc
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import instructions_pb2_grpc
from memorybank.v1 import long_term_pb2 as long_term
from tests.support.random_requests import Known
from tests.support.server import Service

WORK: dict[str, Any] = {"collection": "work"}
PATHS = ("AGENTS.md", "src/AGENTS.md")
BACKGROUND = frozenset({"collection", "invocation"})
"""Kinds of which work in the background makes and ends some: collections, invocations left idle."""


async def talks(service: Service, user: str) -> None:
    """Turns beyond what is kept verbatim, and a key; the background groups and sums them up."""
    turns = [
        pb.Turn(input=f"When does ferry {n % 3} leave?", reply=f"Ferry {n % 3} leaves at {n % 12}.")
        for n in range(24)
    ]
    told: dict[str, Any] = {"user": user, "conversation_id": "c"}
    await service.conversation.AddTurns(pb.AddTurnsRequest(**told, **WORK, turns=turns))
    await service.conversation.AddKey(pb.AddKeyRequest(**told, text="Never before nine."))


async def ended(service: Service, user: str) -> None:
    """A conversation that is over, its summary and some turns deleted."""
    await talks(service, user)
    told: dict[str, Any] = {"user": user, "conversation_id": "c"}
    await service.conversation.DeleteTurns(pb.DeleteTurnsRequest(**told, first_step=2, last_step=4))
    await service.conversation.EndConversation(pb.EndConversationRequest(**told))


async def works(service: Service, user: str) -> None:
    """An invocation under way."""
    await service.conversation.StartInvocation(
        pb.StartInvocationRequest(
            user=user,
            conversation_id="c",
            invocation_id="i",
            query="Fix the build",
            enable_memory=True,
            **WORK,
        )
    )
    items = [
        pb.Item(step=1, type=pb.ITEM_TYPE_ACTION, tool="make", arguments_json='{"target": "all"}'),
        pb.Item(step=1, type=pb.ITEM_TYPE_OBSERVATION, tool="make", content="no compiler", failed=True),
        pb.Item(step=2, type=pb.ITEM_TYPE_DECISION, content="Install g++ first."),
        pb.Item(step=3, type=pb.ITEM_TYPE_OBSERVATION, tool="make", content="built in 42 seconds"),
    ]
    await service.conversation.AddWorkingItems(
        pb.AddWorkingItemsRequest(user=user, invocation_id="i", items=items)
    )


async def worked(service: Service, user: str) -> None:
    """An invocation that has ended: its turn, its episode, its facts."""
    await works(service, user)
    await service.conversation.EndInvocation(
        pb.EndInvocationRequest(user=user, invocation_id="i", result="It builds.", succeeded=True, wait=True)
    )


async def knows(service: Service, user: str) -> None:
    """Facts that replace and contradict each other, an episode, a recovery, a reflection, feedback, a deletion."""
    ids = []
    for content in (
        "The ferry leaves at nine.",
        "The ferry leaves at ten.",
        "Berta likes tea.",
        "渡轮九点开出。",
    ):
        fact = long_term.StoreFactRequest(user=user, content=content, category="life", wait=True, **WORK)
        ids.append((await service.long_term.StoreFact(fact)).record.record_id)
    await service.long_term.StoreEpisode(
        long_term.StoreEpisodeRequest(
            user=user, goal="Catch the ferry", steps=["Ask", "Run"], outcome="Caught", **WORK
        )
    )
    await service.long_term.RecordRecovery(
        long_term.RecordRecoveryRequest(
            user=user,
            error_type="timeout",
            tool="curl",
            message="timed out",
            fixed_json="{}",
            success=True,
            **WORK,
        )
    )
    await service.long_term.GenerateReflection(
        long_term.GenerateReflectionRequest(
            user=user, title="Ferries", category="life", record_ids=ids[:2], **WORK
        )
    )
    await service.long_term.GiveFeedback(
        long_term.GiveFeedbackRequest(user=user, record_ids=ids[:1], thumb=long_term.THUMB_DOWN, **WORK)
    )
    await service.long_term.DeleteRecords(
        long_term.DeleteRecordsRequest(user=user, record_ids=ids[2:3], **WORK)
    )


async def moved(service: Service, user: str) -> None:
    """A collection that came from a file of another's."""
    await knows(service, user)
    named: dict[str, Any] = {"user": user, **WORK}
    files = [
        each async for each in service.long_term.ExportCollection(long_term.ExportCollectionRequest(**named))
    ]
    await service.long_term.DeleteCollection(long_term.DeleteCollectionRequest(**named))

    def stream() -> Iterator[long_term.ImportCollectionRequest]:
        yield long_term.ImportCollectionRequest(options=long_term.ImportCollectionOptions(**named))
        yield from (long_term.ImportCollectionRequest(file=each) for each in files)

    await service.long_term.ImportCollection(stream())


async def instructed(service: Service, user: str) -> None:
    """Documents put, edited and deleted, and a run that has loaded them."""
    sources = instructions_pb2_grpc.InstructionsStub(service.channel)
    owner = instructions.Owner(user=user)
    for path in PATHS:
        await sources.PutSource(instructions.PutSourceRequest(owner=owner, path=path, text="Use tabs.\n"))
    await sources.EditSource(
        instructions.EditSourceRequest(
            owner=owner, path=PATHS[0], old_text="tabs", new_text="spaces", if_version=1
        )
    )
    await sources.DeleteSource(instructions.DeleteSourceRequest(owner=owner, path=PATHS[1]))
    refs = [instructions.SourceRef(owner=owner, path=path) for path in PATHS]
    await sources.LoadSources(instructions.LoadSourcesRequest(user=user, run_id="run", refs=refs))


async def switched_off(service: Service, user: str) -> None:
    await knows(service, user)
    await talks(service, user)
    await switch(service, user, on=False)


async def purged(service: Service, user: str) -> None:
    await knows(service, user)
    await worked(service, user)
    await service.long_term.PurgeUser(long_term.PurgeUserRequest(user=user))


async def nothing(_service: Service, _user: str) -> None:
    """A user of whom nothing is known."""


STATES: dict[str, Callable[[Service, str], Awaitable[None]]] = {
    "new": nothing,
    "talks": talks,
    "ended": ended,
    "works": works,
    "worked": worked,
    "knows": knows,
    "moved": moved,
    "instructed": instructed,
    "off": switched_off,
    "purged": purged,
}
"""By the user's name."""


async def switch(service: Service, user: str, *, on: bool) -> None:
    await service.long_term.UpdateUser(
        long_term.UpdateUserRequest(
            user=long_term.User(user=user, enabled=on), update_mask=FieldMask(paths=["enabled"])
        )
    )


async def all_users(service: Service) -> None:
    for user, came_about in STATES.items():
        await came_about(service, user)


async def kept_of(service: Service, user: str) -> long_term.GetUserResponse:
    """The user's record and counts; nothing of one that there is not."""
    try:
        return await service.long_term.GetUser(long_term.GetUserRequest(user=user))
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.NOT_FOUND:
            raise
        return long_term.GetUserResponse()


async def held_of(service: Service, user: str) -> Known:
    """The ids in a user's memory; who was switched off, or purged, comes to the old state again."""
    known = {"user": [user], "path": [*PATHS], "run_id": ["run"]}
    seen = await kept_of(service, user)
    if user != "off" and seen.user.revision and not seen.user.enabled:
        await switch(service, user, on=True)
    if user not in ("new", "off", "purged") and not seen.counts:
        await STATES[user](service, user)
    known["conversation_id"] = [
        each.conversation_id
        for each in (
            await service.conversation.ListConversations(pb.ListConversationsRequest(user=user))
        ).conversations
    ]
    known["collection"] = [
        each.collection
        for each in (
            await service.long_term.ListCollections(long_term.ListCollectionsRequest(user=user))
        ).collections
    ]
    known["invocation_id"], known["key_id"] = ["i"], []
    for conversation_id in known["conversation_id"][:3]:
        keys = await service.conversation.ListKeys(
            pb.ListKeysRequest(user=user, conversation_id=conversation_id)
        )
        known["key_id"] += [key.key_id for key in keys.keys]
    known["record_id"], known["reflection_id"] = [], []
    for collection in known["collection"][:3]:
        named: dict[str, Any] = {"user": user, "collection": collection}
        records = await service.long_term.ListRecords(long_term.ListRecordsRequest(**named))
        reflections = await service.long_term.ListReflections(long_term.ListReflectionsRequest(**named))
        known["record_id"] += [each.record_id for each in records.records]
        known["reflection_id"] += [each.reflection_id for each in reflections.reflections]
    return known


async def standing_of(service: Service, user: str) -> Any:
    """What no background work changes: the user's record, and how much of what there is."""
    seen = await kept_of(service, user)
    named = await service.conversation.ListConversations(pb.ListConversationsRequest(user=user))
    return (
        seen.user.revision,
        {kind: seen.counts[kind] for kind in seen.counts if kind not in BACKGROUND},
        [
            (each.conversation_id, each.turn_count, dict(each.labels), each.enabled)
            for each in named.conversations
        ],
    )


async def still_answers(service: Service, user: str) -> None:
    """Everything that lists, exports or remembers answers."""
    known = await held_of(service, user)
    for collection in known["collection"]:
        named: dict[str, Any] = {"user": user, "collection": collection}
        async for _ in service.long_term.ExportCollection(long_term.ExportCollectionRequest(**named)):
            pass
        await service.long_term.RetrieveFacts(long_term.RetrieveFactsRequest(query="the ferry", **named))
    for conversation_id in known["conversation_id"]:
        said: dict[str, Any] = {"user": user, "conversation_id": conversation_id}
        await service.conversation.ListTurns(pb.ListTurnsRequest(**said))
        await service.conversation.SearchTurns(pb.SearchTurnsRequest(text="the ferry", **said))
    await service.long_term.PurgeUser(long_term.PurgeUserRequest(user=user))
    assert not (await kept_of(service, user)).counts
