"""An invocation in memory: the aggregate of its items, in the order they came.

Law: `apply` is the only mutator. Items are only added; they go with the invocation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from core.aggregate import step
from core.aggregate.codec import StepCodec
from core.aggregate.kind import Chore, Kind
from core.aggregate.parts import Effect, ItemPut, Part, PartsAggregate, numbered
from core.conversation.working import parted, to_compress
from core.errors import InvocationExists, InvocationNotFound
from core.keys import InvocationKey
from core.model.invocation import CompressedItems, InvocationRecord, InvocationState, Item

ITEMS = Part(name="items", of=Item)
COMPRESSED = Part(name="compressed", of=CompressedItems)
LATEST = "latest"
ITEM_BYTES = 1_500  # about what an item takes beside its text

END = Chore(name="end")
CONCLUDE = Chore(name="conclude")
COMPRESS = Chore(name="compress")


class Step(step.Step):
    """What may happen to an invocation."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningPut(Step):
    """The record: the first step of the first change, and again whenever it changes."""

    record: InvocationRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsAdd(Step):
    """New items, each numbered after the one before."""

    items: tuple[Item, ...]

    def effects(self) -> Iterable[Effect]:
        return [ItemPut(part=ITEMS, item=numbered(item.number), value=item) for item in self.items]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressedPut(Step):
    """What a model made of the older items, in place of what it made before."""

    compressed: CompressedItems

    def effects(self) -> Iterable[Effect]:
        return [ItemPut(part=COMPRESSED, item=LATEST, value=self.compressed)]


STEPS: StepCodec[Step] = StepCodec(Step)


class Invocation(PartsAggregate[InvocationRecord, Step]):
    """One invocation: read it freely between awaits; change it by `apply`."""

    kind: ClassVar[Any]

    def in_order(self) -> tuple[Item, ...]:
        """Returns the items as they came."""
        return tuple(self.parts[ITEMS.name].values())

    @property
    def compressed(self) -> CompressedItems | None:
        """What a model made of the older items; None: nothing yet."""
        return self.parts[COMPRESSED.name].get(LATEST)

    def to_compress(self) -> tuple[Item, ...]:
        """Returns the older items that a model is to summarise next; none of an invocation whose items all fit, or
        that ends."""
        record = self.record
        if record.state is not InvocationState.RUNNING or record.tokens <= record.threshold:
            return ()
        return to_compress(parted(self.in_order(), record.threshold, record.keep_steps), self.compressed)

    @property
    def size(self) -> int:
        return 4_000 + 2 * self.record.text_bytes + ITEM_BYTES * self.items


def due(invocation: Invocation, now: datetime) -> Sequence[Chore]:
    """Returns the chores of an invocation: an end that is stored is carried out at once; an invocation left alone is
    ended."""
    if invocation.record.state is InvocationState.ENDING:
        return (CONCLUDE,)
    if now >= invocation.record.due_time:
        return (END,)
    return (COMPRESS,) if invocation.to_compress() else ()


INVOCATION: Kind[Invocation, Step] = Kind(
    name=InvocationKey.kind,
    key_of=InvocationKey.named,
    steps=STEPS,
    puts=RunningPut,
    found=Invocation.found,
    load=Invocation.load,
    missing=lambda key: InvocationNotFound(key.user, key.invocation_id),
    taken=lambda key: InvocationExists(key.user, key.invocation_id),
    parts=(ITEMS, COMPRESSED),
    due=due,
)

Invocation.kind = INVOCATION
