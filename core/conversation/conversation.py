"""A conversation in memory: the aggregate of its turns, clusters, summaries and keys.

Law: `apply` is the only mutator. Every turn that is there is in the order, is found by its words at once and by its
meaning when its vectors are made. What tier a turn is in follows from the record and the clusters, never from time.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.aggregate.aggregate import LargeMembers, Tuning
from core.aggregate.change import Change, Head
from core.aggregate.indexes import Indexes
from core.aggregate.parts import PartsAggregate, PartsState, numbered
from core.conversation.clustered import ClusterShares, is_embedded
from core.conversation.resting import Resting, enter
from core.conversation.restoring import VECTORS, WORDS, restore
from core.conversation.steps import (
    CLUSTERS,
    HELD,
    HITS,
    INVOCATIONS,
    KEYS,
    RETRACTIONS,
    SUMMARIES,
    TURNS,
    WORTHS,
    Step,
    TurnAdd,
)
from core.conversation.telling import id_of, segment_of, step_of, told
from core.conversation.topics import Topics
from core.conversation.turn_cache import TurnCache
from core.conversation.turn_rows import UNREAD, TurnRows
from core.conversation.turn_vectors import by_segment
from core.errors import KeyNotFound, RetractionNotFound, TurnNotFound
from core.ids import InteractionId, SegmentRef
from core.index.giving_way import in_turns
from core.index.postings import PreparedDocuments
from core.model.conversation import (
    ClusterHits,
    ConversationRecord,
    KeyMemory,
    KeyType,
    Summary,
    Tiers,
    Turn,
    TurnCluster,
    TurnWorths,
)
from core.model.interaction import Segment
from core.model.invocation import InvocationSummary
from core.model.turn_retraction import HeldTurn, TurnRetraction
from core.model.vector import Vector
from core.verbatim.segment_order import SegmentMarks, marks_of
from core.verbatim.verbatim import Verbatim, segment_fields

TURN_BYTES = 600  # about what a turn takes beside its text and vectors
RESTING_BYTES = 80  # the same of a conversation that rests


class PreparedTurns(NamedTuple):
    """What `apply` would otherwise spend its time on: the words of new turns, and the marks of their segments."""

    words: PreparedDocuments[SegmentRef]
    marks: Mapping[InteractionId, SegmentMarks]


class Conversation(PartsAggregate[ConversationRecord, Step]):
    """One conversation: read it freely between awaits; change it by `apply`."""

    kind: ClassVar[Any]

    def __init__(self, record: ConversationRecord, head: Head, tuning: Tuning) -> None:
        super().__init__(record, head, tuning)
        self.turns = self.parts[TURNS.name] = TurnRows()
        self.clusters: MutableMapping[str, TurnCluster] = self.parts[CLUSTERS.name]
        self.hits: MutableMapping[str, ClusterHits] = self.parts[HITS.name]
        self.summaries: MutableMapping[str, Summary] = self.parts[SUMMARIES.name]
        self.keys: MutableMapping[str, KeyMemory] = self.parts[KEYS.name]
        self.invocations: MutableMapping[str, InvocationSummary] = self.parts[INVOCATIONS.name]
        self.worths: MutableMapping[str, TurnWorths] = self.parts[WORTHS.name]
        self.retractions: MutableMapping[str, TurnRetraction] = self.parts[RETRACTIONS.name]
        self.held: MutableMapping[str, HeldTurn] = self.parts[HELD.name]
        self._held_bytes = 0  # of turns that were taken back
        self._verbatim: Verbatim | None = Verbatim(tuning.dimension, tuning.vectors)
        self._resting: Resting | None = None  # what is kept of it while it is not read
        self._clustered: ClusterShares | None = None  # made when asked for
        self.topics = Topics()
        self._cache = TurnCache(self.turns)
        self._marks: Mapping[InteractionId, SegmentMarks] = {}  # of turns that are just being added

    # ---- making one ----

    @classmethod
    def load(
        cls,
        state: PartsState[ConversationRecord],
        tuning: Tuning,
        cached: Mapping[str, Any] | None = None,
    ) -> "Conversation":
        """Returns the conversation that a store's rows describe, its indexes from snapshots as far as they go."""
        made = cls(state.record, state.head, tuning)
        for part, values in state.parts.items():
            for item, value in in_turns(values.items(), tuning.give_way):
                made._put(part, item, value)
        for read in made.worths.values():
            made._rate(read)
        restore(made, state.vectors.get(TURNS.name, {}), cached or {})
        return made

    # ---- reads ----

    @property
    def tiers(self) -> Tiers:
        """The tiers' settings: as configured, but for the conversation's own."""
        return self.tuning.tiers.under(self.record.settings)

    @property
    def steps(self) -> Sequence[int]:
        """Of the turns that are there, ascending. To be read before the next change."""
        return self.turns.steps

    def turn(self, step: int) -> Turn:
        """Raises TurnNotFound."""
        try:
            return self.turns[numbered(step)]
        except KeyError:
            raise TurnNotFound(step) from None

    def has_turn(self, step: int) -> bool:
        return self.turns.has(step)

    def between(self, first: int, last: int) -> list[Turn]:
        """Returns the turns from one step to another, both included."""
        return self.turns.rows(bisect_left(self.steps, first), bisect_right(self.steps, last))

    def newest(self, count: int) -> list[Turn]:
        return self.turns.rows(max(0, len(self.steps) - count), len(self.steps))

    def cluster_names(self) -> dict[int, str]:
        """Returns by step the cluster of each turn that lies in one."""
        return {step: name for name, each in self.clusters.items() for step in each.steps}

    @property
    def clustered(self) -> ClusterShares:
        """The clusters of its segments. To be read before the next change."""
        if self._clustered is None:
            self._clustered = ClusterShares(self.clusters)
        self._clustered.bring_up_to_date(self.clusters, self.verbatim)
        return self._clustered

    def cached_turn(self, step: int) -> Turn:
        """Returns a turn for a prompt: the same object while it is cached, with what is kept of it. Raises KeyError."""
        return self._cache.turn(step)

    @property
    def short_steps(self) -> Sequence[int]:
        """Of the newest turns, and of every one that has not been placed: none is between two tiers."""
        return self.steps[min(self._window, self._placed) :]

    def unplaced(self, most: int) -> list[Turn]:
        """Returns the first of the turns that fell out of the newest ones and wait for their cluster."""
        return self.turns.rows(self._placed, min(self._window, self._placed + most))

    @property
    def unplaced_count(self) -> int:
        return max(0, self._window - self._placed)

    @property
    def _window(self) -> int:
        """The row of the first of the newest turns."""
        return max(0, len(self.steps) - self.tiers.short_turns)

    @property
    def _placed(self) -> int:
        """How many turns are not behind the last one placed."""
        return bisect_right(self.steps, self.record.placed_to)

    def key_memory(self, key_id: str) -> KeyMemory:
        """Raises KeyNotFound."""
        try:
            return self.keys[key_id]
        except KeyError:
            raise KeyNotFound(key_id) from None

    def keys_in_order(self, type_: KeyType | None = None) -> list[KeyMemory]:
        """Returns keys, those of the user first, each oldest first; only those of a type, if one is given."""
        found = [key for key in self.keys.values() if type_ in (None, key.type)]
        return sorted(found, key=lambda key: (key.type is not KeyType.USER, key.create_time, key.key_id))

    def clusters_in_order(self) -> list[TurnCluster]:
        """Returns clusters by their first step."""
        return sorted(self.clusters.values(), key=lambda cluster: cluster.steps[0])

    def summaries_in_order(self) -> list[Summary]:
        """Returns summaries by their first step."""
        return sorted(self.summaries.values(), key=lambda s: (s.first_step, s.last_step, s.summary_id))

    def invocations_in_order(self) -> list[InvocationSummary]:
        """Returns invocations in the order of their ends."""
        return sorted(self.invocations.values(), key=lambda each: (each.event_time, each.invocation_id))

    def retraction(self, retraction_id: str) -> TurnRetraction:
        """Raises RetractionNotFound."""
        try:
            return self.retractions[retraction_id]
        except KeyError:
            raise RetractionNotFound(retraction_id) from None

    def held_by(self, retraction_id: str) -> list[HeldTurn]:
        """Returns what a retraction keeps, by name."""
        return [each for _, each in sorted(self.held.items()) if each.retraction_id == retraction_id]

    # ---- rest ----

    @property
    def verbatim(self) -> Verbatim:
        """Its segments. Made again where they were let go of: as a rule by `wake`, before a read."""
        if self._verbatim is None:
            self.wake(self.made_again())
            assert self._verbatim is not None, "it was just woken"
        return self._verbatim

    @property
    def rests(self) -> bool:
        return self._verbatim is None

    def rest(self) -> None:
        """Drops what follows from turns and vectors, unless some are wanting, or so many that they are compiled."""
        verbatim = self.verbatim
        self._cache.clear()
        if not verbatim.wanting and len(verbatim.vectors) < self.tuning.vectors.exact_up_to:
            self.turns.trim()
            self._resting = Resting.of(verbatim, self.turns)
            self._verbatim = self._clustered = None
            self.topics = Topics()

    def made_again(self) -> Verbatim | None:
        """Returns what `rest` let go of; None, if nothing. Reads only: may run in another thread."""
        if self._resting is None:
            return None
        return self._resting.made_again(self.turns, self.tuning.vectors, self.tuning.give_way)

    def wake(self, made: Verbatim | None) -> None:
        """Puts back what `made_again` made of the conversation as it is."""
        if self._verbatim is None:
            self._verbatim, self._resting = made, None

    # ---- segments ----

    def worths_of(self, refs: Sequence[SegmentRef]) -> NDArray[np.float64]:
        """Returns what the turns of segments are worth, 0 to 1; NaN for those that the process's Reader did not
        read."""
        steps = np.fromiter((step_of(ref.interaction_id) for ref in refs), np.int64, len(refs))
        found = self.turns.worths[np.searchsorted(np.asarray(self.steps), steps)]
        own = self.tuning.reader
        if others := [step for each in self.worths.values() if each.reader != own for step in each.steps]:
            found[np.isin(steps, others)] = np.nan
        return found

    def refs(self, turn: Turn) -> list[SegmentRef]:
        """Returns the segments of a turn that is there."""
        return self.verbatim.order.all_of(id_of(turn.step))

    def text(self, ref: SegmentRef) -> str:
        """Returns the segment's verbatim text."""
        return self.segment(ref).text

    def segment(self, ref: SegmentRef) -> Segment:
        """Returns a segment verbatim; its role tells input from reply."""
        return segment_of(self.turns[ref.interaction_id], ref, *self.verbatim.order.bounds(ref))

    def lines(self, turn: Turn) -> dict[SegmentRef, str]:
        """Returns what is embedded of a turn: its segments, behind their speakers."""
        return {ref: fields["text"] for ref, fields in segment_fields(told(turn)).items()}

    @property
    def unembedded(self) -> Collection[InteractionId]:
        """The turns that lack vectors of segments."""
        return dict.fromkeys(ref.interaction_id for ref in self.verbatim.wanting)

    def is_embedded(self, turn: Turn) -> bool:
        """Whether each of the turn's segments has its vector."""
        return is_embedded(self.refs(turn), self.verbatim)

    # ---- what holds and stores it ----

    @property
    def size(self) -> int:
        if self._resting is not None:
            kept = self.record.text_bytes + self._held_bytes
            return self._resting.matrix.nbytes + kept + RESTING_BYTES * self.items
        vector_bytes = 4 * self.tuning.dimension * len(self.verbatim.vectors)
        of_turns = self._held_bytes + 2 * self.record.text_bytes + TURN_BYTES * self.items
        of_turns += self._cache.size + self.topics.size
        return 16_000 + vector_bytes * 5 // 4 + of_turns

    @property
    def indexes(self) -> Indexes:
        if self.rests:
            return Indexes()
        return Indexes(words={WORDS: self.verbatim.words}, vectors={VECTORS: self.verbatim.vectors})

    @property
    def large_members(self) -> LargeMembers:
        verbatim = self._verbatim
        indexes = (verbatim.order, verbatim.words, verbatim.vectors) if verbatim else ()
        return LargeMembers(
            many=tuple(values for values in self.parts.values() if isinstance(values, dict)),
            parts=(self.turns, *indexes),
        )

    @property
    def wanting_vectors(self) -> Mapping[str, Any]:
        return {TURNS.name: self.unembedded} if not self.rests and self.verbatim.wanting else {}

    def prepare(self, steps: Iterable[Step]) -> PreparedTurns:
        """Finds the words of new turns, and reads their segments. Pure: may run in another thread."""
        new = [told(step.turn) for step in steps if isinstance(step, TurnAdd)]
        fields = {ref: said for each in new for ref, said in segment_fields(each).items()}
        return PreparedTurns(
            words=self.verbatim.words.prepare(fields),
            marks={each.interaction_id: marks_of(each) for each in new},
        )

    def apply(self, change: Change[Step], prepared: PreparedTurns | None = None) -> None:
        """Carries out a stored change, and stands at its revision."""
        prepared, verbatim = prepared or self.prepare(change.steps), self.verbatim
        self._marks = prepared.marks
        super().apply(change)
        self._marks = {}
        verbatim.words.put(prepared.words)

    def put_vectors(self, part: str, vectors: Mapping[Any, Vector]) -> None:
        """Indexes vectors of turns that are there: those of a turn's segments one behind the other."""
        if part != TURNS.name:
            return
        there = {item: vector for item, vector in vectors.items() if item in self.turns}
        self.verbatim.put_vectors(by_segment(self, there))
        self._outdate_of(*map(step_of, there))

    def entered(self, part: str, item: str, value: Any, before: Any | None) -> None:
        if part == TURNS.name:
            self._cache.drop(value.step)
            self._enter_turn(value)
        elif part == CLUSTERS.name:
            self._outdate(item)
        elif part == WORTHS.name:
            self._rate(value)
        elif part == HELD.name:
            self._held_bytes += value.text_bytes - (before.text_bytes if before else 0)

    def left(self, part: str, item: str, before: Any) -> None:
        if part == TURNS.name:
            self._cache.drop(before.step)
            self._leave_turn(before)
        elif part == CLUSTERS.name:
            self._outdate(item)
        elif part == WORTHS.name:
            for step in before.steps:
                self.turns.rate(step, UNREAD)
        elif part == HELD.name:
            self._held_bytes -= before.text_bytes

    # ---- turns come and go ----

    def _enter_turn(self, turn: Turn) -> None:
        enter(self.verbatim, turn, self._marks.get(id_of(turn.step)))

    def _leave_turn(self, turn: Turn) -> None:
        fields = segment_fields(told(turn))
        for ref, said in fields.items():
            self.verbatim.words.drop(ref, said)
            self.verbatim.vectors.drop(ref)
        self.verbatim.have(fields)
        self.verbatim.order.drop(id_of(turn.step), len(fields))
        self._outdate_of(turn.step)

    def _outdate_of(self, *steps: int) -> None:
        """Outdates the clusters of some turns, and of those after them: their topics are made of these, too."""
        newest = max((each.steps[-1] for each in self.clusters.values() if each.steps), default=0)
        if min(steps, default=newest + 1) > newest:
            return  # as a rule: what is new lies in no cluster
        names = self.cluster_names()
        self._outdate(*(names[near] for step in steps for near in (step, step + 1) if near in names))

    def _rate(self, read: TurnWorths) -> None:
        for step, worth in zip(read.steps, read.worths, strict=True):
            self.turns.rate(step, worth)

    def _outdate(self, *clusters: str) -> None:
        for name in clusters:
            self.topics.outdate(name)
            if self._clustered is not None:
                self._clustered.outdate(name)
