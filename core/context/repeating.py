"""What a context would hold twice: facts from turns that stand in it, passages of a bank that are in such a turn, and
episodes of conversations whose runs are episodes themselves.

Law: pure. What has more than its turn stays: another day, a mark, a detail, other words. A turn stands for others only
where hardly a budget leaves it out, or where it outlives them, so that nothing is lost with it. A memory that was found
by such passages alone goes with them. A conversation's episode goes only where those of all its runs stand.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.context.budget import Item, Section, Tier
from core.context.lines import one_line
from core.context.long_term import Known
from core.context.turns import lines_of
from core.ids import ConversationId, RecordId
from core.model.conversation import Turn
from core.model.record import EPISODE_STEP, Record, RecordState

LEAST_QUOTE = 20  # characters: shorter lines are alike by chance


def told_once(episodes: Sequence[Record], count: int) -> list[Record]:
    """Returns the first `count`, without those of conversations whose every step is a run that is one of them."""
    left = list(episodes)
    while retold := _conversations_told_by_runs(left[:count]):
        left = [episode for episode in left if episode.record_id not in retold]
    return left[:count]


def _conversations_told_by_runs(episodes: Sequence[Record]) -> set[RecordId]:
    runs = {(one.conversation_id, _asked(one.content)) for one in episodes if one.invocation_id}
    return {
        one.record_id
        for one in episodes
        if one.episode and one.episode.steps and one.conversation_id and not one.invocation_id
        if all((one.conversation_id, _asked(step)) in runs for step in one.episode.steps)
    }


def _asked(text: str) -> str:
    return one_line(text)[:EPISODE_STEP]


class ShownTurns:
    """What turns of a conversation say. `outliving`: lines of turns that stand where nothing lighter does."""

    def __init__(
        self,
        conversation_id: ConversationId,
        turns: Iterable[Turn],
        outliving: Mapping[str, float] | None = None,
    ) -> None:
        self._conversation_id = conversation_id
        self._outliving = outliving or {}
        self._lines = {turn.step: _line(turn) for turn in turns}
        self._all = "\n".join(self._lines.values())

    def new_of(self, known: Known) -> Known:
        """Returns what is known without what only repeats a turn that it rests on."""
        return replace(
            known,
            preferences=self._new(known.preferences),
            strategies=self._new(known.strategies),
            facts=self._new(known.facts),
        )

    def new_in(self, section: Section) -> Section:
        """Returns the section without items that only quote a turn, and without those under which no others stand."""
        weighed = zip(section.items, section.weights, strict=True)
        left = [item for item, weight in weighed if not self._is_quoted(item, weight)]
        if len(left) == len(section.items):
            return section
        gone = {item.under for item in section.items} - {item.under for item in left}
        return section._replace(items=tuple([item for item in left if item.item_id not in gone]))

    def _new(self, records: Sequence[Record]) -> list[Record]:
        return [record for record in records if not self._repeats(record)]

    def _repeats(self, record: Record) -> bool:
        """Checks whether a turn that a record rests on says all of it, the speaker's name before it left aside."""
        tells_more = record.detail.strip() or record.state is RecordState.CONTESTED
        if tells_more or record.conversation_id != self._conversation_id:
            return False
        line = one_line(record.content)
        quoted = [q for q in (line, *(line.partition(mark)[2].strip() for mark in ":：")) if q]
        return any(q in self._lines.get(step, "") for step in record.steps for q in quoted)

    def _is_quoted(self, item: Item, weight: float) -> bool:
        if len(item.quote) < LEAST_QUOTE:
            return False
        outlived = item.tier is Tier.FITTING and self._outliving.get(item.quote, 0.0) > weight
        return outlived or item.quote in self._all


def _line(turn: Turn) -> str:
    return " ".join(filter(None, lines_of(turn)))


NOTHING_SHOWN = ShownTurns(ConversationId(""), ())
