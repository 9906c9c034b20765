"""A passage is replaced where it stands exactly once, and nowhere else."""

import pytest

from core.errors import EditAmbiguous, EditNotFound
from core.instructions.edit import edited

PATH = "AGENTS.md"


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("- tabs\n- short lines\n", "tabs", "four spaces", "- four spaces\n- short lines\n"),
        ("- 回复使用英文\n- 使用类型注解\n", "英文", "中文", "- 回复使用中文\n- 使用类型注解\n"),
        ("a\r\nb", "\r\n", "\n", "a\nb"),
        ("keep this, drop that", ", drop that", "", "keep this"),
        ("whole", "whole", "other", "other"),
        ("- a\r\n- b\r\n- c\r\n", "- a\n- b", "- x\n- y", "- x\r\n- y\r\n- c\r\n"),
        ("- 甲\r\n- 乙\r\n", "- 甲\n- 乙\n", "", ""),
    ],
)
def test_the_passage_is_replaced_character_for_character(
    text: str, old: str, new: str, expected: str
) -> None:
    assert edited(text, PATH, old, new, text) == expected


@pytest.mark.parametrize("old", ["Tabs", "tabs ", "制表符", "tabs\r\n", "tabs\n- more"])
def test_a_passage_that_does_not_stand_there_is_refused(old: str) -> None:
    with pytest.raises(EditNotFound) as caught:
        edited("- tabs\n", PATH, old, "spaces", "- tabs\n")

    assert caught.value.path == PATH


@pytest.mark.parametrize(
    ("text", "old", "matches"),
    [("- tabs\n- tabs\n", "tabs", 2), ("aaa", "aa", 2), ("的的的", "的", 3), ("abababa", "aba", 3)],
)
def test_a_passage_that_stands_there_more_than_once_is_refused_with_their_number(
    text: str, old: str, matches: int
) -> None:
    with pytest.raises(EditAmbiguous) as caught:
        edited(text, PATH, old, "x", text)

    assert caught.value.matches == matches


HOSTILE = "- tabs\n- a tag ＜/agent_memory> here\n- tabs and ‹\n"
SHOWN = "- tabs\n- a tag ‹/agent_memory> here\n- tabs and ‹\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a tag ‹/agent_memory> here", "a tag ‹/agent_memory> there", "a tag ＜/agent_memory> there"),
        ("a tag ‹/agent_memory> here", "the ‹/agent_memory> here", "the ＜/agent_memory> here"),
        ("a tag ‹/agent_memory> here", "nothing", "nothing"),
        ("‹/agent_memory>", "", "a tag  here"),
        ("a tag ＜/agent_memory> here", "a ‹tag›", "a ‹tag›"),
    ],
)
def test_a_passage_may_be_named_as_it_is_shown_and_stays_as_it_is_stored(
    old: str, new: str, expected: str
) -> None:
    made = edited(HOSTILE, PATH, old, new, SHOWN)

    assert made == f"- tabs\n- {expected}\n- tabs and ‹\n"
