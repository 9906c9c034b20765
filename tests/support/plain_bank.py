"""What a bank must come to, kept in plain dicts and worked out the slow way, node by node.

A node's summary is a claim, "SUBJECT VALUE". Two claims on one subject are a merge if their values
are equal and a conflict if not; claims on the two subjects of one field are related. Ids that the
service makes up are taken from its answers, and nothing else is.

A page is a claim with so many words that it joins the nodes that hold it: read again it changes nothing but their
copies. Only what a verdict has touched may be judged again, and what was read so often that those which stand need not
be among the segments looked at; that is taken from the answer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from core.agents.roles import (
    ConflictOpinion,
    Consolidation,
    MergeOpinion,
    MergeSource,
    Neighbor,
    RelatedOpinion,
    Rewording,
    Topic,
)
from core.model.lineage import MergeReason
from core.usecases.bank.structuring.conflict_edits import MOST_OF_PAIR, MOST_SIDES
from core.usecases.bank.structuring.rereading import LIKEST
from core.usecases.bank.verbs.memorize import MemorizeResult
from core.usecases.bank.verbs.resolve_conflict import ConflictResolved
from tests.support.scripted_agents import ScriptedAgents

SUBJECTS = ("apple", "pear", "ship", "船")
PAGED = ("kiwi", "港口")
FIELDS = {"apple": "fruit", "pear": "fruit", "ship": "sea", "船": "sea", "kiwi": "fruit", "港口": "sea"}
VALUES = ("red", "green", "三")

Pair = frozenset[str]


def agents_by_claims() -> ScriptedAgents:
    """Agents that judge as the module says, and merge into the first claim, or the verdict."""
    agents = ScriptedAgents()
    agents.judge.first.otherwise = _first_phase
    agents.judge.second.otherwise = _second_phase
    agents.consolidator.consolidations.otherwise = _consolidated
    return agents


def page(of: str, its: str) -> str:
    """A claim with words enough to be known again."""
    return f"{of} {its} as the large label behind the counter of this store shows"


def subject(claim: str) -> str:
    return claim.split(maxsplit=1)[0]


def value(claim: str) -> str:
    return claim.split()[1]


def said(claim: str) -> tuple[str, str]:
    return subject(claim), value(claim)


@dataclass(slots=True)
class PlainNode:
    claim: str
    contested: bool = False
    interactions: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()  # what was memorized of it
    copies: int = 0


@dataclass(slots=True)
class PlainBank:
    """Open conflicts have their sides in order, `quotes` what each said when it was found; `settled` are the pairs
    found not to contradict, `dismissed` the quotes of what was no conflict."""

    nodes: dict[str, PlainNode] = field(default_factory=dict)
    edges: set[Pair] = field(default_factory=set)
    into: dict[str, str] = field(default_factory=dict)  # absorbed → by which node
    interactions: set[str] = field(default_factory=set)
    conflicts: dict[str, list[str]] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    quotes: dict[str, dict[str, str]] = field(default_factory=dict)
    settled: set[Pair] = field(default_factory=set)
    dismissed: list[dict[str, str]] = field(default_factory=list)
    ruled_on: set[str] = field(default_factory=set)  # texts that a verdict has touched
    times: Counter[str] = field(default_factory=Counter)  # of each text, that it was memorized

    # ---- what callers ask for ----

    def add(self, node_id: str, claim: str, interactions: Iterable[str], related: Iterable[str]) -> None:
        self.nodes[node_id] = PlainNode(claim, interactions=frozenset(interactions))
        self.interactions.update(interactions)
        self.edges |= {frozenset((node_id, other)) for other in related}

    def reword(self, node_id: str, claim: str) -> None:
        if claim != self.nodes[node_id].claim:
            self.settled = {pair for pair in self.settled if node_id not in pair}
        self.nodes[node_id].claim = claim

    def remove(self, node_id: str) -> None:
        """Its conflicts have lost their point, but for those that are left of others that were there before it."""
        moot = []
        for conflict_id, its in self.conflicts.items():
            if node_id in its[1:] and len(its) > 2:
                its.remove(node_id)
            elif node_id in its:
                moot.append(conflict_id)
        sides = {side for conflict_id in moot for side in self._close(conflict_id)}
        self._drop(node_id)
        self._calm(sides - {node_id})

    def merge(self, node_ids: Sequence[str], into: str, claim: str) -> None:
        self._absorb(node_ids, into, claim)

    def memorize(self, claim: str, told: MemorizeResult) -> None:
        self.interactions.add(told.interaction_id)
        self.times[claim] += 1
        holding = {n for n, node in self.nodes.items() if claim in node.texts and subject(claim) in PAGED}
        if told.joined_node_ids:
            assert holding.issuperset(told.joined_node_ids)
            assert told.node_ids == told.joined_node_ids
            assert not any((told.merges, told.related, told.conflict_ids))
            for node_id in told.joined_node_ids:
                self.nodes[node_id].copies += 1
            return
        assert not holding or claim in self.ruled_on or self.times[claim] > LIKEST
        merges = [(merge.into_node_id, merge.absorbed_node_ids) for merge in told.merges]
        entered = next((n for n in merges[0][1] if n not in self.nodes), "") if merges else told.node_ids[0]
        self.nodes[entered] = PlainNode(
            claim, interactions=frozenset((told.interaction_id,)), texts=frozenset((claim,))
        )
        stands = self._go_round(entered, iter(merges), iter(told.conflict_ids))
        assert told.node_ids == (stands,)

    def resolve(self, conflict_id: str, verdict: str, told: ConflictResolved, interaction_id: str) -> None:
        """The sides become one by the verdict; their other conflicts are its conflicts, or have lost their point."""
        sides = self._close(conflict_id)
        self.ruled_on.update(*(self.nodes[side].texts for side in sides))
        merges = [(merge.into_node_id, merge.absorbed_node_ids) for merge in told.merges]
        first, absorbed = merges.pop(0)
        assert sorted(absorbed) == sorted(sides)
        self.interactions.add(interaction_id)
        others = [c for c, its in self.conflicts.items() if set(its) & set(sides)]
        self._absorb(sides, first, verdict)
        self.nodes[first].interactions |= {interaction_id}
        for other in others:
            quotes: dict[str, str] = {}
            for side in self.conflicts[other]:
                quotes.setdefault(first if side in sides else side, self.quotes[other][side])
            if len(quotes) > 1:
                self.conflicts[other], self.quotes[other] = list(quotes), quotes
                self.nodes[first].contested = True
            else:
                self._close(other)
        stands = self._go_round(first, iter(merges), iter(told.conflict_ids))
        assert told.node_id == stands

    def dismiss(self, conflict_id: str, told: ConflictResolved) -> None:
        contested = {node_id for node_id, node in self.nodes.items() if node.contested}
        first, *others = self._close(conflict_id)
        self._calm({first, *others})
        self.settled |= {frozenset((first, other)) for other in others}
        self.dismissed.append(self.quotes[conflict_id])
        merges = [(merge.into_node_id, merge.absorbed_node_ids) for merge in told.merges]
        stands = self._go_round(first, iter(merges), iter(told.conflict_ids), contested - {first})
        assert told.node_id == stands

    # ---- a round ----

    def _go_round(
        self,
        current: str,
        merges: Iterator[tuple[str, Sequence[str]]],
        conflict_ids: Iterator[str],
        apart: Iterable[str] = (),
    ) -> str:
        """Conflict before merge before related; `apart` are no merge candidates. Which node stands in the end."""
        while True:
            rivals = self._rivals(current)
            node, judged = self.nodes[current], self._judged(current)
            if rivals:
                conflict_id = next(conflict_ids)
                standing = self._disputed_by(current, rivals)
                assert standing in (None, conflict_id)
                sides = self.conflicts.setdefault(conflict_id, [])
                sides += [n for n in (current, *rivals) if n not in sides]
                said_now = {n: self.nodes[n].claim for n in (current, *rivals)}
                self.quotes[conflict_id] = said_now | self.quotes.get(conflict_id, {})
                for side in (current, *rivals):
                    self.nodes[side].contested = True
                break
            equal = {n for n in judged if said(self.nodes[n].claim) == said(node.claim)}
            same = {n for n in equal if not (node.contested or self.nodes[n].contested or n in apart)}
            if equal and not same:  # an opinion of the first phase, though nothing comes of it
                break
            if not same:
                related = {n for n in judged if self._related(n, current)}
                self.edges |= {frozenset((current, n)) for n in related}
                break
            into, absorbed = next(merges)
            assert set(absorbed) == {current, *same}
            self._absorb(absorbed, into, node.claim)
            current = into
        assert next(merges, None) is None
        assert next(conflict_ids, None) is None
        return current

    def _rivals(self, current: str) -> set[str]:
        """The nodes that contradict one, neighbours apart, by sentences that are neither at issue nor dismissed."""
        near = {other for pair in self.edges if current in pair for other in pair}
        rivals = {n for n in set(self.nodes) - near - {current} if self._contradict(n, current)}
        rivals -= {n for n in rivals if self._is_at_issue(n, current)}
        dismissed = {n for n in rivals if self._is_dismissed(n, current)}
        self.settled |= {frozenset((n, current)) for n in dismissed}
        return rivals - dismissed

    def _disputed_by(self, current: str, rivals: Iterable[str]) -> str | None:
        """The oldest conflict about a sentence of a rival; the node becomes a side of it."""
        for conflict_id, sides in self.conflicts.items():
            about = (n for n in rivals if n in sides and self._says(n, self.quotes[conflict_id][n]))
            if current not in sides and len(sides) < MOST_SIDES and any(about):
                return conflict_id
        return None

    def _is_at_issue(self, *pair: str) -> bool:
        open_ = [self.quotes[c] for c, sides in self.conflicts.items() if set(pair) <= set(sides)]
        return len(open_) >= MOST_OF_PAIR or any(self._says(n, quotes[n]) for quotes in open_ for n in pair)

    def _is_dismissed(self, one: str, two: str) -> bool:
        return any(
            (self._stands(a), self._stands(b)) == (one, two)
            and self._says(one, quotes[a])
            and self._says(two, quotes[b])
            for quotes in self.dismissed
            for a, b in permutations(quotes, 2)
        )

    def _says(self, node_id: str, quote: str) -> bool:
        return said(self.nodes[node_id].claim) == said(quote)

    def _stands(self, node_id: str) -> str:
        while node_id in self.into:
            node_id = self.into[node_id]
        return node_id

    def _judged(self, node_id: str) -> set[str]:
        """Who may merge or be related with a node: not itself, its neighbours, settled partners, partners in a
        conflict."""
        known = {other for pair in self.edges | self.settled if node_id in pair for other in pair}
        known |= {side for sides in self.conflicts.values() if node_id in sides for side in sides}
        return set(self.nodes) - known - {node_id}

    def _contradict(self, one: str, other: str) -> bool:
        here, there = self.nodes[one].claim, self.nodes[other].claim
        return subject(here) == subject(there) and value(here) != value(there)

    def _related(self, one: str, other: str) -> bool:
        return FIELDS[subject(self.nodes[one].claim)] == FIELDS[subject(self.nodes[other].claim)]

    # ---- small things ----

    def _absorb(self, node_ids: Sequence[str], into: str, claim: str) -> None:
        gone = set(node_ids)
        outside = {other for pair in self.edges if pair & gone for other in pair - gone}
        interactions = frozenset().union(*(self.nodes[n].interactions for n in gone))
        texts = frozenset().union(*(self.nodes[n].texts for n in gone))
        copies = sum(self.nodes[n].copies for n in gone)
        for node_id in gone:
            self._drop(node_id)
            self.into[node_id] = into
        self.nodes[into] = PlainNode(claim, interactions=interactions, texts=texts, copies=copies)
        self.edges |= {frozenset((into, other)) for other in outside}

    def _drop(self, node_id: str) -> None:
        del self.nodes[node_id]
        self.edges = {pair for pair in self.edges if node_id not in pair}
        self.settled = {pair for pair in self.settled if node_id not in pair}

    def _close(self, conflict_id: str) -> list[str]:
        self.closed.add(conflict_id)
        return self.conflicts.pop(conflict_id)

    def _calm(self, node_ids: Iterable[str]) -> None:
        """Who is in no open conflict any more is undisputed."""
        for node_id in node_ids:
            self.nodes[node_id].contested = any(node_id in sides for sides in self.conflicts.values())


# ---- the same judgements, as agents ----


def _first_phase(new: Topic, candidates: Sequence[Topic]) -> list[ConflictOpinion | MergeOpinion]:
    return [_judgement(new, c) for c in candidates if subject(c.summary) == subject(new.summary)]


def _judgement(new: Topic, existing: Topic) -> ConflictOpinion | MergeOpinion:
    if value(new.summary) == value(existing.summary):
        return MergeOpinion(existing=existing.node_id, confidence=1.0, reasoning="equal", strategy="keep one")
    return ConflictOpinion(
        existing=existing.node_id,
        confidence=1.0,
        reasoning="unequal",
        description=f"what {subject(new.summary)} is",
        new_quote=new.summary,
        existing_quote=existing.summary,
    )


def _second_phase(new: Topic, candidates: Sequence[Topic]) -> list[RelatedOpinion]:
    return [
        RelatedOpinion(
            existing=existing.node_id,
            confidence=0.5,
            reasoning="one field",
            context_new=f"{new.context}, beside others",
            context_existing=f"{existing.context}, beside {new.node_id}",
            keywords_new=("beside",),
            keywords_existing=("beside",),
        )
        for existing in candidates
        if FIELDS[subject(existing.summary)] == FIELDS[subject(new.summary)]
    ]


def _consolidated(
    nodes: Sequence[MergeSource],
    neighbors: Sequence[Neighbor],
    reason: MergeReason,
    verdict: str,
    _strategy: str,
    _evidence: str,
) -> Consolidation:
    claim = verdict or nodes[0].topic.summary
    return Consolidation(
        summary=claim,
        context=f"of {len(nodes)}",
        keywords=tuple(claim.split()),
        neighbor_updates={
            n.node_id: Rewording(context=f"{n.context}, near a merged one", keywords=("merged",))
            for n in neighbors
        },
        description=f"{reason} of {len(nodes)}",
    )
