"""§4.3: how a contradiction is settled."""

from memorybank.v1.types_pb2 import (
    CONFLICT_STATUS_OPEN,
    NODE_STATE_ACTIVE,
    NODE_STATE_CONTESTED,
    TASK_STATUS_SUCCEEDED,
)
from tests.source_documents.document_000.a_task import OTHER, VERDICT
from tests.source_documents.document_000.scenes import section, task
from tests.source_documents.requirement import row

CONFLICTS = [
    row(
        "§4.3",
        "A conflict found in phase 1 sets the validation going, on any write",
        "core/usecases/bank/structuring/contest.py",
        "service/api/test_memory_bank.py::test_a_memory_that_contradicts_opens_a_conflict_and_a_verdict_closes_it",
    ),
    row(
        "§4.3",
        "1. The conflict is on record, with both sides and their words",
        "core/model/conflict.py",
        task(
            lambda t: (
                (t.conflict.status, [side.quote for side in t.conflict.sides])
                == (CONFLICT_STATUS_OPEN, [OTHER, "The museum of Naxos is open until 17:00."])
            )
        ),
    ),
    row(
        "§4.3",
        "1. No edge is made of it",
        "core/bank/graph.py",
        task(lambda t: t.sides[0].node.node_id not in t.sides[1].neighbor_ids),
    ),
    row(
        "§4.3",
        "1. The new node stays meanwhile, marked as contested like the other",
        "core/usecases/bank/structuring/contest.py",
        task(lambda t: [read.node.state for read in t.sides] == [NODE_STATE_CONTESTED, NODE_STATE_CONTESTED]),
    ),
    row(
        "§4.3",
        "2. The validation stands in front of every other task",
        "core/usecases/bank/plans/planning.py",
        task(
            lambda t: (
                [p.type for p in t.contradicted.insight.pending].index("CROSS_VALIDATION") == 0
                and len(t.contradicted.insight.pending) > 1
            )
        ),
    ),
    row(
        "§4.3",
        "2. Its type is cross-validation",
        "core/model/insight.py",
        task(lambda t: "CROSS_VALIDATION" in section(t.next_prompt.prompt, "Now")),
    ),
    row(
        "§4.3",
        "2. It names both nodes and the point at issue",
        "core/usecases/bank/structuring/contest.py",
        task(
            lambda t: all(
                said in t.contradicted.insight.pending[0].description
                for said in (*(side.node_id for side in t.conflict.sides), t.conflict.description)
            )
        ),
    ),
    row(
        "§4.3",
        "2. The point at issue is named with its whole values",
        "core/agents/offline/at_issue.py",
        task(lambda t: "20:00" in t.conflict.description and "17:00" in t.conflict.description),
    ),
    row(
        "§4.3",
        "2. It says how: search several sources and compare",
        "core/usecases/bank/structuring/contest.py",
        task(lambda t: "several independent sources" in t.contradicted.insight.pending[0].how),
    ),
    row(
        "§4.3",
        "2. The prompt shows both sides whole",
        "core/context/validations.py",
        "service/api/test_settled.py::test_a_validation_shows_both_sides_whole_among_forty_notes",
    ),
    row(
        "§4.3",
        "3. The framework's next round is the validation, which says what it found",
        "clients/python/memorybank_client/adapters/react.py",
        "clients/python/test_react_adapter.py::test_a_verdict_goes_out_with_its_type",
    ),
    row(
        "§4.3",
        "3. It may find which is right, a third value, or that nothing contradicts",
        "core/agents/offline/verdicts.py",
        "service/api/test_verdicts.py::test_a_verdict_in_words_may_find_no_contradiction",
    ),
    row(
        "§4.3",
        "4. A report of the validation is known as the verdict, by its conflict or type",
        "core/usecases/bank/structuring/verdicts.py",
        "service/api/test_verdicts.py::test_the_type_makes_a_verdict_where_one_conflict_is_open",
    ),
    row(
        "§4.3",
        "4. The merged memory says what the verdict says, first",
        "core/agents/offline/consolidator.py",
        task(
            lambda t: (
                t.verified.node.summary.startswith(VERDICT)
                and "17:00" not in t.verified.node.summary
                and t.verified.node.state == NODE_STATE_ACTIVE
            )
        ),
    ),
    row(
        "§4.3",
        "4. The nodes in conflict are gone, and lead to the new one",
        "core/usecases/bank/structuring/rounds.py",
        task(lambda t: t.kept.node_id == t.verified.node.node_id == t.settled.node_ids[0]),
    ),
    row(
        "§4.3",
        "4. Edges are inherited",
        "core/bank/graph.py",
        task(lambda t: set(t.sides[1].neighbor_ids) <= set(t.verified.neighbor_ids)),
    ),
    row(
        "§4.3",
        "4. The task goes on as before, the validation among the done tasks",
        "core/usecases/bank/plans/planning.py",
        task(
            lambda t: (
                (t.settled.insight.completed[-1].type, t.settled.insight.completed[-1].status)
                == ("CROSS_VALIDATION", TASK_STATUS_SUCCEEDED)
                and t.settled.insight.pending[0].type != "CROSS_VALIDATION"
            )
        ),
    ),
    row(
        "§4.3",
        "4. What was refuted stays on record, marked, and what was right is not",
        "core/usecases/bank/structuring/settled.py",
        task(
            lambda t: (
                [bool(span.refuted) for record in t.kept.interactions for span in record.segments]
                == [True, False, False]
            )
        ),
    ),
]
