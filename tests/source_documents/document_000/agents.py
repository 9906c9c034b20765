"""§3.2: the agents, what each is given, and what becomes of its answer."""

from tests.source_documents.document_000.a_merge import GOAL, SECOND
from tests.source_documents.document_000.a_task import QUESTION
from tests.source_documents.document_000.merging_and_planning import CONSOLIDATOR, PLANNER
from tests.source_documents.document_000.scenes import embeds_all, embeds_summary, merge, task
from tests.source_documents.requirement import row

CLUSTERER = [
    row(
        "§3.2.1",
        "A context is grouped by topic, each with a context and keywords",
        "core/agents/offline/clusterer.py",
        "core/agents/offline/test_clusterer.py::test_sections_on_different_topics_are_different_clusters_named_by_their_headings",
    ),
    row(
        "§3.2.1",
        "The Clusterer may be told the task",
        "core/agents/roles.py",
        merge(lambda m: [task for _, task in m.agents.clusterer.clusters.asked] == [GOAL, "搜索芯片规格"]),
    ),
    row(
        "§3.2.1",
        "A cluster's content is the original text of its topic",
        "core/usecases/bank/structuring/structure.py",
        merge(
            lambda m: (
                [content for content, *_ in m.agents.structurer.summaries.asked]
                == ["IBM发布了新的量子芯片。", "量子通信网络在合肥开通。", SECOND]
            )
        ),
    ),
    row(
        "§3.2.1",
        "A context of one topic need not be divided",
        "core/agents/offline/clusterer.py",
        "core/agents/offline/test_clusterer.py::test_one_fact_is_one_cluster_that_says_the_fact",
    ),
    row(
        "§3.2.1",
        "Beyond the window a context is loaded in chunks of window × ratio",
        "core/text/segmenting.py",
        "core/usecases/bank/test_memorize.py::test_a_long_context_is_structured_chunk_by_chunk",
    ),
    row(
        "§3.2.1",
        "The ratio has no default",
        "service/config.py",
        "service/test_config.py::test_the_service_does_not_start_without_what_has_no_default",
    ),
    row(
        "§3.2.1",
        "Chunks are cut between paragraphs and sections",
        "core/text/segmenting.py",
        "core/text/test_segmenting.py::test_a_chunk_ends_before_a_section_rather_than_where_it_is_full",
    ),
    row(
        "§3.2.1",
        "Each chunk is clustered on its own, and all clusters go on to the Structurer",
        "core/usecases/bank/structuring/structure.py",
        "core/agents/llm/test_long_context.py::test_a_long_text_is_clustered_several_chunks_at_a_time_and_remembered_in_order",
    ),
    row(
        "§3.2.1",
        "The user's question is taken out of the prompt and becomes the goal",
        "core/agents/offline/asking.py",
        task(lambda t: (t.begun.insight.goal, t.begun.bank.goal) == (QUESTION, QUESTION)),
    ),
]

STRUCTURER = [
    row(
        "§3.2.2",
        "The Structurer gets one topic at a time, with its context and keywords",
        "core/agents/roles.py",
        merge(
            lambda m: (
                m.agents.structurer.summaries.asked[0]
                == ("IBM发布了新的量子芯片。", "IBM量子芯片技术", ("IBM", "量子芯片", "硬件"))
            )
        ),
    ),
    row(
        "§3.2.2",
        "Its summary keeps key facts, evidence and figures",
        "core/agents/offline/structurer.py",
        "core/agents/offline/test_structurer.py::test_what_has_names_figures_and_dates_is_kept_verbatim_and_in_order",
    ),
    row(
        "§3.2.2",
        "A node gets an id",
        "service/adapters/ulid_ids.py",
        merge(lambda m: len({m.h, m.f, m.g, m.v}) == 4),
    ),
    row(
        "§3.2.2",
        "A node's context and keywords are the cluster's",
        "core/usecases/bank/structuring/structure.py",
        merge(
            lambda m: (
                (m.contested[m.g].node.context, list(m.contested[m.g].node.keywords))
                == ("芯片的量子比特数", ["量子比特"])
            )
        ),
    ),
    row(
        "§3.2.2",
        "A node's time is read from the clock",
        "service/adapters/system_clock.py",
        merge(
            lambda m: (
                m.contested[m.g].node.create_time.ToDatetime() > m.after[m.f].node.create_time.ToDatetime()
            )
        ),
    ),
    row(
        "§3.2.2",
        "A new node's vector is of its summary",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: embeds_summary(m.contested[m.g]) and not embeds_all(m.contested[m.g])),
    ),
    row(
        "§3.2.2",
        "The whole node is put into the graph",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: {m.h, m.f} <= m.after.keys()),
    ),
    row(
        "§3.2.2",
        "No topic overflows the window, however long",
        "core/agents/llm/structurer.py",
        "core/agents/llm/test_structurer.py::test_content_beyond_the_window_is_summarised_in_parts_in_order",
    ),
]

JUDGE = [
    row(
        "§3.2.3",
        "The Judge is asked twice, in two calls of their own",
        "core/agents/llm/judge.py",
        "core/agents/llm/test_judge.py::test_the_two_judgements_are_two_conversations",
    ),
    row(
        "§3.2.3",
        "The second call is made only where the first found neither conflict nor merge",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: (len(m.judged), len(m.related)) == (5, 3)),
    ),
    row(
        "§3.2.3",
        "The Judge gets a node's summary, context, keywords, record, what only an assistant says; a vector spares runs",
        "core/agents/roles.py",
        merge(
            lambda m: (
                set(m.judged[0][0].__slots__) - {"__weakref__"}
                == {"node_id", "summary", "context", "keywords", "generated", "excerpts", "unread", "vector"}
            )
        ),
    ),
    row(
        "§3.2.3",
        "The candidates are those that the search brought",
        "core/bank/plan.py",
        merge(lambda m: m.judged[0][1] == {"B", "C", "D", "E"}),
    ),
    row(
        "§3.2.3",
        "A conflict names the other node, confidence, reason and what is at issue",
        "core/model/conflict.py",
        merge(
            lambda m: (
                (
                    m.conflict.sides[1].node_id,
                    m.conflict.confidence,
                    m.conflict.reasoning,
                    m.conflict.description,
                )
                == (m.h, 0.95, "量子比特数不同", "量子比特数矛盾")
            )
        ),
    ),
    row(
        "§3.2.3",
        "A merge names how to merge, and the Consolidator is told",
        "core/agents/roles.py",
        merge(lambda m: m.agents.consolidator.consolidations.asked[0][4] == "保留更新的信息"),
    ),
    row(
        "§3.2.3",
        "A relation gives both nodes new contexts and keywords",
        "core/usecases/bank/structuring/rewording.py",
        merge(
            lambda m: (
                (m.after[m.f].node.context, m.after["E"].node.context)
                == ("量子通信网络的开通（属于量子通信网络）", "量子通信网络（包含其开通）")
            )
        ),
    ),
    row(
        "§3.2.3",
        "What concerns nothing gets nothing: no edge, no new words",
        "core/usecases/bank/structuring/rounds.py",
        merge(lambda m: m.contested["E"].node == m.after["E"].node and m.conflict.sides[0].node_id == m.g),
    ),
    row(
        "§3.2.3",
        "The Judge's answer is structured JSON, refused where it is not",
        "core/agents/llm/judge.py",
        "core/agents/llm/test_judge.py::test_a_bad_judgement_is_asked_again_and_given_up_in_the_end",
    ),
    row(
        "§3.2.3",
        "Without a model the Judge finds as a careful reader does, in both languages",
        "core/agents/offline/judge.py",
        "core/agents/offline/test_judge.py::test_pairs_are_judged_as_a_careful_reader_does",
    ),
    row(
        "§3.2.3",
        "Related: an edge, and both nodes embedded anew",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: (
                embeds_all(m.after["E"]) and embeds_all(m.after[m.f]) and m.f in m.after["E"].neighbor_ids
            )
        ),
    ),
    row(
        "§3.2.3",
        "Conflict: marked, and the Planner is told",
        "core/usecases/bank/structuring/contest.py",
        merge(
            lambda m: (
                [c.conflict_id for c in m.agents.planner.plans.asked[0][1].conflicts]
                == [m.conflict.conflict_id]
            )
        ),
    ),
    row(
        "§3.2.3",
        "Merge: the Consolidator is asked",
        "core/usecases/bank/structuring/rounds.py",
        merge(
            lambda m: (
                [n.topic.node_id for n in m.agents.consolidator.consolidations.asked[0][0]]
                == list(m.merged.merges[0].absorbed_node_ids)
            )
        ),
    ),
]

AGENTS = [*CLUSTERER, *STRUCTURER, *JUDGE, *CONSOLIDATOR, *PLANNER]
