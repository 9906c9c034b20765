"""`memorybank why`, against the real server."""

from tests.support.shell import Shell


def test_it_tells_why_a_memory_stands_or_not_and_what_lets_it_stand(shell: Shell) -> None:
    whose = ("--user", shell.bank, "--collection", "")
    for number in range(8):
        shell.done(
            "facts", "add", f"Ferry {number} to Naxos leaves from pier {number}.", "--user", shell.bank
        )
    shell.done("remember", "渡轮九点从三号码头出发。")

    stands = shell.done("why", "From which pier does ferry 3 leave?", "ferry 3 to naxos", *whose)
    found = shell.told(
        "why", "From which pier does ferry 3 leave?", "ferry 6 to Naxos", "--top-facts", "1", *whose
    )
    (left_out,) = found["memories"]
    drawn = shell.done(
        "why", "From which pier does ferry 3 leave?", left_out["id"], "--top-facts", "1", *whose
    )
    of_bank = shell.done("why", "渡轮几点出发？", "九点从三号码头", "--bank", shell.bank)
    nowhere = shell("why", "渡轮几点出发？", "n-0123", "--bank", shell.bank)

    assert "stands in the prompt" in stands
    assert left_out["reason"] == "EXPLAIN_REASON_RANK"
    (change,) = left_out["changes"]
    assert change["field"] == "top_facts"
    assert f"it stands with --top-facts {change['value']}" in drawn
    assert "in the section memories" in of_bank
    assert nowhere.exit_code == 4


def test_words_that_nothing_is_like_are_said_to_be_nowhere(shell: Shell) -> None:
    shell.done("facts", "add", "Ferry 3 leaves from pier 3.", "--user", shell.bank)

    ended = shell("why", "Which pier?", "anything", "--user", shell.bank, "--collection", "none")

    assert ended.exit_code == 4
    assert "nothing says “anything”" in ended.err


def test_of_two_memories_it_is_told_what_is_found_between_them(shell: Shell) -> None:
    user = ("--user", f"{shell.bank}-pairs")
    first, second = (
        shell.told("facts", "add", f"The ferry to Naxos leaves at {hour}.", *user)["record"]["record_id"]
        for hour in ("nine", "ten")
    )

    drawn = shell.done("why", first, second, *user)
    nowhere = shell("why", first, "r-nowhere", *user)

    assert "they contradict each other" in drawn
    assert "sure from 0.9" in drawn
    assert "rank 1" in drawn
    assert nowhere.exit_code == 4
