"""Re-reading: which segments of a record say word for word what stands under a node, or what the record said before.

Law: reads the bank, changes nothing. What is found of a chunk is looked at again when the chunk is planned, on the bank
as it stands then.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import count

from core.bank.bank import Bank
from core.bank.steps import ClusterPut, Step
from core.ids import InteractionId, NodeId, SegmentRef
from core.index.giving_way import yield_to_loop
from core.keys import BankKey
from core.model.interaction import Interaction
from core.model.structuring import ClusterWork, Outcome
from core.text.analysis import terms
from core.text.wording import each_word, words_of
from core.usecases.bank.structuring.joining import joined, may_join
from core.usecases.moment import Moment
from core.usecases.ports import HasBanks
from core.verbatim.fingerprints import Fingerprint, fingerprints
from core.verbatim.repeats import beside, goes_on_like, repeats_within, telling

LIKEST = 16  # segments with the same words that are compared with a new one
LARGE = 1_000  # code points of a record; a larger one is looked through off the loop
PORTION = 1_000  # code points whose words are read between two turns of others: 1 to 3 ms
KEPT = 256  # segments whose words are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """What a chunk repeats. `firsts`: of each copy the segment of an earlier record with its words; `own`: the one of
    its own record. `beside`: what says nothing but for a copy next to it."""

    firsts: Mapping[int, SegmentRef]
    own: Mapping[int, int]
    beside: frozenset[int]

    def is_new(self, index: int) -> bool:
        return not (index in self.firsts or index in self.own or index in self.beside)


class Rereading:
    """The copies in one record."""

    def __init__(self, ports: HasBanks, key: BankKey, record: Interaction) -> None:
        self._ports = ports
        self._key = key
        self._record = record
        self._known: dict[InteractionId, Sequence[Fingerprint]] = {}
        self._words: dict[SegmentRef, frozenset[str]] = {}  # of segments of other records
        self._telling: frozenset[int] = frozenset()
        self._own: Mapping[int, int] = {}
        self._beside: frozenset[int] = frozenset()
        self._said_again = 0  # times that any segment is repeated within the record

    async def begin(self) -> None:
        """Looks through the record. To be awaited before all else."""
        prints = await self._prints(self._record)
        self._telling = await asyncio.to_thread(telling, prints)
        self._own = await asyncio.to_thread(repeats_within, prints, self._telling)
        self._beside = beside(range(len(prints)), prints, self._own)
        self._said_again = max(Counter(self._own.values()).values(), default=0)

    def is_said_before(self, index: int) -> bool:
        """Whether a segment says nothing but what its record said before."""
        return index in self._own or index in self._beside

    async def repetition(self, chunk: range) -> Repetition:
        """Finds what a chunk repeats, as the bank stands."""
        prints, own = self._known[self._record.interaction_id], self._own
        earlier = {own[index] for index in chunk if index in own and own[index] < chunk.start}
        found = await self._firsts([*sorted(earlier), *(index for index in chunk if index not in own)])
        found |= {index: found[own[index]] for index in chunk if own.get(index) in found}
        firsts = {index: first for index, first in found.items() if index in chunk}
        within = {index: own[index] for index in chunk if index in own and index not in firsts}
        repeating = {**firsts, **within}
        return Repetition(firsts=firsts, own=within, beside=beside(chunk, prints, repeating))

    def stands(self, bank: Bank, repetition: Repetition) -> bool:
        """Whether what was found still holds: each copy of another record may join the nodes of the first."""
        return all(self._may_join(bank, index, first) for index, first in repetition.firsts.items())

    def steps(
        self, bank: Bank, repetition: Repetition, planned: Sequence[ClusterWork], moment: Moment
    ) -> list[Step]:
        """Returns the steps of the change that plans a chunk, besides those of the `planned` clusters: copies of other
        records join their nodes; those of their own record are clusters to be joined when their turn comes."""
        tree, own_id = bank.tree, self._record.interaction_id
        number = count(tree.cluster_count(own_id) + len(planned))
        steps: list[Step] = []
        by_node: dict[NodeId, list[int]] = {}
        for index, first in sorted(repetition.firsts.items()):
            for node_id in tree.nodes_of(first):
                by_node.setdefault(node_id, []).append(index)
        for node_id, indexes in by_node.items():
            steps += joined(bank, node_id, list(map(self._ref, indexes)), moment)
            outcome = Outcome(node_id=node_id, joined=True)
            steps.append(self._cluster(next(number), indexes, bank.nodes[node_id].base_context, outcome))
        for cluster in (*tree.clusters(own_id), *planned):
            if indexes := [index for index, first in repetition.own.items() if first in cluster.segments]:
                steps.append(self._cluster(next(number), indexes, cluster.context))
        return steps

    def repeats(self, cluster: ClusterWork) -> bool:
        """Whether a cluster is nothing but what its record said before."""
        return all(index in self._own for index in cluster.segments)

    def join(self, bank: Bank, cluster: ClusterWork, moment: Moment) -> tuple[Outcome, list[Step]]:
        """Joins a cluster that repeats an earlier one of its record to the node which that came to: its outcome, and
        the steps. None where that node is gone."""
        said = {self._own[index] for index in cluster.segments}
        clusters = bank.tree.clusters(self._record.interaction_id)
        first = next(c for c in clusters if c.outcome is not None and said.issubset(c.segments))
        assert first.outcome is not None, "it was just looked for"
        node_id = bank.tree.standing_for(first.outcome.node_id) or first.outcome.node_id
        refs = list(map(self._ref, cluster.segments))
        steps = joined(bank, node_id, refs, moment) if node_id in bank.nodes else []
        return Outcome(node_id=node_id, joined=True), steps

    # ---- the first with the same words ----

    async def _firsts(self, indexes: Sequence[int]) -> dict[int, SegmentRef]:
        """Returns of segments the first ones of other records that they may join."""
        prints = self._known[self._record.interaction_id]
        found: dict[int, SegmentRef] = {}
        async with self._ports.banks.reading(self._key) as bank:
            asked = [index for index in indexes if index in self._telling] if bank.nodes else []
        for index in asked:
            if (first := await self._first(index)) is not None:
                found[index] = first
        async with self._ports.banks.reading(self._key) as bank:
            for index, first in list(found.items()):
                there = self._known[first.interaction_id]
                more = goes_on_like(prints, index, there, first.index, {**found, **self._own})
                refs = {each: SegmentRef(first.interaction_id, other) for each, other in more.items()}
                found |= {each: ref for each, ref in refs.items() if self._may_join(bank, each, ref)}
        return found

    async def _first(self, index: int) -> SegmentRef | None:
        await yield_to_loop()  # a record may have thousands of segments
        wanted = self._known[self._record.interaction_id][index]
        async with self._ports.banks.reading(self._key) as bank:
            found = self._alike(bank, wanted.words)
            records = {ref.interaction_id: bank.tree.interaction(ref.interaction_id) for ref, _ in found}
        likest = await self._holding(found, each_word(wanted.words))
        for interaction_id in dict.fromkeys(ref.interaction_id for ref in likest):
            await self._prints(records[interaction_id])
        async with self._ports.banks.reading(self._key) as bank:
            same = (ref for ref in likest if self._known[ref.interaction_id][ref.index] == wanted)
            return next((ref for ref in same if self._may_join(bank, index, ref)), None)

    def _alike(self, bank: Bank, words: str) -> list[tuple[SegmentRef, str]]:
        """Returns segments of other records that stand under a node and share terms with these words, the likest first,
        with their texts."""
        return [
            (ref, bank.tree.text(ref))
            for ref, _ in bank.verbatim.words.search(terms(words), LIKEST + self._said_again)
            if ref.interaction_id != self._record.interaction_id and bank.tree.nodes_of(ref)
        ]

    async def _holding(self, found: Sequence[tuple[SegmentRef, str]], wanted: Set[str]) -> list[SegmentRef]:
        """Returns those segments that have these words, however headings part them: a first look."""
        holding: list[SegmentRef] = []
        read = 0
        for ref, text in found:
            read += 0 if ref in self._words else len(text)
            if wanted <= self._each_word(ref, text):
                holding.append(ref)
            if read >= PORTION:
                read = 0
                await yield_to_loop()
        return holding

    def _each_word(self, ref: SegmentRef, text: str) -> frozenset[str]:
        """Returns the words of a segment. They are kept: segments of a record are often like the same other ones."""
        words = self._words.get(ref)
        if words is None:
            if len(self._words) >= KEPT:
                self._words.clear()
            words = self._words[ref] = each_word(words_of(text))
        return words

    def _may_join(self, bank: Bank, index: int, first: SegmentRef) -> bool:
        wanted = each_word(self._known[self._record.interaction_id][index].words)

        def says_same(ref: SegmentRef) -> bool:
            return wanted <= self._each_word(ref, bank.tree.text(ref))

        return may_join(bank, self._ref(index), first, says_same)

    # ---- small things ----

    async def _prints(self, record: Interaction) -> Sequence[Fingerprint]:
        known = self._known.get(record.interaction_id)
        if known is None:
            large = len(record.text) > LARGE
            known = await asyncio.to_thread(fingerprints, record) if large else fingerprints(record)
            self._known[record.interaction_id] = known
        return known

    def _ref(self, index: int) -> SegmentRef:
        return SegmentRef(self._record.interaction_id, index)

    def _cluster(
        self, number: int, indexes: Sequence[int], context: str, outcome: Outcome | None = None
    ) -> ClusterPut:
        cluster = ClusterWork(
            interaction_id=self._record.interaction_id,
            number=number,
            segments=tuple(indexes),
            context=context,
            keywords=(),
            outcome=outcome,
        )
        return ClusterPut(cluster=cluster)
