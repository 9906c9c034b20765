"""Calls that tests make of a house, each with a request_id: made again, it is the same call."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from core.ids import ConflictId
from core.model.interaction import TaskReport
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.merge_nodes import MergeNodes, merge_nodes
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict, resolve_conflict
from core.usecases.house import House
from core.usecases.task.advance_task import AdvanceTask, advance_task
from core.usecases.task.start_task import StartTask, start_task
from tests.support.house import KEY, request

Act = Callable[[House], Awaitable[Any]]


def memorizing(text: str) -> Act:
    return lambda house: memorize(
        house, Memorize(key=KEY, context=Context(text=text), request=request("r1", verb="Memorize"))
    )


def advancing(**more: Any) -> Act:
    context = Context(text="findings on tides", task=TaskReport(type="SEARCH", description="x"))
    command = AdvanceTask(key=KEY, augment=Augment(key=KEY), context=context, **more)
    return lambda house: advance_task(house, replace(command, request=request("r1", verb="AdvanceTask")))


def starting(**more: Any) -> Act:
    command = StartTask(key=KEY, augment=Augment(key=KEY), request=request("r1", verb="StartTask"), **more)
    return lambda house: start_task(house, command)


def resolving(**more: Any) -> Act:
    async def act(house: House) -> Any:
        async with house.banks.reading(KEY) as bank:
            conflict_id = ConflictId(min(bank.conflicts))
        command = ResolveConflict(key=KEY, conflict_id=conflict_id, **more)
        return await resolve_conflict(house, replace(command, request=request("r1", verb="Resolve")))

    return act


async def merging(house: House) -> Any:
    async with house.banks.reading(KEY) as bank:
        nodes = tuple(sorted(bank.nodes))[:2]
    command = MergeNodes(key=KEY, node_ids=nodes, request=request("r1", verb="MergeNodes"))
    return await merge_nodes(house, command)
