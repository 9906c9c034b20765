"""What language models cost a bank: on its record, in the changes that their work makes anyway; and its user's.

Law: the tokens of every reply are put on the bank's record once; what a crash loses is what was
spent since the last change.
"""

from asyncio import CancelledError
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from core.agents.usage import Ledger
from core.bank.bank import Bank
from core.bank.steps import BankPut
from core.errors import BankNotFound
from core.ids import User
from core.keys import BankKey, UserKey
from core.ports.aggregates import CommitResult, Draft, RequestKey, Result
from core.usecases.ports import SpendingPorts


async def commit(
    ports: SpendingPorts,
    key: BankKey,
    stage: Callable[[Bank, int], Draft[Result]],
    ledger: Ledger,
    request: RequestKey | None = None,
    answer: type[Result] | None = None,
) -> CommitResult[Result]:
    """`Banks.commit`, with what the ledger has spent since it last came by here."""
    tokens = recorded = 0
    owner = ""

    def with_spending(bank: Bank, revision: int) -> Draft[Result]:
        nonlocal tokens, recorded, owner
        owner = bank.record.user
        draft = stage(bank, revision)
        ledger.saw(bank.record.tokens_spent)
        tokens = ledger.unrecorded
        recorded = bank.record.tokens_spent + tokens
        return _recording(draft, bank, recorded) if tokens else draft

    try:
        committed = await ports.banks.commit(key, with_spending, request, answer)
    except CancelledError:
        ledger.is_left = True  # the writer has it, and stores it without us
        raise
    ledger.put_on_record(tokens, recorded)
    if owner:
        ports.workshop.tokens.add(UserKey(tenant=key.tenant, user=User(owner)), tokens)
    return committed


@asynccontextmanager
async def on_account(ports: SpendingPorts, key: BankKey, ledger: Ledger) -> AsyncIterator[None]:
    """Work on a bank, there already or made by this, that asks agents. However it ends, what it spent is put on
    the bank's record."""
    with suppress(BankNotFound):
        async with ports.banks.reading(key) as bank:
            ledger.saw(bank.record.tokens_spent)
    try:
        yield
    finally:
        if ledger.unrecorded and not ledger.is_left:
            with suppress(BankNotFound):  # a bank that is gone owes nothing
                await commit(ports, key, lambda _bank, _revision: Draft(result=None), ledger)


def _recording(draft: Draft[Result], bank: Bank, tokens_spent: int) -> Draft[Result]:
    """Returns the draft with the bank's record at so many tokens."""
    put = [step for step in draft.steps if isinstance(step, BankPut)]
    record = replace(put[-1].record if put else bank.record, tokens_spent=tokens_spent)
    others = tuple(step for step in draft.steps if not isinstance(step, BankPut))
    return replace(draft, steps=(*others, BankPut(record=record)), touches=draft.touches | {"bank"})
