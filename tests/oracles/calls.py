"""Calls of every method, one after another at one memory, the same every time: clock, ids and agents are given."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any
from zlib import crc32

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from core.agents.offline.agents import offline_agents
from core.errors import MemoryBankError
from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from tests.oracles.answering import Answering, refusal_of, text_of
from tests.service.api.every_mutation import FACTS, GROUPED, TALK, WORLD, requests
from tests.service.api.every_violation import METHODS
from tests.support.embedders import local_comparer
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import TickingClock, open_house, work_done
from tests.support.random_requests import Requests

EACH = 5
"""Random requests of each method."""
PLACE: Mapping[str, str] = {"bank_id": "b", "user": "ada", "conversation_id": "talk", "collection": "facts"}
LAST = ("DeleteBank", "DeleteConversation", "DeleteCollection", "PurgeUser", "EraseMentions", "UpdateUser")
"""What leaves little for others to be asked about."""
ELSEWHERE = ("ImportBank", "ImportCollection", "ImportUser", "ExportUser", "WatchBank", "GetServerInfo")
"""Of several pieces that fit each other, of files, without an end, or about this machine: other tests."""


class CallClock(TickingClock):
    """Stands still during a call: how often it is looked at is no part of an answer."""

    def now(self) -> Any:
        return self._now


async def recorded() -> list[tuple[str, str]]:
    """Returns the calls in order, by number and method, each with its answer as text."""
    clock, embedder = CallClock(), HashingEmbedder()
    agents = offline_agents(embedder, local_comparer())
    async with open_house(agents=agents, embedder=embedder, clock=clock, unasked=False) as house:
        answering = Answering(house)
        found: list[tuple[str, str]] = []

        async def call(name: str, *sent: Message) -> Any:
            clock.skip(timedelta(seconds=1))
            with suppress(MemoryBankError):
                answer = await _answer(answering, name, sent, found)
                await work_done(house)
                return GetMessageClass(METHODS[name].output_type).FromString(answer[-1]) if answer else None
            return None

        known = await _made(call)
        for name, request in _in_order(known):
            await call(name, *request)
        await _random_calls(call, known)
    return [(f"{number:04} {name}", text) for number, (name, text) in enumerate(found)]


async def _answer(
    answering: Answering, name: str, sent: Sequence[Message], found: list[tuple[str, str]]
) -> list[bytes]:
    try:
        answer = await answering.answer(name, sent)
    except MemoryBankError as error:
        found.append((name, refusal_of(error)))
        raise
    except LookupError:  # a defect, and recorded as one
        found.append((name, "INTERNAL"))
        return []
    found.append((name, text_of(name, answer)))
    return answer


async def _made(call: Any) -> dict[str, str]:
    """Makes the world of `every_mutation`, and returns ids of it."""
    for name, request in WORLD:
        await call(name, request)
    key = await call("AddKey", conversation.AddKeyRequest(text="No eggs.", **TALK))
    reflecting = long_term.GenerateReflectionRequest(title="All", category="work", **FACTS)
    reflection = await call("GenerateReflection", reflecting)
    retracting = long_term.RetractRecordsRequest(filter=long_term.RetractionFilter(source="web"), **FACTS)
    retracted = await call("RetractRecords", retracting)
    taken = await call("RetractInteractions", bank.RetractInteractionsRequest(bank_id="b", source="web"))
    turns = await call("RetractTurns", conversation.RetractTurnsRequest(steps=[2], **TALK))
    grouped = await call("ListClusters", conversation.ListClustersRequest(**GROUPED))
    listed = await call("ListConflicts", bank.ListConflictsRequest(bank_id="b"))
    return {
        "key": key.key.key_id,
        "cluster": grouped.clusters[0].cluster_id if grouped.clusters else "none",
        "reflection": reflection.reflection.reflection_id,
        "retraction": retracted.retraction.retraction_id,
        "turns": turns.retraction.retraction_id,
        "interactions": taken.retraction.retraction_id,
        "conflict": listed.conflicts[0].conflict_id if listed.conflicts else "none",
    }


def _in_order(known: dict[str, str]) -> list[tuple[str, Sequence[Message]]]:
    """Returns a right call of each method that writes, those that take away at the end."""
    table = {name: sent for name, sent in requests(known).items() if sent and name not in LAST}
    return list(table.items())


async def _random_calls(call: Any, known: dict[str, str]) -> None:
    ids = {
        "node_id": [f"n{n}" for n in range(1, 7)],
        "interaction_id": ["i1"],
        "record_id": [f"r{n}" for n in range(1, 6)],
        "key_id": [known["key"]],
        "conflict_id": [known["conflict"]],
        "retraction_id": [known["retraction"], known["turns"], known["interactions"]],
        "cluster_id": [known["cluster"]],
        "reflection_id": [known["reflection"]],
        "invocation_id": ["run"],
        "conversation_id": ["talk", "grouped"],
    }
    names = [name for name in METHODS if name not in (*LAST, *ELSEWHERE)]
    for number, name in enumerate([*names * EACH, *LAST * 2]):
        making = Requests(
            crc32(f"{name} {number // len(names)}".encode())
        )  # a new field moves no other request
        await call(name, await making.at(METHODS[name], ids, **PLACE))
