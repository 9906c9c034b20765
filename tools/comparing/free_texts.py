"""Pairs that cost no reading by hand, out of texts of our own (`free/`) and of the texts at hand.

Near facts of one speaker agree, and sentences of one document. Of one subject two values contradict each other; of two
subjects nothing does, however alike they are told. A paraphrase with another amount contradicts, and a contradiction
with another name agrees.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from core.text.quantities import COUNT, quantities
from tests.judging.pairs import LANGUAGES, Label

FOLDER = Path(__file__).parent / "free"
EACH = 40  # pairs of a template
NAME = re.compile(r"^(?:The\s)?([A-Z][a-z]+(?:\s[A-Z][a-z]+)*)\b")

Told = tuple[Label, str, str]


def facts() -> Iterator[list[Told]]:
    """Yields every two facts of one speaker, and of one matter, a speaker at a time: they agree."""
    yield from _agreeing("facts", "matters")


def articles() -> Iterator[list[Told]]:
    """Yields every two of some sentences of one document, a document at a time: they agree."""
    yield from _agreeing("articles")


def _agreeing(*names: str) -> Iterator[list[Told]]:
    for name in names:
        for language in LANGUAGES:
            for block in _lines(f"{name}_{language}.txt"):
                yield [(Label.RELATED, a, b) for a, b in combinations(block, 2)]


def changes() -> Iterator[list[Told]]:
    """Yields what one person says at two times that does not hold together, and what only looks like it: all that is
    laid beside one sentence at a time."""
    yield from _laid_beside("changes", "near")


def revisions() -> Iterator[list[Told]]:
    """Yields the same of sentences of documents."""
    yield from _laid_beside("revisions", "clauses")


def _laid_beside(contradicting: str, agreeing: str) -> Iterator[list[Told]]:
    found: dict[str, list[Told]] = defaultdict(list)
    for name, label in ((contradicting, Label.CONFLICT), (agreeing, Label.RELATED)):
        for language in LANGUAGES:
            for line in (line for block in _lines(f"{name}_{language}.txt") for line in block):
                a, _, b = line.partition(" | ")
                found[a].append((label, a, b))
    yield from found.values()


def templates(chance: np.random.Generator) -> Iterator[Told]:
    """Yields pairs of each template, by chance."""
    for language in LANGUAGES:
        fillers = dict(_entry(line) for block in _lines(f"fillers_{language}.txt") for line in block)
        for line in (line for block in _lines(f"templates_{language}.txt") for line in block):
            kinds, forms = _entry(line)
            subject, value = kinds.split()
            subjects = fillers.get(subject, [""])
            for _ in range(EACH):
                yield _pair(forms, subjects, fillers[value], chance)


def other_amounts(told: Sequence[Told], chance: np.random.Generator) -> Iterator[Told]:
    """Yields paraphrases, an amount of one exchanged: they contradict each other."""
    for label, a, b in told:
        found = [one for one in quantities(b) if one.kind == COUNT or isinstance(one.value, float)]
        if label is not Label.SAME or not found:
            continue
        written = re.search(r"\d+", b[found[0].start : found[0].end])
        if written is None:
            continue
        start = found[0].start + written.start()
        amount = int(written[0][:9])
        other = max(1, amount + int(chance.choice([-1, 1, 2])) * max(1, amount // int(chance.integers(2, 5))))
        if other != amount:
            yield Label.CONFLICT, a, f"{b[:start]}{other}{b[start + len(written[0]) :]}"


def other_names(told: Sequence[Told], chance: np.random.Generator) -> Iterator[Told]:
    """Yields contradictions of one whom both name first, another name in one: they agree."""
    pool = sorted({found[1] for _, a, _ in told if (found := NAME.match(a)) and " " in found[1]})
    for label, a, b in told:
        ours, theirs = NAME.match(a), NAME.match(b)
        if label is Label.CONFLICT and ours and theirs and ours[1] == theirs[1] and pool:
            other = str(chance.choice(pool))
            if other != ours[1]:
                yield Label.RELATED, a, b.replace(ours[1], other)


def _pair(
    forms: Sequence[str], subjects: Sequence[str], values: Sequence[str], chance: np.random.Generator
) -> Told:
    one, other = (forms[n] for n in chance.integers(0, len(forms), 2))
    share = chance.random()
    if share < 0.5 and len(subjects) > 1:
        subject, their = (str(each) for each in chance.choice(subjects, 2, replace=False))
        value, valued = str(chance.choice(values)), str(chance.choice(values))
        return Label.RELATED, _filled(one, subject, value), _filled(other, their, valued)
    subject = str(chance.choice(subjects))
    value, valued = (str(each) for each in chance.choice(values, 2, replace=False))
    if share < 0.8:
        return Label.CONFLICT, _filled(one, subject, value), _filled(other, subject, valued)
    return Label.SAME, _filled(forms[0], subject, value), _filled(forms[-1], subject, value)


def _filled(form: str, subject: str, value: str) -> str:
    text = form.replace("{subject}", subject).replace("{value}", value)
    return text[0].upper() + text[1:]


def _entry(line: str) -> tuple[str, list[str]]:
    kind, _, rest = line.partition(": ")
    return kind, [part.strip() for part in rest.split(" | ")]


def _lines(name: str) -> list[list[str]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    blocks = ([line for line in block.splitlines() if line[:1] != "#"] for block in text.split("\n\n"))
    return [block for block in blocks if block]
