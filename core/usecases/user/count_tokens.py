"""Putting on users' records what language models cost them. Nothing waits for it."""

from dataclasses import replace

from core.errors import MemoryBankError, UserNotFound
from core.keys import UserKey
from core.model.user import UserState
from core.ports.aggregates import Draft
from core.usecases.house import House
from core.user.steps import UserPut
from core.user.user import UserAggregate


async def write_tokens(house: House) -> None:
    """Writes what was counted; what fails is counted again, but for users who are gone."""
    for key, tokens in house.workshop.tokens.take().items():
        try:
            await _add(house, key, tokens)
        except UserNotFound:
            continue
        except MemoryBankError:
            house.workshop.tokens.add(key, tokens)


async def _add(house: House, key: UserKey, tokens: int) -> None:
    def stage(user: UserAggregate, _revision: int) -> Draft[None]:
        if user.record.state is UserState.PURGING:
            return Draft(result=None)
        record = replace(user.record, tokens_spent=user.record.tokens_spent + tokens)
        return Draft(result=None, steps=(UserPut(record=record),), touches=frozenset({"user"}))

    await house.users.commit(key, stage)
