"""What a tool's result states: its sentences, rows and fields, the most telling first.

Law: pure; every statement stands in the result, white space folded; a row of JSON or XML reads as its fields with their
names. All of a result is looked at, however long. What holds the words that it was asked for, and that were used of it,
says most, those the most that few of its statements hold. What it says again and again says least; so does what many
results say. A row of a table stands behind the table's head.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from core.agents.offline import salience
from core.text import analysis, sentences
from core.text.fields import rows
from core.text.questions import asks

WEIGHED = 40  # statements of a result that are compared with one another
LONGEST = 240  # characters of a line that is read as one statement
FEWEST = 3  # terms of what says something by itself
HEAD = range(2, 16)  # words of a table's head
WIDER = 2  # words that it may have more than a row
ENDS = 1.5  # how much more the first and the last statement tell: where a tool sums up
LONG = 0.4  # how much less one that is longer than is read at a glance
AMONG_ALL, AMONG_ASKED = 0.5, 0.2
"""The power of what a statement says by its own words, where nothing tells what is wanted, and where something does."""
NOTHING_ASKED: Mapping[str, float] = {}
RECORDS = 500  # rows of a result in JSON or XML that are read
FIGURE = re.compile(r"\d")
_PATH = re.compile(r"[\w.~-]*/[\w./-]*|[\w-]+(?:\.[a-z]{1,4})+(?=[:,)\]\s]|$)")
_TELLS = re.compile(r"[\d:：=.,;!?。，；！？]")
DIGITS = re.compile(r"\d+")
ERRORS = (
    *("error", "exception", "fail", "denied", "refused", "invalid", "traceback", "unavailable"),
    *("timeout", "time out", "timed out", "timedout", "not found"),
    *("错误", "异常", "失败", "超时", "拒绝", "无效", "找不到", "不存在"),
)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:no|zero|0|any)(?: \w+){0,2} |\b(?:not|never|without|nor|n[o']t have)(?: \w+){0,4} "
    r"|(?:没有?|未|无|零|并非|不再|不会|0\s*个)[^，。；：！？,.;:!?]{0,10})$"
)
_DENIED_BEHIND = re.compile(
    r"[a-z]*(?:\s+\w+)?\s*[:=：]\s*(?:0|none|null|nil|false|no|\[\s*\]|无|没有|零)\s*(?:$|[,;)}\]，。；])"
)


def tells_of_error(line: str) -> bool:
    """Whether a line reports an error; "no errors", `errors: 0`, 没有发现异常 do not."""
    lowered = line.lower()
    return any(_reports(lowered, word) for word in ERRORS if word in lowered)


def _reports(lowered: str, word: str) -> bool:
    at = lowered.find(word)
    while at >= 0:
        end = at + len(word)
        before = lowered[max(0, at - 60) : at]
        is_denied = _DENIED_BEFORE.search(before) or _DENIED_BEHIND.match(lowered, end)
        if not is_denied and not _is_in_a_path(lowered, at, end):
            return True
        at = lowered.find(word, end)
    return False


def _is_in_a_path(lowered: str, at: int, end: int) -> bool:
    """Whether a word is part of a file's name: `core/errors.py` reports nothing."""
    start = max(lowered.rfind(sign, 0, at) for sign in " \t([\"'=") + 1
    path = _PATH.match(lowered, start)
    return path is not None and path.end() >= end


def stated(content: str) -> list[str]:
    """Returns what a result states, in its order: sentences and short lines as they are, of JSON and XML each
    object's fields."""
    if fields := rows(content):
        return fields[:RECORDS]
    found: list[str] = []
    for line in content.splitlines():
        folded = " ".join(line.split())
        if not any(map(str.isalnum, folded)):
            continue
        if len(folded) <= LONGEST:
            found += _short(folded)
        else:
            found += [" ".join(each.split()) for each in sentences.split(line)]
    return found


def _short(line: str) -> Sequence[str]:
    """Returns a line as it is, unless it holds several sentences."""
    parts = [" ".join(each.split()) for each in sentences.split(line)] if len(line) > LONGEST // 4 else [line]
    return parts or [line]


def usual(contents: Iterable[str]) -> frozenset[str]:
    """Returns what several results say, whatever the figures in it."""
    counted: Counter[str] = Counter()
    for content in contents:
        counted.update({shape(each) for each in stated(content)})
    return frozenset(line for line, times in counted.items() if times > 1)


def shape(statement: str) -> str:
    """Returns a statement without its figures and case."""
    return DIGITS.sub("0", statement).casefold()


def telling(
    content: str, asked: Mapping[str, float] = NOTHING_ASKED, common: frozenset[str] = frozenset()
) -> list[str]:
    """Returns what a result states, the most telling first, nothing twice; before that the head of a table. `asked`:
    terms of what was asked of the tool and used of its answer, each with what it counts; `common`: what other results
    say, too (`usual`), which is told where nothing else is."""
    whole = stated(content)
    found = [each for each in whole if shape(each) not in common] or whole
    times = Counter(map(shape, found))
    distinct = list(dict.fromkeys(found))
    asked_for = _asked_for(distinct, asked)
    rough = [
        _rough(each, times[shape(each)], len(found)) * (1.0 + asked_for[at]) * _at_the_ends(at, len(distinct))
        for at, each in enumerate(distinct)
    ]
    best = sorted(range(len(distinct)), key=lambda at: (-rough[at], at))[:WEIGHED]
    worth = salience.scores([distinct[at] for at in best])
    bent = AMONG_ASKED if any(asked_for) else AMONG_ALL
    ranked = sorted(
        zip(best, worth, strict=True), key=lambda each: (-rough[each[0]] * each[1] ** bent, each[0])
    )
    order = [distinct[at] for at, _ in ranked]
    head = _head(whole, order[0]) if order else ""
    return [head, *(each for each in order if each != head)] if head else order


def _asked_for(statements: Sequence[str], asked: Mapping[str, float]) -> list[float]:
    """Returns how much of what was asked each holds: the more, the fewer others hold it."""
    if not asked:
        return [0.0] * len(statements)
    said = [wanted_terms(each[:LONGEST]) for each in statements]
    held = [asked.keys() & words for words in said]
    count = Counter(word for words in held for word in words)
    weight = {word: asked[word] * math.log((1 + len(statements)) / n) for word, n in count.items()}
    return [
        sum(weight[word] for word in words) * (1.0 + len(words) / max(FEWEST, len(all_)))
        for words, all_ in zip(held, said, strict=True)
    ]


def wanted_terms(text: str) -> frozenset[str]:
    """Returns the terms of a text, and those that stand side by side in it as one: "station 17" is no other 17."""
    read = analysis.terms(text)
    return frozenset((*read, *map(" ".join, pairwise(read))))


def _at_the_ends(at: int, among: int) -> float:
    return ENDS if at in (0, among - 1) else 1.0


def _head(statements: Sequence[str], row: str) -> str:
    """Returns the first statement where it is the head of a table in which a row stands; else nothing."""
    head = statements[0]
    words, columns = len(head.split()), len(row.split())
    is_head = len(statements) > 1 and words in HEAD and not _TELLS.search(head)
    return head if is_head and head != row and FIGURE.search(row) and columns >= words - WIDER else ""


def _rough(text: str, times: int, among: int) -> float:
    """Returns how telling a statement seems that stands so many times among so many."""
    weight = 1.0 + 0.6 * (FIGURE.search(text) is not None)
    if len(text) > LONGEST:
        weight *= LONG
    if times > 1 and among > times:
        weight *= 0.4
    if asks(text):
        weight *= 0.3
    lowered = text.lower()
    if any(word in lowered for word in ERRORS) and not tells_of_error(text):
        weight *= 0.5  # nothing went wrong: as a rule nothing is told by that
    return weight
