"""Deciding on what agents think: asked for what is missing, then stored.

Law: nothing is held across an answer; what is stored was decided on the bank as it stood just before.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from core.agents.opinions import OpinionPending
from core.agents.usage import Ledger
from core.aggregate.change import Head
from core.bank.bank import Bank
from core.keys import BankKey
from core.ports.aggregates import CommitResult, Draft, RequestKey, Result
from core.usecases.ports import SpendingPorts
from core.usecases.spending import commit


class _DraftOnRevision(NamedTuple):
    """A draft, and what it was composed on."""

    head: Head
    revision: int
    draft: Draft[Any]


async def decide(
    ports: SpendingPorts,
    key: BankKey,
    compose: Callable[[Bank, int], Draft[Result]],
    ledger: Ledger,
    request: RequestKey | None = None,
    answer: type[Result] | None = None,
) -> CommitResult[Result]:
    """Composes until no opinion is missing, then commits the draft as it is; a bank that moved meanwhile is composed on
    again."""
    last: _DraftOnRevision | None = None

    def stage(bank: Bank, revision: int) -> Draft[Result]:
        if last is not None and (last.head, last.revision) == (bank.head, revision):
            return last.draft
        return compose(bank, revision)

    while True:
        try:
            if request is None:  # a repeated request must be recognised before anything is decided
                async with ports.banks.reading(key) as bank:
                    revision = bank.revision + 1  # gathers opinions without holding up the writer
                    last = _DraftOnRevision(bank.head, revision, compose(bank, revision))
            return await commit(ports, key, stage, ledger, request, answer)
        except OpinionPending as missing:
            await missing.ask()
