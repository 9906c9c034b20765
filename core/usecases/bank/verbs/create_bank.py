"""CreateBank: an empty bank, its embedding space fixed for good."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256

from core.bank.steps import BankPut
from core.errors import BankExists, BankNotFound, EmbeddingSpaceMismatch
from core.ids import BankId, Tenant
from core.keys import BankKey
from core.model.bank import BankRecord, EmbeddingSpace, RetrievalSettings, SpaceSource
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.ports import BankPorts
from core.usecases.ports import HasBanks, HasEmbedder, MakingPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateBank:
    """No `bank_id`: one is made. No `space`, or a SERVER one without a name: the embedder's. `allow_existing`: a bank
    of that id is the answer, as it stands. `bank_prefix`: what an id that is made begins with."""

    tenant: Tenant
    bank_id: BankId | None = None
    goal: str = ""
    user: str = ""
    collection: str = ""
    settings: RetrievalSettings = RetrievalSettings()
    space: EmbeddingSpace | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    ttl: timedelta | None = None
    allow_existing: bool = False
    bank_prefix: str = ""
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankMade:
    """`existed`: the bank was there already, and nothing changed."""

    record: BankRecord
    revision: int
    replayed: bool = False
    existed: bool = False


async def create_or_get_bank(ports: BankPorts, command: CreateBank) -> BankMade:
    """Creates the bank, or reads the one of that id where the command allows it. Raises as `create_bank`."""
    is_last = False
    while True:
        try:
            made = await create_bank(ports, command)
        except BankExists:
            if not command.allow_existing or command.bank_id is None or is_last:
                raise
            key = BankKey(tenant=command.tenant, bank_id=command.bank_id)
            with suppress(BankNotFound):
                return await _existing(ports, key, command.space)
            is_last = True  # it went meanwhile; one that is there again, unseen, is another caller's
        else:
            return BankMade(record=made.result, revision=made.revision, replayed=made.replayed)


async def _existing(ports: HasBanks, key: BankKey, asked: EmbeddingSpace | None) -> BankMade:
    """Raises EmbeddingSpaceMismatch where another space was asked for."""
    async with ports.banks.reading(key) as bank:
        own = bank.record.space
        if asked and (asked.name or own.name, asked.dimension or own.dimension) != (own.name, own.dimension):
            raise EmbeddingSpaceMismatch("embedding_space", _shown(own), _shown(asked))
        return BankMade(record=bank.record, revision=bank.revision, existed=True)


async def create_bank(ports: BankPorts, command: CreateBank) -> CommitResult[BankRecord]:
    """Raises BankExists, EmbeddingSpaceMismatch, RequestIdReused."""
    now = ports.clock.now()
    bank_id = command.bank_id or new_bank_id(ports, command.tenant, command.request, command.bank_prefix)
    record = BankRecord(
        key=BankKey(tenant=command.tenant, bank_id=bank_id),
        uid=ports.ids.new("u"),
        goal=command.goal,
        space=space_for(ports, command.space),
        create_time=now,
        update_time=now,
        user=command.user,
        collection=command.collection,
        labels=command.labels,
        settings=command.settings,
        ttl=command.ttl,
        lists_unembedded=True,
    )
    draft = Draft(result=record, steps=(BankPut(record=record),))
    return await ports.banks.found(record.key, draft, command.request)


def new_bank_id(ports: MakingPorts, tenant: Tenant, request: RequestKey | None, prefix: str = "") -> BankId:
    """Returns an id for a bank that the caller left unnamed; it begins with `prefix`.

    A repeated request must find the bank it made, so its id follows from the request's.
    """
    if request is None:
        return BankId(prefix + ports.ids.new("b"))
    digest = sha256(f"{tenant}\n{request.identity}".encode()).hexdigest()
    return BankId(f"{prefix}b-{digest[:32]}")


def space_for(ports: HasEmbedder, asked: EmbeddingSpace | None) -> EmbeddingSpace:
    """Returns the space a new bank gets. Raises EmbeddingSpaceMismatch for a SERVER one that the embedder does not
    make."""
    own = ports.embedder.space
    if asked is None:
        return own
    if asked.source is SpaceSource.CLIENT:
        return asked
    if (asked.name or own.name, asked.dimension or own.dimension) != (own.name, own.dimension):
        raise EmbeddingSpaceMismatch("embedding_space", _shown(own), _shown(asked))
    return own


def _shown(space: EmbeddingSpace) -> str:
    return f"{space.name or '(any name)'} of {space.dimension or 'any'} dimensions"
