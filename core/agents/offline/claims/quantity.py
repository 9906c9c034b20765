"""How many a sentence tells of: all, most, some, few of them.

Law: pure; by the word before what it counts, English and Chinese. A sentence with no such word has the quantity "".
"""

import re

_QUANTITIES = (
    (
        "most",
        r"\b(?:most|the majority) (?:of\b|\w+s\b|people\b)|\balmost (?:all|every)\b|大?多数|大部分|几乎所有",
    ),
    (
        "few",
        r"\b(?<!a )few (?:of\b|\w+s\b|people\b)|\bhardly any\b|极少数|少数|很少有",
    ),
    (
        "some",
        r"\b(?:some|several|certain|a few) (?:of\b|\w+s\b|people\b)|有些|有的(?!是)|某些|一些|部分|有几[\u4e00-\u9fff]",
    ),
    ("all", r"\b(?:all|every|each|any) (?!day\b|time\b|over\b)|所有|全部|每[\u4e00-\u9fff]|任何|一律"),
)
QUANTITIES = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _QUANTITIES)
ALL = "all"


def quantity(text: str) -> str:
    """Returns the first quantity that the sentence's words tell, "" where they tell none."""
    return next((name for name, pattern in QUANTITIES if pattern.search(text)), "")
