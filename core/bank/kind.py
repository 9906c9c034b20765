"""The bank as a kind of aggregate."""

from collections.abc import Sequence

from core.aggregate.kind import Kind
from core.bank.bank import Bank
from core.bank.due import due
from core.bank.loading import load
from core.bank.steps import STEPS, BankPut, InteractionAdd, NodePut, Step
from core.errors import BankExists, BankNotFound
from core.ids import User
from core.keys import BankKey, UserKey
from core.model.bank import BankRecord


def _owner_of(record: BankRecord) -> UserKey | None:
    return UserKey(tenant=record.key.tenant, user=User(record.user)) if record.user else None


def _text_length(steps: Sequence[Step]) -> int:
    length = 0
    for step in steps:
        if isinstance(step, NodePut):
            length += len(step.node.summary)
        elif isinstance(step, InteractionAdd):
            length += len(step.interaction.text)
    return length


BANK: Kind[Bank, Step] = Kind(
    name=BankKey.kind,
    key_of=BankKey.named,
    steps=STEPS,
    puts=BankPut,
    found=Bank.found,
    load=load,
    missing=lambda key: BankNotFound(key.bank_id),
    taken=lambda key: BankExists(key.bank_id),
    text_length=_text_length,
    due=due,
    owner_of=_owner_of,
)
