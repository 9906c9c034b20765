"""Telling data from words: base64, hexadecimal, minified code, rows of numbers.

Law: pure. Data is kept like any text and found by its words; no vector says anything of it, and it is no topic.
"""

import re

from core.text.fields import rows

RUN = re.compile(r"[!-~]{48,}")
"""Characters without a space between them: longer than words, names and most paths are."""
HEX = re.compile(r"(?:\b[0-9a-fA-F]{2,8}\b[\s:,]+){8,}")
"""A hexadecimal dump; without a letter now and then it is a row of numbers."""
LETTERS = re.compile(r"[a-fA-F]")
LETTERED = 0.1
WORD = re.compile(r"[A-Za-z][a-z]{3,}")
HALF = 0.5
"""The share of a text from which on what runs through it is all that it is."""
WORDY = 0.35
"""The share of words in a run from which on it is a path or an address, unless it is longer than these are."""
SYNTAX = re.compile(r"[(){}\[\];<>\"'|!=,]")
PUNCTUATED = 0.15
"""The share of brackets and signs from which on a run is code."""
LONGEST_PATH = 200
SHOWN = 48
"""Code points that stand for data where something has to."""


def is_data(text: str) -> bool:
    """Whether half of a text or more is no words; fields of JSON and XML on one line are."""
    if not _runs_through(text):
        return False
    told = "\n".join(rows(text))
    return not told or _runs_through(told)


def _runs_through(text: str) -> bool:
    """Whether characters without a space between them are half of a text or more."""
    runs = [run for found in RUN.finditer(text) if _is_data_run(run := found.group())]
    dumps = [dump for found in HEX.finditer(text) if _share(LETTERS, dump := found.group()) > LETTERED]
    size = sum(map(len, (*runs, *dumps)))
    return size > 0 and size >= HALF * len(text)


def without_data(text: str) -> str:
    """Returns the text, or of data its beginning: what is read of it, where something must be."""
    return text[:SHOWN] if is_data(text) else text


def _is_data_run(run: str) -> bool:
    return len(run) > LONGEST_PATH or _share(WORD, run) < WORDY or _share(SYNTAX, run) > PUNCTUATED


def _share(kind: re.Pattern[str], text: str) -> float:
    return sum(len(found.group()) for found in kind.finditer(text)) / len(text)
