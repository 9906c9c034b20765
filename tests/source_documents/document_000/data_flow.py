"""§4: what happens from the first prompt to the end of the task, and how a contradiction is settled."""

from memorybank.v1.types_pb2 import (
    INTERACTION_ORIGIN_VERDICT,
)
from tests.source_documents.document_000.a_merge import VERDICT as VERDICT_ZH
from tests.source_documents.document_000.a_task import CONTEXT, FERRY, QUESTION, VERDICT
from tests.source_documents.document_000.conflicts import CONFLICTS
from tests.source_documents.document_000.scenes import embeds_all, embeds_summary, merge, section, task
from tests.source_documents.requirement import row

BEGINNING = [
    row(
        "§4.1",
        "1. The user gives a prompt: a question, behind a context or alone",
        "core/usecases/task/start_task.py",
        task(lambda t: (t.bare.insight.goal, t.begun.insight.goal) == (QUESTION, QUESTION)),
    ),
    row(
        "§4.1",
        "2. The adapter catches what the user put in",
        "clients/python/memorybank_client/session.py",
        "clients/python/test_react_adapter.py::test_the_ten_lines_of_the_readme_run",
    ),
    row(
        "§4.1",
        "3. Without a context nothing is memorized; the task is planned at once",
        "core/usecases/task/start_task.py",
        task(
            lambda t: (
                (t.bare.interaction_id, list(t.bare.node_ids), len(t.bare.insight.pending)) == ("", [], 1)
            )
        ),
    ),
    row(
        "§4.1",
        "3. A context is memorized before the task is planned",
        "core/usecases/task/start_task.py",
        task(
            lambda t: (
                len(t.begun.node_ids) == 1
                and t.planned.type != "SEARCH"
                and t.bare.insight.pending[0].type == "SEARCH"
            )
        ),
    ),
    row(
        "§4.1",
        "4. Its topics are found, chunk by chunk where it is long",
        "core/usecases/bank/structuring/structure.py",
        "service/api/test_large_context.py::test_many_megabytes_are_taken_in_and_any_word_of_them_is_found",
    ),
    row(
        "§4.1",
        "5. Each topic gets its summary",
        "core/usecases/bank/structuring/structure.py",
        merge(
            lambda m: (
                [len(m.agents.structurer.summaries.asked), len(m.agents.clusterer.clusters.asked)] == [3, 2]
            )
        ),
    ),
    row(
        "§4.1",
        "6. Nodes get id, context, keywords, time and a vector of the summary",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: m.contested[m.g].node.node_id == m.g and embeds_summary(m.contested[m.g])),
    ),
    row(
        "§4.1",
        "7. Candidates are searched, nodes made earlier in the call among them",
        "core/bank/plan.py",
        merge(lambda m: m.h in m.judged[2][1]),
    ),
    row(
        "§4.1",
        "8. Phase 1 judges all candidates at once for conflict and merge",
        "core/agents/roles.py",
        merge(lambda m: m.judged[0][1] == {"B", "C", "D", "E"}),
    ),
    row(
        "§4.1",
        "8. Conflict: it is marked, and the round ends without a merge or an edge",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: (list(m.contradicted.merges), list(m.contradicted.related)) == ([], [])),
    ),
    row(
        "§4.1",
        "8. Merge: the new node goes back to step 7, until only relations remain",
        "core/usecases/bank/structuring/rounds.py",
        "core/usecases/bank/test_rounds.py::test_merging_goes_on_until_only_related_remains",
    ),
    row(
        "§4.1",
        "8. Phase 2 judges all candidates at once for relations, and makes edges",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: m.related[1][1] == {"C", "D", "E", m.h} and embeds_all(m.after[m.f])),
    ),
    row(
        "§4.1",
        "9. The whole original text is the record, with the files that were chosen",
        "core/bank/interaction_tree.py",
        task(lambda t: len(t.record.interactions[0].attachments) == 3 and t.begun.interaction_id),
    ),
    row(
        "§4.1",
        "9. The record is there before the agents are asked, and outlives their failure",
        "core/usecases/bank/record.py",
        "core/usecases/bank/test_memorize.py::test_an_agent_that_fails_leaves_the_record_and_the_work_can_be_resumed",
    ),
    row(
        "§4.1",
        "10. The Planner writes goal, done tasks and the next one",
        "core/usecases/bank/plans/plan.py",
        task(
            lambda t: (
                (t.begun.insight.goal, len(t.begun.insight.completed), len(t.begun.insight.pending))
                == (QUESTION, 0, 1)
            )
        ),
    ),
    row(
        "§4.1",
        "11. The prompt has the tool, the task's state and the memories, in this order",
        "core/context/prompt.py",
        task(
            lambda t: (
                -1
                < t.begun.prompt.find("## Tool")
                < t.begun.prompt.find("## Task state")
                < t.begun.prompt.find("## Relevant memories")
                and CONTEXT in section(t.begun.prompt, "Relevant memories")
            )
        ),
    ),
]

LOOP = [
    row(
        "§4.2",
        "12. The framework is told which task to do, and to stop when it is done",
        "core/context/prompt.py",
        "service/api/test_retrieval.py::test_a_prompt_ends_with_the_task_to_do_now_in_full_and_to_stop_then",
    ),
    row(
        "§4.2",
        "12. It finds memories in the prompt and reads on by the tool",
        "examples",
        "examples/test_examples.py::test_the_react_agent_meets_a_conflict_has_it_settled_and_answers",
    ),
    row(
        "§4.2",
        "13. The context of the step is caught",
        "core/usecases/task/advance_task.py",
        task(
            lambda t: (len({t.failed.interaction_id, t.searched.interaction_id, t.ferry.interaction_id})) == 3
        ),
    ),
    row(
        "§4.2",
        "14. A validation: the verdict is kept, and is no topic of its own",
        "core/usecases/bank/structuring/verdicts.py",
        task(
            lambda t: (
                [(i.text, i.origin == INTERACTION_ORIGIN_VERDICT) for i in t.kept.interactions][-1]
                == (VERDICT, True)
            )
        ),
    ),
    row(
        "§4.2",
        "14. A validation: the new node is embedded from summary, context and keywords",
        "core/usecases/bank/verbs/resolve_conflict.py",
        merge(lambda m: embeds_all(m.verified[m.v])),
    ),
    row(
        "§4.2",
        "14. A validation: it inherits the edges of the nodes in conflict",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: sorted(m.verified[m.v].neighbor_ids) == ["C", "D"]),
    ),
    row(
        "§4.2",
        "14. A validation: neighbours are reworded and embedded anew",
        "core/usecases/bank/structuring/rewording.py",
        merge(
            lambda m: all(
                m.verified[n].node.context.endswith("(near a merged node)") and embeds_all(m.verified[n])
                for n in ("C", "D")
            )
        ),
    ),
    row(
        "§4.2",
        "14. A validation: the merge is on record, with its verdict",
        "core/bank/interaction_tree.py",
        merge(
            lambda m: (
                (m.lineage_of_verdict.merges[0].verdict, m.lineage_of_verdict.merges[0].conflict_id)
                == (VERDICT_ZH, m.conflict.conflict_id)
            )
        ),
    ),
    row(
        "§4.2",
        "14. A validation: all nodes in conflict go, with their edges",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: (
                {m.g, m.h}.isdisjoint(m.verified)
                and all({m.g, m.h}.isdisjoint(read.neighbor_ids) for read in m.verified.values())
            )
        ),
    ),
    row(
        "§4.2",
        "14. A validation: the new node goes round, its inherited neighbours left out",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: (m.judged[-1][0].node_id, m.judged[-1][1]) == (m.v, {"E", m.f})),
    ),
    row(
        "§4.2",
        "14. An ordinary task: steps 4 to 8 bring new nodes and a new record",
        "core/usecases/task/advance_task.py",
        task(lambda t: len(t.ferry.node_ids) == 1 and t.ferry.interaction_id and FERRY in t.ferry.prompt),
    ),
    row(
        "§4.2",
        "15. The task just done joins the done ones",
        "core/usecases/bank/plans/planning.py",
        task(lambda t: t.ferry.insight.completed[-1].description == "look up the ferry"),
    ),
    row(
        "§4.2",
        "15. A task that waited and is reported no longer waits",
        "core/usecases/bank/plans/planning.py",
        "core/usecases/bank/test_planning.py::test_a_reported_task_moves_from_pending_to_completed_by_its_id_or_by_what_it_says",
    ),
    row(
        "§4.2",
        "15. The next step is planned from what is newly known",
        "core/agents/offline/planner.py",
        task(lambda t: (t.bare.insight.pending[0].type, t.planned.type) == ("SEARCH", "SOLVE")),
    ),
    row(
        "§4.2",
        "16. With nothing waiting the task is done, and says so",
        "core/usecases/task/advance_task.py",
        task(lambda t: t.ended.finished and t.ended.insight.finished and not t.ended.insight.pending),
    ),
    row(
        "§4.2",
        "16. Else the next round's prompt is made",
        "core/usecases/task/advance_task.py",
        task(lambda t: not t.settled.finished and t.settled.prompt),
    ),
]

DATA_FLOW = [*BEGINNING, *LOOP, *CONFLICTS]
