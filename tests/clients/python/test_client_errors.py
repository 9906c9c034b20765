"""From a status on the wire to the error that is raised."""

import socket
from datetime import timedelta
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2  # type: ignore[import-untyped]  # ships no types

import memorybank_client
from memorybank_client import (
    DeadlineExceeded,
    ErrorReason,
    FieldViolation,
    InvalidArgument,
    MemoryBankClient,
    MemoryBankError,
    NotFound,
    ResourceExhausted,
    SyncMemoryBankClient,
    Unavailable,
)
from memorybank_client.errors import FAMILIES
from tests.clients.python.scripted import Refusal, Script, asking, error_info, scripted


async def raised(kind: str, refusal: Refusal) -> MemoryBankError:
    """What the client raises for the refusal of a call that is not tried again."""
    script = Script()
    script.answers["DeleteBank"] = [refusal]
    async with scripted(script) as target, asking(kind, target) as ask:
        with pytest.raises(MemoryBankError) as caught:
            await ask("delete_bank", bank_id="trip", request_id="r1")
    return caught.value


async def test_an_error_carries_what_the_service_said(kind: str) -> None:
    bad = error_details_pb2.BadRequest()
    bad.field_violations.add(field="messages[1].text", description="must not be empty")
    bad.field_violations.add(field="alpha", description="必须在 0 和 1 之间")
    info = error_info("INVALID_FIELD", field="messages[1].text", problem="must not be empty")

    error = await raised(
        kind, Refusal(code=grpc.StatusCode.INVALID_ARGUMENT, message="no", details=(info, bad))
    )

    assert isinstance(error, InvalidArgument)
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.reason == ErrorReason.ERROR_REASON_INVALID_FIELD
    assert error.metadata == {"field": "messages[1].text", "problem": "must not be empty"}
    assert error.field_violations == (
        FieldViolation(field="messages[1].text", problem="must not be empty"),
        FieldViolation(field="alpha", problem="必须在 0 和 1 之间"),
    )
    assert error.retry_after is None
    assert error.request_id == "r1"
    assert str(error) == "INVALID_ARGUMENT INVALID_FIELD: no"


async def test_an_error_says_when_to_try_again(kind: str) -> None:
    retry = error_details_pb2.RetryInfo()
    retry.retry_delay.FromTimedelta(timedelta(seconds=1.5))

    error = await raised(
        kind,
        Refusal(code=grpc.StatusCode.UNAVAILABLE, details=(error_info("STORE_UNAVAILABLE"), retry)),
    )

    assert isinstance(error, Unavailable)
    assert error.reason == ErrorReason.ERROR_REASON_STORE_UNAVAILABLE
    assert error.retry_after == timedelta(seconds=1.5)


async def test_what_a_server_beyond_its_room_ends_was_unavailable_and_not_cancelled_here(kind: str) -> None:
    error = await raised(kind, Refusal(code=grpc.StatusCode.CANCELLED, packed=b""))

    assert isinstance(error, Unavailable)
    assert error.code is grpc.StatusCode.CANCELLED
    assert error.request_id == "r1"


async def test_an_absorbed_node_names_its_heir(kind: str) -> None:
    info = error_info("NODE_ABSORBED", node_id="a", into="h")

    error = await raised(kind, Refusal(code=grpc.StatusCode.NOT_FOUND, details=(info,)))

    assert isinstance(error, NotFound)
    assert error.metadata["into"] == "h"


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal(code=grpc.StatusCode.RESOURCE_EXHAUSTED, message="too much"),
        Refusal(code=grpc.StatusCode.RESOURCE_EXHAUSTED, message="too much", packed=b"\xff\xff"),
        Refusal(
            code=grpc.StatusCode.RESOURCE_EXHAUSTED,
            message="too much",
            details=(error_info("RATE_LIMITED", domain="proxy.example"),),
        ),
        Refusal(
            code=grpc.StatusCode.RESOURCE_EXHAUSTED,
            message="too much",
            details=(error_info("ADDED_LATER"),),
        ),
    ],
    ids=["no details", "details that cannot be read", "another's details", "a reason added later"],
)
async def test_what_the_service_did_not_say_is_not_guessed(kind: str, refusal: Refusal) -> None:
    error = await raised(kind, refusal)

    assert isinstance(error, ResourceExhausted)
    assert error.reason == ErrorReason.ERROR_REASON_UNSPECIFIED
    assert str(error) == "RESOURCE_EXHAUSTED: too much"


async def test_an_address_without_a_server_is_unavailable(kind: str) -> None:
    async with asking(kind, "127.0.0.1:1") as ask:
        with pytest.raises(Unavailable) as caught:
            await ask.within(30.0)("delete_bank", bank_id="trip")

    assert caught.value.reason == ErrorReason.ERROR_REASON_UNSPECIFIED


def test_each_code_has_its_class_and_all_are_exported() -> None:
    unnamed = {grpc.StatusCode.OK, grpc.StatusCode.UNKNOWN}

    assert set(FAMILIES) == set(grpc.StatusCode) - unnamed
    assert {family.__name__ for family in FAMILIES.values()} <= set(memorybank_client.__all__)


async def test_where_no_service_answers_in_time_the_address_is_named(kind: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and says nothing
        target = f"127.0.0.1:{silent.getsockname()[1]}"

        async with asking(kind, target, timeouts={"search": 0.2}) as ask:
            with pytest.raises(DeadlineExceeded) as caught:
                await ask("search", bank_id="trip", text="ferry")

    assert caught.value.message == f"no answer from {target} within 0.2 s: does a memory bank listen there?"


@pytest.mark.parametrize(
    ("target", "remedy"),
    [
        ("http://127.0.0.1:7700", "write 127.0.0.1:7700"),
        ("https://ada:s3cret@memory.example/v1", "write memory.example:7700"),
        ("grpc://[::1]:80/", r"write \[::1\]:80"),
        ("", "write HOST:PORT"),
        ("memory.example", "write memory.example:7700"),
        ("127.0.0.1:7700/v1", "write HOST:PORT"),
        ("127.0.0.1:99999", "write HOST:PORT"),
        ("127.0.0.1:0", "write HOST:PORT"),
        ("127.0.0.1:port", "write HOST:PORT"),
        ("my host:7700", "write HOST:PORT"),
    ],
)
@pytest.mark.parametrize("client", [SyncMemoryBankClient, MemoryBankClient])
def test_an_address_that_is_none_is_refused_at_once_with_what_to_write(
    client: type[SyncMemoryBankClient | MemoryBankClient], target: str, remedy: str
) -> None:
    with pytest.raises(ValueError, match=f"{remedy}.*$") as caught:
        client(target)

    assert "\n" not in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "target",
    [
        "127.0.0.1:7700",
        "[::1]:7700",
        "memory:443",
        "dns:///memory:443",
        "unix:/tmp/memory.sock",
        "ipv4:127.0.0.1:1",
    ],
)
def test_what_grpc_resolves_is_an_address(target: str) -> None:
    SyncMemoryBankClient(target).close()


def test_an_encrypted_address_needs_no_port() -> None:
    SyncMemoryBankClient("memory.example", credentials=grpc.ssl_channel_credentials()).close()


@pytest.mark.parametrize(
    ("metadata", "named"),
    [
        ([("Authorization", "Bearer s3cret")], "'Authorization': a key is of lower-case letters"),
        ([("authorization", "Bearer s3cret\n")], "'authorization': its value is to be printable ASCII"),
        ([("user", "艾达")], "'user': its value is to be printable ASCII"),
        ([("trace-bin", "s3cret")], "'trace-bin': its value is to be bytes"),
        ([("", "s3cret")], "'': a key is of"),
        ({"authorization": "Bearer s3cret"}, "pairs of a key and a value"),
    ],
)
def test_metadata_that_grpc_does_not_take_is_refused_at_once_and_not_repeated(
    metadata: Any, named: str
) -> None:
    with pytest.raises(ValueError, match=named) as caught:
        MemoryBankClient("127.0.0.1:7700", metadata=metadata)

    assert "s3cret" not in str(caught.value)
