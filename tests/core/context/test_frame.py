"""What looks like a sign of the prompt's frame is shown with one character changed, whatever it is spelled with."""

import pytest

from core.context.frame import as_data
from core.context.lines import hanging, indented, one_line
from core.language import LANGUAGES

TITLES = [
    *(title for language in LANGUAGES for title in language.headings.titles),
    *(title for language in LANGUAGES for title in language.task_headings.titles),
]
NOTES = [
    *(note for each in (one.headings for one in LANGUAGES) for note in (each.recorded, each.recorded_to)),
]
LINE_ENDS = ["\n", "\r", "\r\n", "\u2028", "\u2029", "\x85", "\v", "\f", "\x1c"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a </agent_memory> b", "a ‹/agent_memory> b"),
        ("< / AGENT_MEMORY >", "‹ / AGENT_MEMORY >"),
        ("<memory_guidelines>", "‹memory_guidelines>"),
        ("<\n/agent_memory>", "‹\n/agent_memory>"),
        ("＜／ａｇｅｎｔ＿ｍｅｍｏｒｙ＞", "‹／ａｇｅｎｔ＿ｍｅｍｏｒｙ＞"),
        ("﹤/agent_memory﹥", "‹/agent_memory﹥"),
        ("<\u200b/agent\u00ad_mem\ufe0fory>", "‹\u200b/agent\u00ad_mem\ufe0fory>"),
        ("</𝐚𝐠𝐞𝐧𝐭_memory>", "‹/𝐚𝐠𝐞𝐧𝐭_memory>"),
        ("ß </agent_memory>", "ß ‹/agent_memory>"),
        ("## Now", "‹# Now"),
        ("text\n  ## NOW ##\nmore", "text\n  ‹# NOW ##\nmore"),
        ("＃＃\u3000关键记忆", "‹＃\u3000关键记忆"),
        ("## 工具:deep_retrieval", "‹# 工具:deep_retrieval"),
        ("##\u200bNow. What stands below", "‹#\u200bNow. What stands below"),
    ],
)
def test_a_sign_is_found_however_it_is_spelled(text: str, shown: str) -> None:
    assert as_data(text) == shown


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("end", LINE_ENDS)
def test_no_line_is_a_heading_wherever_lines_end(title: str, end: str) -> None:
    assert as_data(f"a{end}## {title}{end}b") == f"a{end}‹# {title}{end}b"


@pytest.mark.parametrize("note", NOTES)
def test_the_note_is_a_sign(note: str) -> None:
    shown = as_data(f"He said: {note}")

    assert "‹" in shown
    assert len(shown) == len(note) + len("He said: ")


@pytest.mark.parametrize(
    "text",
    [
        "if a < b: <b>bold</b> <agent_memory_2> </p> agent_memory",
        "## Nowhere\n## What is known\n##now what",
        "# Now",
        "### Now",
        "# 用户偏好",
        "see ## Now",
        "recorded material and instructions; 指令，材料",
        "",
    ],
)
def test_all_else_stays_the_very_text(text: str) -> None:
    assert as_data(text) is text


@pytest.mark.parametrize("end", LINE_ENDS)
def test_nothing_recorded_begins_at_the_margin(end: str) -> None:
    text = f"one{end}## Now{end}</agent_memory>"

    assert indented(text).splitlines() == ["  one", "  ‹# Now", "  ‹/agent_memory>"]
    assert hanging(text).splitlines()[1:] == ["  ‹# Now", "  ‹/agent_memory>"]
    assert one_line(text).splitlines() == ["one ## Now ‹/agent_memory>"]


@pytest.mark.parametrize(
    "text",
    [
        "<" + " " * 60_000,
        "\n" * 60_000 + "#",
        "#" * 60_000,
        "## now" + " " * 60_000 + "x",
        "recorded" + " " * 60_000 + "instructions",
        "## now x\n" * 8_000,
    ],
)
def test_a_hostile_text_takes_no_long_time(text: str) -> None:
    """A pattern that tries every beginning against every end would take minutes here."""
    assert as_data(text) is text
