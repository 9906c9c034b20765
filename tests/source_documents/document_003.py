"""Source document 003, a conversation's memory in tiers."""

from tests.source_documents.requirement import row

API = "service/api/test_conversation.py"
TIERS = "core/usecases/conversation/test_tiers.py"
TURNS = "core/usecases/conversation/test_turns.py"
STATE = "core/conversation/test_conversation.py"
CONTEXT = "core/usecases/context/test_assemble_context.py"
PARTS = "core/usecases/context/test_every_part.py"

CONVERSATION = [
    row(
        "§3.1",
        "Four tiers: every turn is in one, and moves on by itself",
        "core/conversation/conversation.py",
        f"{TIERS}::test_every_turn_is_in_one_tier_before_and_after_the_background_has_been_at_work",
    ),
    row(
        "§3.2",
        "Short: the last turns as they were, first in first out",
        "core/conversation/conversation.py",
        f"{STATE}::test_turns_are_short_until_they_are_placed",
    ),
    row(
        "§3.2",
        "A turn has input, reply, time and step",
        "core/model/conversation.py",
        f"{TURNS}::test_turns_get_steps_in_their_order_and_make_their_conversation",
    ),
    row(
        "§3.2",
        "What falls out moves to the mid tier, and is never lost",
        "core/conversation/mid.py",
        f"{API}::test_the_background_brings_turns_into_their_tiers",
    ),
    row(
        "§3.2",
        "Turns are deleted by their steps",
        "core/usecases/conversation/verbs/delete_turns.py",
        f"{API}::test_turns_are_added_listed_found_and_deleted",
    ),
    row(
        "§3.2",
        "What rested on a deleted turn goes or is made anew",
        "core/usecases/conversation/verbs/delete_turns.py",
        f"{TIERS}::test_deleting_a_turn_takes_what_rests_on_it_and_makes_the_rest_anew",
    ),
    row(
        "§3.3",
        "Mid: turns are embedded, off the way of the call",
        "core/usecases/conversation/tiers/embed_turns.py",
        f"{TURNS}::test_no_vector_is_made_on_the_way_of_a_turn",
    ),
    row(
        "§3.3",
        "A turn joins the cluster that it resembles, else it begins one",
        "core/conversation/mid.py",
        f"{STATE}::test_turns_about_one_thing_come_into_one_cluster_and_a_full_one_takes_no_more",
    ),
    row(
        "§3.3",
        "The clusters that fit a query best are brought, whole",
        "core/conversation/recalling.py",
        f"{STATE}::test_the_clusters_that_fit_a_query_are_recalled_best_first",
    ),
    row(
        "§3.3",
        "A cluster's hits are counted",
        "core/usecases/conversation/tiers/count_hits.py",
        f"{CONTEXT}::test_clusters_that_were_recalled_count_a_hit_each",
    ),
    row(
        "§3.3",
        "A cluster brought often becomes a key memory, once",
        "core/usecases/conversation/tiers/promote_clusters.py",
        f"{TIERS}::test_a_cluster_recalled_often_becomes_a_key_once",
    ),
    row(
        "§3.3",
        "Beyond the most clusters the coldest is folded",
        "core/conversation/mid.py",
        f"{STATE}::test_the_coldest_cluster_is_folded_unless_it_is_of_late",
    ),
    row(
        "§3.4",
        "Long: each full stretch of turns gets a summary",
        "core/usecases/conversation/tiers/summarise_turns.py",
        f"{TIERS}::test_each_full_stretch_gets_a_summary_and_the_rest_at_the_end",
    ),
    row(
        "§3.4",
        "A summary keeps decisions and facts before pleasantries",
        "core/agents/offline/remembering.py",
        "core/agents/offline/test_remembering.py::test_what_was_decided_comes_before_pleasantries",
    ),
    row(
        "§3.4",
        "A summary keeps to its length, in Chinese too",
        "core/agents/offline/remembering.py",
        "core/agents/offline/test_remembering.py::test_a_summary_keeps_to_its_length_and_to_what_was_said",
    ),
    row(
        "§3.4",
        "A model may write it, and invents no figure",
        "core/agents/llm/remembering.py",
        "core/agents/llm/test_remembering.py::test_a_reply_with_a_figure_of_no_source_is_asked_for_again",
    ),
    row(
        "§3.4",
        "Summaries are listed and deleted by range, and stay deleted",
        "core/usecases/conversation/verbs/delete_summaries.py",
        f"{TIERS}::test_deleted_summaries_stay_deleted",
    ),
    row(
        "§3.5",
        "Key: set by the user, and never displaced by the system's",
        "core/usecases/conversation/verbs/add_key.py",
        f"{TIERS}::test_keys_of_the_user_are_never_displaced",
    ),
    row(
        "§3.5",
        "Keys have id, time and type; the user's come first",
        "core/conversation/keys.py",
        f"{TIERS}::test_keys_have_a_bound_of_their_own_and_are_listed_the_users_first",
    ),
    row(
        "§3.5",
        "Keys are added, changed and deleted",
        "core/usecases/conversation/verbs/update_key.py",
        f"{TIERS}::test_a_key_of_the_system_that_is_reworded_is_the_users",
    ),
    row(
        "§3.5",
        "Keys are in every context; the user's are never dropped for the budget, the system's keep to a share",
        "core/usecases/context/assemble_context.py",
        f"{CONTEXT}::test_a_budget_below_keys_and_system_is_refused_with_the_least_that_would_do",
    ),
    row(
        "§4.1",
        "The parts of a context are read at once",
        "core/usecases/context/assemble_context.py",
        f"{PARTS}::test_parts_are_read_at_once",
    ),
    row(
        "§4.1",
        "A part that fails does not stop the rest if told so",
        "core/usecases/context/assemble_context.py",
        f"{CONTEXT}::test_a_part_that_fails_fails_the_call_unless_the_caller_can_do_without",
    ),
    row(
        "§4.1",
        "A part that is late does not stop the rest if told so",
        "core/usecases/context/assemble_context.py",
        f"{PARTS}::test_a_part_that_takes_too_long_is_missing_and_the_others_are_there",
    ),
    row(
        "§4.2",
        "Order: system, key, long, mid, short, input",
        "core/context/conversing.py",
        f"{CONTEXT}::test_the_parts_stand_in_their_order_in_the_language_of_the_input",
    ),
    row(
        "§4.3",
        "Turns in a context carry their step and speaker",
        "core/context/conversing.py",
        f"{CONTEXT}::test_a_detail_long_out_of_the_window_stands_in_the_prompt_with_its_turn",
    ),
    row(
        "§5.2",
        "Small is scanned, large is indexed",
        "core/index/vector_index.py",
        "core/index/test_vector_index.py::test_recall_at_10_holds_on_real_questions_to_real_conversations",
    ),
    row(
        "§5.2",
        "Summaries are made by a model, or offline",
        "core/agents/memory_roles.py",
        "core/agents/llm/test_remembering.py::test_a_summary_is_taken_as_the_model_words_it",
    ),
    row(
        "§5.2",
        "It is stored in SQLite, and a loaded one says the same",
        "service/adapters/store",
        "model/test_conversation_against_plain_dicts.py::TestOnSqlite",
    ),
    row(
        "§5.4",
        "Every parameter is a setting; a conversation may have its own",
        "service/config.py",
        f"{API}::test_a_conversation_is_made_changed_ended_and_purged",
    ),
    row(
        "§6",
        "It is measured on LoCoMo",
        "evaluation",
        "evaluation/test_locomo.py::test_the_published_files_are_read_whole",
    ),
]
