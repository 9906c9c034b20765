"""Taking a prompt apart: what is asked, and what is given.

Law: pure; both parts are verbatim, and together they leave out nothing but labels, tags and white space. The question
is one paragraph or run of sentences at the end or at the start of the prompt, and the rest is context. Where none is
found there, the goal is the sentence that asks near the end, else the last one, and the whole prompt is context.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.agents.offline.asking import LONGEST, asks, goes_along
from core.agents.roles import SplitPrompt
from core.text import outline, sentences
from core.text.scripts import display_width

NEAR_THE_END = 6  # sentences among which a question is looked for that something else follows

LABELS = (
    r"(?:my |the |user'?s? )?(?:questions?|query|q|task|goal|instructions?|request)"
    r"|(?:我的|用户)?(?:问题|提问|任务|目标|请求|要求|问)"
)
LABEL = re.compile(
    rf"\s*(?:\*\*|#+ |【|\[)?(?:{LABELS})(?:】|\])?(?:\*\*)?\s*(?:[:：](?:\*\*)?|\n)", re.IGNORECASE
)
LABEL_ALONE = re.compile(
    rf"\s*^[ \t]*(?:\*\*|#+ |【|\[)?(?:{LABELS})(?:】|\])?(?:\*\*)?\s*[:：]?(?:\*\*)?\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
TAGGED = re.compile(
    r"<(question|query|task|goal|instructions?|request|问题|任务)>(.+?)</\1>", re.IGNORECASE | re.DOTALL
)
RULE_ALONE = re.compile(r"\s*^[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*\Z", re.MULTILINE)


def split(prompt: str) -> SplitPrompt:
    """Returns the question and the context of a prompt; the context is empty when all of it is asked.

    A label before the question ("Question:", 问题：) belongs to neither.
    """
    text = prompt.strip()
    if tagged := TAGGED.search(text):
        return _tagged(text, tagged)
    parts = list(outline.paragraphs(text))
    if len(parts) < 2:
        return _by_sentences(text)
    last, first = text[parts[-1].start :], text[: parts[0].end]
    at_end = SplitPrompt(question=last, context=_given(text[: parts[-1].start]))
    at_start = SplitPrompt(question=first, context=text[parts[0].end :].strip())
    for part in (at_end, at_start):
        label = LABEL.match(part.question)
        if label and display_width(part.question) <= LONGEST:
            return replace(part, question=part.question[label.end() :].strip(" *\n") or part.question)
    if _asking_paragraph(last) or LABEL_ALONE.search(text[: parts[-1].start]):
        return at_end
    titled = outline.lone_heading(first) is not None
    return at_start if not titled and _asking_paragraph(first) else _by_sentences(text)


def _tagged(text: str, tagged: re.Match[str]) -> SplitPrompt:
    before, after = text[: tagged.start()].strip(), text[tagged.end() :].strip()
    return SplitPrompt(
        question=tagged[2].strip() or text, context=text if before and after else before or after
    )


def _given(context: str) -> str:
    """Returns the context without a label or a rule at its end, which belongs to the question behind it."""
    return LABEL_ALONE.sub("", RULE_ALONE.sub("", context.strip())).strip()


def _asking_paragraph(paragraph: str) -> bool:
    """Whether a paragraph is short enough and asks with most of its sentences."""
    parts = sentences.split(paragraph) if display_width(paragraph) <= LONGEST else []
    counted = [one for one in parts if not goes_along(one)]
    return bool(counted) and 2 * sum(asks(one, last=True) for one in counted) > len(counted)


def _by_sentences(text: str) -> SplitPrompt:
    """Takes asking sentences at the end of the text, else at its start; else finds the goal in the whole of it."""
    places = sentences.spans(text)
    parts = [text[start:end] for start, end in places]
    if len(parts) < 2:
        return _of_one(text)
    for number in range(max(0, len(parts) - NEAR_THE_END), len(parts)):
        if number and (label := LABEL.match(parts[number])) and label.end() < len(parts[number]):
            return SplitPrompt(
                question=text[places[number][0] + label.end() :].strip(),
                context=text[: places[number][0]].strip(),
            )
    asking = [asks(one, last=number >= len(parts) - 2) for number, one in enumerate(parts)]
    run = _run_at_the_end(parts, asking)
    if run == 0 or all(asking):
        return SplitPrompt(question=text, context="")
    if run is not None:
        start = places[run][0]
        return SplitPrompt(question=text[start:].strip(), context=_given(text[:start]))
    if asking[0]:
        end = places[asking.index(False) - 1][1]
        return SplitPrompt(question=text[:end].strip(), context=text[end:].strip())
    return SplitPrompt(question=_goal(parts, asking), context=text)


def _of_one(text: str) -> SplitPrompt:
    """Splits a prompt of one sentence: it is its own question, unless it is too long to be one."""
    if display_width(text) <= LONGEST:
        return SplitPrompt(question=text, context="")
    start = len(text) - LONGEST // 2
    space = text.find(" ", start, start + LONGEST // 8)
    return SplitPrompt(question=text[max(space, start) :].strip(), context=text)


def _run_at_the_end(parts: Sequence[str], asking: Sequence[bool]) -> int | None:
    """Returns the number of the sentence with which the question at the end begins; how to answer goes along."""
    first = None
    for number in range(len(parts) - 1, -1, -1):
        if asking[number]:
            first = number
        elif not goes_along(parts[number]):
            break
    return first


def _goal(parts: Sequence[str], asking: Sequence[bool]) -> str:
    """Returns the last question near the end, else the last sentence that is no courtesy."""
    near = range(len(parts) - 1, max(-1, len(parts) - 1 - NEAR_THE_END), -1)
    chosen = next((n for n in near if asking[n]), None)
    if chosen is None:
        chosen = next((n for n in near if not goes_along(parts[n])), len(parts) - 1)
    return parts[chosen] if display_width(parts[chosen]) <= LONGEST else _of_one(parts[chosen]).question
