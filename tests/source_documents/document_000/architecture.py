"""§1 and §2: what the memory is for, and its three layers."""

from core.agents.offline.naming import unrelated
from memorybank.v1.types_pb2 import (
    NODE_STATE_CONTESTED,
    TASK_STATUS_FAILED,
    TASK_STATUS_SUCCEEDED,
)
from tests.source_documents.document_000.a_task import (
    CONTEXT,
    QUESTION,
)
from tests.source_documents.document_000.scenes import merge, task
from tests.source_documents.document_000.tree import TREE
from tests.source_documents.requirement import row

SYSTEM = [
    row(
        "§1.1",
        "Agent frameworks of different kinds can hold their memory here",
        "clients/python/memorybank_client/adapters",
        "examples/test_examples.py::test_langgraphs_prebuilt_agent_does_the_same_with_the_memory_as_its_middleware",
    ),
    row(
        "§1.1",
        "A graph in three layers is kept by several agents, each with its role",
        "core/agents/roles.py",
        task(
            lambda t: (
                {r.role for r in t.searched.usage.roles} >= {"clusterer", "structurer", "judge", "planner"}
            )
        ),
    ),
    row(
        "§1.1",
        "A memory serves one task: tasks know nothing of each other",
        "core/keys.py",
        task(lambda t: (t.bare.prompt.count(CONTEXT), t.begun.prompt.count(CONTEXT) > 0) == (0, True)),
    ),
    row(
        "§1.1",
        "Once its task is done all memory is cleared, without being asked",
        "core/usecases/bank/verbs/delete_bank.py",
        "service/assembly/test_upkeep.py::test_a_finished_bank_goes_when_its_time_is_over",
    ),
    row(
        "§1.1",
        "What is cleared is gone: records, files and the bank itself",
        "core/usecases/bank/verbs/delete_bank.py",
        task(
            lambda t: (
                (t.gone.name, t.purged.counts.files_removed, t.purged.counts.nodes > 2)
                == ("NOT_FOUND", 1, True)
            )
        ),
    ),
    row(
        "§1.2",
        "Deep research: many sources are searched, validated and brought together",
        "tests/long_tasks/tasks",
        "long_tasks/test_long_tasks.py::test_a_task_of_forty_steps_ends_as_written_and_its_prompts_ask_what_the_golden_ones_do",
    ),
    row(
        "§1.2",
        "Questions on long documents: any sentence is found, at its place",
        "core/bank/search.py",
        "e2e/test_large.py::test_any_sentence_of_a_long_document_is_found_and_traced_to_its_verbatim_place",
    ),
    row(
        "§1.2",
        "Long dialogues: messages are remembered with their speakers",
        "core/usecases/bank/record.py",
        "service/api/test_memory_bank.py::test_messages_are_remembered_with_their_speakers",
    ),
]

INSIGHT = [
    row(
        "§2.1.1",
        "The task's state is part of every prompt for the framework",
        "core/context/prompt.py",
        task(
            lambda t: all(
                "Goal: " + QUESTION in p for p in (t.begun.prompt, t.searched.prompt, t.settled.prompt)
            )
        ),
    ),
    row(
        "§2.1.1",
        "The task's state is concise, however long the task",
        "core/context/condensing.py",
        "e2e/test_long_task.py::test_a_task_of_very_many_steps_goes_on_at_a_small_budget",
    ),
    row(
        "§2.1.1",
        "The task's state is updated with each step",
        "core/usecases/bank/plans/planning.py",
        task(lambda t: [len(s.insight.completed) for s in (t.failed, t.searched, t.ferry)] == [1, 2, 3]),
    ),
    row(
        "§2.1.1",
        "The goal of the task is kept: the user's question or description",
        "core/model/insight.py",
        task(lambda t: {s.insight.goal for s in (t.begun, t.settled, t.ended)} == {QUESTION}),
    ),
    row(
        "§2.1.1",
        "Done tasks are a list of type, description, status and context",
        "core/model/insight.py",
        task(
            lambda t: (
                [(d.type, d.description, d.status) for d in t.searched.insight.completed]
                == [
                    ("SEARCH", "ask by telephone", TASK_STATUS_FAILED),
                    ("SEARCH", "look up the museum's page", TASK_STATUS_SUCCEEDED),
                ]
            )
        ),
    ),
    row(
        "§2.1.1",
        "t_i: a task is of a type, such as search, solve or answer",
        "core/model/insight.py",
        task(lambda t: {d.type for d in t.ended.insight.completed} >= {"SEARCH", "SOLVE", "ANSWER"}),
    ),
    row(
        "§2.1.1",
        "d_i: a task's description says what the step is to find or decide",
        "core/agents/offline/planner.py",
        task(lambda t: QUESTION in t.planned.description and t.planned.description != QUESTION),
    ),
    row(
        "§2.1.1",
        "s_i: a task has succeeded or failed",
        "core/model/insight.py",
        task(
            lambda t: (
                {d.status for d in t.ended.insight.completed} == {TASK_STATUS_FAILED, TASK_STATUS_SUCCEEDED}
            )
        ),
    ),
    row(
        "§2.1.1",
        "c_i: a success is summed up in one or two sentences; a failure has none",
        "core/agents/offline/planner.py",
        task(
            lambda t: (
                [d.context for d in t.searched.insight.completed]
                == ["", "The museum of Naxos is open until 17:00."]
            )
        ),
    ),
    row(
        "§2.1.1",
        "Waiting tasks are a list that changes as the task goes on",
        "core/usecases/bank/plans/planning.py",
        task(lambda t: t.begun.insight.pending != t.failed.insight.pending and not t.ended.insight.pending),
    ),
    row(
        "§2.1.1",
        "Only the next step is planned at a time",
        "core/agents/offline/planner.py",
        task(lambda t: (len(t.bare.insight.pending), len(t.begun.insight.pending)) == (1, 1)),
    ),
]

GRAPH = [
    row(
        "§2.1.2",
        "A node is one topic of a context, as the Structurer summed it up",
        "core/usecases/bank/structuring/structure.py",
        merge(lambda m: m.after[m.f].node.summary == "合肥开通网络（摘要）。"),
    ),
    row(
        "§2.1.2",
        "A step's context is put in order once; the Clusterer says into how many topics",
        "core/usecases/bank/structuring/structure.py",
        merge(lambda m: (len(m.merged.node_ids), len(m.contradicted.node_ids)) == (2, 1)),
    ),
    row(
        "§2.1.2",
        "A node has an id of its own, never given again",
        "core/model/node.py",
        "core/usecases/bank/test_merge_nodes.py::test_the_id_of_an_absorbed_node_stays_taken",
    ),
    row(
        "§2.1.2",
        "A node has a detailed summary with key facts and evidence",
        "core/agents/offline/structurer.py",
        task(lambda t: "open until 17:00" in t.mixed.hits[0].node.summary),
    ),
    row(
        "§2.1.2",
        "A node has a context: its topic in one sentence",
        "core/agents/offline/naming.py",
        task(
            lambda t: (
                t.ferry.node_ids
                and unrelated(t.verified.node.context).count(". ") == 0
                and t.verified.node.context
            )
        ),
    ),
    row(
        "§2.1.2",
        "A node has keywords",
        "core/agents/offline/keywords.py",
        task(lambda t: {"Naxos", "museum"} <= set(t.verified.node.keywords)),
    ),
    row(
        "§2.1.2",
        "A node has a vector in memory, for similarity",
        "core/index/vector_index.py",
        merge(lambda m: all(read.node.embedding.f32 for read in m.after.values())),
    ),
    row(
        "§2.1.2",
        "A node has the time of its creation",
        "core/model/node.py",
        merge(lambda m: all(read.node.create_time.seconds > 0 for read in m.after.values())),
    ),
    row(
        "§2.1.2",
        "The only edge is related, and has no direction",
        "core/bank/graph.py",
        merge(lambda m: (list(m.after["E"].neighbor_ids), list(m.after[m.f].neighbor_ids)) == ([m.f], ["E"])),
    ),
    row(
        "§2.1.2",
        "Contradicting nodes are in a state of conflict, which calls for a cross-validation",
        "core/usecases/bank/structuring/contest.py",
        merge(
            lambda m: (
                {k for k, read in m.contested.items() if read.node.state == NODE_STATE_CONTESTED}
                == {m.g, m.h}
                and m.contradicted.insight.pending[0].conflict_id == m.conflict.conflict_id
            )
        ),
    ),
    row(
        "§2.1.2",
        "Nodes that say the same, or nearly, are merged",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: m.merged.merges[0].into_node_id == m.h and "B" in m.merged.merges[0].absorbed_node_ids
        ),
    ),
    row(
        "§2.1.2",
        "Nodes that concern each other get an edge",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: [{p.node_id, p.other_node_id} for p in m.merged.related] == [{m.f, "E"}]),
    ),
    row(
        "§2.1.2",
        "Conflict and merge are states, not edges: neither leaves an edge",
        "core/bank/graph.py",
        merge(
            lambda m: (
                (list(m.contested[m.g].neighbor_ids), m.h in m.contested["C"].neighbor_ids) == ([], True)
            )
        ),
    ),
    row(
        "§2.1.2",
        "Conflict goes before merge, and merge before related",
        "core/usecases/bank/structuring/rounds.py",
        "core/usecases/bank/test_rounds.py::test_conflict_comes_before_merge_and_merge_before_related",
    ),
    row(
        "§2.1.2",
        "Relations are looked for only where there is neither conflict nor merge",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: {new.context for new, _ in m.related}.isdisjoint(
                {"IBM量子芯片技术", "芯片的量子比特数"}
            )
        ),
    ),
    row(
        "§2.1.2",
        "A conflict or merge is dealt with at once; in the end its nodes are merged or verified",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: {"B"}.isdisjoint(m.after) and {m.g, m.h}.isdisjoint(m.verified) and m.v in m.verified
        ),
    ),
    row(
        "§2.1.2",
        "Nodes are found by keywords alone",
        "core/index/keyword_index.py",
        task(
            lambda t: (
                all(
                    h.HasField("attribute_score") and not h.HasField("embedding_score")
                    for h in t.by_words.hits
                )
                and len(t.by_words.hits) == 3
            )
        ),
    ),
    row(
        "§2.1.2",
        "Nodes are found by similarity of meaning alone",
        "core/index/vector_index.py",
        task(
            lambda t: (
                t.by_meaning.hits
                and all(
                    h.HasField("embedding_score") and not h.HasField("attribute_score")
                    for h in t.by_meaning.hits
                )
            )
        ),
    ),
    row(
        "§2.1.2",
        "Both are mixed: α × attribute + (1 − α) × embedding",
        "core/index/scoring.py",
        task(
            lambda t: all(
                abs(h.score - (0.25 * h.attribute_score + 0.75 * h.embedding_score)) < 1e-6
                for h in t.mixed.hits
            )
        ),
    ),
    row(
        "§2.1.2",
        "A search brings the best k",
        "core/bank/search.py",
        task(lambda t: len(t.mixed.hits) == 1 and len(t.by_words.hits) > 1),
    ),
    row(
        "§2.1.2",
        "Hits bring their neighbours of one hop, with id, summary, context and time",
        "core/bank/gathering.py",
        task(
            lambda t: (
                [n.node_id for n in t.mixed.neighbors] == list(t.mixed.hits[0].neighbor_ids)
                and all(n.summary and n.context and n.create_time.seconds for n in t.mixed.neighbors)
            )
        ),
    ),
]

ARCHITECTURE = [*SYSTEM, *INSIGHT, *GRAPH, *TREE]
