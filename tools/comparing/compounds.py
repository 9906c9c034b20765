"""Compounds, made of the sentences of a text: "The bridge is open, and it has no lights".

Authors' sentences mostly tell one thing, and what agents note several. A network that has seen none of these takes
two for a contradiction that tell one thing in the same words, and besides this each another one.
"""

import re
from collections.abc import Iterator, Mapping

import numpy as np

from tests.judging.pairs import Label
from tools.comparing.texts import Source

CHARACTERS = 24  # of a Chinese sentence that is put together with another, at most: no more tokens are compared than 32
WORDS = 13  # the same of an English one, in words
CONTRADICTING = 0.28  # share of the pairs that are looked for: most agree
ALONE = 0.3  # share in which a compound stands beside a sentence
OF_MANY, OF_FEW = 6, 2  # pairs made of a long text, and of another at most
TRIES = 60
LOWERED = re.compile(
    r"^(?:The|A|An|In|On|At|He|She|It|They|His|Her|Its|Their|There|This|That|We|Our|My|When|For|By|From|Of|Nobody|No|All"
    r"|Every|Both)\b"
)
END = " .!。！;；,，"

Labels = Mapping[tuple[int, int], Label]


def compounds(text: Source, chance: np.random.Generator) -> Source | None:
    """Returns pairs of compounds, each of two sentences of the text that agree; None where there are none.

    A compound contradicts what either of its sentences contradicts. Often two have a sentence in common.
    """
    labels: Labels = {places: label for label, a, b in text.pairs for places in ((a, b), (b, a))}
    short = [n for n, sentence in enumerate(text.sentences) if _is_short(sentence, text.language)]
    if len(short) < 3:
        return None
    wanted = OF_MANY if text.long else int(chance.integers(1, OF_FEW + 1))
    found: list[tuple[Label, str, str]] = []
    for one in _made(text, labels, short, chance):
        found.append(one)
        if len(found) == wanted:
            break
    if not found:
        return None
    return Source(
        language=text.language,
        long=False,
        held_out=text.held_out,
        sentences=tuple(sentence for _, *both in found for sentence in both),
        pairs=tuple((label, 2 * n, 2 * n + 1) for n, (label, *_) in enumerate(found)),
    )


def _is_short(sentence: str, language: str) -> bool:
    return len(sentence) <= CHARACTERS if language == "zh" else len(sentence.split()) <= WORDS


def _made(
    text: Source, labels: Labels, short: list[int], chance: np.random.Generator
) -> Iterator[tuple[Label, str, str]]:
    """Yields pairs by chance: of sentences `shared` and `own` that agree, beside `shared` and `other`, or `other`."""
    wanted = _wanted(chance)
    for _ in range(TRIES):
        shared, own, other = (int(n) for n in chance.choice(short, 3, replace=False))
        if labels.get((shared, own)) is not Label.RELATED:
            continue
        told = labels.get((own, other)), labels.get((shared, other))
        if not {*told} <= {Label.RELATED, Label.CONFLICT}:
            continue
        label = Label.CONFLICT if Label.CONFLICT in told else Label.RELATED
        alone = chance.random() < ALONE
        if label is not wanted or not alone and told[1] is Label.CONFLICT:
            continue
        left = _joined(text, shared, own, chance)
        right = text.sentences[other] if alone else _joined(text, shared, other, chance)
        yield label, left, right
        wanted = _wanted(chance)


def _wanted(chance: np.random.Generator) -> Label:
    return Label.CONFLICT if chance.random() < CONTRADICTING else Label.RELATED


def _joined(text: Source, one: int, other: int, chance: np.random.Generator) -> str:
    """Returns both sentences as one, in either order."""
    first, second = (text.sentences[n] for n in ((one, other) if chance.random() < 0.5 else (other, one)))
    if text.language == "zh":
        return f"{first.rstrip(END)}，{second.rstrip(END)}。"
    lowered = LOWERED.sub(lambda found: found.group().lower(), second)
    return f"{first.rstrip(END)}, and {lowered.rstrip(END)}."
