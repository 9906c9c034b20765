"""GenerateReflection: a text in Markdown over the records of a category, or over those named."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.opinions import OpinionPending
from core.agents.recall_roles import ReflectionOpinion
from core.errors import InvalidField
from core.ids import RecordId, ReflectionId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.reviewing import require_approval
from core.long_term.steps import ReflectionPut
from core.long_term.texts import told
from core.model.record import Record, RecordState, Reflection
from core.model.usage import NO_USAGE, Usage
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.long_term.account import Account
from core.usecases.long_term.judging.reflect import steps_of, weightiest, written
from core.usecases.long_term.ports import ReflectionPorts
from core.usecases.long_term.reading import lasting
from core.usecases.long_term.writing import Edit, edit
from core.usecases.ports import HasCollections
from core.usecases.replays import stored_steps
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateReflection:
    """Without `record_ids` the weightiest records of the category. `approves`: its caller may approve what waits for a
    review."""

    key: CollectionKey
    title: str
    category: str = ""
    record_ids: tuple[RecordId, ...] = ()
    approves: bool = True
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionKept:
    """What is kept of the answer for a repetition: no words. `usage` is missing in answers that were kept before it was
    told."""

    reflection_id: ReflectionId
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionGenerated:
    """No `reflection`: it was deleted since the first answer to the same request."""

    reflection: Reflection | None
    usage: Usage
    revision: int
    replayed: bool


async def generate_reflection(ports: ReflectionPorts, command: GenerateReflection) -> ReflectionGenerated:
    """Raises RecordNotFound, InvalidField (nothing to reflect on), CollectionNotFound, MemoryOff, AgentUnavailable,
    AgentReplyInvalid, BudgetSpent, PermissionDenied, RequestIdReused."""
    account = Account(ports.workshop.ledger(command.key))
    committed = await _Writing(ports, command, account).commit()
    account.settle()
    return ReflectionGenerated(
        reflection=await _as_written(ports, command.key, committed),
        usage=committed.result.usage,
        revision=committed.revision,
        replayed=committed.replayed,
    )


async def _as_written(
    ports: HasCollections, key: CollectionKey, committed: CommitResult[ReflectionKept]
) -> Reflection | None:
    """Returns the reflection as the call wrote it; as it stands, where the feed does not tell any more."""
    reflection_id = committed.result.reflection_id
    for step in await stored_steps(ports.collections, key, committed):
        if isinstance(step, ReflectionPut) and step.reflection.reflection_id == reflection_id:
            return step.reflection
    async with ports.collections.reading(key) as collection:
        return collection.reflections.get(reflection_id)


class _Writing:
    """One reflection: asked for again only where its records changed meanwhile."""

    def __init__(self, ports: ReflectionPorts, command: GenerateReflection, account: Account) -> None:
        self._ports = ports
        self._command = command
        self._account = account
        self._now = ports.clock.now()
        self._id = ReflectionId(ports.ids.new("m"))
        self._opinions: dict[tuple[tuple[RecordId, str], ...], ReflectionOpinion] = {}

    async def commit(self) -> CommitResult[ReflectionKept]:
        command = self._command
        while True:
            permission = await permission_to_write(self._ports, command.key)
            try:
                return await edit(
                    self._ports, command.key, self._compose, command.request, ReflectionKept, permission
                )
            except OpinionPending as missing:
                permission.require_on()  # before a model is shown what is theirs
                await missing.ask()

    def _compose(self, collection: Collection, revision: int) -> Edit[ReflectionKept]:
        self._account.saw(collection)
        does = "a reflection's title is a caller's"
        require_approval(collection.record, approves=self._command.approves, does=does)
        records = self._chosen(collection)
        said = tuple((record.record_id, told(record)) for record in records)
        if said not in self._opinions:
            raise OpinionPending(lambda: self._ask(said, records))
        reflection = Reflection(
            reflection_id=self._id,
            title=self._command.title,
            category=self._command.category,
            text=self._opinions[said].text,
            record_ids=tuple(record.record_id for record in records),
            create_time=self._now,
            update_time=self._now,
            revision=revision,
        )
        self._ports.settings.limits.check_reflections(len(collection.reflections) + 1)
        return Edit(
            result=ReflectionKept(reflection_id=self._id, usage=self._account.ledger.total()),
            steps=(*steps_of(collection, reflection, records), *self._account.steps(collection)),
            touches=frozenset({"collection"}),
            sees_all=True,
        )

    async def _ask(self, said: tuple[tuple[RecordId, str], ...], records: Sequence[Record]) -> None:
        title, category = self._command.title, self._command.category
        self._opinions[said] = await written(self._ports, self._account.ledger, title, category, records)

    def _chosen(self, collection: Collection) -> list[Record]:
        if self._command.record_ids:
            return [collection.stored(record_id) for record_id in self._command.record_ids]
        lasts = lasting(collection, self._now, None)
        records = [
            record
            for record in collection.records.values()
            if record.category == self._command.category
            and record.state is not RecordState.SUPERSEDED
            and lasts(record)
        ]
        if not records:
            raise InvalidField("category", "has no records to reflect on")
        return weightiest(records)
