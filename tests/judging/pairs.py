"""Pairs of sentences that contradict each other, say the same, concern one matter, or have nothing in common.

Law: the open halves are for whoever builds a judge; the locked halves are for reporting its level, never for
finding out what it misses (README.md).
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "zh")


class Half(StrEnum):
    OPEN = "open"
    LOCKED = "locked"


class Label(StrEnum):
    """What the second sentence is to the first: only CONFLICT cannot hold beside it."""

    CONFLICT = "conflict"
    SAME = "same"
    RELATED = "related"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`speakers` are given where it matters which of the two an assistant says."""

    pair_id: str
    language: str
    category: str
    label: Label
    texts: tuple[str, str]
    speakers: tuple[str, ...] = ()

    def told(self) -> tuple[str, str]:
        """Both as a line of a transcript holds them: with the speaker in front, where there is one."""
        if not self.speakers:
            return self.texts
        first, second = (f"{who}: {text}" for who, text in zip(self.speakers, self.texts, strict=True))
        return first, second


def read_pairs(language: str, half: Half) -> list[Pair]:
    """All pairs of a half, in the file's order: what is earlier in a pair is told first."""
    lines = (FOLDER / f"pairs_{language}_{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_pair(json.loads(line)) for line in lines]


def _pair(row: dict[str, Any]) -> Pair:
    first, second = row["texts"]
    return Pair(
        pair_id=row["id"],
        language=row["language"],
        category=row["class"],
        label=Label(row["label"]),
        texts=(first, second),
        speakers=tuple(row.get("speakers", ())),
    )
