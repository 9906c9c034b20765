"""Putting on users' records what language models cost them. Nothing waits for it."""

from dataclasses import replace

from core.errors import MemoryBankError, UserNotFound
from core.keys import UserKey
from core.model.user import UserState
from core.ports.aggregates import Draft
from core.usecases.ports import HasUsers
from core.usecases.user.ports import UserRecordPorts
from core.user.steps import UserPut
from core.user.user import UserAggregate


async def write_tokens(ports: UserRecordPorts) -> None:
    """Writes what was counted; what fails is counted again, but for users who are gone."""
    for key, tokens in ports.workshop.tokens.take().items():
        try:
            await _add(ports, key, tokens)
        except UserNotFound:
            continue
        except MemoryBankError:
            ports.workshop.tokens.add(key, tokens)


async def _add(ports: HasUsers, key: UserKey, tokens: int) -> None:
    def stage(user: UserAggregate, _revision: int) -> Draft[None]:
        if user.record.state is UserState.PURGING:
            return Draft(result=None)
        record = replace(user.record, tokens_spent=user.record.tokens_spent + tokens)
        return Draft(result=None, steps=(UserPut(record=record),), touches=frozenset({"user"}))

    await ports.users.commit(key, stage)
