"""What probes and meshes need of a server: health in plaintext, connections that end, changes that may be repeated."""

import asyncio
import json
from pathlib import Path
from socket import socket
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.field_mask_pb2 import FieldMask
from grpc_health.v1 import health_pb2, health_pb2_grpc

from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import types_pb2
from service.assembly.server import running
from service.cli.certs import NAMES, make
from service.config import ConfigurationError
from tests.service.api.every_violation import METHODS
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.process import free_port
from tests.support.server import held_open, refused, serving, settings_for, stream_refused

SERVING = health_pb2.HealthCheckResponse.SERVING
LONGEST_SECONDS = 30


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tls")
    make(folder, NAMES)
    return {"certificate": folder / "server.pem", "key": folder / "server.key"}


async def test_a_probe_without_tls_and_key_is_answered_on_health_s_own_port_and_nothing_else_is(
    tmp_path: Path, pair: dict[str, Path]
) -> None:
    health = f"127.0.0.1:{free_port()}"
    sections: dict[str, Any] = {"tls": pair, "auth": {"required": "true"}, "health": {"listen": health}}
    async with serving(folder=tmp_path, **sections), grpc.aio.insecure_channel(health) as channel:
        stub = health_pb2_grpc.HealthStub(channel)

        told = await stub.Check(health_pb2.HealthCheckRequest(service="memorybank.v1.Retrieval"))
        listing: Any = channel
        other = await refused(listing.unary_unary("/memorybank.v1.MemoryBank/ListBanks")(b""))

    assert told.status == SERVING
    assert other.code is grpc.StatusCode.UNIMPLEMENTED


async def test_a_taken_health_port_is_named_at_the_start(tmp_path: Path) -> None:
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(ConfigurationError, match=address):
            async with running(settings_for(tmp_path, health={"listen": address}), HashingEmbedder()):
                pytest.fail("it listens where another does")


async def test_an_old_connection_takes_no_more_calls_and_those_at_work_go_on(tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    async with serving(
        folder=tmp_path / "data", audit={"file": audit}, grpc={"max_connection_age_seconds": 0.5, "queues": 1}
    ) as service:
        await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b", goal="go on"))
        relabelled = types_pb2.Bank(labels={"still": "here"})
        following = service.bank.WatchBank(bank.WatchBankRequest(bank_id="b"))
        await following.read()
        async with asyncio.timeout(LONGEST_SECONDS):
            while len(peers(audit)) < 2:  # two connections, one after the other
                changed = bank.UpdateBankRequest(
                    bank_id="b", bank=relabelled, update_mask=FieldMask(paths=["labels"])
                )
                await service.bank.UpdateBank(changed)
        change: Any = await following.read()

    assert change.revision


def place_of(message: Any) -> str:
    """Where a request has its request_id, itself or in the part that begins a stream; empty: nowhere."""
    if "request_id" in message.fields_by_name:
        return "request_id"
    parts = ((name, field.message_type) for name, field in message.fields_by_name.items())
    return next(
        (f"{name}.request_id" for name, part in parts if part and "request_id" in part.fields_by_name), ""
    )


def peers(audit: Path) -> set[str]:
    if not audit.exists():
        return set()
    return {json.loads(line)["peer"] for line in audit.read_text().splitlines() if '"peer"' in line}


# ---- changes that may be repeated ----

CHANGES = sorted(
    name
    for name, method in METHODS.items()
    if method.GetOptions().idempotency_level != MethodOptions.NO_SIDE_EFFECTS and place_of(method.input_type)
)


async def test_where_a_request_id_is_required_each_change_without_one_is_refused(tmp_path: Path) -> None:
    async with serving(folder=tmp_path, grpc={"require_request_id": True, "queues": 1}) as service:
        for name in CHANGES:
            path = f"/{METHODS[name].containing_service.full_name}/{name}"
            answer = await stream_refused(service.channel.stream_stream(path)(held_open([b""])))
            assert (answer.code, answer.fields) == (
                grpc.StatusCode.INVALID_ARGUMENT,
                (place_of(METHODS[name].input_type),),
            ), name

        await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b", request_id="r"))
        header = bank.MemorizeRequest(bank_id="b", request_id="m")
        pieces = [
            bank.MemorizeStreamRequest(header=header),
            *(bank.MemorizeStreamRequest(text=f"{name} sails. ") for name in ("Ada", "Bo")),
        ]
        told = [each async for each in service.bank.MemorizeStream(iter(pieces))]
        assert told, "with a request_id, and in its later pieces without one, a stream goes through"
        assert await service.bank_ids() == ["b"], "reads have none"
