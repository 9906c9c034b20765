"""Taking a prompt apart: what is asked, and what is given.

Law: pure; both parts are verbatim. The question is one paragraph or sentence run at the end or
at the start of the prompt; everything else is context.
"""

import re
from dataclasses import replace

from core.agents.roles import SplitPrompt
from core.text import outline, sentences
from core.text.scripts import display_width

LONGEST_QUESTION = 600  # columns; a longer paragraph is context that ends with a question

QUESTION_MARK = re.compile(r"[?？][\"'”’)）]*$")
LABEL = re.compile(
    r"\s*(?:\*\*|#+ )?(?:questions?|query|task|goal|instructions?|问题|提问|任务|目标|请求|要求)"
    r"(?:\*\*)?\s*[:：]",
    re.IGNORECASE,
)
INSTRUCTION = re.compile(
    r"\s*(?:please\s+|kindly\s+|(?:can|could|would) you\s+"
    r"|(?:based on|according to|given|using|from)\b.*?,\s*)?"
    r"(?:answer|summari[sz]e|explain|find|list|compare|describe|analy[sz]e|write|tell|identify|determine|calculate"
    r"|compute|research|investigate|translate|give|show|extract|evaluate|discuss|report|check|verify)\b"
    r"|\s*(?:请|帮我|麻烦|根据|基于|结合|总结|概括|分析|研究|解释|说明|比较|列出|找出|回答|计算|翻译)",
    re.IGNORECASE,
)


def split(prompt: str) -> SplitPrompt:
    """The question and the context of a prompt; the context is empty when all of it is asked.

    A label before the question ("Question:", 问题：) belongs to neither.
    """
    text = prompt.strip()
    parts = list(outline.paragraphs(text))
    if len(parts) < 2:
        return _from_the_end(text)
    last, first = text[parts[-1].start :], text[: parts[0].end]
    at_end = SplitPrompt(question=last, context=text[: parts[-1].start].strip())
    at_start = SplitPrompt(question=first, context=text[parts[0].end :].strip())
    for part in (at_end, at_start):
        label = LABEL.match(part.question)
        if label and display_width(part.question) <= LONGEST_QUESTION:
            return replace(part, question=part.question[label.end() :].strip(" *\n") or part.question)
    if _asks(last):
        return at_end
    return at_start if _asks(first) else _from_the_end(text)


def _asks(paragraph: str) -> bool:
    """Whether a paragraph is short enough and asks with at least half of its sentences."""
    said = sentences.split(paragraph) if display_width(paragraph) <= LONGEST_QUESTION else []
    return bool(said) and 2 * sum(map(_asking, said)) >= len(said)


def _asking(sentence: str) -> bool:
    if display_width(sentence) > LONGEST_QUESTION:
        return False
    return QUESTION_MARK.search(sentence) is not None or INSTRUCTION.match(sentence) is not None


def _from_the_end(text: str) -> SplitPrompt:
    """Asking sentences at the end of the text, else at its start; all of it is the question if none asks."""
    places = sentences.spans(text)
    asking = [_asking(text[start:end]) for start, end in places]
    if all(asking) or not (asking[0] or asking[-1]):
        return SplitPrompt(question=text, context="")
    if asking[-1]:
        start = places[len(asking) - asking[::-1].index(False)][0]
        return SplitPrompt(question=text[start:].strip(), context=text[:start].strip())
    end = places[asking.index(False) - 1][1]
    return SplitPrompt(question=text[:end].strip(), context=text[end:].strip())
