"""What turns are worth, as it is stored: a byte a turn, those of a stretch together.

Law: pure. Each turn has one at the most; what was deleted has none.
"""

from collections.abc import Iterable, Iterator, Mapping

from core.conversation.conversation import Conversation
from core.conversation.steps import Step, WorthsDrop, WorthsPut
from core.conversation.turn_rows import SURELY
from core.model.conversation import TurnWorths


def rated_anew(conversation: Conversation, worth: Mapping[int, float], reader: str) -> list[Step]:
    """Returns the steps that store what turns that are there are worth by a reader, in place of what they were."""
    rated = {step: each for step, each in sorted(worth.items()) if conversation.has_turn(step)}
    if not rated:
        return []
    put = TurnWorths(
        steps=tuple(rated), worths=bytes(round(SURELY * each) for each in rated.values()), reader=reader
    )
    return [*without(conversation.worths.values(), rated.keys()), WorthsPut(worths=put)]


def without(stored: Iterable[TurnWorths], gone: Iterable[int]) -> Iterator[Step]:
    """Yields the steps by which what is stored says nothing of some turns."""
    gone = frozenset(gone)
    for each in stored:
        if gone.isdisjoint(each.steps):
            continue
        yield WorthsDrop(name=each.name)
        left = {step: worth for step, worth in zip(each.steps, each.worths, strict=True) if step not in gone}
        if left:
            yield WorthsPut(
                worths=TurnWorths(steps=tuple(left), worths=bytes(left.values()), reader=each.reader)
            )
