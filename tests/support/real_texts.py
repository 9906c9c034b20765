"""Real sentences to measure on: the project's calibration texts, and the data beside the checkout, if any.

The data are read where they lie; nothing of them is kept here. A test that needs them skips without.
"""

import json
import re
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_SHARED = _ROOT.parent / "shared"
_HAN = re.compile(r"[\u4e00-\u9fff]")


@cache
def calibration(language: str) -> tuple[str, ...]:
    """The texts that the local embedder was calibrated on: `english` or `chinese`."""
    return tuple((_ROOT / "tools/calibration" / f"{language}.txt").read_text(encoding="utf-8").splitlines())


def dialogue_turns() -> list[str]:
    """The turns of real English dialogues."""
    conversations = json.loads(_read(_SHARED / "data/locomo_dev.json"))
    return [
        turn["text"]
        for each in conversations
        for name, session in each["conversation"].items()
        if isinstance(session, list)
        for turn in session
    ]


def chinese_sentences() -> list[str]:
    """Sentences of real Chinese documents."""
    found = sorted((_SHARED / "seeds").glob("*.txt"))
    if not found:
        pytest.skip("no documents beside the checkout")
    cut = (part.strip(" -*#>|") for path in found for part in re.split(r"[。！？\n]", _read(path)))
    return [sentence for sentence in cut if len(_HAN.findall(sentence)) >= 8]


def _read(path: Path) -> str:
    if not path.is_file():
        pytest.skip(f"no {path.name} beside the checkout")
    return path.read_text(encoding="utf-8")
