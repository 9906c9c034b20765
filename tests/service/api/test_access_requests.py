"""Two subjects, every method that writes, the same ids and bodies: no answer of the first is ever the second's."""

from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass

from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from service.assembly.minting import credentials_of
from tests.service.api.every_mutation import FACTS, Requests, made, sent_by
from tests.service.api.every_violation import METHODS
from tests.service.api.test_replays import MUTATIONS, NOT_REPEATED
from tests.support.api_keys import Guarded, asks, key_for
from tests.support.server import serving

REUSED = "REQUEST_ID_REUSED"


async def test_a_request_of_one_subject_is_never_answered_to_another(tmp_path: Path) -> None:
    async with serving(folder=tmp_path) as service:
        known = await made(service)
        ways = [way for way in MUTATIONS if way not in NOT_REPEATED]
        sent = [named(*await sent_by(service, way, known)) for way in ways]
        async with credentials_of(service.settings) as credentials:
            tokens = {name: (await key_for(credentials, subject=name))[1] for name in ("first", "second")}
            server = Guarded(address="", service=service, tokens=tokens, credentials=credentials)
            await asks(server)

            answered, refused, unlike = set(), set(), []
            for name, requests in sent:
                mine = await server.call(name, requests, "first")
                theirs = await server.call(name, requests, "second")
                again = await server.call(name, requests, "first")
                if mine.code is not grpc.StatusCode.OK:
                    continue  # what another of these calls has made, or taken away
                answered.add(name)
                if again.code is not grpc.StatusCode.OK:
                    unlike.append((name, again.reason))
                if theirs.reason == REUSED:
                    refused.add(name)
                elif theirs.code is grpc.StatusCode.OK and is_replayed(name, theirs.sent):
                    unlike.append((name, "answered to another"))

    assert unlike == []
    assert len(answered) > len(ways) - 8  # of what is retracted little is left for others
    assert len(refused) > len(ways) // 2


def named(method: str, requests: Requests) -> tuple[str, Requests]:
    """Gives the call a request_id of its own: many of them are about the same memory."""
    first: Any = requests[0]
    parts = (getattr(first, part, None) for part in ("header", "options"))
    asked = first if hasattr(first, "request_id") else next(filter(None, parts))
    asked.request_id = f"again-{method}"
    return method, requests


def is_replayed(name: str, answer: bytes) -> bool:
    """Whether an answer says that it is the first one's, again."""
    found = GetMessageClass(METHODS[name].output_type)()
    if name == "MemorizeStream":
        return False  # the last of several answers tells
    found.ParseFromString(answer)
    return bool(getattr(found, "replayed", False))


async def test_a_bank_that_the_service_names_is_each_subject_s_own(tmp_path: Path) -> None:
    request = bank.CreateBankRequest(goal="Go", request_id="again")
    async with serving(folder=tmp_path) as service, credentials_of(service.settings) as credentials:
        tokens = {name: (await key_for(credentials, subject=name))[1] for name in ("first", "second")}
        server = Guarded(address="", service=service, tokens=tokens, credentials=credentials)
        await asks(server)

        answers = [await server.call("CreateBank", request, key) for key in ("first", "second", "first")]
        stored = [
            await server.call(
                "StoreFact", long_term.StoreFactRequest(content="x", request_id="r", **FACTS), key
            )
            for key in ("first", "second")
        ]

    banks = [bank.CreateBankResponse.FromString(answer.sent).bank.bank_id for answer in answers]
    assert banks[0] == banks[2] != banks[1]
    assert [answer.reason for answer in stored] == ["", REUSED]
