"""AddWorkingItems: what an agent thought, did and saw, as it comes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.conversation.invocation import Invocation, ItemsAdd, RunningPut
from core.conversation.working import tokens_of
from core.errors import InvocationEnded
from core.ids import RecordId
from core.keys import InvocationKey
from core.model.invocation import InvocationRecord, InvocationState, Item, ItemType
from core.ports.aggregates import Draft, RequestKey
from core.usecases.conversation.ports import InvocationPorts
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """An item as it came. `step` 0: the newest so far. Without an `event_time`: now."""

    type: ItemType
    content: str
    step: int = 0
    tool: str = ""
    arguments_json: str = ""
    failed: bool = False
    error_type: str = ""
    record_ids: tuple[RecordId, ...] = ()
    event_time: datetime | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddWorkingItems:
    """No `key`: memory was not enabled, nothing is done."""

    key: InvocationKey | None
    items: tuple[NewItem, ...]
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsKept:
    """`tokens` of all items, word for word. `compressed`: whether they are shown as fewer."""

    tokens: int = 0
    compressed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingItemsAdded:
    kept: ItemsKept = ItemsKept()
    revision: int = 0
    replayed: bool = False


async def add_working_items(ports: InvocationPorts, command: AddWorkingItems) -> WorkingItemsAdded:
    """Raises InvocationNotFound, InvocationEnded, MemoryOff, LimitReached, RequestIdReused."""
    if command.key is None:
        return WorkingItemsAdded()
    now = ports.clock.now()
    async with ports.invocations.reading(command.key):
        pass  # before the user is founded: it may not be there
    writer = (await permission_to_write(ports, command.key)).writer()

    def stage(invocation: Invocation, _revision: int) -> Draft[ItemsKept]:
        before = invocation.record
        if before.state is not InvocationState.RUNNING:
            raise InvocationEnded(before.key.invocation_id)
        items = _numbered(command.items, before, now)
        record = replace(
            before,
            item_count=before.item_count + len(items),
            last_step=items[-1].step,
            text_bytes=before.text_bytes + sum(item.text_bytes for item in items),
            tokens=before.tokens + tokens_of(items),
            due_time=now + ports.settings.working.idle,
        )
        ports.settings.limits.check_working(record)
        return Draft(
            result=ItemsKept(tokens=record.tokens, compressed=record.tokens > record.threshold),
            steps=(ItemsAdd(items=items), RunningPut(record=record)),
            touches=frozenset({"invocation"}),
            requires=(writer,),
        )

    done = await ports.invocations.commit(command.key, stage, command.request, ItemsKept)
    return WorkingItemsAdded(kept=done.result, revision=done.revision, replayed=done.replayed)


def _numbered(new: tuple[NewItem, ...], before: InvocationRecord, now: datetime) -> tuple[Item, ...]:
    """Returns the items with their numbers; their steps never go back."""
    made: list[Item] = []
    step = max(1, before.last_step)
    for number, each in enumerate(new, start=before.item_count + 1):
        step = max(step, each.step)
        item = Item(
            number=number,
            step=step,
            type=each.type,
            content=each.content,
            event_time=each.event_time or now,
            tool=each.tool,
            arguments_json=each.arguments_json,
            failed=each.failed,
            error_type=each.error_type,
            record_ids=each.record_ids,
            metadata=each.metadata,
        )
        made.append(item)
    return tuple(made)
