"""What the offline Extractor finds: LoCoMo's annotated observations, and statements written by hand.

LoCoMo: each utterance is an input. Covered: the share of the turns that observations rest on of which some fact was
taken. Precision: the share of the turns of which a fact was taken that an observation rests on. By hand: 60 statements
in each language, of which 40 last; then the same 60 as an agent's own words. Reads `locomo_dev.json` from the
`shared/data` beside the checkout, or the file named as the first argument.

    python -m tests.bench.bench_extraction [FILE] [--misses]
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.agents.faithful import problem_of_candidate
from core.agents.memory_roles import Candidate, Passage, PassageKind
from evaluation.locomo import moment
from tests.support.reading import candidates

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "locomo_dev.json"
BY_HAND = Path(__file__).parent / "evaluation"
NAMES_TURN = re.compile(r"D\d+:\d+")
SAID = datetime(2024, 5, 8, tzinfo=UTC)


def passages(sample: Any) -> Iterator[tuple[str, Passage]]:
    """Every utterance behind its name."""
    said = sample["conversation"]
    number = 0
    while f"session_{(number := number + 1)}" in said:
        when = moment(said[f"session_{number}_date_time"])
        for turn in said[f"session_{number}"]:
            yield (
                turn["dia_id"],
                Passage(
                    number=0,
                    kind=PassageKind.INPUT,
                    text=turn["text"],
                    speaker=turn["speaker"],
                    event_time=when,
                ),
            )


def annotated(sample: Any) -> set[str]:
    """The turns that observations rest on."""
    told = json.dumps(sample["observation"])
    return set(NAMES_TURN.findall(told))


async def found(passage: Passage) -> Sequence[Candidate]:
    """The facts that pass core's checks: all of them must."""
    taken = await candidates([passage])
    for candidate in taken:
        assert not problem_of_candidate(candidate, [passage]), candidate
    return taken


def row(label: str, right: int, taken: int, all_right: int) -> str:
    return f"{label:24} covered {right / all_right:.3f}   precision {right / max(1, taken):.3f}   turns taken {taken}"


async def of_dialogues(samples: Sequence[Any]) -> None:
    rights = takens = alls = 0
    for number, sample in enumerate(samples):
        telling = annotated(sample)
        taken = {name for name, passage in passages(sample) if await found(passage)}
        right = len(taken & telling)
        print(row(f"LoCoMo {number}", right, len(taken), len(telling)))
        rights, takens, alls = rights + right, takens + len(taken), alls + len(telling)
    print(row("LoCoMo, all", rights, takens, alls))


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Of statements written by hand: `taken`, and `right` of these; `named`: with their category; `own_words`: taken of
    an agent."""

    lasting: int
    statements: int
    taken: int
    right: int
    named: int
    own_words: int
    misses: list[str]


async def by_hand_counts(language: str) -> Counted:
    told = json.loads((BY_HAND / f"statements_{language}.json").read_text(encoding="utf-8"))
    lasting = dict(told["lasting"])
    statements = [*lasting, *told["passing"]]
    taken = {text: await found(_said(text, PassageKind.INPUT)) for text in statements}
    own_words = [text for text in statements if await found(_said(text, PassageKind.REPLY))]
    return Counted(
        lasting=len(lasting),
        statements=len(statements),
        taken=sum(map(bool, taken.values())),
        right=sum(bool(taken[text]) for text in lasting),
        named=sum(taken[text][0].category == name for text, name in lasting.items() if taken[text]),
        own_words=len(own_words),
        misses=[text for text in statements if bool(taken[text]) != (text in lasting)],
    )


async def by_hand(language: str) -> None:
    made = await by_hand_counts(language)
    print(row(f"by hand, {language}", made.right, made.taken, made.lasting))
    told = f"category right {made.named}/{made.right}; of an agent's own words {made.own_words}/{made.statements}"
    print(f"{'':24} {told}")
    if "--misses" in sys.argv:
        print("\n".join(made.misses))


def _said(text: str, kind: PassageKind) -> Passage:
    return Passage(number=0, kind=kind, text=text, event_time=SAID)


async def measured(samples: Sequence[Any]) -> None:
    if samples:
        await of_dialogues(samples)
    for language in ("en", "zh"):
        await by_hand(language)


def main() -> None:
    named = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    path = Path(named[0]) if named else DATA
    samples = json.loads(path.read_text(encoding="utf-8")) if path.exists() else ()
    if not samples:
        print(f"no data at {path}: dialogues not measured")
    asyncio.run(measured(samples))


if __name__ == "__main__":
    main()
