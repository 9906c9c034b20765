"""`memorybank conversation`, against the real server."""

from tests.support.shell import Shell


def test_turns_are_added_found_shown_and_purged(shell: Shell) -> None:
    talk = ("--user", shell.bank)
    added = shell.told("conversation", "add", "c1", "The ferry leaves at nine.", "Noted.", *talk)
    shell.done("conversation", "add", "c1", "数据库定了，用PostgreSQL。", *talk)
    found = shell.done("conversation", "search", "c1", "数据库用什么？", "-k", "1", *talk)
    shell.done("conversation", "keys", "c1", "--add", "预算不能超过10万元", *talk)
    shown = shell.done("conversation", "show", "c1", *talk)
    deleted = shell.told("conversation", "purge", "c1", "--steps", "1", "--yes", *talk)
    nobody = shell.told("conversation", "purge", "c1", "--writer", "leaked", "--yes", *talk)
    both = shell("conversation", "purge", "c1", "--writer", "x", "--steps", "1", "--yes", *talk)
    ended = shell.told("conversation", "end", "c1", *talk)
    purged = shell.told("conversation", "purge", "c1", "--yes", *talk)

    assert added["turns"][0]["step"] in (1, "1")
    assert "数据库定了，用PostgreSQL。" in found
    assert "ferry" not in found
    assert "预算不能超过10万元" in shown
    assert "Assistant: Noted." in shown
    assert int(deleted["turns"]) == 1
    assert int(nobody["turns"]) == 0  # no key was asked for
    assert both.exit_code == 2
    assert ended["conversation"]["state"] == "CONVERSATION_STATE_ENDED"
    assert int(purged["turns"]) == 1


def test_turns_of_all_conversations_are_found(shell: Shell) -> None:
    talk = ("--user", shell.bank)
    shell.done("conversation", "add", "c1", "The ferry leaves at nine.", *talk)
    shell.done("conversation", "add", "c2", "数据库定了，用PostgreSQL。", *talk)

    found = shell.told("conversation", "find", "Which ferry?", "-k", "1", *talk)
    shown = shell.done("conversation", "find", "数据库用什么？", *talk)

    assert [(hit["conversation_id"], hit["segment"]) for hit in found["hits"]] == [
        ("c1", "The ferry leaves at nine.")
    ]
    assert "2 conversations searched" in shown
    assert shown.index("数据库定了") < shown.index("ferry")


def test_keys_are_listed_and_taken_away(shell: Shell) -> None:
    talk = ("--user", shell.bank)
    added = shell.told("conversation", "keys", "c1", "--add", "Be brief.", *talk)
    listed = shell.told("conversation", "keys", "c1", *talk)
    shell.done("conversation", "keys", "c1", "--delete", added["key"]["key_id"], "--yes", *talk)

    assert [key["text"] for key in listed["keys"]] == ["Be brief."]
    assert "nothing there" in shell.done("conversation", "keys", "c1", *talk)


def test_a_conversation_that_is_not_there_ends_with_its_own_exit_code(shell: Shell) -> None:
    refused = shell("conversation", "search", "nowhere", "x", "--user", shell.bank)

    assert refused.exit_code == 4
