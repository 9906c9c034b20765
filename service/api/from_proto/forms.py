"""The forms that a text may have: a word, a line, a JSON object."""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from core.text.storable import depth_of
from service.api.from_proto.checks import Checks

WORD = re.compile(r"[a-z][a-z0-9_-]{0,63}")
WORD_RULE = "must be a lower-case word of at most 64 characters"
METADATA = 1_048_576  # bytes of a turn's or a record's metadata
DEEPEST = 100  # arrays and objects in one another, of a JSON object
UNPRINTED = frozenset({"Cc", "Zl", "Zp"})  # control characters, and what breaks a line


def is_word(value: str) -> bool:
    return WORD.fullmatch(value) is not None


def word(check: Checks, field: str, value: str) -> str:
    """Checks a lower-case word; empty for none."""
    if value and not is_word(value):
        check.wrong(field, WORD_RULE)
    return value


def words(check: Checks, field: str, values: Sequence[str], most: int) -> tuple[str, ...]:
    check.amount(field, values, most)
    for index, value in enumerate(values[:most]):
        if not is_word(value):
            check.wrong(f"{field}[{index}]", WORD_RULE)
    return tuple(values)


def line(check: Checks, field: str, value: str, most: int, least: int = 0) -> str:
    """Checks a name, which stands in one line wherever it is shown."""
    if any(unicodedata.category(character) in UNPRINTED for character in value[: most + 1]):
        check.wrong(field, "must not hold control characters or line breaks")
    return check.text(field, value, most, least)


def json_text(check: Checks, field: str, value: str, most: int = 0) -> str:
    """Checks a JSON object of `most` code points, or, without, of as many bytes as metadata has. Returns it as it came;
    empty for none, and for one that is wrong."""
    if most:
        return json_object(check, field, value, most)
    if len(value.encode()) > METADATA:
        check.wrong(field, f"must have at most {METADATA} bytes")
        return ""
    return json_object(check, field, value, METADATA)


def json_object(check: Checks, field: str, value: str, most: int) -> str:
    """Checks a JSON object and keeps it as it came; empty for none."""
    if not value or len(check.text(field, value, most)) > most:
        return ""
    try:
        read = json.loads(value, parse_constant=no_constant)
        json.dumps(read, ensure_ascii=False, allow_nan=False).encode()
        if isinstance(read, dict) and depth_of(read) <= DEEPEST:
            return value
        nested = isinstance(read, dict)
        check.wrong(field, f"must nest at most {DEEPEST} deep" if nested else "must be a JSON object")
    except UnicodeEncodeError:
        check.wrong(field, "must not hold half a surrogate pair (\\ud800 without its other half)")
    except (ValueError, RecursionError):
        check.wrong(field, "must be JSON, its numbers finite")
    return ""


def no_constant(name: str) -> Any:
    """Refuses NaN and infinities, which Python's reader of JSON takes."""
    raise ValueError(name)
