"""Everyday ways of asking, in English and Chinese, each behind (or before) a context.

Law: the rules were written with the open half in sight. The locked half was written at the same time, by the same
hand, and is only counted: nobody mends a rule for one of its sentences.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from core.agents.offline.questions import LABEL, split

FOLDER = Path(__file__).parent / "asked"
OPEN, LOCKED = 57, 54  # of 60 prompts, 30 forms in two places each, that must be taken apart rightly


def _prompts(lang: str, half: str) -> list[tuple[str, str, str]]:
    """(prompt, question, context): every form behind its context on a line or a paragraph of its own, or in the same
    paragraph, and before it."""
    read: dict[str, Any] = json.loads((FOLDER / f"{lang}.json").read_text())
    found = []
    for number, form in enumerate(read[half]):
        context = read["contexts"][number % len(read["contexts"])]
        label = LABEL.match(form)
        question = form[label.end() :].strip() if label else form
        same_line = " " if context.endswith(".") else "" if context.endswith("。") else "\n"
        gap = ("\n\n", "\n", same_line)[number // len(read["contexts"]) % 3]
        found.append((context + gap + form, question, context))
        ends = form[-1] in ".?!。？！"
        found.append((form + ("\n\n" if number % 2 or not ends else "\n") + context, question, context))
    return found


def _missed(lang: str, half: str) -> list[tuple[str, str]]:
    missed = []
    for prompt, question, context in _prompts(lang, half):
        found = split(prompt)
        if (found.question, found.context) != (question, context):
            missed.append((prompt, found.question))
    return missed


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("half", "least"), [("open", OPEN), ("locked", LOCKED)])
def test_the_question_is_found_beside_its_context(lang: str, half: str, least: int) -> None:
    missed = _missed(lang, half)

    assert 60 - len(missed) >= least, missed


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("half", ["open", "locked"])
def test_nothing_of_a_prompt_is_dropped(lang: str, half: str) -> None:
    for prompt, _, _ in _prompts(lang, half):
        found = split(prompt)

        kept = "".join((found.question + found.context).split())
        label = sum(len("".join(found_label.group().split())) for found_label in LABEL.finditer(prompt))
        assert len(kept) >= len("".join(prompt.split())) - label
