"""What a tool's result states: its sentences, rows and fields, the most telling first.

Law: pure; every statement stands in the result, white space folded; a row of JSON or XML reads as its fields with their
names. All of a result is looked at, however long. What it says again and again says least; so does what many results
say.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from core.agents.offline import salience
from core.text import analysis, sentences
from core.text.fields import rows
from core.text.questions import asks

WEIGHED = 40  # statements of a result that are compared with one another
LONGEST = 240  # characters of a line that is read as one statement
FEWEST = 3  # terms of what says something by itself
RECORDS = 500  # rows of a result in JSON or XML that are read
FIGURE = re.compile(r"\d")
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
        if not _DENIED_BEFORE.search(before) and not _DENIED_BEHIND.match(lowered, end):
            return True
        at = lowered.find(word, end)
    return False


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
    content: str, asked: frozenset[str] = frozenset(), common: frozenset[str] = frozenset()
) -> list[str]:
    """Returns what a result states, the most telling first, nothing twice. `asked`: terms of what was asked of the
    tool; `common`: what other results say, too (`usual`), which is told where nothing else is."""
    found = stated(content)
    found = [each for each in found if shape(each) not in common] or found
    times = Counter(map(shape, found))
    distinct = list(dict.fromkeys(found))
    rough = [_rough(each, times[shape(each)], len(found), asked) for each in distinct]
    best = sorted(range(len(distinct)), key=lambda at: (-rough[at], at))[:WEIGHED]
    worth = salience.scores([distinct[at] for at in best])
    ranked = sorted(zip(best, worth, strict=True), key=lambda each: (-rough[each[0]] * each[1], each[0]))
    return [distinct[at] for at, _ in ranked]


def _rough(text: str, times: int, among: int, asked: frozenset[str]) -> float:
    """Returns how telling a statement seems that stands so many times among so many."""
    weight = 1.0 + 0.6 * (FIGURE.search(text) is not None)
    if times > 1 and among > times:
        weight *= 0.4
    if asks(text):
        weight *= 0.3
    lowered = text.lower()
    if any(word in lowered for word in ERRORS) and not tells_of_error(text):
        weight *= 0.5  # nothing went wrong: as a rule nothing is told by that
    if asked:
        weight *= 1 + 0.3 * min(2, len(asked.intersection(analysis.terms(text[:LONGEST]))))
    return weight
