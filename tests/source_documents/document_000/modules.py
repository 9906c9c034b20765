"""§3.1 and §3.3: what is done without an agent, and what stands between the memory and a framework."""

from tests.source_documents.document_000.a_merge import Merge
from tests.source_documents.document_000.a_task import PLAN, TRANSCRIPT
from tests.source_documents.document_000.scenes import embeds_all, merge, section, task
from tests.source_documents.requirement import row

EMBEDDING = [
    row(
        "§3.1.1",
        "Any text gets a vector",
        "core/ports/embedder.py",
        "conformance/test_embedder.py::test_any_string_can_be_embedded",
    ),
    row(
        "§3.1.1",
        "Vectors may come from an embedding API",
        "service/adapters/openai_embedder.py",
        "conformance/test_embedder.py::test_rows_are_unit_vectors_of_the_space",
    ),
    row(
        "§3.1.1",
        "Vectors are held in memory beside their nodes",
        "core/bank/bank.py",
        "conformance/test_store_steps.py::test_vectors_load_bit_for_bit",
    ),
    row(
        "§3.1.1",
        "A large bank's vectors are in an index of their own, with recall@10 of 0.99",
        "core/index/vector_index.py",
        "core/index/test_vector_index.py::test_recall_at_10_stays_above_99_percent_with_tombstones_and_after_compaction",
    ),
]

RETRIEVAL = [
    row(
        "§3.1.2",
        "Candidates for a new node are searched by its vector",
        "core/bank/plan.py",
        merge(lambda m: [len(ids) for _, ids in m.judged] == [4, 1, 4, 5, 2]),
    ),
    row(
        "§3.1.2",
        "Candidates come whole: id, summary, context, keywords",
        "core/usecases/bank/structuring/absorb.py",
        merge(
            lambda m: all(
                topic.node_id and topic.summary and topic.context and topic.keywords
                for _, topics in m.agents.judge.first.asked
                for topic in topics
            )
        ),
    ),
    row(
        "§3.1.2",
        "Similarity is the cosine",
        "core/index/scoring.py",
        "core/index/test_scoring.py::test_cosines_are_stretched_over_the_spaces_calibrated_scale",
    ),
    row(
        "§3.1.2",
        "Keywords may be mixed in, as the formula says to the bit",
        "core/index/scoring.py",
        "core/index/test_scoring.py::test_candidates_score_as_the_formula_is_written_down_to_the_bit",
    ),
    row(
        "§3.1.2",
        "The best k come with each one's neighbours of one hop",
        "core/bank/gathering.py",
        "core/bank/test_search.py::test_the_neighbourhood_comes_once_by_hops_and_says_when_it_is_cut",
    ),
    row(
        "§3.1.2",
        "k, α and the ratio have no default: without them the service does not start",
        "service/config.py",
        "service/test_config.py::test_the_service_does_not_start_without_what_has_no_default",
    ),
    row(
        "§3.1.2",
        "A bank may have a k and an α of its own",
        "core/model/bank.py",
        "service/api/test_memory_bank.py::test_a_bank_is_created_as_asked_and_read_back",
    ),
]

OPERATIONS = [
    row(
        "§3.1.3",
        "A node is created",
        "core/usecases/bank/verbs/add_nodes.py",
        "service/api/test_query_graph.py::test_a_node_is_added_as_worded_and_read_back",
    ),
    row(
        "§3.1.3",
        "A node is deleted",
        "core/usecases/bank/verbs/delete_node.py",
        "service/api/test_query_graph.py::test_a_node_goes_with_its_edges",
    ),
    row(
        "§3.1.3",
        "A related edge is created",
        "core/usecases/bank/verbs/relate.py",
        "service/api/test_query_graph.py::test_relating_twice_changes_nothing_the_second_time",
    ),
    row(
        "§3.1.3",
        "An edge is deleted",
        "core/usecases/bank/verbs/unrelate.py",
        "core/usecases/bank/test_edges.py::test_an_edge_goes_once",
    ),
    row(
        "§3.1.3",
        "A node's neighbours are listed",
        "core/usecases/bank/verbs/list_neighbors.py",
        "service/api/test_query_graph.py::test_neighbors_come_nearest_first_page_by_page",
    ),
    row(
        "§3.1.3",
        "A node's context, keywords and vector are updated",
        "core/usecases/bank/verbs/update_node.py",
        "core/usecases/bank/test_node_edits.py::test_new_words_are_the_nodes_own_and_re_embed_it",
    ),
    row(
        "§3.1.3",
        "A graph library does it: the same graph before and after compiling",
        "core/bank/graph.py",
        "core/bank/test_graph.py::test_edits_made_while_a_compaction_is_built_are_kept",
    ),
    row(
        "§3.1.4",
        "The Judge's new context and keywords are the nodes'",
        "core/usecases/bank/structuring/rewording.py",
        merge(
            lambda m: (
                (m.after["E"].node.context, list(m.after["E"].node.keywords))
                == ("量子通信网络（包含其开通）", ["量子通信", "开通"])
            )
        ),
    ),
    row(
        "§3.1.4",
        "A reworded node is embedded anew, from summary, context and keywords",
        "core/usecases/bank/structuring/absorb.py",
        merge(lambda m: all(embeds_all(m.after[node]) for node in ("C", "D", "E", m.f))),
    ),
    row(
        "§3.1.4",
        "What was updated is stored: a bank loaded anew says the same",
        "core/ports/store.py",
        "conformance/test_store_steps.py::test_putting_a_node_again_with_a_vector_replaces_it",
    ),
]


def _prompted(m: Merge) -> bool:
    """Whether the prompt after the merge names what the planner planned."""
    return "搜索量子算法进展" in m.settled.prompt


ADAPTER = [
    row(
        "§3.3.1",
        "An adapter stands between the memory and a framework such as ReAct",
        "clients/python/memorybank_client/adapters/react.py",
        "clients/python/test_react_adapter.py::test_a_loop_goes_on_until_the_task_is_finished",
    ),
    row(
        "§3.3.1",
        "A prompt is made at the start and at every round",
        "core/usecases/bank/verbs/augment.py",
        task(
            lambda t: all(
                s.prompt for s in (t.begun, t.failed, t.searched, t.ferry, t.contradicted, t.settled)
            )
        ),
    ),
    row(
        "§3.3.1",
        "A prompt reads the task's state as it stands",
        "core/context/prompt.py",
        merge(_prompted),
    ),
    row(
        "§3.3.1",
        "A prompt searches for what the present task needs",
        "core/usecases/bank/verbs/augment.py",
        task(lambda t: "open until 17:00" in section(t.searched.prompt, "Relevant memories")),
    ),
    row(
        "§3.3.1",
        "A prompt has the best k memories and their neighbours of one hop",
        "core/context/memories.py",
        task(lambda t: {"memories", "neighbors"} <= {s.name for s in t.augmented.sections}),
    ),
    row(
        "§3.3.1",
        "A prompt declares the deep retrieval tool and says how to use it",
        "core/context/tools.py",
        task(
            lambda t: (
                '"name": "deep_retrieval"' in section(t.begun.prompt, "Tool: deep_retrieval")
                and t.begun.tools
            )
        ),
    ),
    row(
        "§3.3.1",
        "A prompt has the whole task's state: goal, done, next",
        "core/context/prompt.py",
        task(
            lambda t: (
                all(word in section(t.augmented.prompt, "Task state") for word in ("Goal:", "Done:", "Next:"))
                and section(t.augmented.prompt, "Task state").count("] SEARCH") == 4
            )
        ),
    ),
    row(
        "§3.3.1",
        "A prompt's memories have summary, context and keywords, with their node's id",
        "core/context/memories.py",
        task(
            lambda t: all(
                word in section(t.augmented.prompt, "Relevant memories")
                for word in (
                    f"[{t.mixed.hits[0].node.node_id}]",
                    t.mixed.hits[0].node.summary,
                    t.mixed.hits[0].node.context,
                    "keywords: " + ", ".join(t.mixed.hits[0].node.keywords),
                )
            )
        ),
    ),
    row(
        "§3.3.1",
        "A prompt ends with the task to do now, and to stop when it is done",
        "core/context/prompt.py",
        task(
            lambda t: (
                t.planned.description in section(t.begun.prompt, "Now") and "Then stop" in t.begun.prompt
            )
        ),
    ),
    row(
        "§3.3.1",
        "At the end of a round the framework's context comes back as it was",
        "clients/python/memorybank_client/adapters/transcript.py",
        "clients/python/test_transcript.py::test_a_step_is_what_was_said_called_and_found_but_not_what_memory_itself_told",
    ),
    row(
        "§3.3.1",
        "A verdict goes to the Consolidator and never to the Clusterer",
        "core/usecases/bank/structuring/verdicts.py",
        merge(
            lambda m: (
                (len(m.agents.clusterer.clusters.asked), len(m.agents.consolidator.consolidations.asked))
                == (2, 2)
            )
        ),
    ),
    row(
        "§3.3.1",
        "What reports no validation goes to the Clusterer, whatever it says",
        "core/usecases/bank/structuring/verdicts.py",
        "service/api/test_verdicts.py::test_a_context_that_reports_no_task_is_memory_while_a_validation_waits",
    ),
]

DEEP = [
    row(
        "§3.3.2",
        "A node's id leads to the whole text of its records",
        "core/usecases/bank/verbs/get_interaction.py",
        task(lambda t: [i.text for i in t.record.interactions] == [TRANSCRIPT]),
    ),
    row(
        "§3.3.2",
        "An attachment's id besides leads to that file's content",
        "core/usecases/bank/verbs/get_interaction.py",
        task(lambda t: (t.picture.content, t.picture.attachment.media_type) == (PLAN, "image/png")),
    ),
    row(
        "§3.3.2",
        "A framework calls it where a summary is not enough, and reaches the passage",
        "clients/python/memorybank_client/adapters/react.py",
        "clients/python/test_react_adapter.py::test_the_tool_reaches_the_passage_in_a_long_record",
    ),
    row(
        "§3.3.2",
        "The original reasoning is read, also behind a node that was merged away",
        "core/bank/interaction_tree.py",
        task(lambda t: TRANSCRIPT in {i.text for i in t.kept.interactions}),
    ),
    row(
        "§3.3.2",
        "Images and documents are reached from the tool",
        "clients/python/memorybank_client/adapters/files.py",
        "clients/python/test_react_adapter.py::test_an_image_goes_to_the_model_as_a_part_of_its_own",
    ),
]

MODULES = [*EMBEDDING, *RETRIEVAL, *OPERATIONS]
INTERFACES = [*ADAPTER, *DEEP]
