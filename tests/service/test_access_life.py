"""API keys over time: the first, the marker that outlasts it, rotation, revocation on every replica, the audit."""

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner, Result

from core.caller import EVERYONE
from core.ids import Tenant
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import memory_bank_pb2_grpc
from memorybank_client import MemoryBankClient, PermissionDenied, Unauthenticated
from service.adapters.store.memory_credentials import MemoryCredentials
from service.api.access.keyring import Keyring
from service.api.access.rates import Bucket, RateLimits, Rates
from service.api.access.tokens import SECRET_BYTES, digest_of, id_of, new_token
from service.api.errors.transport import RateLimited
from service.api.errors.transport import Unauthenticated as Refused
from service.assembly.minting import credentials_of
from service.assembly.server import running
from service.cli import main
from service.config import Settings
from tests.support.api_keys import key_for
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

TRIES = 400  # looks at a server that is to notice something within a second


@asynccontextmanager
async def serving(folder: Path, **sections: Any) -> AsyncIterator[tuple[Settings, str]]:
    """A server on a store of this folder, which others may share."""
    chosen = {"grpc": {"queues": 1, "drain_seconds": 0}, **sections}
    settings = settings_for(folder, **chosen)
    async with running(settings, HashingEmbedder()) as address:
        yield settings, str(address)


async def keys(folder: Path, *arguments: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, main, [*arguments, "--data", str(folder)])


async def created(folder: Path, *options: str) -> str:
    """Makes a key by the command, and returns it."""
    result = await keys(folder, "keys", "create", *options)
    assert result.exit_code == 0, result.output
    return next(line for line in result.output.splitlines() if line.startswith("mb_"))


def client(address: str, token: str = "") -> MemoryBankClient:
    bearer = [("authorization", f"Bearer {token}")] if token else []
    return MemoryBankClient(address, metadata=bearer, options=[("grpc.enable_retries", 0)])


async def refuses(address: str, token: str = "") -> bool:
    """Whether a server comes to refuse the key."""
    async with client(address, token) as caller:
        for _ in range(TRIES):
            try:
                await caller.list_banks()
            except Unauthenticated:
                return True
            await asyncio.sleep(0.01)
    return False


async def answers(address: str, token: str = "") -> bool:
    """Whether a server comes to answer a key, once it asks for one."""
    assert not token or await refuses(address)
    async with client(address, token) as caller:
        for _ in range(TRIES):
            try:
                await caller.list_banks()
            except Unauthenticated:
                await asyncio.sleep(0.01)
            else:
                return True
    return False


# ---- the marker ----


@pytest.mark.slow
async def test_the_first_key_has_a_running_server_ask_and_only_auth_off_stops_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, address):
        assert await answers(address)

        token = await created(tmp_path)
        assert await refuses(address)
        assert await answers(address, token)

        await keys(tmp_path, "keys", "revoke", id_of(token))
        assert await refuses(address, token)
        assert await refuses(address)

    async with serving(tmp_path) as (_, address):  # a restart opens nothing, nor does the last key's end
        assert await refuses(address)
        off = await keys(tmp_path, "auth", "off", "--yes")
        assert off.exit_code == 0, off.output
        assert await answers(address)


async def test_auth_required_asks_before_there_is_any_key(tmp_path: Path) -> None:
    async with serving(tmp_path, auth={"required": "true"}) as (_, address):
        assert await refuses(address)
        assert await answers(address, await created(tmp_path))


async def test_where_no_call_can_be_let_in_the_log_says_how_to_make_a_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, auth={"required": "true"}) as (settings, _):
        alone = capsys.readouterr().out
        async with credentials_of(settings) as credentials:
            await key_for(credentials)
    async with serving(tmp_path, auth={"required": "true"}):
        with_a_key = capsys.readouterr().out

    assert f"memorybank keys create --data {tmp_path}" in alone
    assert "no_api_key" not in with_a_key


async def test_old_keys_that_nobody_uses_are_counted(tmp_path: Path) -> None:
    async with serving(tmp_path) as (settings, address), credentials_of(settings) as credentials:
        now = datetime.now(UTC)
        fresh, token = await key_for(credentials)
        made = now - timedelta(days=40)
        for key_id in ("old", "used", "revoked"):
            await credentials.add(replace(fresh, key_id=key_id, create_time=made))
        await credentials.add(replace(fresh, key_id="other", create_time=made, tenant=Tenant("other")))
        await credentials.touch({"used"}, now)
        await credentials.revoke("revoked", now)
        async with client(address, token) as caller:
            info = await caller.get_server_info()

    assert info.unused_api_keys == 1


def test_insecure_lifts_the_check_of_the_address_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With it a server starts by the same settings, and so it asks as it would without."""
    started: list[Settings] = []

    async def start(settings: Settings, *_: object, **__: object) -> None:
        started.append(settings)

    monkeypatch.setattr("service.assembly.server.serve", start)

    for options in (["--listen", "127.0.0.1:1"], ["--listen", "127.0.0.1:1", "--insecure"]):
        CliRunner().invoke(main, ["serve", "--data", str(tmp_path), *options])
    beyond = CliRunner().invoke(main, ["serve", "--data", str(tmp_path), "--listen", "0.0.0.0:1"])

    assert started[0].model_dump() == started[1].model_dump()
    assert len(started) == 2
    assert "auth.required" in beyond.output


# ---- replicas, streams, rotation ----


@pytest.mark.slow
async def test_a_revoked_key_stops_on_every_replica_and_its_open_streams_end(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        places = [await stack.enter_async_context(serving(tmp_path)) for _ in range(3)]
        credentials = await stack.enter_async_context(credentials_of(places[0][0]))
        key, token = await key_for(credentials)
        other = (await key_for(credentials))[1]
        addresses = [address for _, address in places]
        assert [await answers(address, token) for address in addresses] == [True] * 3
        async with client(addresses[0], token) as first:
            await first.create_bank(bank_id="b1")
        watches = [await stack.enter_async_context(watching(address, token)) for address in addresses]
        kept = await stack.enter_async_context(watching(addresses[0], other))

        await credentials.revoke(key.key_id, datetime.now(UTC))

        assert [await refuses(address, token) for address in addresses] == [True] * 3
        assert [await ended(watch) for watch in watches] == [grpc.StatusCode.UNAUTHENTICATED] * 3
        assert not kept.done()
        assert await answers(addresses[1], other)


@asynccontextmanager
async def watching(address: str, token: str) -> AsyncIterator["grpc.aio.UnaryStreamCall[Any, Any]"]:
    """A stream that has begun."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub: Any = memory_bank_pb2_grpc.MemoryBankStub(channel)
        call = stub.WatchBank(bank.WatchBankRequest(bank_id="b1"), metadata=bearer(token))
        await call.read()
        yield call


async def ended(call: "grpc.aio.UnaryStreamCall[Any, Any]") -> grpc.StatusCode:
    async with asyncio.timeout(180):
        return await call.code()


async def test_a_rotated_key_replays_its_subject_s_requests_and_the_old_one_ends(tmp_path: Path) -> None:
    async with serving(tmp_path) as (settings, address), credentials_of(settings) as credentials:
        before = await created(tmp_path, "--subject", "planner")
        assert await answers(address, before)
        async with client(address, before) as caller:
            made = await caller.create_bank(goal="Go", request_id="r1")

        rotated = await keys(tmp_path, "keys", "rotate", id_of(before), "--overlap-hours", "0")
        after = next(line for line in rotated.output.splitlines() if line.startswith("mb_"))
        assert await answers(address, after)
        async with client(address, after) as caller:
            again = await caller.create_bank(goal="Go", request_id="r1")

        assert (again.replayed, again.bank.bank_id) == (True, made.bank.bank_id)
        assert await refuses(address, before)
        both = await credentials.listed()
        assert {key.subject for key in both} == {"planner"}


async def test_the_commands_show_no_secret_but_once(tmp_path: Path) -> None:
    out = tmp_path / "ada.key"

    shown = await keys(tmp_path, "keys", "create", "--user", "ada", "--owner", "agent/x", "--out", str(out))
    again = await keys(tmp_path, "keys", "create", "--out", str(out))
    listed = await keys(tmp_path, "keys", "list")
    token = out.read_text().strip()

    assert (shown.exit_code, again.exit_code) == (0, 2)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert token not in shown.output + listed.output
    assert digest_of(token) not in listed.output
    assert "user=ada" in listed.output
    assert token.encode() not in (tmp_path / "memorybank.sqlite").read_bytes()


async def test_what_a_key_may_not_hold_is_named(tmp_path: Path) -> None:
    wrong = [
        ("--scopes", "everything"),
        ("--bank", "a/b"),
        ("--owner", "planner"),
        ("--bank-prefix", "-x"),
        ("--tenant", ""),
    ]

    results = [await keys(tmp_path, "keys", "create", option, value) for option, value in wrong]

    assert [result.exit_code for result in results] == [2] * len(wrong)
    assert [
        option for (option, _), result in zip(wrong, results, strict=True) if option not in result.output
    ] == []
    assert (await keys(tmp_path, "keys", "revoke", "0000")).exit_code == 1


# ---- the audit ----


async def test_the_audit_tells_writes_refusals_and_keys_and_nothing_that_is_remembered(
    tmp_path: Path,
) -> None:
    file = tmp_path / "audit.jsonl"
    async with serving(tmp_path, audit={"file": file}) as (settings, address):
        async with credentials_of(settings) as credentials:
            key, token = await key_for(credentials, subject="王明\n{}")
        assert await refuses(address)
        async with client(address, token) as caller:
            await caller.create_bank(
                bank_id="b1", goal="The walnuts are in the tin.", user="ada", request_id="r1"
            )
            await caller.get_bank(bank_id="b1")
        with pytest.raises(Unauthenticated):
            async with client(address, new_token()[1]) as stranger:
                await stranger.list_banks()

    told = file.read_text(encoding="ascii")
    lines = [json.loads(line) for line in told.splitlines()]
    (made,) = [line for line in lines if line.get("method", "").endswith("/CreateBank")]
    denied = [line for line in lines if line["event"] == "denied"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (made["key_id"], made["subject"], made["bank_id"], made["user"]) == (
        key.key_id,
        "王明\n{}",
        "b1",
        "ada",
    )
    assert (made["request_id"], made["code"]) == ("r1", "OK")
    assert any(line.get("method", "").endswith("/GetBank") for line in lines)  # the key may read everybody's
    assert sum(line["count"] for line in denied) >= 2
    assert "walnuts" not in told
    assert token not in told


async def test_a_change_of_a_key_is_told_in_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "audit.jsonl"
    monkeypatch.setenv("MEMORYBANK_AUDIT__FILE", str(file))

    token = await created(tmp_path)
    await keys(tmp_path, "keys", "rotate", id_of(token))
    await keys(tmp_path, "keys", "revoke", id_of(token))
    await keys(tmp_path, "auth", "off", "--yes")

    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["event"] for line in lines] == [
        "key created",
        "key rotated",
        "key revoked",
        "asking stopped",
    ]
    assert token not in file.read_text()


# ---- rates ----


async def test_a_key_that_calls_too_often_is_told_exactly_how_long_to_wait(tmp_path: Path) -> None:
    async with serving(tmp_path, auth={"key_calls_per_second": 0.5}) as (settings, address):
        async with credentials_of(settings) as credentials:
            _, token = await key_for(credentials)
            _, other = await key_for(credentials)
        assert await answers(address, token)
        async with client(address, token) as caller:
            with pytest.raises(Exception, match="key_calls_per_second") as limited:
                await caller.list_banks()

        assert limited.value.retry_after is not None  # type: ignore[attr-defined]
        assert timedelta(0) < limited.value.retry_after <= timedelta(seconds=2)  # type: ignore[attr-defined]
        assert await answers(address, other)


def test_a_bucket_tells_when_the_next_call_may_come() -> None:
    now = [0.0]
    tenant = Bucket("tenant", 4.0, 3.0, now=lambda: now[0])
    one, other = (Bucket("key", 2.0, 2.0, tenant, lambda: now[0]) for _ in range(2))
    for bucket in (one, one, other):
        bucket.take()

    with pytest.raises(RateLimited) as of_key:
        one.take()
    with pytest.raises(RateLimited) as of_tenant:
        other.take()

    assert (of_key.value.limit, of_key.value.wait) == ("key", 0.5)
    assert (of_tenant.value.limit, of_tenant.value.wait) == ("tenant", 0.25)
    now[0] += 0.5
    one.take()


# ---- the keyring ----


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time


class Counting(MemoryCredentials):
    """Counts look-ups, and fails when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.found = 0
        self.is_gone = False

    async def find(self, key_id: str) -> Any:
        self.found += 1
        return await super().find(key_id)

    async def asking(self) -> Any:
        if self.is_gone:
            raise ConnectionError
        return await super().asking()


async def refusal_of(keyring: Keyring, token: str) -> type[Exception]:
    try:
        await keyring.caller(bearer(token), "ipv4:1.2.3.4:5")
    except (Refused, RateLimited) as refusal:
        return type(refusal)
    raise AssertionError("not refused")


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


@pytest.fixture
async def ring() -> tuple[Keyring, Counting, Clock, list[float], str]:
    credentials, clock, now = Counting(), Clock(), [0.0]
    key_id, token = new_token()
    key, _ = await key_for(credentials)
    await credentials.add(
        replace(
            key,
            key_id=key_id,
            digest=digest_of(token),
            create_time=clock.time,
            expire_time=clock.time + timedelta(minutes=5),
        )
    )
    keyring = Keyring(credentials, clock, 1.0, required=False, now=lambda: now[0])
    await keyring.confirm()
    return keyring, credentials, clock, now, token


Ring = tuple[Keyring, Counting, Clock, list[float], str]


async def test_a_key_is_looked_up_once_until_something_changes(ring: Ring) -> None:
    keyring, credentials, _, _, token = ring

    callers = [await keyring.caller(bearer(token), "ipv4:1.2.3.4:5") for _ in range(5)]
    assert credentials.found == 1
    assert len(set(callers)) == 1
    assert callers[0] is not EVERYONE

    await key_for(credentials)
    await keyring.confirm()
    await keyring.caller(bearer(token), "ipv4:1.2.3.4:5")
    assert credentials.found == 2


async def test_a_key_that_is_revoked_while_it_is_looked_up_is_not_kept(ring: Ring) -> None:
    keyring, credentials, clock, _, token = ring
    plain, revoked = credentials.find, asyncio.Event()

    async def late(key_id: str) -> Any:
        found = await plain(key_id)
        if not revoked.is_set():
            revoked.set()
            await credentials.revoke(key_id, clock.time)
            await keyring.confirm()
        return found

    credentials.find = late  # type: ignore[method-assign]

    with pytest.raises(Refused):
        await keyring.caller(bearer(token), "ipv4:1.2.3.4:5")


async def test_a_cached_key_ends_with_its_time(ring: Ring) -> None:
    keyring, _, clock, _, token = ring
    await keyring.caller(bearer(token), "ipv4:1.2.3.4:5")

    clock.time += timedelta(minutes=5)

    with pytest.raises(Refused):
        await keyring.caller(bearer(token), "ipv4:1.2.3.4:5")


async def test_what_the_store_cannot_confirm_is_refused(ring: Ring) -> None:
    keyring, credentials, _, now, token = ring
    await keyring.caller(bearer(token), "ipv4:1.2.3.4:5")

    credentials.is_gone, now[0] = True, 1.5

    with pytest.raises(ConnectionError):
        await keyring.caller(bearer(token), "ipv4:1.2.3.4:5")


async def test_wrong_keys_cost_no_look_up_without_their_checksum_and_few_with_it(ring: Ring) -> None:
    keyring, credentials, _, _, token = ring
    spoilt = token[:-1] + ("A" if token[-1] != "A" else "B")
    for wrong in (spoilt, "hunter2", "mb_", f"mb_{'0' * 16}_", "é", "a" * 10_000):
        with pytest.raises(Refused):
            await keyring.caller(bearer(wrong), "ipv4:1.2.3.4:5")
    assert credentials.found == 0

    stranger = new_token()[1]
    for _ in range(3):
        with pytest.raises(Refused):
            await keyring.caller(bearer(stranger), "ipv4:1.2.3.4:5")
    assert credentials.found == 1

    refusals = [await refusal_of(keyring, new_token()[1]) for _ in range(200)]
    assert {Refused, RateLimited} == set(refusals)
    await keyring.caller(bearer(token), "ipv4:6.6.6.6:1")


def test_a_key_has_32_random_bytes_and_a_checksum() -> None:
    tokens = {new_token()[1] for _ in range(100)}

    assert len(tokens) == 100
    assert all(id_of(token) and token.startswith("mb_") for token in tokens)
    assert SECRET_BYTES == 32
    assert Rates(RateLimits()).bucket(None) is None  # type: ignore[arg-type]  # none is made without a limit


async def test_a_subject_without_the_scope_is_told_so(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, address):
        reader = await created(tmp_path, "--scopes", "read")
        assert await answers(address, reader)
        async with client(address, reader) as caller:
            with pytest.raises(PermissionDenied, match="scope write"):
                await caller.create_bank(bank_id="b1")
