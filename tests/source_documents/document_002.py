"""Source document 002, layered memory that learns from feedback."""

from tests.source_documents.requirement import row

API = "service/api/test_long_term.py"
TIME = "core/usecases/long_term/test_time.py"
WORTH = "core/long_term/test_worth.py"
RECOVERY = "core/long_term/test_recovery.py"

LAYERED = [
    row(
        "§2",
        "Memories of different lives are kept apart",
        "core/kinds.py",
        "conformance/test_kinds.py::test_kinds_tenants_and_users_never_meet",
    ),
    row(
        "§2",
        "What is learned is kept in structure",
        "core/model/record.py",
        f"{API}::test_a_stored_fact_is_found_at_once_with_what_made_its_score",
    ),
    row(
        "§2",
        "Memory is put into a prompt only where it bears on it",
        "core/usecases/context/known.py",
        "core/usecases/context/test_every_part.py"
        "::test_what_was_disliked_or_does_not_bear_on_the_input_fills_no_room",
    ),
    row(
        "§2",
        "Feedback acts on the worth of memories",
        "core/long_term/worth.py",
        f"{API}::test_feedback_moves_worth_and_pairs_liked_with_disliked_answers",
    ),
    row(
        "§2",
        "People can read it too",
        "core/usecases/long_term/exchange/files.py",
        "service/cli/test_facts.py::test_an_export_is_a_folder_that_people_can_read",
    ),
    row(
        "§3.1",
        "L1: what one execution thought, did and found, discarded at its end",
        "core/conversation/invocation.py",
        "service/api/test_invocations.py::test_a_working_memory_is_bounded_at_every_read_and_gone_at_the_end",
    ),
    row(
        "§3.2",
        "L2: records with category, tags, worth and feedback",
        "core/model/record.py",
        f"{API}::test_an_import_of_an_export_equals_the_original",
    ),
    row(
        "§3.2",
        "Records fade with time, by their category",
        "core/long_term/ranking.py",
        f"{TIME}::test_a_memory_of_work_counts_half_after_ninety_days_and_a_preference_as_ever",
    ),
    row(
        "§3.3",
        "L3: reflections in Markdown over records, which they never stand without",
        "core/usecases/long_term/verbs/generate_reflection.py",
        f"{API}::test_a_reflection_stands_over_its_records_and_is_made_anew_without_a_deleted_one",
    ),
    row(
        "§4.1",
        "Every long-term memory has a record as JSON, with the document's fields",
        "core/usecases/long_term/exchange/files.py",
        f"{API}::test_an_import_of_an_export_equals_the_original",
    ),
    row(
        "§4.2",
        "Markdown says the same for people and models",
        "core/usecases/long_term/exchange/files.py",
        "service/cli/test_facts.py::test_an_export_is_a_folder_that_people_can_read",
    ),
    row(
        "§5.1",
        "A query's intent and domain are told by its words",
        "core/long_term/routing.py",
        "core/usecases/long_term/test_routing.py::test_words_tell_intent_and_domain",
    ),
    row(
        "§5.1",
        "Only the layers and categories that it concerns are searched",
        "core/long_term/routing.py",
        "core/usecases/long_term/test_routing.py::test_routing_finds_no_less_than_searching_everything",
    ),
    row(
        "§5.1",
        "Hits are ranked by worth and age, and say what made their score",
        "core/long_term/ranking.py",
        f"{API}::test_a_stored_fact_is_found_at_once_with_what_made_its_score",
    ),
    row(
        "§5.2",
        "Uses of memories are counted",
        "core/conversation/hits.py",
        f"{TIME}::test_uses_are_written_down_now_and_then_and_add_up",
    ),
    row(
        "§6.1",
        "Feedback is a thumb or one to five stars, with a reason",
        "core/long_term/worth.py",
        f"{WORTH}::test_stars_lie_between_the_thumbs",
    ),
    row(
        "§6.2",
        "Good feedback raises worth, bad lowers it, both within bounds",
        "core/long_term/worth.py",
        f"{WORTH}::test_confidence_and_reward_stay_in_range_whatever_is_thought_in_whatever_order",
    ),
    row(
        "§6.2",
        "Bad feedback marks a memory for revision",
        "core/long_term/worth.py",
        f"{WORTH}::test_a_bad_opinion_asks_for_revision_and_a_good_one_does_not_take_that_back",
    ),
    row(
        "§6.2",
        "Feedback gives pairs of preferred and rejected answers",
        "core/usecases/long_term/exchange/export_feedback.py",
        f"{API}::test_feedback_moves_worth_and_pairs_liked_with_disliked_answers",
    ),
    row(
        "§6.3",
        "What worked in an execution becomes a new record",
        "core/usecases/conversation/learning/learn.py",
        "core/usecases/conversation/test_learning.py::test_the_same_lesson_again_makes_it_surer",
    ),
    row(
        "§6.3",
        "Why an execution failed becomes a new record",
        "core/usecases/conversation/learning/learn.py",
        "core/usecases/conversation/test_learning.py::test_a_run_that_failed_leaves_why",
    ),
    row(
        "§7",
        "Prompts keep to a budget of tokens",
        "core/context/budget.py",
        "core/context/test_budget.py"
        "::test_random_sets_keep_their_budget_tell_every_loss_and_touch_nothing_fixed",
    ),
    row(
        "§7",
        "What weighs least goes first",
        "core/context/budget.py",
        "core/context/test_budget.py::test_the_lightest_is_shortened_first_and_dropped_before_the_heavier",
    ),
    row(
        "§7",
        "Preferences go last, then facts and proven strategies, then episodes and reflections",
        "core/context/long_term.py",
        "core/usecases/context/test_every_part.py"
        "::test_in_every_budget_what_holds_always_is_whole_and_what_stands_is_told_apart_from_what_does_not",
    ),
    row(
        "§7",
        "A shorter form takes a text's place before it goes",
        "core/context/budget.py",
        "core/context/test_budget.py::test_what_has_no_shorter_form_goes_before_what_is_heavier_is_shortened",
    ),
    row(
        "§8.1",
        "A mended failure is a strategy, with tool, error and both sets of arguments",
        "core/usecases/long_term/verbs/record_recovery.py",
        f"{API}::test_a_recovery_is_found_for_the_same_failure_in_other_words",
    ),
    row(
        "§8.2",
        "Strategies are matched by error, tool and message: 0.5, 0.3, 0.2",
        "core/long_term/recovery.py",
        f"{RECOVERY}::test_type_tool_and_message_weigh_half_three_and_two_tenths",
    ),
    row(
        "§8.2",
        "Then by confidence, then by use",
        "core/long_term/recovery.py",
        f"{RECOVERY}::test_of_equal_matches_the_surer_then_the_more_used_comes_first",
    ),
    row(
        "§8.2",
        "The right strategy comes first, and a poor match does not come",
        "core/long_term/recovery.py",
        f"{RECOVERY}::test_of_a_thousand_failures_the_right_recovery_comes_first_and_none_below_its_match",
    ),
    row(
        "§8.3",
        "Success with a strategy makes it surer",
        "core/usecases/long_term/verbs/report_outcome.py",
        f"{WORTH}::test_a_better_opinion_never_leaves_less_worth",
    ),
    row(
        "§8.3",
        "A weak strategy that nobody uses goes",
        "core/long_term/forgetting.py",
        f"{TIME}::test_a_weak_strategy_is_pruned_when_it_was_not_used_for_thirty_days",
    ),
    row(
        "§8.4",
        "Reflections are made over strategies",
        "core/usecases/long_term/verbs/generate_reflection.py",
        f"{API}::test_a_reflection_stands_over_its_records_and_is_made_anew_without_a_deleted_one",
    ),
    row(
        "§9",
        "Contradicting memories are found, and shown as such, the stronger and newer first",
        "core/long_term/standing.py",
        f"{API}::test_a_contradicting_fact_contests_the_older_one_and_comes_first",
    ),
    row(
        "§9",
        "Memories that say the same are merged",
        "core/long_term/standing.py",
        f"{API}::test_the_same_words_again_make_the_known_fact_surer",
    ),
    row(
        "§9",
        "Memories are shared within a collection and apart between them",
        "core/keys.py",
        f"{API}::test_what_another_user_or_collection_holds_is_not_found",
    ),
]
