"""A new node's round: conflict before merge before related, through Memorize, with agents on a script."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from core.agents.opinions import Opinions
from core.agents.roles import (
    Cluster,
    ConflictOpinion,
    Consolidation,
    MergeOpinion,
    RelatedOpinion,
    Rewording,
    Topic,
)
from core.bank.bank import Bank
from core.errors import (
    ConflictClosed,
    ConflictNotFound,
)
from core.ids import ConflictId, NodeId
from core.keys import BankKey
from core.model.conflict import ConflictStatus, VerdictType
from core.model.lineage import MergeReason
from core.model.node import NodeState
from core.model.structuring import MergeMade, Outcome
from core.ports.aggregates import Draft
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.reworded import embed_noted
from core.usecases.bank.structuring.rounds import Round
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.delete_node import DeleteNode, delete_node
from core.usecases.bank.verbs.memorize import Memorize, MemorizeResult, memorize
from core.usecases.bank.verbs.relate import Relate, relate
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict, resolve_conflict
from core.usecases.bank.verbs.retract_interactions import RetractInteractions, retract_interactions
from core.usecases.house import House
from core.usecases.moment import moment
from tests.support.house import KEY, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents, joined

Judged = Callable[[Topic, Sequence[Topic]], Sequence[object]]


def of(said: str, make: Callable[[Topic, Topic], object]) -> Judged:
    """The judge's opinion on every candidate whose summary holds `said`."""
    return lambda new, candidates: [make(new, c) for c in candidates if said in c.summary]


def conflicting(new: Topic, existing: Topic) -> ConflictOpinion:
    return ConflictOpinion(
        existing=existing.node_id,
        confidence=0.95,
        reasoning="two answers to one question",
        description="CEO信息矛盾",
        new_quote=new.summary,
        existing_quote=existing.summary,
    )


def by_sentences(*pairs: tuple[str, str]) -> Judged:
    """The judge's opinion where two nodes have the sentences of such pairs, either way round: all of them."""
    both = [*pairs, *((theirs, ours) for ours, theirs in pairs)]

    def judged(new: Topic, candidates: Sequence[Topic]) -> Sequence[object]:
        found = []
        for c in candidates:
            points = [
                replace(conflicting(new, c), new_quote=ours, existing_quote=theirs)
                for ours, theirs in both
                if ours in new.summary and theirs in c.summary
            ]
            found += [replace(points[0], further=tuple(points[1:]))] if points else []
        return found

    return judged


def by_quote(theirs: str) -> Callable[[Topic, Topic], ConflictOpinion]:
    """A conflict with this sentence of the other node."""
    return lambda new, existing: replace(conflicting(new, existing), existing_quote=theirs)


def merging(_new: Topic, existing: Topic) -> MergeOpinion:
    return MergeOpinion(existing=existing.node_id, confidence=0.9, reasoning="the same", strategy="keep both")


def relating(new: Topic, existing: Topic) -> RelatedOpinion:
    return RelatedOpinion(
        existing=existing.node_id,
        confidence=0.8,
        reasoning="one field",
        context_new=f"{new.context} (near {existing.node_id})",
        context_existing=f"{existing.context} (near {new.node_id})",
        keywords_new=("near",),
        keywords_existing=("near",),
    )


async def add(house: House, node_id: str, summary: str, context: str, keywords: tuple[str, ...]) -> None:
    node = NewNode(node_id=NodeId(node_id), summary=summary, context=context, keywords=keywords)
    await add_nodes(house, AddNodes(key=KEY, nodes=(node,)))


async def tell(house: House, text: str, key: BankKey = KEY) -> MemorizeResult:
    return await memorize(house, Memorize(key=key, context=Context(text=text)))


def is_state(state: NodeState) -> Callable[[Bank], list[NodeId]]:
    return lambda bank: sorted(n for n, node in bank.nodes.items() if node.state is state)


async def test_the_worked_example_a_and_b_merge_into_h_whose_neighbours_speak_of_h() -> None:
    """Seed 000, section 3.2.4."""
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await add(house, "B", "2020年量子计算取得进展。", "2020年量子计算进展", ("量子计算", "2020", "进展"))
        await add(
            house,
            "C",
            "量子纠缠研究。",
            "量子纠缠研究（与2020年量子计算进展相关）",
            ("量子纠缠", "研究", "2020"),
        )
        await add(
            house,
            "D",
            "量子算法优化。",
            "量子算法优化（与2020年量子计算进展相关）",
            ("量子算法", "优化", "2020"),
        )
        await add(house, "E", "量子通信网络。", "量子通信网络", ("量子通信",))
        for neighbor in ("C", "D"):
            await relate(house, Relate(key=KEY, node_id=NodeId("B"), other_node_id=NodeId(neighbor)))
        cluster = Cluster(pieces=(0,), context="IBM量子芯片技术", keywords=("IBM", "量子芯片", "硬件"))
        agents.clusterer.clusters.then([cluster])
        agents.judge.first.then(of("2020年量子计算", merging))
        agents.consolidator.consolidations.then(
            Consolidation(
                summary="2020-2023年量子计算进展，包含IBM芯片技术。",
                context="2020-2023年量子计算综合报告（包含IBM芯片技术）",
                keywords=("量子计算", "IBM", "2020-2023"),
                neighbor_updates={
                    NodeId("C"): Rewording(
                        context="量子纠缠研究（与2020-2023年量子计算综合报告相关）",
                        keywords=("量子纠缠", "研究", "2020-2023", "综合报告"),
                    ),
                    NodeId("D"): Rewording(
                        context="量子算法优化（与2020-2023年量子计算综合报告相关）",
                        keywords=("量子算法", "优化", "2020-2023", "综合报告"),
                    ),
                },
                description="综合了节点A、B的内容",
            )
        )
        async with house.banks.reading(KEY) as bank:
            vector_before = bank.node_vectors.get(NodeId("C"))

        told = await tell(house, "IBM发布了新的量子芯片。")

        await embed_noted(house, KEY)

        (h,) = told.node_ids
        async with house.banks.reading(KEY) as bank:
            assert sorted(bank.nodes) == sorted(["C", "D", "E", h])
            assert bank.graph.neighbors(h) == ("C", "D")
            assert bank.nodes[NodeId("C")].context == "量子纠缠研究（与2020-2023年量子计算综合报告相关）"
            assert "综合报告" in bank.nodes[NodeId("D")].keywords
            vector_after = bank.node_vectors.get(NodeId("C"))
            assert vector_before is not None
            assert vector_after is not None
            assert vector_before.tobytes() != vector_after.tobytes()
            record = bank.tree.merge_into(h)
            assert record is not None
            assert (record.reason, record.description) == (MergeReason.MERGE, "综合了节点A、B的内容")
            assert NodeId("B") in [node.node_id for node in record.absorbed]
            assert bank.tree.standing_for(NodeId("B")) == h
            assert bank.nodes[h].interaction_ids == (told.interaction_id,)
        (_, first_asked), (again, second_asked) = agents.judge.first.asked
        assert {c.node_id for c in first_asked} == {"B", "C", "D", "E"}
        assert (again.node_id, {c.node_id for c in second_asked}) == (h, {"E"})
        ((_, asked_for_relations),) = agents.judge.second.asked
        assert {c.node_id for c in asked_for_relations} == {"E"}


async def test_a_conflict_ends_the_round_and_its_validation_stands_first_in_the_plan() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        agents.judge.first.otherwise = of("张三", conflicting)
        first = await tell(house, "公司的CEO是张三。")

        second = await tell(house, "公司的CEO是李四。")

        (conflict_id,) = second.conflict_ids
        async with house.banks.reading(KEY) as bank:
            conflict = bank.conflict(conflict_id)
            assert [side.node_id for side in conflict.sides] == [*second.node_ids, *first.node_ids]
            assert [side.quote for side in conflict.sides] == ["公司的CEO是李四。", "公司的CEO是张三。"]
            assert [bank.tree.text(side.segments[0]) for side in conflict.sides] == [
                "公司的CEO是李四。",
                "公司的CEO是张三。",
            ]
            assert is_state(NodeState.CONTESTED)(bank) == sorted([*first.node_ids, *second.node_ids])
            assert bank.graph.edges() == []
        assert [task.conflict_id for task in second.insight.pending] == [conflict_id]
        assert agents.judge.second.asked == []


async def test_all_partners_of_one_round_form_one_conflict() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await tell(house, "The tower is 300 m high.")
        await tell(house, "The tower is 310 m high.")
        agents.judge.first.otherwise = of("tower", conflicting)

        told = await tell(house, "The tower is 320 m high.")

        async with house.banks.reading(KEY) as bank:
            (conflict,) = bank.open_conflicts()
            assert conflict.sides[0].node_id == told.node_ids[0]
            assert len(conflict.sides) == 3


THREE_VALUES = [
    ("The tower is 300 m high.", "The tower is 310 m high.", "The tower is 320 m high."),
    ("塔高300米。", "塔高310米。", "塔高320米。"),
]


async def three_values(house: House, agents: ScriptedAgents, values: Sequence[str]) -> list[MemorizeResult]:
    """Returns what became of three values of one thing, each told by itself and disputed by the next."""
    first, second, third = values
    told = [await tell(house, first)]
    agents.judge.first.then(of(first, conflicting), of(second, conflicting))
    return [*told, await tell(house, second), await tell(house, third)]


@pytest.mark.parametrize("values", THREE_VALUES)
async def test_a_third_value_is_one_more_side_of_the_conflict_that_stands(values: Sequence[str]) -> None:
    agents = ScriptedAgents()
    agents.consolidator.consolidations.otherwise = joined
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        _, second, third = await three_values(house, agents, values)

        assert third.conflict_ids == second.conflict_ids
        (validation,) = third.insight.pending
        async with house.banks.reading(KEY) as bank:
            (conflict,) = bank.open_conflicts()
            assert [side.quote for side in conflict.sides] == [values[1], values[0], values[2]]
            assert validation.conflict_id == conflict.conflict_id
            assert all(node_id in validation.description for node_id in bank.nodes)
            assert len(is_state(NodeState.CONTESTED)(bank)) == 3

        done = await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=conflict.conflict_id, verdict=values[1])
        )

        async with house.banks.reading(KEY) as bank:
            assert list(bank.nodes) == [done.node_id]
            assert bank.open_conflicts() == []
        assert not any(task.conflict_id for task in done.insight.pending)


async def test_a_dismissal_frees_all_sides() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        _, second, _ = await three_values(house, agents, THREE_VALUES[0])

        await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=second.conflict_ids[0], type=VerdictType.DISMISS)
        )

        async with house.banks.reading(KEY) as bank:
            assert is_state(NodeState.CONTESTED)(bank) == []


@pytest.mark.parametrize(("gone", "left"), [(2, 2), (0, 2), (1, 0)])
async def test_a_side_that_is_deleted_leaves_the_others_in_conflict_but_for_the_first(
    gone: int, left: int
) -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        told = await three_values(house, agents, THREE_VALUES[0])

        await delete_node(house, DeleteNode(key=KEY, node_id=told[gone].node_ids[0]))

        async with house.banks.reading(KEY) as bank:
            assert [len(conflict.sides) for conflict in bank.open_conflicts()] == ([left] if left else [])
            assert len(is_state(NodeState.CONTESTED)(bank)) == left
            validated = [task.conflict_id for task in bank.insight.pending if task.conflict_id]
            assert validated == [conflict.conflict_id for conflict in bank.open_conflicts()]


@pytest.mark.parametrize("values", THREE_VALUES)
async def test_a_side_that_is_retracted_leaves_the_others_in_conflict_and_no_word(
    values: Sequence[str],
) -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        told = await three_values(house, agents, values)
        ids = frozenset({told[0].interaction_id})

        await retract_interactions(house, RetractInteractions(key=KEY, interaction_ids=tuple(ids)))

        async with house.banks.reading(KEY) as bank:
            (conflict,) = bank.open_conflicts()
            assert [side.quote for side in conflict.sides] == [values[1], values[2]]
            assert values[0] not in repr((conflict, bank.insight))
            assert [task.conflict_id for task in bank.insight.pending] == [conflict.conflict_id]
            assert len(is_state(NodeState.CONTESTED)(bank)) == 2


async def test_what_disputes_another_sentence_too_opens_a_conflict_of_its_own() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await tell(house, "The tower is 300 m high.")
        agents.judge.first.then(of("300", conflicting))
        second = await tell(house, "The tower is 310 m high.")
        await tell(house, "The lake is deep.")
        agents.judge.first.then(
            lambda new, cs: [
                replace(conflicting(new, c), new_quote="320 m." if "tower" in c.summary else "Shallow.")
                for c in cs
            ]
        )

        await tell(house, "320 m. Shallow.")

        async with house.banks.reading(KEY) as bank:
            standing, other = bank.open_conflicts()
            assert standing.conflict_id == second.conflict_ids[0]
            assert [len(standing.sides), len(other.sides)] == [3, 2]


async def test_conflict_comes_before_merge_and_merge_before_related() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await tell(house, "alpha one")
        await tell(house, "beta two")
        agents.judge.first.then(
            lambda new, cs: [conflicting(new, c) if "alpha" in c.summary else merging(new, c) for c in cs]
        )

        told = await tell(house, "gamma three")

        assert told.merges == ()
        assert len(told.conflict_ids) == 1
        assert agents.consolidator.consolidations.asked == []


async def test_related_nodes_speak_of_each_other_and_keep_their_own_words() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        first = await tell(house, "alpha one")
        agents.judge.second.otherwise = of("", relating)
        second = await tell(house, "beta two")

        third = await tell(house, "gamma three")

        a, b, c = first.node_ids[0], second.node_ids[0], third.node_ids[0]
        async with house.banks.reading(KEY) as bank:
            assert sorted(bank.graph.neighbors(c)) == sorted([a, b])
            assert bank.nodes[a].context == f"alpha one (near {b}) (near {c})"
            assert bank.nodes[a].base_context == "alpha one"
            assert bank.nodes[a].keywords == ("topic", "near")
        assert agents.judge.first.asked[-1][1][0].context in ("alpha one", "beta two")


async def test_merging_goes_on_until_only_related_remains() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        old = [(await tell(house, text)).node_ids[0] for text in ("alpha one", "beta two")]
        agents.judge.first.then(of("alpha", merging), of("beta", merging))
        agents.consolidator.consolidations.otherwise = joined

        told = await tell(house, "gamma three")

        (last,) = told.node_ids
        async with house.banks.reading(KEY) as bank:
            assert list(bank.nodes) == [last]
            assert [bank.tree.standing_for(node_id) for node_id in old] == [last, last]
            assert len(bank.nodes[last].interaction_ids) == 3
            assert len(bank.nodes[last].segments) == 3
        assert [len(merge.absorbed_node_ids) for merge in told.merges] == [2, 2]
        assert told.merges[-1] == MergeMade(
            into_node_id=last, absorbed_node_ids=(told.merges[0].into_node_id, old[1])
        )


async def test_a_contested_node_is_not_merged() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await tell(house, "alpha one")
        agents.judge.first.then(of("alpha", conflicting), of("alpha", merging))
        await tell(house, "alpha two")

        told = await tell(house, "gamma")

        assert told.merges == ()


async def test_a_verdict_merges_the_sides_keeps_the_evidence_and_completes_the_validation() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        agents.judge.first.then(of("张三", conflicting))
        first = await tell(house, "公司的CEO是张三。")
        second = await tell(house, "公司的CEO是李四。")
        agents.consolidator.consolidations.then(
            lambda nodes, neighbors, reason, verdict, *rest: Consolidation(
                summary=verdict,
                context="公司的CEO",
                keywords=("CEO",),
                neighbor_updates={},
                description="依据验证结果",
                refuted=("公司的CEO是张三。",),
            )
        )

        done = await resolve_conflict(
            house,
            ResolveConflict(
                key=KEY, conflict_id=second.conflict_ids[0], verdict="CEO是李四。", evidence="见2024年年报。"
            ),
        )

        assert done.conflict.status is ConflictStatus.RESOLVED
        assert done.conflict.node_id == done.node_id
        assert [t.status.name for t in done.insight.completed] == ["SUCCEEDED"]
        assert not any(t.conflict_id for t in done.insight.pending)
        ((_, _, reason, verdict, _, evidence),) = agents.consolidator.consolidations.asked
        assert (reason, verdict, evidence) == (MergeReason.CONFLICT, "CEO是李四。", "见2024年年报。")
        async with house.banks.reading(KEY) as bank:
            node = bank.nodes[done.node_id]
            assert node.state is NodeState.ACTIVE
            texts = [bank.tree.interaction(i).text for i in node.interaction_ids]
            assert sorted(texts) == sorted(
                ["公司的CEO是张三。", "公司的CEO是李四。", "CEO是李四。\n\n见2024年年报。"]
            )
            refuted = [bank.tree.text(ref) for ref in bank.tree.refuted]
            assert refuted == ["公司的CEO是张三。"]
        with pytest.raises(ConflictClosed):
            await resolve_conflict(
                house, ResolveConflict(key=KEY, conflict_id=second.conflict_ids[0], verdict="again")
            )
        assert first.node_ids


async def test_a_verdict_refutes_the_source_of_a_sentence_that_a_summary_reworded() -> None:
    agents = ScriptedAgents()
    agents.structurer.summaries.then(
        lambda content, context, keywords: content.replace("is led by", "has as its head")
    )
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        agents.judge.first.then(of("Adams", conflicting))
        await tell(house, "Acme of Boston is led by Mr Adams.")
        agents.structurer.summaries.then(lambda content, context, keywords: content)
        second = await tell(house, "Acme of Boston is led by Ms Brown.")
        agents.consolidator.consolidations.then(
            lambda nodes, neighbors, reason, verdict, *rest: Consolidation(
                summary=verdict,
                context="Acme",
                keywords=("Acme",),
                neighbor_updates={},
                description="by the verdict",
                refuted=("Acme of Boston has as its head Mr Adams.",),
            )
        )

        await resolve_conflict(
            house,
            ResolveConflict(
                key=KEY, conflict_id=second.conflict_ids[0], verdict="Brown leads it.", evidence=""
            ),
        )

        async with house.banks.reading(KEY) as bank:
            assert [bank.tree.text(ref) for ref in bank.tree.refuted] == [
                "Acme of Boston is led by Mr Adams."
            ]


async def test_a_dismissed_conflict_frees_its_nodes_and_does_not_open_again() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        agents.judge.first.otherwise = of("", conflicting)
        await tell(house, "alpha one")
        second = await tell(house, "beta two")

        done = await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=second.conflict_ids[0], type=VerdictType.DISMISS)
        )

        assert done.conflict.status is ConflictStatus.DISMISSED
        async with house.banks.reading(KEY) as bank:
            assert is_state(NodeState.CONTESTED)(bank) == []
            assert bank.state().settled
            assert bank.open_conflicts() == []
        assert done.conflict_ids == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("The lake is 30 m deep.", "Dogs may swim."), ("The lake is 40 m deep.", "Dogs may not swim.")),
        (("湖深30米。", "狗可以下水。"), ("湖深40米。", "狗不可以下水。")),
    ],
)
async def test_after_a_dismissal_the_next_contradiction_of_the_two_nodes_is_found(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        agents.judge.first.otherwise = by_sentences(*zip(first, second, strict=True))
        await tell(house, " ".join(first))
        told = await tell(house, " ".join(second))

        done = await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=told.conflict_ids[0], type=VerdictType.DISMISS)
        )

        async with house.banks.reading(KEY) as bank:
            (conflict,) = bank.open_conflicts()
            assert done.conflict_ids == (conflict.conflict_id,)
            assert [side.quote for side in conflict.sides] == [second[1], first[1]]
            assert len(is_state(NodeState.CONTESTED)(bank)) == 2

        again = await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=conflict.conflict_id, type=VerdictType.DISMISS)
        )

        assert again.conflict_ids == ()
        async with house.banks.reading(KEY) as bank:
            assert is_state(NodeState.CONTESTED)(bank) == []


async def test_a_node_in_conflict_goes_round_again_and_finds_what_else_it_contradicts_three_times_at_most() -> (
    None
):
    agents = ScriptedAgents()
    first, second = [f"The {n} hut is shut." for n in range(5)], [f"The {n} hut is open." for n in range(5)]
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        agents.judge.first.otherwise = by_sentences(*zip(first, second, strict=True))
        await tell(house, " ".join(first))
        told = await tell(house, " ".join(second))
        (node_id,) = told.node_ids

        ledger = house.workshop.ledger(KEY)
        opinions = Opinions(house.agents, house.embedder, house.ids, ledger)

        def again(bank: Bank, revision: int) -> Draft[Outcome]:
            round_ = Round(bank, opinions, moment(house, bank, revision))
            outcome = round_.reconsider(node_id)
            return Draft(result=outcome, steps=tuple(round_.draft_steps()), sees_all=True)

        for count in (2, 3, 3):
            await decide(house, KEY, again, ledger)

            async with house.banks.reading(KEY) as bank:
                assert len(bank.open_conflicts()) == count
                assert len({side.quote for c in bank.open_conflicts() for side in c.sides}) == 2 * count


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("Lunch is from noon on.", "Lunch is from 12:00 to 13:30.", "The menu is vegan."),
        ("午饭从中午开始。", "午饭从12:00到13:30。", "菜单全是素的。"),
    ],
)
async def test_a_dismissed_conflict_does_not_come_back_when_a_side_merges_with_a_third_node(
    first: str, second: str, third: str
) -> None:
    agents = ScriptedAgents()
    agents.consolidator.consolidations.otherwise = joined
    opposites = {first: second, second: first}

    def judged(new: Topic, candidates: Sequence[Topic]) -> Sequence[object]:
        if third == new.summary:
            return [merging(new, c) for c in candidates if first in c.summary]
        return [
            replace(conflicting(new, c), new_quote=ours, existing_quote=theirs)
            for c in candidates
            for ours, theirs in opposites.items()
            if ours in new.summary and theirs in c.summary
        ]

    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        agents.judge.first.otherwise = judged
        await tell(house, first)
        found = await tell(house, second)
        await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=found.conflict_ids[0], type=VerdictType.DISMISS)
        )

        told = await tell(house, third)

        assert len(told.merges) == 1
        assert [len(candidates) for _, candidates in agents.judge.first.asked[-1:]] == [1]
        async with house.banks.reading(KEY) as bank:
            assert bank.open_conflicts() == []
            assert is_state(NodeState.CONTESTED)(bank) == []


async def test_another_sentence_of_a_dismissed_pair_is_a_conflict_all_the_same() -> None:
    agents = ScriptedAgents()
    agents.consolidator.consolidations.otherwise = joined
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await tell(house, "Lunch is from noon on.")
        agents.judge.first.then(of("noon", conflicting))
        found = await tell(house, "Lunch is from 12:00 to 13:30.")
        await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=found.conflict_ids[0], type=VerdictType.DISMISS)
        )
        closed, open_ = "Lunch is served on no Sunday.", "Lunch is served on Sundays."
        agents.judge.first.then(
            of("noon", merging),
            lambda new, cs: [
                replace(conflicting(new, c), new_quote=closed, existing_quote=open_) for c in cs
            ],
        )

        told = await tell(house, closed)

        assert len(told.conflict_ids) == 1


async def test_an_absorbed_side_hands_its_other_conflict_to_the_node_that_stands_for_it() -> None:
    agents = ScriptedAgents()
    agents.consolidator.consolidations.otherwise = joined
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await tell(house, "alpha one. Beta is red.")
        agents.judge.first.then(
            of("alpha one", by_quote("alpha one.")), of("alpha one", by_quote("Beta is red."))
        )
        second = await tell(house, "alpha two")
        third = await tell(house, "Beta is green.")

        done = await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=second.conflict_ids[0], verdict="it is two")
        )

        async with house.banks.reading(KEY) as bank:
            other = bank.conflict(third.conflict_ids[0])
            assert other.status is ConflictStatus.OPEN
            assert [side.node_id for side in other.sides] == [third.node_ids[0], done.node_id]
            assert bank.nodes[done.node_id].state is NodeState.CONTESTED


async def test_resolving_what_is_not_there_is_refused() -> None:
    async with open_house() as house:
        await make_bank(house)

        with pytest.raises(ConflictNotFound):
            await resolve_conflict(
                house, ResolveConflict(key=KEY, conflict_id=ConflictId("no-such"), verdict="x")
            )
