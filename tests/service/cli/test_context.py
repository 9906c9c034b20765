"""`memorybank context`, against the real server."""

from tests.support.shell import Shell


def test_sections_and_losses_are_shown_and_the_prompt_if_it_is_wanted(shell: Shell) -> None:
    talk = ("--user", shell.bank)
    for number in range(30):
        shell.done("conversation", "add", "c1", f"Ferry {number} leaves at nine, from pier {number}.", *talk)
    asked = ("context", "When does ferry 3 leave?", *talk, "--conversation", "c1")
    whole = shell.done(*asked, "--prompt", "--collection", "elsewhere")
    tight = shell.done(*asked, "--budget", "300")
    plain = shell.told(*asked, "--budget", "300")

    assert "User: When does ferry 3 leave?" in whole
    assert "missing: long term (COLLECTION_NOT_FOUND)" in whole
    assert "of 300" in tight
    assert "left out (−" in tight
    assert "User: When does ferry 3 leave?" not in tight
    assert plain["tokens"] <= 300
    assert {each["section"] for each in plain["left_out"]} <= {"short", "mid", "recall", "long"}


def test_a_prompt_does_without_what_was_said_elsewhere_where_it_is_not_wanted(shell: Shell) -> None:
    owner = ("--user", f"{shell.bank}-elsewhere")
    shell.done("conversation", "add", "old", "The blue bicycle stands in the cellar.", *owner)
    asked = ("context", "Where is the blue bicycle?", *owner, "--collection", "", "--prompt")

    assert "cellar" in shell.done(*asked)
    assert "cellar" not in shell.done(*asked, "--no-recall-turns")


def test_a_budget_that_cannot_be_kept_names_the_least_that_would_do(shell: Shell) -> None:
    refused = shell("context", "Hello?", "--system", "Be brief. " * 20, "--budget", "5")

    assert refused.exit_code != 0
    assert "--budget: what is never shortened takes" in refused.err
