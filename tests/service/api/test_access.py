"""Every method with every sort of API key, by descriptor, against the real server with another's memory on it."""

from collections.abc import AsyncIterator, Iterator

import grpc
import pytest
import pytest_asyncio
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from core.caller import DEFAULT_TENANT, EVERYONE, Caller
from core.model.access import Scope
from memorybank.v1 import access_pb2
from service.api.access.naming import held
from service.api.access.needs import SCOPES
from tests.service.api.every_violation import METHODS, RIGHT
from tests.service.api.violations import put
from tests.support.api_keys import SECRET, Guarded, counted, guarded

pytestmark = pytest.mark.asyncio(loop_scope="module")

Code = grpc.StatusCode
BOUND = (access_pb2.NAME_USER, access_pb2.NAME_BANK, access_pb2.NAME_COLLECTION, access_pb2.NAME_OWNER)
FOREIGN: dict[int, str] = {
    access_pb2.NAME_USER: "ada",
    access_pb2.NAME_BANK: "b1",
    access_pb2.NAME_COLLECTION: "work",
    access_pb2.NAME_OWNER: "ada",
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    async with guarded(tmp_path_factory.mktemp("keys")) as running:
        yield running


def named(message: Descriptor, path: str = "", around: tuple[str, ...] = ()) -> Iterator[tuple[str, int]]:
    """The fields of a request that a key may be bound by, by their paths, and what each names."""
    for field in message.fields:
        place = f"{path}{field.name}"
        if (name := field.GetOptions().Extensions[access_pb2.names]) in BOUND:
            yield place, name
        inner = field.message_type
        if inner is not None and not inner.GetOptions().map_entry and inner.full_name not in around:
            within = f"{place}[]." if field.is_repeated else f"{place}."
            yield from named(inner, within, (*around, message.full_name))


def needs(method: str) -> access_pb2.Access:
    access: access_pb2.Access = METHODS[method].GetOptions().Extensions[access_pb2.access]
    return access


def naming(method: str, path: str) -> Message:
    """A request of the method that names what is Ada's in this field alone, and nothing elsewhere."""
    right = RIGHT[method]
    request = type(right)()
    put(request, path, FOREIGN[dict(named(METHODS[method].input_type))[path]])
    return request


@pytest.mark.parametrize("key", [None, "wrong", "expired", "revoked", "no key at all"])
async def test_without_a_valid_key_no_method_answers_or_looks_anything_up(
    server: Guarded, key: str | None
) -> None:
    refusals = set()
    with counted() as looked_up:
        for method, request in RIGHT.items():
            answer = await server.call(method, request, key)
            refusals.add((answer.code, answer.reason))

    assert refusals == {(Code.UNAUTHENTICATED, "UNAUTHENTICATED")}
    assert not looked_up.total()


async def test_a_key_that_may_only_read_calls_what_reads_and_nothing_else(server: Guarded) -> None:
    unlike = []
    for method, request in RIGHT.items():
        scopes = {SCOPES[scope] for scope in needs(method).scopes}
        may = scopes == {Scope.READ} and not needs(method).admin_unless_bound
        answer = await server.call(method, request, "read")
        if (answer.code is Code.PERMISSION_DENIED) is may:
            unlike.append((method, answer.code))

    assert unlike == []


async def test_what_a_field_names_that_a_key_is_not_bound_to_is_denied_before_any_look_up(
    server: Guarded,
) -> None:
    keys: dict[int, str] = {
        access_pb2.NAME_USER: "bob",
        access_pb2.NAME_BANK: "prefix",
        access_pb2.NAME_COLLECTION: "collection",
        access_pb2.NAME_OWNER: "none",
    }
    unlike = []
    with counted() as looked_up:
        for method, descriptor in METHODS.items():
            for path, name in named(descriptor.input_type):
                answer = await server.call(method, naming(method, path), keys[name])
                if answer.code is not Code.PERMISSION_DENIED or SECRET.encode() in answer.sent:
                    unlike.append((method, path, answer.code))

    assert unlike == []
    assert not looked_up.total()


REACHES: dict[str, frozenset[str]] = {  # services, and a method, that the binding says nothing about
    "bob": frozenset(),
    "none": frozenset(),
    "prefix": frozenset({"Conversation", "LongTerm", "Instructions", "AssembleContext", "Explain"}),
    "listed": frozenset({"Conversation", "LongTerm", "Instructions", "AssembleContext", "Explain"}),
    "collection": frozenset({"Instructions", "AssembleContext", "Explain"}),
}


@pytest.mark.parametrize("key", REACHES)
async def test_a_bound_key_gets_no_byte_of_another_s_memory(server: Guarded, key: str) -> None:
    """Whatever a method answers, also where its request names nothing."""
    unlike = []
    with counted() as looked_up:
        for method, request in RIGHT.items():
            if {method, METHODS[method].containing_service.name} & REACHES[key]:
                continue
            for asked in (request, type(request)()):
                answer = await server.call(method, asked, key)
                if SECRET.encode() in answer.sent or answer.code is Code.INTERNAL:
                    unlike.append((method, answer.code))

    assert unlike == []
    assert not looked_up["load of Ada's"]
    assert not looked_up["requests of Ada's"]
    assert not looked_up["append of Ada's"]


MADE = {"CreateBank", "CreateConversation", "ImportBank", "UploadAttachment", "MemorizeStream", "StartTask"}
"""What makes what it names, or names it in a header."""


@pytest.mark.parametrize("field", ["bank_id", "conversation_id"])
async def test_what_is_another_s_by_its_record_alone_is_answered_as_what_never_was(
    server: Guarded, field: str
) -> None:
    """A conversation in a collection that the key is not bound to, a bank in one: neither is loaded."""
    mine = {"bank_id": "b1", "conversation_id": "c1"}[field]
    unlike, tried = [], 0
    with counted() as looked_up:
        for method, right in RIGHT.items():
            if method in MADE or getattr(right, field, "") == "" or "StartInvocation" in method:
                continue
            answers = []
            for name in (mine, f"{mine[0]}9"):
                request = type(right)()
                request.CopyFrom(right)
                if "collection" in request.DESCRIPTOR.fields_by_name:
                    request.ClearField("collection")
                setattr(request, field, name)
                answer = await server.call(method, request, "collection")
                answers.append((answer.code, answer.reason, answer.sent.replace(name.encode(), b"X")))
            tried += 1
            if answers[0] != answers[1] and method != "AssembleContext":
                unlike.append((method, answers))

    assert unlike == []
    assert tried > 10
    assert not looked_up["load of Ada's"]
    assert not looked_up["requests of Ada's"]


async def test_every_key_that_may_finds_its_own(server: Guarded) -> None:
    answer = await server.call("GetBank", RIGHT["GetBank"], "all")

    assert SECRET.encode() in answer.sent


async def test_a_key_that_may_only_read_leaves_no_trace_in_what_it_finds() -> None:
    reader = Caller(tenant=DEFAULT_TENANT, scopes=frozenset({Scope.READ}))
    counting = [type(right) for right in RIGHT.values() if "observe" in right.DESCRIPTOR.fields_by_name]

    assert len(counting) == 5
    assert all(held(request(), reader).observe for request in counting)  # type: ignore[attr-defined]
    assert not any(held(request(), EVERYONE).observe for request in counting)  # type: ignore[attr-defined]
