"""A class is a noun: none has a participle alone for its name."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("core", "service", "clients/python", "console", "evaluation", "tools")
PARTICIPLE = re.compile(
    r"[A-Z][a-z]*(?:ed|en)|Bound|Built|Drawn|Found|Held|Kept|Known|Made|Read|Said|Sent|Shown|Sought|Thrown|Told|Understood|Withdrawn|Written"
)
CLASS = re.compile(r"^ *class (\w+)\b(?:\[.*\])?[(:]", re.MULTILINE)
WORDS_OF_GRPC = {"Cancelled", "Overloaded", "Unauthenticated", "Unimplemented"}  # how a call ended


def classes() -> Iterator[tuple[str, str]]:
    """Yields each class with its file."""
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*.py"):
            for name in CLASS.findall(file.read_text(encoding="utf-8")):
                yield name, str(file.relative_to(ROOT))


def test_no_class_has_a_participle_alone_for_its_name() -> None:
    found = list(classes())

    assert len(found) > 1_000
    assert [
        one for one in found if PARTICIPLE.fullmatch(one[0].lstrip("_")) and one[0] not in WORDS_OF_GRPC
    ] == []
