"""Numbers in words: "twenty-five", "two hundred and ten", 三百五十, 一万二. The words are data, of all languages."""

import re
from collections.abc import Mapping
from functools import cache

from core.language import in_all


@cache
def named(name: str) -> Mapping[str, float]:
    """Returns the names in a list of all languages with the number that begins their line, longest names first."""
    found = {}
    for entry in in_all(name):
        value, *names = entry.split()
        found.update(dict.fromkeys(names, float(value)))
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


def numbers() -> Mapping[str, float]:
    return named("numbers")


def spelled(text: str) -> float:
    """Returns the number that words say: "twenty-five", "two hundred and ten", 三百五十, 一万二."""
    words = re.findall(r"[a-z]+|[^\W\d_]", text.lower())
    values = [numbers()[word] for word in words if word in numbers()]
    return _chinese(values) if text[-1:] > "\x7f" else _english(values)


def _english(values: list[float]) -> float:
    total = part = 0.0
    for value in values:
        if value >= 1000:
            total, part = total + (part or 1) * value, 0.0
        else:
            part = (part or 1) * value if value == 100 else part + value
    return total + part


def _chinese(values: list[float]) -> float:
    total = part = digit = 0.0
    scale, digits = 1.0, 0
    for value in values:
        if value >= 10_000:
            total, part, digit, scale, digits = (total + part + digit) * value, 0.0, 0.0, value, 0
        elif value >= 10:
            part, digit, scale, digits = part + (digit or 1) * value, 0.0, value, 0
        else:
            digit, digits = digit * 10 + value, digits + 1
    if digits == 1 and scale >= 100 and digit:  # 三百五 is 350, 三百零五 is not
        digit *= scale / 10
    return total + part + digit


def integer(text: str | None) -> int | None:
    if text is None:
        return None
    return int(text) if text.isdigit() else int(spelled(text))


def chinese_digits() -> str:
    return "".join(name for name in numbers() if not name.isascii())
