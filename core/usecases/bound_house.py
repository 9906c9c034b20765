"""The house as a caller with a bound credential has it: whatever a call reaches, not only what it names.

Law: what is bound out is answered as what never was. A record is asked for its user and collection by its row, before
anything is loaded, and once more as it is read or staged.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, TypeVar, cast

from core.aggregate.change import Change, Head
from core.aggregate.kind import Kinds
from core.errors import PermissionDenied
from core.ids import InteractionId, RequestId, Tenant
from core.keys import BankKey, Key
from core.kinds import KINDS
from core.model.access import Binding
from core.model.request import RequestRecord
from core.model.vector import Vector
from core.ports.aggregates import Aggregates, CommitResult, Draft, RequestKey, Result
from core.ports.store import Listing, NamedConversation, PurgeCounts, Store
from core.usecases.house import House

Done = TypeVar("Done")


def bound_house(house: House, binding: Binding) -> House:
    """Returns the house with no more in it than the binding admits."""
    bounds = _Bounds(binding, house.banks, KINDS)
    banks = cast(Any, BoundAggregates(house.banks, bounds))
    return replace(
        house,
        banks=banks,
        instructions=banks,
        runs=banks,
        users=banks,
        conversations=banks,
        invocations=banks,
        collections=banks,
        store=cast(Store, BoundStore(house.store, bounds)),
    )


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What a binding admits of the aggregates that are there."""

    binding: Binding
    aggregates: Aggregates[Any]
    kinds: Kinds

    def require_key(self, key: Key) -> None:
        """Raises PermissionDenied for what the key alone tells."""
        if not self.binding.admits(key):
            raise PermissionDenied(f"the API key is bound to another {key.kind}")

    def admits(self, key: Key, record: Any) -> bool:
        if not self.binding.needs_record(key):
            return True
        return self.binding.admits_record(getattr(record, "user", ""), getattr(record, "collection", ""))

    def require_record(self, key: Key, record: Any) -> None:
        """Raises not found for a record that is bound out."""
        if not self.admits(key, record):
            raise self.kinds[key.kind].missing(key)

    async def require(self, key: Key) -> None:
        """Raises PermissionDenied, not found."""
        self.require_key(key)
        if self.binding.needs_record(key):
            record = await self.aggregates.record(key)
            if record is None:
                raise self.kinds[key.kind].missing(key)
            self.require_record(key, record)


class _BoundReading:
    """A reading of what the bounds admit."""

    __slots__ = ("_bounds", "_key", "_reading")

    def __init__(self, reading: AbstractAsyncContextManager[Any], bounds: _Bounds, key: Key) -> None:
        self._reading, self._bounds, self._key = reading, bounds, key

    async def __aenter__(self) -> Any:
        await self._bounds.require(self._key)
        aggregate = await self._reading.__aenter__()
        try:
            self._bounds.require_record(self._key, aggregate.record)
        except BaseException:
            await self._reading.__aexit__(None, None, None)
            raise
        return aggregate

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._reading.__aexit__(kind, error, trace)


class BoundAggregates:
    """The `Aggregates` port within bounds."""

    def __init__(self, inner: Aggregates[Any], bounds: _Bounds) -> None:
        self._inner = inner
        self._bounds = bounds

    def reading(self, key: Key, min_revision: int = 0) -> AbstractAsyncContextManager[Any]:
        return _BoundReading(self._inner.reading(key, min_revision), self._bounds, key)

    async def record(self, key: Key) -> Any | None:
        self._bounds.require_key(key)
        record = await self._inner.record(key)
        return record if record is not None and self._bounds.admits(key, record) else None

    async def validated(self, call: Callable[[], Awaitable[Done]]) -> Done:
        return await self._inner.validated(call)

    async def confirm(self, keys: Sequence[Key]) -> None:
        await self._inner.confirm(keys)

    def confirm_reads(self) -> None:
        self._inner.confirm_reads()

    async def found(
        self, key: Key, draft: Draft[Result], request: RequestKey | None = None, revision: int = 1
    ) -> CommitResult[Result]:
        """Raises PermissionDenied for a record of another user, or in a collection that is bound out."""
        self._bounds.require_key(key)
        record = self._bounds.kinds[key.kind].record_of(draft.steps[0])
        if not self._bounds.admits(key, record):
            raise PermissionDenied(
                f"the API key is bound to other users or collections than this {key.kind}'s"
            )
        return await self._inner.found(key, draft, request, revision)

    async def commit(
        self,
        key: Key,
        stage: Callable[[Any, int], Draft[Result]],
        request: RequestKey | None = None,
        answer: type[Result] | None = None,
    ) -> CommitResult[Result]:
        await self._bounds.require(key)

        def staged(aggregate: Any, revision: int) -> Draft[Result]:
            self._bounds.require_record(key, aggregate.record)
            return stage(aggregate, revision)

        return await self._inner.commit(key, staged, request, answer)

    async def keep_vectors(self, key: Key, uid: str, part: str, vectors: Mapping[Any, Vector]) -> None:
        self._bounds.require_key(key)
        await self._inner.keep_vectors(key, uid, part, vectors)

    async def values(self, key: Key, uid: str, part: str, items: Sequence[str]) -> Mapping[str, Any]:
        self._bounds.require_key(key)
        return await self._inner.values(key, uid, part, items)

    async def delete(
        self, key: Key, uid: str | None = None, if_revision: int | None = None
    ) -> tuple[PurgeCounts, int]:
        await self._bounds.require(key)
        return await self._inner.delete(key, uid, if_revision)

    async def feed(self, key: Key, revision: int) -> AsyncIterator[Change[Any]]:
        await self._bounds.require(key)
        async for change in self._inner.feed(key, revision):
            yield change

    async def watch(self, key: Key, after: int) -> AsyncIterator[Change[Any]]:
        await self._bounds.require(key)
        async for change in self._inner.watch(key, after):
            yield change

    def unembedded(self) -> Sequence[tuple[BankKey, InteractionId]]:
        """Returns none: upkeep is nobody's call."""
        return ()

    def overdue(self, now: datetime) -> Sequence[BankKey]:  # noqa: ARG002 - the port's
        """Returns none, for the same reason."""
        return ()


class BoundStore:
    """What calls ask of the store itself, within bounds."""

    def __init__(self, inner: Store, bounds: _Bounds) -> None:
        self._inner = inner
        self._bounds = bounds

    async def load(self, key: Key, space: str = "") -> Any | None:
        await self._bounds.require(key)
        return await self._inner.load(key, space)

    async def heads(self, keys: Sequence[Key]) -> Mapping[Key, Head]:
        for key in keys:
            self._bounds.require_key(key)
        return await self._inner.heads(keys)

    async def requests(
        self, key: Key, request_ids: Collection[RequestId]
    ) -> Mapping[RequestId, RequestRecord]:
        self._bounds.require_key(key)
        if self._bounds.binding.needs_record(key):
            record = await self._bounds.aggregates.record(key)
            if record is not None and not self._bounds.admits(key, record):
                return {}
        return await self._inner.requests(key, request_ids)

    async def listed(
        self, tenant: Tenant, kind: str, chosen: Listing, after: str, limit: int
    ) -> Sequence[tuple[Any, int]]:
        return await self._inner.listed(tenant, kind, self._bound(chosen), after, limit)

    async def newest(
        self, tenant: Tenant, kind: str, chosen: Listing, limit: int
    ) -> Sequence[NamedConversation]:
        return await self._inner.newest(tenant, kind, self._bound(chosen), limit)

    def _bound(self, chosen: Listing) -> Listing:
        within = self._bounds.binding
        if not within.admits_user(chosen.user or within.user or ""):
            raise PermissionDenied("the API key is bound to another user")
        return replace(chosen, user=chosen.user or within.user or "", within=within)

    async def count(self, tenant: Tenant, kind: str, user: str) -> int:
        if not self._bounds.binding.admits_user(user):
            raise PermissionDenied("the API key is bound to another user")
        return await self._inner.count(tenant, kind, user)
