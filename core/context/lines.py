"""Stored text as data among a prompt's own lines.

Law: nothing in it can pass for a head or a title: it stands on one line, or indented.
"""


def one_line(text: str) -> str:
    return " ".join(text.split())


def same(shown: str, stored: str) -> str:
    """Returns the text that is stored already, where what is shown is the same: what is kept is no copy then."""
    return stored if shown == stored else shown


def opening(text: str, length: int) -> str:
    """Returns the beginning of a text, on one line."""
    line = one_line(text)
    return line if len(line) <= length else f"{line[:length]}…"


def indented(text: str) -> str:
    """Indents a block under its head."""
    lines = text.splitlines()
    return "  " + "\n  ".join(lines) if lines else ""
