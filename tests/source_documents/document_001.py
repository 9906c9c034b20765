"""Source document 001, AGENTS.md files as memory that is always loaded. Its sections are numbered here in order."""

from tests.source_documents.requirement import row

LOAD = "core/usecases/instructions/load_sources.py"
BLOCK = "core/context/block.py"
EDIT = "core/usecases/instructions/edit_source.py"
API = "service/api/test_instructions.py"

INSTRUCTIONS = [
    row(
        "§1",
        "Memory is always loaded: every model call of a run sees it",
        BLOCK,
        "examples/test_deepagents.py::test_an_agent_keeps_a_preference_in_one_run_and_follows_it_in_the_next",
    ),
    row(
        "§1",
        "Several sources are put together in their order",
        LOAD,
        f"{API}::test_documents_load_in_the_order_asked_for_and_the_missing_are_named",
    ),
    row(
        "§1",
        "An agent edits its memory and so learns for good",
        EDIT,
        "examples/test_deepagents.py::test_an_agent_keeps_a_preference_in_one_run_and_follows_it_in_the_next",
    ),
    row(
        "§1",
        "A run loads once and then keeps what it loaded",
        LOAD,
        f"{API}::test_a_run_sees_what_it_loaded_first_and_the_next_run_sees_the_edit",
    ),
    row(
        "§1",
        "Files are reached through a backend, which may be of several kinds",
        "clients/python/memorybank_client/adapters/deepagents.py",
        "examples/test_deepagents.py::test_the_backend_does_what_deep_agents_ask_of_one",
    ),
    row(
        "§2",
        "A source is free Markdown, kept as it was written",
        "core/usecases/instructions/put_source.py",
        f"{API}::test_a_document_is_created_and_read_as_it_was_put",
    ),
    row(
        "§2",
        "Sources belong to a user, an agent, a project or the whole tenant",
        "core/instructions",
        f"{API}::test_owners_of_every_level_are_apart_also_under_the_same_name",
    ),
    row(
        "§2",
        "A path is a name, whatever it looks like",
        "core/instructions",
        f"{API}::test_names_and_paths_are_names_whatever_they_look_like",
    ),
    row(
        "§3",
        "Before a run all sources come in one call",
        LOAD,
        f"{API}::test_sixty_four_documents_of_the_largest_size_load_at_once",
    ),
    row(
        "§3",
        "What is loaded already, in this turn or a checkpoint, is not loaded again",
        "core/instructions/run.py",
        "e2e/test_instructions.py::test_a_run_is_loaded_on_one_process_edited_on_another_and_goes_on_on_a_third",
    ),
    row(
        "§3",
        "A source that is not there is passed over, and named",
        LOAD,
        f"{API}::test_documents_load_in_the_order_asked_for_and_the_missing_are_named",
    ),
    row(
        "§3",
        "Any other failure is an error",
        LOAD,
        f"{API}::test_a_load_that_must_see_a_revision_that_is_not_there_is_refused",
    ),
    row(
        "§3",
        "The block stands behind the system's own words",
        "core/usecases/context/assemble_context.py",
        "core/usecases/context/test_assemble_context.py::test_instructions_stand_behind_the_system_as_they_are",
    ),
    row(
        "§4",
        "The block has each path above its text, and guidelines behind it",
        BLOCK,
        "core/context/test_block.py::test_the_block_has_each_path_above_its_text_and_guidelines_in_the_same_language",
    ),
    row(
        "§4",
        "With nothing loaded the block says so, and the guidelines still stand",
        BLOCK,
        "core/context/test_block.py::test_nothing_loaded_is_said_and_the_guidelines_still_stand",
    ),
    row(
        "§4",
        "A source's text cannot end the block or begin another",
        BLOCK,
        "core/context/test_block.py::test_a_text_cannot_end_or_begin_a_block_of_its_own",
    ),
    row(
        "§5",
        "An edit replaces one passage by another, character for character",
        EDIT,
        "core/instructions/test_edit.py::test_the_passage_is_replaced_character_for_character",
    ),
    row(
        "§5",
        "A passage that is not there, or more than once, is refused",
        EDIT,
        f"{API}::test_edits_that_cannot_be_made_are_refused_and_change_nothing",
    ),
    row(
        "§5",
        "An edit shows in the next run, not in the one that made it",
        "core/instructions/run.py",
        f"{API}::test_a_run_sees_what_it_loaded_first_and_the_next_run_sees_the_edit",
    ),
    row(
        "§5",
        "Of edits made at once none is lost: one wins and the others are told",
        EDIT,
        f"{API}::test_of_a_hundred_edits_of_one_version_one_wins",
    ),
    row(
        "§5",
        "A text too long is refused and never cut",
        "core/usecases/limits.py",
        f"{API}::test_a_text_that_is_too_long_is_refused_and_never_cut",
    ),
    row(
        "§6",
        "The whole text is in the prompt, within a budget that is never met by cutting",
        BLOCK,
        f"{API}::test_a_block_over_the_budget_is_refused_and_never_cut",
    ),
]
