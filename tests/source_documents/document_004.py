"""Source document 004, memory for agents that reason in a loop. Its sections have names, which stand for numbers."""

from tests.source_documents.requirement import row

API = "service/api/test_long_term.py"
CONTEXT = "core/usecases/context/test_assemble_context.py"
PARTS = "core/usecases/context/test_every_part.py"

REASONING = [
    row(
        "Goals",
        "An existing agent takes it up unchanged",
        "clients/python/memorybank_client/chat.py",
        "clients/python/test_chat_memory.py::test_an_early_detail_is_before_the_model_long_after",
    ),
    row(
        "Goals",
        "Memory persists across invocations and conversations",
        "service/adapters/store",
        "e2e/test_server_process.py::test_what_was_acknowledged_outlives_the_process",
    ),
    row(
        "Goals",
        "Long conversations do not grow without bound",
        "core/usecases/limits.py",
        "core/usecases/conversation/test_turns.py::test_limits_refuse_a_call_as_a_whole",
    ),
    row(
        "Memory",
        "Facts: per user and collection, by meaning, until deleted",
        "core/usecases/long_term",
        f"{API}::test_a_stored_fact_is_found_at_once_with_what_made_its_score",
    ),
    row(
        "Memory",
        "Episodes: what was tried, how, and what came of it",
        "core/usecases/long_term",
        f"{API}::test_episodes_are_recalled_by_query_and_state",
    ),
    row(
        "Memory",
        "Conversation: kept for its life, in order",
        "core/conversation",
        "core/usecases/conversation/test_turns.py::test_turns_get_steps_in_their_order_and_make_their_conversation",
    ),
    row(
        "Memory",
        "Working: thoughts, actions and observations of one invocation",
        "core/conversation/invocation.py",
        "service/api/test_invocations.py::test_a_working_memory_is_bounded_at_every_read_and_gone_at_the_end",
    ),
    row(
        "Data",
        "A fact has id, content, source, time, vector and metadata",
        "core/model/record.py",
        f"{API}::test_an_import_of_an_export_equals_the_original",
    ),
    row(
        "Data",
        "A fact says since when and until when it holds",
        "core/long_term/standing.py",
        f"{API}::test_what_held_at_an_earlier_time_is_found_as_of_then",
    ),
    row(
        "Start",
        "Facts come by the query, five unless told",
        "service/settings/memories.py",
        "test_readme.py::test_the_page_of_settings_is_what_the_code_says",
    ),
    row(
        "Start",
        "Episodes come by query and state, three unless told",
        "core/usecases/long_term/verbs/recall_episodes.py",
        f"{API}::test_episodes_are_recalled_by_query_and_state",
    ),
    row(
        "Start",
        "The conversation's summaries come along",
        "core/usecases/context/assemble_context.py",
        f"{CONTEXT}::test_the_parts_stand_in_their_order_in_the_language_of_the_input",
    ),
    row(
        "Start",
        "Facts, episodes and summaries of invocations stand in one context, with what was done so far",
        "core/usecases/context/assemble_context.py",
        f"{PARTS}::test_every_memory_has_its_section_in_the_order_of_the_contract",
    ),
    row(
        "Start",
        "The facts and episodes that were used are counted",
        "core/usecases/context/known.py",
        f"{PARTS}::test_records_found_count_a_use_each",
    ),
    row(
        "Loop",
        "Beyond 2,000 tokens older steps are compressed and the last kept",
        "core/conversation/working.py",
        "core/conversation/test_working.py::test_no_items_whatever_they_are_make_it_longer_than_it_may_be",
    ),
    row(
        "Loop",
        "Tool results and decisions outlive compression",
        "core/conversation/working.py",
        "core/conversation/test_working.py::test_older_steps_show_as_one_text_that_keeps_decisions_figures_and_errors",
    ),
    row(
        "End",
        "A summary of the invocation joins the conversation",
        "core/usecases/conversation/learning/conclude_invocation.py",
        "core/usecases/conversation/test_invocations.py::test_at_its_end_the_conversation_keeps_turn_and_summary_and_the_working_memory_is_gone",
    ),
    row(
        "End",
        "Facts and an episode are extracted, where switched on",
        "core/usecases/conversation/learning/learn.py",
        "core/usecases/conversation/test_learning.py::test_either_may_be_switched_off_for_a_conversation",
    ),
    row(
        "End",
        "Working memory is discarded, also where a process dies over it",
        "core/usecases/conversation/verbs/end_invocation.py",
        "e2e/test_learning_killed.py::test_what_was_cut_short_is_ended_once_by_the_next_process",
    ),
    row(
        "End",
        "Without memory switched on an agent's calls go through and store nothing",
        "core/usecases/conversation/verbs/start_invocation.py",
        "service/api/test_invocations.py::test_without_memory_a_loop_may_make_every_call",
    ),
    row(
        "End",
        "An idle conversation ends by itself",
        "core/conversation/due.py",
        "core/usecases/conversation/test_tiers.py::test_an_idle_conversation_is_due_to_end",
    ),
    row(
        "Promotion",
        "At a conversation's end its facts go to the collection",
        "core/usecases/conversation/learning/extract_facts.py",
        "core/usecases/conversation/test_extraction.py::test_fewer_turns_wait_until_the_conversation_ends",
    ),
    row(
        "Promotion",
        "At a conversation's end it may become an episode",
        "core/usecases/conversation/learning/finish_conversation.py",
        "core/usecases/conversation/test_ending.py::test_runs_of_several_calls_make_a_conversation_an_episode_and_talk_alone_does_not",
    ),
    row(
        "APIs",
        "RetrieveFacts, RecallEpisodes, StoreFact, StoreEpisode and the conversation's calls are there",
        "protos/memorybank/v1/long_term.proto",
        "test_readme.py::test_the_table_of_calls_is_the_contract",
    ),
    row(
        "APIs",
        "Calls are scoped by user and collection",
        "core/keys.py",
        "service/api/test_long_term_isolation.py::test_every_call_is_covered",
    ),
    row(
        "Prompt",
        "Parts of a context stand in their order, each under its title",
        "core/usecases/context/assemble_context.py",
        f"{PARTS}::test_every_memory_has_its_section_in_the_order_of_the_contract",
    ),
    row(
        "Tools",
        "The agent's tools are declared: retrieve facts, recall episodes, store a fact",
        "core/usecases/long_term/verbs/declare_tools.py",
        f"{API}::test_tools_are_declared_in_either_form",
    ),
    row(
        "Tools",
        "Hosts call them as tools",
        "clients/python/memorybank_client/adapters/mcp.py",
        "clients/python/test_mcp.py::test_facts_are_stored_found_and_brought_up_to_date_through_tools",
    ),
    row(
        "Security",
        "What is another's is refused as what never was",
        "core/keys.py",
        "service/api/test_long_term_isolation.py::test_what_is_another_s_is_refused_as_what_never_was",
    ),
    row(
        "Security",
        "Secrets are refused unless allowed",
        "core/text/sensitive.py",
        f"{API}::test_secrets_are_refused_unless_allowed",
    ),
    row(
        "Security",
        "Memory is switched off per user",
        "core/usecases/user",
        "service/api/test_users.py::test_memory_switched_off_takes_nothing_and_shows_nothing_until_it_is_on",
    ),
    row(
        "Security",
        "Memory is switched off per conversation",
        "core/usecases/conversation",
        "service/api/test_conversation.py::test_a_conversation_that_is_off_refuses_turns",
    ),
    row(
        "Security",
        "A user's memory is purged, and others' stays",
        "core/usecases/user",
        "service/api/test_users.py::test_a_purge_takes_what_the_user_has_and_leaves_others_theirs",
    ),
    row(
        "Security",
        "A purge cut short is finished by whoever comes next",
        "core/usecases/user",
        "e2e/test_purge_killed.py::test_a_purge_killed_at_random_moments_is_finished_by_the_next_process",
    ),
    row(
        "Security",
        "Deleted words are gone from the files in a stated time",
        "service/adapters/store",
        "core/usecases/conversation/test_turns.py::test_words_of_deleted_turns_are_gone_from_the_files_with_the_next_scrub",
    ),
    row(
        "Security",
        "Quotas per user and collection",
        "core/usecases/limits.py",
        "core/usecases/conversation/test_turns.py::test_a_user_has_so_many_conversations_and_no_more",
    ),
    row(
        "Security",
        "What has expired is found by nobody and goes",
        "core/long_term/forgetting.py",
        "core/usecases/long_term/test_time.py::test_what_has_expired_is_not_found_and_is_swept_away",
    ),
    row(
        "Security",
        "A deleted fact does not come back",
        "core/long_term/standing.py",
        f"{API}::test_a_deleted_fact_does_not_come_back_out_of_older_text",
    ),
]
