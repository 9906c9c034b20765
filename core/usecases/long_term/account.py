"""What language models cost a collection: on its record, in the changes that their work makes anyway.

Law: the tokens of every reply that led to a change are put on the collection's record once. What a failure or a crash
loses is what was spent since the last change; the budget knows it for as long as the process lives.
"""

from dataclasses import replace
from typing import TypeVar

from core.agents.usage import Ledger
from core.long_term.collection import Collection
from core.long_term.steps import CollectionPut
from core.ports.aggregates import Draft

Result = TypeVar("Result")


class Account:
    """One ledger's spending on one collection."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._tokens = 0
        self._recorded = 0

    def saw(self, collection: Collection) -> None:
        """Adds what was spent before."""
        self.ledger.saw(collection.record.tokens_spent)

    def steps(self, collection: Collection) -> tuple[CollectionPut, ...]:
        """Returns the collection's record with what has been spent since the last change; none, if nothing was."""
        self._tokens = self.ledger.unrecorded
        self._recorded = collection.record.tokens_spent + self._tokens
        if not self._tokens:
            return ()
        return (CollectionPut(record=replace(collection.record, tokens_spent=self._recorded)),)

    def booked(self, draft: Draft[Result], collection: Collection) -> Draft[Result]:
        """Returns the draft, with those steps."""
        steps = self.steps(collection)
        if not steps:
            return draft
        return replace(draft, steps=(*draft.steps, *steps), touches=draft.touches | {"collection"})

    def settle(self) -> None:
        """Counts the spending as stored."""
        self.ledger.put_on_record(self._tokens, self._recorded)
        self._tokens = 0
