"""§3.2.4 and §3.2.5: the Consolidator and the Planner, what each is given, and what becomes of its answer."""

from core.model.lineage import MergeReason
from memorybank.v1.types_pb2 import MERGE_REASON_CONFLICT, MERGE_REASON_MERGE
from tests.source_documents.document_000.a_merge import C_AFTER, D_AFTER, GOAL, SECOND, VERDICT
from tests.source_documents.document_000.scenes import embeds_all, merge, task
from tests.source_documents.requirement import row

CONSOLIDATOR = [
    row(
        "§3.2.4",
        "It is asked on a merge and on a conflict that was validated, and told which",
        "core/agents/roles.py",
        merge(
            lambda m: (
                [asked[2] for asked in m.agents.consolidator.consolidations.asked]
                == [MergeReason.MERGE, MergeReason.CONFLICT]
            )
        ),
    ),
    row(
        "§3.2.4",
        "It gets two or more nodes, with id, summary, context and keywords",
        "core/agents/roles.py",
        merge(
            lambda m: (
                [
                    (n.topic.node_id, n.topic.summary, n.topic.context, n.topic.keywords)
                    for n in m.agents.consolidator.consolidations.asked[0][0]
                ][1]
                == ("B", "2020年量子计算取得进展。", "2020年量子计算进展", ("量子计算", "2020", "进展"))
            )
        ),
    ),
    row(
        "§3.2.4",
        "It gets every neighbour, with id, context as shown, and keywords",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: (
                [(n.node_id, n.context) for n in m.agents.consolidator.consolidations.asked[1][1]]
                == [("C", C_AFTER.context), ("D", D_AFTER.context)]
            )
        ),
    ),
    row(
        "§3.2.4",
        "On a conflict it gets the result of the validation",
        "core/usecases/bank/verbs/resolve_conflict.py",
        merge(lambda m: m.agents.consolidator.consolidations.asked[1][3] == VERDICT),
    ),
    row(
        "§3.2.4",
        "The merged node has its summary, context and keywords",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: (
                (m.after[m.h].node.context, list(m.after[m.h].node.keywords))
                == ("2020-2023年量子计算综合报告（包含IBM芯片技术）", ["量子计算", "IBM", "2020-2023"])
            )
        ),
    ),
    row(
        "§3.2.4",
        "A new word for every inherited neighbour, or the answer is refused",
        "core/agents/llm/consolidator.py",
        "core/agents/llm/test_consolidator.py::test_nodes_become_one_and_every_neighbour_is_reworded",
    ),
    row(
        "§3.2.4",
        "It describes the merge for the interaction tree",
        "core/model/lineage.py",
        merge(
            lambda m: (
                (m.lineage.merges[0].reason, m.lineage.merges[0].description)
                == (MERGE_REASON_MERGE, "综合了节点A、B的内容")
            )
        ),
    ),
    row(
        "§3.2.4",
        "The merged node has a new id and a time of its own",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: m.h not in m.before and m.after[m.h].node.create_time.seconds > 0),
    ),
    row(
        "§3.2.4",
        "Its vector is of summary, context and keywords",
        "core/usecases/bank/structuring/absorb.py",
        merge(lambda m: embeds_all(m.after[m.h]) and embeds_all(m.verified[m.v])),
    ),
    row(
        "§3.2.4",
        "It inherits every edge of those merged, a common neighbour once",
        "core/bank/graph.py",
        "core/usecases/bank/test_merge_nodes.py::test_the_new_node_inherits_neighbours_and_records_and_the_neighbours_speak_of_it",
    ),
    row(
        "§3.2.4",
        "Each neighbour gets its new context and keywords",
        "core/usecases/bank/structuring/rewording.py",
        merge(
            lambda m: (
                (m.after["C"].node.context, m.after["D"].node.context) == (C_AFTER.context, D_AFTER.context)
                and set(C_AFTER.keywords) <= set(m.after["C"].node.keywords)
            )
        ),
    ),
    row(
        "§3.2.4",
        "Each neighbour is embedded anew",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: all(
                embeds_all(m.after[n]) and m.after[n].node.embedding.f32 != m.before[n].node.embedding.f32
                for n in ("C", "D")
            )
        ),
    ),
    row(
        "§3.2.4",
        "The merge is on record in the interaction tree",
        "core/bank/interaction_tree.py",
        merge(
            lambda m: (
                [r.reason for r in m.lineage_of_verdict.merges] == [MERGE_REASON_CONFLICT, MERGE_REASON_MERGE]
            )
        ),
    ),
    row(
        "§3.2.4",
        "The merged nodes go, with their edges",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: "B" not in m.after and all("B" not in read.neighbor_ids for read in m.after.values())
        ),
    ),
    row(
        "§3.2.4",
        "The document's example: A and B become H, which has C and D for neighbours",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: (
                (sorted(m.after[m.h].neighbor_ids), list(m.after["C"].neighbor_ids)) == (["C", "D"], [m.h])
            )
        ),
    ),
    row(
        "§3.2.4",
        "H goes round again, without the neighbours that it inherited",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: (m.judged[1][0].node_id, m.judged[1][1]) == (m.h, {"E"})),
    ),
    row(
        "§3.2.4",
        "Newer information wins over older",
        "core/agents/offline/consolidator.py",
        "core/agents/offline/test_consolidator.py::test_newer_information_wins_over_older_that_it_contradicts",
    ),
    row(
        "§3.2.4",
        "What one of the nodes lacks the other adds",
        "core/agents/offline/consolidator.py",
        "core/agents/offline/test_consolidator.py::test_what_both_say_is_said_once_and_what_one_says_is_kept",
    ),
    row(
        "§3.2.4",
        "On a conflict the result of the validation prevails",
        "core/agents/offline/consolidator.py",
        "core/agents/offline/test_consolidator.py::test_a_verdict_stands_first_verbatim_and_refutes_what_contradicts_it",
    ),
    row(
        "§3.2.4",
        "Neighbours come to speak of the merged topic without a model too",
        "core/agents/offline/consolidator.py",
        "core/agents/offline/test_consolidator.py::test_neighbours_come_to_speak_of_the_merged_topic_only",
    ),
]

PLANNER = [
    row(
        "§3.2.5",
        "It gets the task's state and the new memories: summary, context, keywords",
        "core/usecases/bank/plans/plan.py",
        merge(
            lambda m: (
                next((i.goal, [n.summary for n in p.new_nodes]) for i, p in m.agents.planner.plans.asked)
                == (GOAL, [SECOND])
            )
        ),
    ),
    row(
        "§3.2.5",
        "It is told of conflicts and of merges",
        "core/agents/roles.py",
        merge(
            lambda m: (
                [(len(p.conflicts), len(p.merges)) for _, p in m.agents.planner.plans.asked]
                == [(1, 0), (0, 1)]
            )
        ),
    ),
    row(
        "§3.2.5",
        "Its answer is the new state of the task: what was done, and what is next",
        "core/usecases/bank/plans/planning.py",
        merge(
            lambda m: (
                (m.contradicted.insight.completed[0].context, m.settled.insight.pending[0].description)
                == ("芯片有433个量子比特。", "搜索量子算法进展")
            )
        ),
    ),
    row(
        "§3.2.5",
        "It plans one step, knowing all that was done, and does not plan all anew",
        "core/agents/llm/planner.py",
        "core/agents/llm/test_planner.py::test_of_a_whole_way_planned_to_the_end_the_next_step_counts",
    ),
    row(
        "§3.2.5",
        "It changes what waits by what was found: a failed step is tried again",
        "core/agents/offline/planner.py",
        task(lambda t: t.failed.insight.pending[0].retry_of == t.failed.insight.completed[0].task_id),
    ),
    row(
        "§3.2.5",
        "A conflict brings a cross-validation, before all else",
        "core/usecases/bank/plans/planning.py",
        task(
            lambda t: (
                t.contradicted.insight.pending[0].type == "CROSS_VALIDATION"
                and t.contradicted.insight.pending[0].conflict_id == t.conflict.conflict_id
            )
        ),
    ),
    row(
        "§3.2.5",
        "With nothing waiting and every step a success the task has ended",
        "core/usecases/bank/plans/planning.py",
        "core/usecases/bank/test_planning.py::test_a_task_has_succeeded_when_nothing_is_pending_and_every_failure_was_made_good_else_it_gives_up",
    ),
    row(
        "§3.2.5",
        "Else it goes on, and comes to an end also where every step fails",
        "core/usecases/bank/plans/retries.py",
        "service/api/test_task_ends.py::test_a_task_of_which_every_step_fails_is_given_up_and_says_why",
    ),
    row(
        "§3.2.5",
        "A role may have a model made for it",
        "service/assembly/agents.py",
        "service/assembly/test_agents.py::test_a_role_can_have_a_model_of_its_own_or_none",
    ),
]
