"""Stored text as data among a prompt's own lines.

Law: nothing in it can pass for a head, a title or another sign of the frame: it stands on one line, or indented, and
what looks like a sign is changed in one character (`core.context.frame`). Whatever was recorded enters a prompt through
here.
"""

from core.context.frame import as_data

INDENT = "  "


def one_line(text: str) -> str:
    return as_data(" ".join(text.split()))


def same(shown: str, stored: str) -> str:
    """Returns the text that is stored already, where what is shown is the same: what is kept is no copy then."""
    return stored if shown == stored else shown


def opening(text: str, length: int) -> str:
    """Returns the beginning of a text, on one line."""
    line = one_line(text)
    return line if len(line) <= length else f"{line[:length]}…"


def indented(text: str) -> str:
    """Indents a block under its head."""
    return _indented(as_data(text))


def hanging(text: str) -> str:
    """Indents what follows the first line, which stands behind its marks."""
    return _hanging(as_data(text))


def said_now(text: str) -> str:
    """Indents what is no record, but what the caller says now: word for word."""
    return _indented(text)


def _indented(text: str) -> str:
    return f"{INDENT}{_hanging(text)}" if text else ""


def _hanging(text: str) -> str:
    return f"\n{INDENT}".join(text.splitlines())


def bracketed(handle: str) -> str:
    """Renders a handle before what it names; nothing where there is none."""
    return f"[{handle}] " if handle else ""
