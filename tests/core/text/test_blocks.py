import pytest

from core.text.blocks import Block, Form, blocks, folded, is_code, prose, unbroken

MANUAL = """LS(1)                            User Commands                           LS(1)

NAME
       ls - list directory contents

DESCRIPTION
       List  information  about  the FILEs (the current directory by default).
       Sort entries alphabetically if none of -cftuvSUX nor --sort  is  speci‐
       fied.

       -a, --all
              do not ignore entries starting with .

       -c     with -lt: sort by, and show, ctime (time of last modification of
              file status information)

   Exit status:
       0      if OK,

       1      if minor problems (e.g., cannot access subdirectory),
"""
PYTHON = "def total(rows):\n    found = sum(rows)\n    return found"


def _of(form: Form, text: str) -> list[str]:
    return [text[block.start : block.end].strip() for block in blocks(text) if block.form is form]


def _terms(text: str) -> dict[str, str]:
    return {b.term: folded(text[b.start : b.end]) for b in blocks(text) if b.form is Form.ENTRY}


def test_a_manual_pages_options_and_values_are_entries_under_their_terms() -> None:
    assert _terms(MANUAL) == {
        "-a, --all": "do not ignore entries starting with .",
        "-c": "with -lt: sort by, and show, ctime (time of last modification of file status information)",
        "0": "if OK,",
        "1": "if minor problems (e.g., cannot access subdirectory),",
    }


def test_a_justified_line_is_no_entry() -> None:
    (head, *rest) = blocks(MANUAL)

    assert head.form is Form.BESIDE
    assert "List  information" in MANUAL[rest[0].start : rest[0].end]
    assert rest[0].form is Form.PROSE


@pytest.mark.parametrize(
    ("line", "term", "told"),
    [
        ("- `--all`: shows hidden files too", "--all", "shows hidden files too"),
        ("`name`, `id` – what it is called by", "name, id", "what it is called by"),
        ("* **`超时`**：等待的秒数", "超时", "等待的秒数"),
        ('1.3. "Contribution"\n    means Covered Software of\n    a Contributor.', '1.3. "Contribution"',
         "means Covered Software of a Contributor."),
    ],
)  # fmt: skip
def test_lists_of_terms_are_entries(line: str, term: str, told: str) -> None:
    assert _terms(line) == {term: told}


@pytest.mark.parametrize(
    "text", [PYTHON, f"```\n{PYTHON}\n```", "$ make serve\n$ make demo", '{\n  "a": 1,\n}']
)
def test_code_is_code_in_a_fence_and_without_one(text: str) -> None:
    assert is_code(text)
    assert (
        prose(f"It sums them up:\n\n{text}\n\nThat is all.").split()
        == "It sums them up: That is all.".split()
    )


@pytest.mark.parametrize(
    "text",
    [
        "The pump costs 42,000 SEK. It ships in 6 weeks.\nAsk for the other offer as well.",
        "Alice: I moved to Rome (at last).\nBob: Really?",
        "- Firm A: 42,000 SEK\n- Firm B: 39,000 SEK",
        "我上个月搬到了罗马。\n她问：真的吗？",
    ],
)
def test_prose_and_talk_are_neither_code_nor_entries(text: str) -> None:
    assert blocks(text) == [Block(form=Form.PROSE, start=0, end=len(text))]


def test_contents_page_numbers_and_running_heads_stand_beside_the_text() -> None:
    pages = "\n\n".join(f"The Pump Handbook\n\nChapter {n} tells of valves.\n\n- {n} -" for n in (1, 2, 3))
    contents = "1. Valves ............ 3\n2. Hoses . . . . . . . 14\n"

    assert _of(Form.BESIDE, contents + "\n" + pages) == [
        "1. Valves ............ 3",
        "2. Hoses . . . . . . . 14",
        *["The Pump Handbook", "- 1 -", "The Pump Handbook", "- 2 -", "The Pump Handbook", "- 3 -"],
    ]


def test_links_into_the_page_are_its_contents() -> None:
    links = "- [Install](#install)\n- [Use](#use)\n- [Licence](#licence)"

    assert _of(Form.BESIDE, f"{links}\n\n## Install\n\nRun make.") == [links]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("none is speci‐\n       fied.", "none is specified."),
        ("the infor-\nmation", "the information"),
        ("a long-\nlived token", "a long-lived token"),
        ("pages 3-\n4", "pages 3- 4"),
    ],
)
def test_words_broken_at_line_ends_are_made_whole(written: str, read: str) -> None:
    assert folded(written) == read


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("x" * 30_000, Form.PROSE),
        (" " * 30_000 + "x", Form.PROSE),
        ("." * 30_000, Form.PROSE),
        ("Chapter one " + ". " * 15_000 + "7", Form.BESIDE),
        ("…" * 30_000 + "a", Form.PROSE),
        ("-a=b," * 6_000 + " x", Form.PROSE),
        ("|" + "-" * 30_000, Form.PROSE),
    ],
)
def test_a_line_may_be_as_long_as_a_text(line: str, form: Form) -> None:
    """In time that grew with the square of its length, or faster, this would not end."""
    assert [block.form for block in blocks(line)] == [form]
    assert unbroken(line) == line


def test_code_with_a_line_between_is_one_stretch_where_most_lines_are_code() -> None:
    two_in_three = "import os\nimport sys\n" + "x" * 200 + "\n"
    every_other = "import os\n" + "x" * 200 + "\n"  # but for the last two lines of code

    assert [(b.form, b.end) for b in blocks(two_in_three * 500)] == [
        (Form.CODE, len(two_in_three * 500) - 202),
        (Form.PROSE, len(two_in_three * 500) - 1),
    ]
    assert [block.form for block in blocks(every_other * 2_000)] == [Form.PROSE, Form.CODE, Form.PROSE]
