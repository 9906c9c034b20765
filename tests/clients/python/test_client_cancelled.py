"""A cancelled call: the cancellation that leaves is the one that came, whoever sent it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import anyio
import grpc
import pytest

from memorybank_client import Cancelled, MemoryBankClient
from memorybank_client.methods import Method
from memorybank_client.shapes import Both, Shape, Up
from memorybank_client.verbs import Verbs
from tests.clients.python.scripted import Refusal, Script, scripted

VERBS = {name: shape for name, shape in vars(Verbs).items() if isinstance(shape, Shape)}
EACH_KIND = ["get_bank", "upload_attachment", "export_bank", "memorize_stream"]


async def endless() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def called(client: MemoryBankClient, verb: str, source: Any = None) -> None:
    """Makes the call. What streams up has no end unless a `source` is given."""
    given = [endless() if source is None else source] if isinstance(VERBS[verb], Up | Both) else []
    made: Any = getattr(client, verb)(*given)
    if not hasattr(made, "__aiter__"):
        await made
        return
    async with aclosing(made) as stream:
        async for _ in stream:
            pass


@asynccontextmanager
async def silent() -> AsyncIterator[tuple[MemoryBankClient, Script]]:
    """A client of a server that answers no call."""
    script = Silent()
    async with scripted(script) as target, MemoryBankClient(target) as client:
        yield client, script


class Silent(Script):
    async def _next(self, method: Method, context: Any) -> Any:
        await asyncio.Event().wait()


async def arrival(script: Script) -> None:
    """Waits until a call has arrived, and forgets it."""
    await script.arrived.wait()
    script.arrived.clear()


async def on_arrival(script: Script, act: Callable[[], Any]) -> None:
    await arrival(script)
    act()


@pytest.mark.parametrize("verb", VERBS)
async def test_a_deadline_of_anyio_ends_a_call_of_each_verb_and_the_task_goes_on(verb: str) -> None:
    async with silent() as (client, script), anyio.create_task_group() as group:
        with anyio.move_on_after(600) as scope:
            group.start_soon(on_arrival, script, lambda: setattr(scope, "deadline", anyio.current_time()))
            await called(client, verb)

    assert scope.cancelled_caught


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_where_anyio_is_to_fail_it_is_a_timeout_error(verb: str) -> None:
    async def late(client: MemoryBankClient, script: Script) -> None:
        async with anyio.create_task_group() as group:
            with anyio.fail_after(600) as scope:
                group.start_soon(on_arrival, script, lambda: setattr(scope, "deadline", anyio.current_time()))
                await called(client, verb)

    async with silent() as (client, script):
        task = asyncio.create_task(late(client, script))
        await asyncio.wait([task])

    (error,) = getattr(task.exception(), "exceptions", [None])
    assert isinstance(error, TimeoutError)


@pytest.mark.parametrize("verb", EACH_KIND)
@pytest.mark.parametrize("outer", [True, False])
async def test_of_nested_scopes_the_one_that_was_cancelled_ends(verb: str, outer: bool) -> None:
    passed = []
    async with silent() as (client, script), anyio.create_task_group() as group:
        with anyio.CancelScope() as around:
            with anyio.CancelScope() as within:
                group.start_soon(on_arrival, script, (around if outer else within).cancel)
                await called(client, verb)
            passed.append("within")

    assert (around.cancelled_caught, within.cancelled_caught) == (outer, not outer)
    assert passed == ([] if outer else ["within"])


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_a_cancelled_task_of_asyncio_is_cancelled(verb: str) -> None:
    async with silent() as (client, script):
        task = asyncio.create_task(called(client, verb))
        await arrival(script)
        task.cancel()
        await asyncio.wait([task])

    assert task.cancelled()


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_a_task_that_cancels_itself_is_cancelled_at_its_next_call(verb: str) -> None:
    async def cancels_itself(client: MemoryBankClient) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await called(client, verb)

    async with silent() as (client, _):
        task = asyncio.create_task(cancels_itself(client))
        await asyncio.wait([task])

    assert task.cancelled()


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_a_timeout_of_asyncio_is_a_timeout_error(verb: str) -> None:
    async def late(client: MemoryBankClient, script: Script) -> None:
        async with asyncio.timeout(600) as limit:
            arriving = asyncio.create_task(on_arrival(script, lambda: limit.reschedule(0)))
            await called(client, verb)
        await arriving

    async with silent() as (client, script):
        with pytest.raises(TimeoutError):
            await late(client, script)


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_a_task_cancelled_by_asyncio_inside_of_a_scope_of_anyio_is_cancelled(verb: str) -> None:
    async def scoped(client: MemoryBankClient) -> None:
        with anyio.CancelScope():
            await called(client, verb)

    async with silent() as (client, script):
        task = asyncio.create_task(scoped(client))
        await arrival(script)
        task.cancel()
        await asyncio.wait([task])

    assert task.cancelled()


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_a_closed_client_ends_its_calls_with_an_error_of_its_own(verb: str) -> None:
    async with silent() as (client, script), anyio.create_task_group() as group:
        group.start_soon(closed_on_arrival, script, client)
        with pytest.raises(Cancelled, match="the client was closed"):
            await called(client, verb)


async def closed_on_arrival(script: Script, client: MemoryBankClient) -> None:
    await arrival(script)
    await client.close()


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_a_closed_client_does_so_also_while_a_cancelled_task_cleans_up(verb: str) -> None:
    async def cleans_up(client: MemoryBankClient) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await called(client, verb)

    async with silent() as (client, script):
        task = asyncio.create_task(cleans_up(client))
        await asyncio.sleep(0)
        task.cancel()
        await closed_on_arrival(script, client)
        await asyncio.wait([task])

    assert isinstance(task.exception(), Cancelled)


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_a_call_that_the_server_cancels_is_an_error_and_no_cancellation(verb: str) -> None:
    script = Script()
    script.answers[VERBS[verb].method.name] = [
        Refusal(code=grpc.StatusCode.CANCELLED, at_once=True, is_final=True)
    ]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        with pytest.raises(Cancelled, match="refused"):
            await called(client, verb)


@pytest.mark.parametrize("verb", ["upload_attachment", "memorize_stream"])
async def test_a_source_that_was_cancelled_by_itself_is_an_error_and_no_cancellation(verb: str) -> None:
    async def cancelled() -> AsyncIterator[bytes]:
        reading = asyncio.create_task(asyncio.sleep(600))
        reading.cancel()
        await reading
        yield b""

    async with silent() as (client, _):
        made: Any = getattr(client, verb)(cancelled())
        with pytest.raises(Cancelled, match="what streams up was cancelled"):
            await (anext(made) if hasattr(made, "__anext__") else made)


async def test_a_call_that_is_being_tried_again_is_cancelled_as_any_other() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        async with MemoryBankClient(f"127.0.0.1:{nobody.getsockname()[1]}") as client:
            with anyio.move_on_after(0.2) as scope:
                await client.get_bank(bank_id="trip")

    assert scope.cancelled_caught


@pytest.mark.parametrize("verb", EACH_KIND)
async def test_at_whatever_moment_the_cancellation_comes_its_scope_ends_it(verb: str) -> None:
    async def after(steps: int, cancel: Callable[[], None]) -> None:
        for _ in range(steps):
            await asyncio.sleep(0)
        cancel()

    async def ended(client: MemoryBankClient, steps: int) -> bool:
        async with anyio.create_task_group() as group:
            with anyio.CancelScope() as scope:
                group.start_soon(after, steps, scope.cancel)
                await called(client, verb, "a" if verb == "memorize_stream" else b"a")
        return scope.cancelled_caught

    async with scripted(Script()) as target, MemoryBankClient(target) as client:
        cancelled = [await ended(client, steps) for steps in range(60)]

    assert True in cancelled
