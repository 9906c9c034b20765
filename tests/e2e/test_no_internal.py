"""Random calls of every method of every service, at memory that went through every state.

None ends INTERNAL or UNKNOWN, none that was refused for what it said has written, work that had a next task or an end
keeps having one, and all memory that is left answers and can be moved.
"""

import time
from collections import Counter
from collections.abc import Iterator

import grpc
import pytest
import structlog
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from memorybank.v1 import (
    conversation_pb2,
    deep_retrieval_pb2,
    instructions_pb2,
    long_term_pb2,
    memory_bank_pb2,
    operations_pb2,
    query_graph_pb2,
    retrieval_pb2,
)
from memorybank.v1 import memory_bank_pb2 as pb
from tests.support import states_of_banks as banks
from tests.support import states_of_users as users
from tests.support.random_requests import Known, Requests
from tests.support.scale import scaled
from tests.support.server import Service, serving

FILES = (
    memory_bank_pb2,
    query_graph_pb2,
    retrieval_pb2,
    deep_retrieval_pb2,
    conversation_pb2,
    long_term_pb2,
    instructions_pb2,
    operations_pb2,
)
METHODS: dict[str, MethodDescriptor] = {
    method.name: method
    for file in FILES
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
CUT_SHORT = "Internal error from Core"
"""What grpc's client says of a stream that the server ended while it was still writing: no word of the server's."""
OF_USERS = ("Conversation", "LongTerm", "Instructions")
CALLS = 200 if scaled(1) <= 1 else scaled(2_860)  # 28,600 where `make soak` runs it
LOOKED_AT = 40  # calls between two looks at what there is
NEVER = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNIMPLEMENTED}
SELDOM = {
    "DeleteBank": 0.05,
    "CreateBank": 0.1,
    "ImportBank": 0.1,
    "ExportBank": 0.3,
    "PurgeUser": 0.05,
    "UpdateUser": 0.2,
    "DeleteCollection": 0.1,
    "DeleteConversation": 0.1,
    "EndConversation": 0.2,
}

INDEX = b'{"memories": [], "reflections": []}'
BEHIND: dict[str, list[Message]] = {
    "MemorizeStream": [pb.MemorizeStreamRequest(text=banks.TEN)],
    "UploadAttachment": [pb.UploadAttachmentRequest(chunk=b"bytes")],
    "ImportCollection": [
        long_term_pb2.ImportCollectionRequest(
            file=long_term_pb2.ExportCollectionResponse(path="memory.json", content=INDEX)
        )
    ],
    "ImportUser": [
        long_term_pb2.ImportUserRequest(
            file=long_term_pb2.ExportUserResponse(path="user.json", content=b'{"user": {"enabled": true}}')
        )
    ],
}
"""What follows the random first message of a stream."""


@pytest.fixture(autouse=True)
def _only_warnings() -> Iterator[None]:
    """What is refused on purpose fills no test's output."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("warning"))
    yield
    structlog.reset_defaults()


@pytest.mark.slow
async def test_no_call_ends_internal_whatever_its_memory_has_been_through() -> None:
    start = time.perf_counter()
    counts: Counter[grpc.StatusCode] = Counter()
    well: Counter[str] = Counter()
    async with serving(banks={"finished_ttl_hours": 1.0}) as service:
        written = {
            state: [each async for each in out] for state, out in (await banks.states(service)).items()
        }
        await users.all_users(service)
        requests = Requests(seed=14)
        going: set[str] = set()
        while (number := counts.total()) < CALLS:
            if number % LOOKED_AT == 0:
                of_banks = await banks.what_there_is(service, written)
                going = await still_going(service, going)
                of_users = {user: await users.held_of(service, user) for user in users.STATES}
            name = requests.random.choice(sorted(METHODS))
            if requests.random.random() > SELDOM.get(name, 1.0):
                continue
            bank_id, user = requests.random.choice(sorted(of_banks)), requests.random.choice(sorted(of_users))
            known: Known = {**of_banks[bank_id], **of_users[user]}
            request = await requests.at(METHODS[name], known, bank_id=bank_id, user=user)
            before = await standing(service, name, bank_id, user)
            code, said = await call(service, name, request, written[requests.random.choice(sorted(written))])
            counts[code] += 1
            well[name] += code is grpc.StatusCode.OK
            assert code not in NEVER, f"{name}: {code.name} {said}\n{request}"
            if code is grpc.StatusCode.INVALID_ARGUMENT:
                after = await standing(service, name, bank_id, user)
                assert after == before, f"{name} wrote: {said}\n{request}"
        for bank_id in await service.bank_ids():
            await banks.answers_and_moves(service, bank_id)
        for user in users.STATES:
            await users.still_answers(service, user)
    print(
        f"\n{sum(counts.values()):,} calls of {len(METHODS)} methods in {time.perf_counter() - start:.0f} s"
    )
    print(", ".join(f"{code.name} {count:,}" for code, count in counts.most_common()))
    print("none was OK of:", *sorted(METHODS.keys() - (+well).keys()))


async def still_going(service: Service, going: set[str]) -> set[str]:
    """The banks whose work has a next task or an end, by uid: those that had one have it still, unless their goal
    was taken away."""
    found = set()
    for bank_id in await service.bank_ids():
        uid, has = await banks.goes_on(service, bank_id)
        assert has is not False or uid not in going, f"{bank_id} has neither a next task nor an end"
        found |= {uid} if has else set()
    return found


async def standing(service: Service, method: str, bank_id: str, user: str) -> object:
    """What a call that is refused leaves as it is."""
    if METHODS[method].containing_service.name in OF_USERS:
        return await users.standing_of(service, user)
    return await banks.standing(service, bank_id)


async def call(
    service: Service, method: str, request: Message, records: list[pb.ExportRecord]
) -> tuple[grpc.StatusCode, str]:
    """How a call ended. Of a watch the first message is awaited."""
    described = METHODS[method]
    path = f"/{described.containing_service.full_name}/{method}"
    encoded = request.SerializeToString()
    try:
        if method == "ImportBank":
            await service.bank.ImportBank(banks.imported(f"copy-{len(records)}", records))
        elif described.client_streaming or described.server_streaming:
            sent = [encoded, *(each.SerializeToString() for each in BEHIND.get(method, ()))]
            answers = service.channel.stream_stream(path)(iter(sent), timeout=30)
            async for _ in answers:
                if method == "WatchBank":
                    answers.cancel()
                    break
        else:
            await service.channel.unary_unary(path)(encoded, timeout=30)
    except grpc.aio.AioRpcError as error:
        if error.details() == CUT_SHORT:
            return grpc.StatusCode.CANCELLED, CUT_SHORT
        return error.code(), error.details() or ""
    return grpc.StatusCode.OK, ""
