"""Points that a verdict has settled: a refuted value that is repeated opens no conflict, nor do two sentences that were
found not to contradict each other.

Law: reads the bank, changes nothing. A value is repeated by a sentence with the words and figures that distinguish a
refuted sentence from those against it. A point is open again where a later memory brings a newer date than the
verdict's, or a source that had no part in it. A dismissal holds for its pair of sentences, whatever their nodes merge
into.
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import permutations

from core.agents.offline.essentials import have_equal_essentials
from core.agents.roles import ConflictOpinion
from core.bank.bank import Bank
from core.bank.steps import SegmentRefute
from core.ids import NodeId, SegmentRef
from core.model.conflict import Conflict, ConflictStatus, Side
from core.model.node import Node
from core.text.analysis import terms
from core.text.wording import each_word, words_of
from core.usecases.bank.structuring.contest import refuted_words
from core.verbatim.fingerprints import stated_time

FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
SHARED = 0.5  # of the words that set a refuted sentence apart: Chinese ones overlap their neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledConflict:
    """A conflict that a verdict resolved: what it refuted, verbatim, and what stood against that."""

    conflict: Conflict
    refuted: tuple[str, ...]

    def is_repeated_by(self, quote: str, against: str) -> bool:
        """Whether a quote repeats a refuted value. `against`: what it was found to contradict."""
        others = [against, *(side.quote for side in self.conflict.sides)]
        return any(repeats_value(quote, wrong, [each for each in others if each]) for wrong in self.refuted)


class Points:
    """The points that a round comes upon and finds settled: the words to mark as refuted, the pairs to leave alone."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._own: list[SettledConflict] = []
        self._dismissed: list[Conflict] = []
        self.refuted: list[SegmentRefute] = []
        self.pairs: list[tuple[NodeId, NodeId]] = []

    def settle(self, conflict: Conflict, sides: Sequence[Node], wrong: Sequence[str]) -> None:
        """Settles what a verdict refutes in these sentences of the sides, and what repeats them from now on."""
        self._own.append(SettledConflict(conflict=conflict, refuted=tuple(wrong)))
        self._refute(conflict, sides, wrong)

    def dismiss(self, conflict: Conflict) -> None:
        """Settles the pairs of sentences of a conflict that is none."""
        self._dismissed.append(conflict)

    @property
    def dismissed_pairs(self) -> list[tuple[NodeId, NodeId]]:
        """The pairs of nodes whose conflicts are none: the first side with each other one."""
        return [
            (conflict.sides[0].node_id, side.node_id)
            for conflict in self._dismissed
            for side in conflict.sides[1:]
        ]

    def is_settled(self, current: Node, stands_for: Iterable[NodeId], opinion: ConflictOpinion) -> bool:
        """Whether the two sentences were found not to contradict each other, or one of the nodes stands for a verdict
        and the other repeats what that refuted.

        `stands_for`: the nodes that the current one, which goes round, has absorbed.
        """
        existing = self._bank.nodes[opinion.existing]
        if self._is_dismissed({current.node_id, *stands_for}, opinion):
            if existing.node_id not in self._bank.settled_with(current.node_id):
                self.pairs.append((current.node_id, existing.node_id))
            return True
        for point in settled_by(self._bank, existing.node_id):
            again = point.is_repeated_by(opinion.new_quote, opinion.existing_quote)
            if again and not brings_news(self._bank, current.source, current.segments, point.conflict):
                return self._leave(current, existing, current, opinion.new_quote, point.conflict)
        own = [p for n in (current.node_id, *stands_for) for p in settled_by(self._bank, n)]
        for point in (*self._own, *own):
            if point.is_repeated_by(opinion.existing_quote, opinion.new_quote):
                return self._leave(current, existing, existing, opinion.existing_quote, point.conflict)
        return False

    def _is_dismissed(self, own: Container[NodeId], opinion: ConflictOpinion) -> bool:
        """Whether a conflict of the same two sentences was dismissed."""
        stored = (c for c in self._bank.conflicts.values() if c.status is ConflictStatus.DISMISSED)
        return any(
            self._is_of(one, own, opinion.new_quote)
            and self._is_of(other, {opinion.existing}, opinion.existing_quote)
            for conflict in (*self._dismissed, *stored)
            for one, other in permutations(conflict.sides, 2)
        )

    def _is_of(self, side: Side, nodes: Container[NodeId], quote: str) -> bool:
        """Whether a quote from one of the nodes is the sentence of a side, whose node lives on in it."""
        stands = side.node_id in nodes or self._bank.tree.standing_for(side.node_id) in nodes
        return stands and is_said(quote, side)

    def settles_too(self, current: Node, conflict: Conflict) -> bool:
        """Whether the verdict just given settles another open conflict of what it merged: all others in it repeat
        what it refuted."""
        others = [side for side in conflict.sides if side.node_id != current.node_id]
        against = "\n".join(side.quote for side in conflict.sides if side.node_id == current.node_id)
        for point in self._own:
            if all(point.is_repeated_by(side.quote, against) for side in others):
                for side in others:
                    repeating = self._bank.nodes[side.node_id]
                    self._leave(current, repeating, repeating, side.quote, point.conflict)
                return True
        return False

    def mark(self, words: Iterable[SegmentRefute]) -> None:
        """Marks words of the record that a verdict refutes."""
        self.refuted += [each for each in words if each not in self.refuted]

    def _leave(self, current: Node, existing: Node, repeating: Node, quote: str, conflict: Conflict) -> bool:
        self._refute(conflict, [repeating], [quote])
        self.pairs.append((current.node_id, existing.node_id))
        return True

    def _refute(self, conflict: Conflict, nodes: Sequence[Node], wrong: Iterable[str]) -> None:
        self.mark(refuted_words(self._bank, nodes, wrong, conflict.conflict_id))


def settled_by(bank: Bank, node_id: NodeId) -> list[SettledConflict]:
    """Returns what the verdicts settled that made this node, or one that it absorbed."""
    return [
        SettledConflict(conflict=conflict, refuted=_refuted(bank, conflict))
        for conflict in bank.conflicts.values()
        if conflict.status is ConflictStatus.RESOLVED
        and conflict.node_id is not None
        and node_id in (conflict.node_id, bank.tree.standing_for(conflict.node_id))
    ]


def is_said(quote: str, side: Side) -> bool:
    """Whether a sentence is at issue in a side of a conflict. Of a side without a quote all are."""
    return not side.quote or any(says_again(quote, said) for said in side.quote.splitlines())


def says_again(quote: str, said: str) -> bool:
    """Whether a sentence is another one, in part perhaps, or has all its words and no other name, amount or denial."""
    words, before = f" {words_of(quote)} ", f" {words_of(said)} "
    if words in before or before in words:
        return True
    return each_word(words) >= each_word(before) and have_equal_essentials(quote, said)


def brings_news(bank: Bank, source: str, segments: Iterable[SegmentRef], conflict: Conflict) -> bool:
    """Whether segments are dated after the verdict, or come from a source that had no part in the conflict."""
    if source and source not in _sources(bank, conflict):
        return True
    verdict_id = conflict.verdict_interaction_id
    if verdict_id is None:
        return False
    ruled = bank.tree.interaction(verdict_id).event_time
    return any(time > ruled for ref in segments if (time := _date(bank, ref)) is not None)


def _date(bank: Bank, ref: SegmentRef) -> datetime | None:
    """Returns when a segment's event took place; None where it has no time of its own."""
    interaction = bank.tree.interaction(ref.interaction_id)
    return stated_time(interaction, interaction.spans[ref.index])


def _sources(bank: Bank, conflict: Conflict) -> set[str]:
    """Returns the sources of the sides, of what repeated the refuted statement, and of the verdict."""
    records = {ref.interaction_id for side in conflict.sides for ref in side.segments}
    records |= {words.ref.interaction_id for words in _refutations(bank, conflict)}
    if conflict.verdict_interaction_id is not None:
        records.add(conflict.verdict_interaction_id)
    return {bank.tree.interaction(each).source for each in records}


def _refuted(bank: Bank, conflict: Conflict) -> tuple[str, ...]:
    found = (bank.tree.text(words.ref)[words.start : words.end] for words in _refutations(bank, conflict))
    return tuple(dict.fromkeys(found))


def _refutations(bank: Bank, conflict: Conflict) -> list[SegmentRefute]:
    return [words for words in bank.tree.refutations() if words.conflict_id == conflict.conflict_id]


def repeats_value(quote: str, wrong: str, others: Sequence[str]) -> bool:
    """Whether a quote has what distinguishes a refuted sentence from those against it."""
    words, refuted = set(terms(quote)), set(terms(wrong))
    apart = [value for other in others if (value := refuted - set(terms(other)))]
    if not apart:  # its words are a part of theirs: what the others add must be missing
        added = set().union(*(set(terms(other)) - refuted for other in others))
        return refuted <= words and not added & words
    figures = set(FIGURE.findall(wrong)) - set().union(
        *(FIGURE.findall(other) for other in others if other != wrong)
    )
    value = min(apart, key=len)
    return figures <= set(FIGURE.findall(quote)) and len(value & words) >= SHARED * len(value)
