"""§3.2: the five agents, what each is given, and what becomes of its answer."""

from core.model.lineage import MergeReason
from memorybank.v1.types_pb2 import MERGE_REASON_CONFLICT, MERGE_REASON_MERGE
from tests.source_documents.document_000.a_merge import C_AFTER, D_AFTER, GOAL, SECOND, VERDICT
from tests.source_documents.document_000.a_task import QUESTION
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
        "core/usecases/bank/structure.py",
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
        "core/usecases/bank/test_rounds.py::test_a_long_context_is_structured_chunk_by_chunk",
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
        "core/usecases/bank/structure.py",
        "core/agents/llm/test_long_context.py::test_a_megabyte_is_clustered_several_chunks_at_a_time_and_remembered_in_order",
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
        "core/usecases/bank/structure.py",
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
        "core/usecases/bank/rounds.py",
        merge(lambda m: embeds_summary(m.contested[m.g]) and not embeds_all(m.contested[m.g])),
    ),
    row(
        "§3.2.2",
        "The whole node is put into the graph",
        "core/usecases/bank/rounds.py",
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
        "core/usecases/bank/rounds.py",
        merge(lambda m: (len(m.judged), len(m.related)) == (5, 3)),
    ),
    row(
        "§3.2.3",
        "The Judge gets a node's summary, context and keywords, and no vector",
        "core/agents/roles.py",
        merge(
            lambda m: (
                set(m.judged[0][0].__slots__) - {"__weakref__"}
                == {"node_id", "summary", "context", "keywords"}
            )
        ),
    ),
    row(
        "§3.2.3",
        "The candidates are those that the search brought",
        "core/bank/candidates.py",
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
        "core/usecases/bank/rewording.py",
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
        "core/usecases/bank/rounds.py",
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
        "core/usecases/bank/rounds.py",
        merge(
            lambda m: (
                embeds_all(m.after["E"]) and embeds_all(m.after[m.f]) and m.f in m.after["E"].neighbor_ids
            )
        ),
    ),
    row(
        "§3.2.3",
        "Conflict: marked, and the Planner is told",
        "core/usecases/bank/contest.py",
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
        "core/usecases/bank/rounds.py",
        merge(
            lambda m: (
                [n.topic.node_id for n in m.agents.consolidator.consolidations.asked[0][0]]
                == list(m.merged.merges[0].absorbed_node_ids)
            )
        ),
    ),
]

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
        "core/usecases/bank/rounds.py",
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
        "core/usecases/bank/resolve_conflict.py",
        merge(lambda m: m.agents.consolidator.consolidations.asked[1][3] == VERDICT),
    ),
    row(
        "§3.2.4",
        "The merged node has its summary, context and keywords",
        "core/usecases/bank/rounds.py",
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
        "core/usecases/bank/rounds.py",
        merge(lambda m: m.h not in m.before and m.after[m.h].node.create_time.seconds > 0),
    ),
    row(
        "§3.2.4",
        "Its vector is of summary, context and keywords",
        "core/usecases/bank/absorb.py",
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
        "core/usecases/bank/rewording.py",
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
        "core/usecases/bank/rounds.py",
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
        "core/usecases/bank/rounds.py",
        merge(
            lambda m: "B" not in m.after and all("B" not in read.neighbor_ids for read in m.after.values())
        ),
    ),
    row(
        "§3.2.4",
        "The document's example: A and B become H, which has C and D for neighbours",
        "core/usecases/bank/rounds.py",
        merge(
            lambda m: (
                (sorted(m.after[m.h].neighbor_ids), list(m.after["C"].neighbor_ids)) == (["C", "D"], [m.h])
            )
        ),
    ),
    row(
        "§3.2.4",
        "H goes round again, without the neighbours that it inherited",
        "core/usecases/bank/rounds.py",
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
        "core/usecases/bank/plan.py",
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
        "core/usecases/bank/planning.py",
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
        "core/usecases/bank/planning.py",
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
        "core/usecases/bank/planning.py",
        "core/usecases/bank/test_planning.py::test_a_task_has_succeeded_when_nothing_is_pending_and_every_failure_was_made_good_else_it_gives_up",
    ),
    row(
        "§3.2.5",
        "Else it goes on, and comes to an end also where every step fails",
        "core/usecases/bank/retries.py",
        "service/api/test_task_ends.py::test_a_task_of_which_every_step_fails_is_given_up_and_says_why",
    ),
    row(
        "§3.2.5",
        "A role may have a model made for it",
        "service/casting.py",
        "service/test_casting.py::test_a_role_can_have_a_model_of_its_own_or_none",
    ),
]

AGENTS = [*CLUSTERER, *STRUCTURER, *JUDGE, *CONSOLIDATOR, *PLANNER]
