"""GetUser: a user's settings, and how much is kept of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.keys import UserKey
from core.model.user import UserRecord
from core.usecases.ports import HasStore
from core.usecases.user.ports import UserRecordPorts

KINDS_OF_USER = ("conversation", "invocation", "collection", "instructions", "run", "bank")


@dataclass(frozen=True, slots=True, kw_only=True)
class GetUser:
    key: UserKey
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSeen:
    """`counts`: aggregates of the user by kind; kinds of which there are none are left out. The record's tokens are
    told with what this process has yet to write."""

    record: UserRecord
    counts: Mapping[str, int]
    revision: int


async def get_user(ports: UserRecordPorts, command: GetUser) -> UserSeen:
    """Raises UserNotFound, RevisionNotReached."""
    async with ports.users.reading(command.key, command.min_revision) as user:
        record, revision = user.record, user.revision
    spent = record.tokens_spent + ports.workshop.tokens.of(command.key)
    record = replace(record, tokens_spent=spent)
    return UserSeen(record=record, counts=await counts_of(ports, command.key), revision=revision)


async def counts_of(ports: HasStore, key: UserKey) -> Mapping[str, int]:
    """Returns how many aggregates of each kind the user has."""
    counted = {kind: await ports.store.count(key.tenant, kind, key.user) for kind in KINDS_OF_USER}
    return {kind: count for kind, count in counted.items() if count}
