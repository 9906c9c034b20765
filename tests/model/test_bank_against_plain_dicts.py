"""Random operations through the use cases, against plain dicts; now and then, and at the end, loaded anew."""

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.bank.loading import load as load_bank
from core.bank.state import BankState
from core.errors import EdgeNotFound, NodeAbsorbed, NodeContested, NodeExists, NodeNotFound
from core.ids import ConflictId, NodeId
from core.index.compiled_vectors import VectorSettings
from core.kinds import KINDS
from core.model.conflict import ConflictStatus, VerdictType
from core.model.node import NodeState
from core.ports.store import Store
from core.usecases.bank.plans.planning import MOST_VALIDATIONS
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.delete_node import DeleteNode, delete_node
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.merge_nodes import MergeNodes, merge_nodes
from core.usecases.bank.verbs.relate import Relate, relate
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict, resolve_conflict
from core.usecases.bank.verbs.search import Ask, Searches, run_searches
from core.usecases.bank.verbs.unrelate import Unrelate, unrelate
from core.usecases.bank.verbs.update_node import UpdateNode, update_node
from core.usecases.house import House
from core.usecases.settings import Retrieval
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from tests.support.changes import same
from tests.support.house import KEY, make_bank, open_house, with_settings, work_done
from tests.support.model_machine import ModelMachine, on_each_store
from tests.support.plain_bank import PAGED, SUBJECTS, VALUES, PlainBank, agents_by_claims, page

EXAMPLES, STEPS = 30, 30
LOOKS = 20
EVERYTHING = 1_000  # top_k: every node is a candidate, so that what is judged can be told without scores
TUNING = Tuning(vectors=VectorSettings(exact_up_to=6, scan_share=0.25, scans=0))  # compiled early, and often

claims = st.builds(lambda s, v: f"{s} {v}", st.sampled_from(SUBJECTS), st.sampled_from(VALUES))
pages = st.builds(page, st.sampled_from(PAGED), st.sampled_from(VALUES[:2]))
places = st.integers(0, 1_000)
ids = st.sampled_from([f"n{number}" for number in range(12)])


class AgainstPlainDicts(ModelMachine):
    """The bank under test and its model do the same."""

    def __init__(self) -> None:
        super().__init__()
        self.plain = PlainBank()

    async def opened(self, store: Store) -> House:
        house = await self.closing.enter_async_context(
            open_house(store=store, agents=agents_by_claims().roles, holding=Holding(tuning=TUNING))
        )
        await make_bank(house)
        return with_settings(house, retrieval=Retrieval(top_k=EVERYTHING, alpha=0.5, chunk_ratio=0.9))

    def teardown(self) -> None:
        self.loaded_anew()
        self.close()

    def some(self, place: int) -> NodeId:
        """One of the living nodes."""
        return NodeId(sorted(self.plain.nodes)[place % len(self.plain.nodes)])

    def some_conflict(self, place: int) -> ConflictId:
        return ConflictId(sorted(self.plain.conflicts)[place % len(self.plain.conflicts)])

    # ---- the graph, as callers edit it ----

    @rule(node_id=ids, claim=claims, near=st.lists(places, max_size=3), verbatim=st.booleans())
    def add(self, node_id: str, claim: str, near: list[int], verbatim: bool) -> None:
        related = tuple({self.some(place) for place in near}) if self.plain.nodes else ()
        new = NewNode(
            node_id=NodeId(node_id),
            summary=claim,
            related_node_ids=related,
            verbatim=f"They said: {claim}." if verbatim else "",
        )
        adding = add_nodes(self.house, AddNodes(key=KEY, nodes=(new,)))

        if node_id in self.plain.nodes or node_id in self.plain.into:
            with pytest.raises(NodeExists):
                self.run(adding)
            return
        (node,) = self.run(adding).result.nodes
        self.plain.add(node_id, claim, node.interaction_ids, related)

    @precondition(lambda self: self.plain.nodes)
    @rule(place=places, claim=claims)
    def reword(self, place: int, claim: str) -> None:
        node_id = self.some(place)

        self.run(update_node(self.house, UpdateNode(key=KEY, node_id=node_id, summary=claim)))

        self.plain.reword(node_id, claim)

    @precondition(lambda self: self.plain.nodes)
    @rule(place=places)
    def remove(self, place: int) -> None:
        node_id = self.some(place)

        self.run(delete_node(self.house, DeleteNode(key=KEY, node_id=node_id)))

        self.plain.remove(node_id)

    @precondition(lambda self: len(self.plain.nodes) > 1)
    @rule(places=st.tuples(places, places), apart=st.booleans())
    def relate_or_part(self, places: tuple[int, int], apart: bool) -> None:
        one, other = (self.some(place) for place in places)
        if one == other:
            return
        pair = frozenset((one, other))
        if not apart:
            done = self.run(relate(self.house, Relate(key=KEY, node_id=one, other_node_id=other)))
            assert done.result.created == (pair not in self.plain.edges)
            self.plain.edges.add(pair)
            return
        parting = unrelate(self.house, Unrelate(key=KEY, node_id=one, other_node_id=other))
        if pair not in self.plain.edges:
            with pytest.raises(EdgeNotFound):
                self.run(parting)
            return
        self.run(parting)
        self.plain.edges.remove(pair)

    @precondition(lambda self: len(self.plain.nodes) > 1)
    @rule(places=st.lists(places, min_size=2, max_size=4), claim=claims)
    def merge(self, places: list[int], claim: str) -> None:
        chosen = tuple(dict.fromkeys(self.some(place) for place in places))
        if len(chosen) < 2:
            return
        merging = merge_nodes(self.house, MergeNodes(key=KEY, node_ids=chosen, summary=claim))

        if any(self.plain.nodes[node_id].contested for node_id in chosen):
            with pytest.raises(NodeContested):
                self.run(merging)
            return
        self.plain.merge(chosen, self.run(merging).result.node.node_id, claim)

    # ---- memories, judged ----

    @rule(claim=claims)
    def remember(self, claim: str) -> None:
        self.memorize(claim)

    def memorize(self, claim: str) -> None:
        told = self.run(memorize(self.house, Memorize(key=KEY, context=Context(text=claim))))

        self.plain.memorize(claim, told)

    @rule(text=pages, times=st.integers(1, 3))
    def read(self, text: str, times: int) -> None:
        for _ in range(times):
            self.memorize(text)

    @precondition(lambda self: self.plain.conflicts)
    @rule(place=places, verdict=st.sampled_from(VALUES))
    def resolve(self, place: int, verdict: str) -> None:
        conflict_id = self.some_conflict(place)
        about = self.plain.nodes[self.plain.conflicts[conflict_id][0]].claim.split()[0]
        words = f"{about} {verdict}"

        told = self.run(
            resolve_conflict(self.house, ResolveConflict(key=KEY, conflict_id=conflict_id, verdict=words))
        )

        self.plain.resolve(conflict_id, words, told, told.conflict.verdict_interaction_id or "")

    @precondition(lambda self: self.plain.conflicts)
    @rule(place=places)
    def dismiss(self, place: int) -> None:
        conflict_id = self.some_conflict(place)

        told = self.run(
            resolve_conflict(
                self.house, ResolveConflict(key=KEY, conflict_id=conflict_id, type=VerdictType.DISMISS)
            )
        )

        self.plain.dismiss(conflict_id, told)

    # ---- what must hold ----

    @rule()
    def loaded_anew(self) -> None:
        """The store's rows are the bank; another process, which loads them, goes on with it."""
        self.run(self._load_anew())

    async def _load_anew(self) -> None:
        stored, held = await self._stored_and_held()
        assert same(held, stored)
        assert same(load_bank(stored, TUNING).state(), stored)
        await self.house.banks.close()  # type: ignore[attr-defined]  # not the port's: the house's owner does it
        parts = (self.house.store, self.house.blobs, self.house.clock, self.house.ids, Holding(tuning=TUNING))
        self.house = replace(self.house, banks=OpenAggregates(KINDS, *parts))

    async def _stored_and_held(self) -> tuple[BankState, BankState]:
        """The bank's rows, and what is held of them. A chore may write between the two looks: then both are looked at
        once more. After a load it writes by the holder it began with, as another process does: what is held here may
        be `max_staleness` behind, unless a revision is asked for."""
        for _ in range(LOOKS):
            await work_done(self.house)
            stored = await self.house.store.load(KEY)
            assert stored is not None
            async with self.house.banks.reading(KEY, stored.head.revision) as bank:
                held = bank.state()
            if stored.head == held.head:
                return stored, held
        raise AssertionError(f"the bank is written without end, or not as it is held: {held.head}")

    @rule(claim=claims)
    def search_finds_each_node_once_and_all_that_share_a_word(self, claim: str) -> None:
        asks = (Ask(text=claim, top_k=EVERYTHING), Ask(text=claim, top_k=3))

        every, few = self.run(run_searches(self.house, Searches(key=KEY, asks=asks))).answers

        found = [hit.node.node_id for hit in every.found.hits if hit.node is not None]
        words = set(claim.split())
        sharing = {node_id for node_id, node in self.plain.nodes.items() if words & set(node.claim.split())}
        assert sharing <= set(found) <= set(self.plain.nodes)
        assert len(found) == len(set(found))
        assert [hit.score for hit in few.found.hits] == [hit.score for hit in every.found.hits][:3]

    @invariant()
    def is_what_the_plain_one_is(self) -> None:
        self.run(self._compare())

    async def _compare(self) -> None:
        plain = self.plain
        async with self.house.banks.reading(KEY) as bank:
            assert {n: node.summary for n, node in bank.nodes.items()} == {
                n: p.claim for n, p in plain.nodes.items()
            }
            contested = {n for n, node in bank.nodes.items() if node.state is NodeState.CONTESTED}
            assert contested == {n for n, node in plain.nodes.items() if node.contested}
            assert {frozenset(pair) for pair in bank.graph.edges()} == plain.edges
            kept = {n: frozenset(node.interaction_ids) for n, node in bank.nodes.items()}
            assert kept == {n: node.interactions for n, node in plain.nodes.items()}
            assert set(bank.tree.interactions) == plain.interactions
            self._compare_copies(bank)
            self._compare_conflicts(bank)
            self._compare_absorbed(bank)

    def _compare_copies(self, bank: Bank) -> None:
        """Each copy is counted once, says what its node was told, and stands under it."""
        counted = {n: copies.count for n, copies in bank.copies.items()}
        assert counted == {n: node.copies for n, node in self.plain.nodes.items() if node.copies}
        for node_id, copies in bank.copies.items():
            assert len(copies.refs) == copies.count
            assert {bank.tree.text(ref) for ref in copies.refs} <= self.plain.nodes[node_id].texts
            assert all(node_id in bank.tree.nodes_of(ref) for ref in copies.refs)
            assert {ref.interaction_id for ref in copies.refs} <= set(bank.records(bank.nodes[node_id]))

    def _compare_conflicts(self, bank: Bank) -> None:
        sides = {c.conflict_id: [side.node_id for side in c.sides] for c in bank.open_conflicts()}
        assert {c: (its[0], set(its)) for c, its in sides.items()} == {
            c: (its[0], set(its)) for c, its in self.plain.conflicts.items()
        }
        closed = {c for c, conflict in bank.conflicts.items() if conflict.status is not ConflictStatus.OPEN}
        assert closed == self.plain.closed
        validations = [task.conflict_id for task in bank.insight.pending]
        planned = list(sides)[:MOST_VALIDATIONS]  # the oldest, in front of what else is planned
        assert validations[: len(planned)] == planned
        assert not any(validations[len(planned) :])
        settled = {frozenset((n, other)) for n in bank.nodes for other in bank.settled_with(n)}
        assert settled == self.plain.settled

    def _compare_absorbed(self, bank: Bank) -> None:
        """Whoever asks for an absorbed node learns who stands for it, and its records are there."""
        for node_id in self.plain.into:
            heir = node_id
            while heir in self.plain.into:
                heir = self.plain.into[heir]
            with pytest.raises(NodeAbsorbed if heir in self.plain.nodes else NodeNotFound) as refused:
                bank.node(NodeId(node_id))
            if isinstance(refused.value, NodeAbsorbed):
                assert refused.value.into == heir
                record = bank.tree.merge_into(NodeId(self.plain.into[node_id]))
                assert record is not None
                own = next(node for node in record.absorbed if node.node_id == node_id)
                assert set(own.interaction_ids) <= set(bank.nodes[NodeId(heir)].interaction_ids)


TestInMemory, TestOnSqlite = on_each_store(
    AgainstPlainDicts, steps=STEPS, memory_examples=EXAMPLES, sqlite_examples=EXAMPLES // 2
)
