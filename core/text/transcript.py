"""What an agent's transcript is made of: thoughts, calls of tools, what they brought, answers.

Law: pure; reads forms, not meaning. A text is a transcript only by a sure sign: a label that nothing else uses
("Thought:", "Action Input:", 最终答案：), a tag, a call written as JSON, a list of chat messages, or a tool that
speaks. Then weaker labels ("Result:", "Answer:") count too. A text that is none has no parts.

Shapes read: `Thought / Action / Observation` and their Chinese kin, numbered, bold, bracketed or as headings;
`<think>`, `<tool_call>` and the like; fenced blocks that call; message lists (see `message_lists`); and records of
messages with their roles in front ("assistant: …", "tool search: …").
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from core.text import message_lists
from core.text.storable import storable
from core.text.words import words


class Kind(StrEnum):
    ASKED = "asked"  # the task as it was given
    THOUGHT = "thought"
    CALL = "call"
    OBSERVATION = "observation"
    ANSWER = "answer"
    SAID = "said"  # by a person, named or not


TOLD = (Kind.OBSERVATION, Kind.ANSWER, Kind.SAID)
FOUND = (Kind.OBSERVATION, Kind.ANSWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a transcript: what it is, its words without label, and where it lies (the label included).

    `whole`: it makes sense only together, as an object of JSON does. `by_role`: an answer only because an assistant
    speaks.
    """

    kind: Kind
    text: str
    start: int
    end: int
    whole: bool = False
    by_role: bool = False


class Mark(NamedTuple):
    """Where a part of some kind begins: its label lies from `start` to `end`. `sure`: nothing else looks so."""

    start: int
    end: int
    kind: Kind
    sure: bool
    role: bool = False


SURE = {
    Kind.THOUGHT: r"thoughts?|thinking|reasoning|inner monologue|思考(?:过程)?|想法|推理(?:过程)?|反思",
    Kind.CALL: r"action[ _]?inputs?|tool[ _]calls?|tool[ _](?:inputs?|name)|function[ _]calls?"
    r"|行动输入|动作输入|工具调用|调用工具|工具(?:输入|参数|名称)|函数调用",
    Kind.OBSERVATION: r"(?:tool|function)[ _](?:outputs?|results?|responses?)|工具(?:返回|结果|输出|响应)(?:结果)?",
    Kind.ANSWER: r"final[ _]answer|最终(?:答案|回答|答复)",
}
WEAK = {
    Kind.ASKED: r"question|task|query|human|问题|任务",
    Kind.CALL: r"actions?|code|command|invoke|行动|动作|操作|调用|参数|命令",
    Kind.OBSERVATION: r"observations?|results?|outputs?|responses?|execution logs?"
    r"|观察(?:结果)?|观测(?:结果)?|返回(?:结果|值)?|执行结果|结果|输出",
    Kind.ANSWER: r"answer|conclusion|findings?|答案|回答|结论|最终结论",
}
ROLES = {
    "system": Kind.ASKED,
    "developer": Kind.ASKED,
    "user": Kind.SAID,
    "human": Kind.SAID,
    "assistant": Kind.ANSWER,
    "ai": Kind.ANSWER,
    "model": Kind.ANSWER,
    "tool": Kind.OBSERVATION,
    "function": Kind.OBSERVATION,
}
LABELS = [
    (kind, sure, re.compile(rf"(?:{pattern})\Z", re.IGNORECASE))
    for sure, table in ((True, SURE), (False, WEAK))
    for kind, pattern in table.items()
]
LABEL = re.compile(
    r"^[ \t]*(?P<dress>[^\w\n\"'({<`（《“|,，.。]{0,8}?)"
    r"(?:(?i:step|turn|round|iteration|第)\s*[\d一二三四五六七八九十]+\s*[步轮]?\s*[\]】:：.\-–—]*\s*|\d{1,3}[.)、]\s*)?"
    r"(?P<open>[\[【(（]?)(?P<name>[A-Za-z\u4e00-\u9fff][A-Za-z_ \u4e00-\u9fff]{0,20}?)"
    r"\s*#?(?:\d{1,3}|[一二三四五六七八九十])?(?P<close>[\]】)）]?)"
    r"(?:\*\*|__)?[ \t]*(?P<colon>[:：](?:\*\*|__)?|->|=>|→|(?<=[\]】])|(?<=[\]】] )|(?=[ \t]*$))[ \t]*",
    re.MULTILINE,
)
LABELLED = re.compile(r"[:：>→\]】)）]|^[ \t]*[^\w\s]", re.MULTILINE)
"""Without any of these there is no label: most of what people say is told from transcripts at a tenth of the cost."""
FINAL = re.compile(r"(?:\bFinal Answer|最终答案|最终回答)\s*[:：]\s*")
ROLE = re.compile(
    r"^(?P<role>system|developer|user|human|assistant|ai|model|tool|function)(?: [\w.:/-]{1,64})?: ",
    re.MULTILINE,
)
TAG = re.compile(
    r"<(?P<close>/?)(?P<name>think|thinking|thought|scratchpad|reasoning|reflection|inner_monologue"
    r"|tool_calls?|function_calls?|tool_use|invoke|tool_code|search|execute|action"
    r"|tool_response|tool_results?|function_results?|tool_output|observation|information|output"
    r"|answer|final_answer)(?:\s[^<>\n]*)?>",
    re.IGNORECASE,
)
TAGS = {
    Kind.THOUGHT: words("think thinking thought scratchpad reasoning reflection inner_monologue"),
    Kind.CALL: words(
        "tool_call tool_calls function_call function_calls tool_use invoke tool_code search execute action"
    ),
    Kind.OBSERVATION: words(
        "tool_response tool_result tool_results function_result function_results tool_output"
        " observation information output"
    ),
    Kind.ANSWER: words("answer final_answer"),
}
FENCED = re.compile(
    r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*\n(?P<body>.*?)^[ \t]{0,3}\1[`~]*[ \t]*$\n?", re.MULTILINE | re.DOTALL
)
CALL_KEYS = (
    ("name", ("arguments", "parameters", "input", "args")),
    ("tool", ("arguments", "parameters", "input", "args", "tool_input", "query")),
    ("tool_name", ("arguments", "parameters", "input", "args", "tool_input")),
    ("action", ("action_input", "args", "arguments", "input", "parameters")),
    ("function", ("arguments", "parameters", "args")),
)
OBJECT_LINE = re.compile(r"^[ \t]*(?:[\w.:-]{1,64} )?(\{.*\})[ \t]*,?$", re.MULTILINE)
CALLED = re.compile(r"\s*`{0,3}[\w.:-]+\s*(?:\[.*\]|\(.*\))`{0,3}\s*\Z", re.DOTALL)
NAMED_CALL = re.compile(
    r"^[ \t]*(?:\[tool [^\]\n]{1,128}\].*|[A-Za-z_][\w.:-]{0,63} \{.*\}[ \t]*)$", re.MULTILINE
)
MARKED_CALL = re.compile(r"^\[tool [^\]\n]{1,128}\].*$", re.MULTILINE)
"""As clients write a call into a message (see AdvanceTaskRequest.result)."""
IDENTIFIER = re.compile(r"\s*[a-z]+(?:[_.][a-z0-9]+)+\s*\Z")
FINISH = re.compile(
    r"\s*`*(?:finish|final_answer|answer|submit|respond|完成|回答|结束)\s*[\[(]\s*(?P<text>.*?)\s*[\])]\s*`*\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
FINAL_ACTION = re.compile(r"final[ _]?answer|finish|respond|最终答案", re.IGNORECASE)
INTENT = re.compile(
    r"\s*(?:I(?:'ll|'m|’ll|’m)?|let me|let's|let’s|now|next|first|then|ok(?:ay)?|so|we (?:need|should|can)"
    r"|to (?:find|get|check))\b"
    r"|\s*(?:我|让我|接下来|现在|下一步|首先|然后|好的|需要)",
    re.IGNORECASE,
)
BLANK = re.compile(r"\n[ \t]*\n")


def parts(text: str) -> tuple[Part, ...]:
    """Returns what a transcript is made of, in order; nothing for a text that is none."""
    return tuple(_settled(marked(text)))


def marked(text: str) -> list[Part]:
    """Returns the parts as they are marked: what comes after one says nothing of it."""
    if listed := message_lists.messages(text):
        return [part for message in listed for part in of_message(message)]
    marks = _marks(text)
    return list(_between(text, marks)) if marks else []


def told(text: str, kinds: Sequence[Kind] = TOLD) -> str:
    """Returns a transcript's text beside thoughts, calls and the task; a text that is none as it stands."""
    found = parts(text)
    if not found:
        return text
    return "\n".join(part.text.strip() for part in found if part.kind in kinds and part.text.strip())


def names_part(label: str) -> bool:
    """Whether a label tells only which part of a transcript comes ("Observation", 最终答案)."""
    return any(pattern.match(label.strip(" \t*_#[]【】")) for _, _, pattern in LABELS)


def lines(messages: Iterable[tuple[str, str, str]]) -> list[str]:
    """Messages, given as (role, speaker, text), as lines of a record that `parts` reads.

    Each has its speaker in front; where a tool speaks, its role, once for consecutive ones of the same.
    """
    parts = list(messages)
    works = any(ROLES.get(role) is Kind.OBSERVATION for role, _, _ in parts)
    found = []
    before: tuple[str, str] | None = None
    for role, speaker, text in parts:
        label = f"{speaker}: " if speaker else ""
        if works and role in ROLES:
            name = f" {speaker}" if speaker and " " not in speaker else ""
            label = "" if before == (role, speaker) else f"{role}{name}: "
        before = (role, speaker)
        found.append(label + text)
    return found


def bound(texts: Sequence[str]) -> list[bool]:
    """Returns for consecutive pieces of one text, whether each belongs with the next: a thought with what came of
    it."""
    joined = "\n".join(texts)
    found = parts(joined)
    ends, end = [], -1
    for text in texts:
        end += len(text) + 1
        ends.append(end)
    return [bool(found) and _tied(found, place) for place in ends[:-1]] + [False] * bool(texts)


def _tied(found: Sequence[Part], place: int) -> bool:
    """Whether what stands before a place and what stands behind it make no sense apart."""
    before = next((part for part in reversed(found) if part.start < place), None)
    if before is None:
        return False
    return before.kind not in TOLD or (before.whole and before.end > place)


# ---- messages ----


def of_message(message: message_lists.ListedMessage) -> Iterator[Part]:
    """Yields what one message is made of."""
    calls = any(kind == "call" for kind, _ in message.said)
    for kind, said in message.said:
        if kind == "call":
            yield _part(message, Kind.CALL, said)
        elif kind == "thinking":
            yield _part(message, Kind.THOUGHT, said)
        elif kind == "result":
            yield _part(message, Kind.OBSERVATION, said)
        else:
            own = ROLES.get(kind, Kind.SAID)
            if own is Kind.ANSWER and calls:
                own = Kind.THOUGHT
            inner = _spoken(said) if own is Kind.ANSWER else []
            yield from (replace(one, start=message.start, end=message.end, whole=True) for one in inner)
            if not inner:
                yield replace(_part(message, own, said), by_role=own is Kind.ANSWER)


def _spoken(said: str) -> list[Part]:
    """Returns the parts of what an assistant says; nothing for plain words. Where it calls no tool, what it says beside
    its thoughts is its answer."""
    inner = list(parts(said))
    if any(part.kind in (Kind.CALL, Kind.ANSWER) for part in inner):
        return inner
    return [replace(part, kind=Kind.ANSWER) if part.kind is Kind.SAID else part for part in inner]


def _part(message: message_lists.ListedMessage, kind: Kind, text: str) -> Part:
    return Part(kind=kind, text=text, start=message.start, end=message.end, whole=True)


# ---- labels, tags, fences ----


def _marks(text: str) -> list[Mark]:
    """Returns where parts begin, in order; none where nothing is sure."""
    marks = [*_labels(text), *_tags(text), *_calls(text)]
    if not _is_transcript(text, marks):
        return []
    marks.sort()
    kept: list[Mark] = []
    for mark in marks:
        if not kept or mark.start >= kept[-1].end:
            kept.append(mark)
    return kept


def _labels(text: str) -> Iterator[Mark]:
    if not LABELLED.search(text):
        return
    for found in LABEL.finditer(text):
        dressed = bool(found["dress"].strip() or found["open"])
        if not found["colon"] and not dressed or bool(found["open"]) != bool(found["close"]):
            continue
        for kind, sure, pattern in LABELS:
            if pattern.match(found["name"].strip()):
                yield Mark(found.start(), found.end(), kind, sure)
                break
    for found in FINAL.finditer(text):
        yield Mark(found.start(), found.end(), Kind.ANSWER, True)
    for found in ROLE.finditer(text):
        kind = ROLES[found["role"]]
        yield Mark(found.start(), found.end(), kind, kind is Kind.OBSERVATION, role=True)


def _tags(text: str) -> Iterator[Mark]:
    if "<" not in text:
        return
    for found in TAG.finditer(text):
        kind = next(kind for kind, names in TAGS.items() if found["name"].lower() in names)
        sure = kind is Kind.THOUGHT or found["name"].lower().startswith(("tool", "function"))
        yield Mark(found.start(), found.end(), Kind.SAID if found["close"] else kind, sure)


def _calls(text: str) -> Iterator[Mark]:
    """Returns fenced blocks and lines of JSON that call a tool, and the text behind them."""
    for found in MARKED_CALL.finditer(text) if "[tool " in text else ():
        yield Mark(found.start(), found.start(), Kind.CALL, True)
        yield Mark(found.end(), found.end(), Kind.SAID, False)
    if "{" not in text:
        return
    for pattern, group in ((FENCED, "body"), (OBJECT_LINE, 1)):
        for found in pattern.finditer(text):
            if (answer := _call(found[group])) is None:
                continue
            kind = Kind.ANSWER if answer else Kind.CALL
            yield Mark(found.start(), found.start(), kind, True)
            yield Mark(found.end(), found.end(), Kind.SAID, False)


def _call(body: str) -> str | None:
    """Reads JSON that calls a tool: returns the answer, if the tool is the one that ends the task, else ""; None for
    no call."""
    try:
        decoded = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return None
    one = decoded[0] if isinstance(decoded, list) and decoded else decoded
    if not isinstance(one, dict):
        return None
    for name, arguments in CALL_KEYS:
        given = next((one[key] for key in arguments if key in one), None)
        if isinstance(one.get(name), str) and given is not None:
            answers = FINAL_ACTION.fullmatch(one[name].strip()) and isinstance(given, str)
            return storable(given) if answers else ""
    return None


def _is_transcript(text: str, marks: Sequence[Mark]) -> bool:
    sure = [mark for mark in marks if mark.sure]
    if sure:
        alone = any(text[mark.start : mark.end].startswith("<") or mark.start == mark.end for mark in sure)
        alone = alone or any(mark.role and mark.start == 0 or mark.kind is Kind.ANSWER for mark in sure)
        return alone or len({mark.kind for mark in marks}) > 1
    return any(
        mark.kind is Kind.CALL and _looks_called(text[mark.end :].split("\n", 1)[0])
        for mark, after in pairwise(sorted(marks))
        if after.kind in FOUND
    )


def _looks_called(line: str) -> bool:
    """Whether an action is a tool's call and no plan: `search[tower]`, `web_search`."""
    return bool(CALLED.match(line) or IDENTIFIER.match(line))


def _between(text: str, marks: Sequence[Mark]) -> Iterator[Part]:
    if text[: marks[0].start].strip():
        yield Part(kind=Kind.SAID, text=text[: marks[0].start], start=0, end=marks[0].start)
    for mark, after in pairwise([*marks, Mark(len(text), len(text), Kind.SAID, False)]):
        yield from _content(text, mark, after.start)


def _content(text: str, mark: Mark, end: int) -> Iterator[Part]:
    """Yields one label's words. A call ends at a blank line outside fences: what follows without label is its
    result."""
    words = text[mark.end : end]
    if mark.kind is Kind.CALL and mark.start < mark.end and not text[mark.start : mark.end].startswith("<"):
        if finish := FINISH.match(words):
            yield Part(kind=Kind.ANSWER, text=finish["text"].strip("\"'“”"), start=mark.start, end=end)
            return
        fence = FENCED.search(words)
        blank = BLANK.search(words, fence.end() if fence and not words[: fence.start()].strip() else 0)
        if blank and words[blank.end() :].strip():
            yield Part(
                kind=Kind.CALL, text=words[: blank.start()], start=mark.start, end=mark.end + blank.end()
            )
            yield Part(
                kind=Kind.OBSERVATION, text=words[blank.end() :], start=mark.end + blank.end(), end=end
            )
            return
    if mark.start == mark.end and mark.kind is Kind.ANSWER:  # JSON that ends the task
        fence = FENCED.match(words)
        line = OBJECT_LINE.match(words)
        answer = _call(fence["body"] if fence else line[1] if line else "") or ""
        yield Part(kind=Kind.ANSWER, text=answer, start=mark.start, end=end)
        return
    kind = mark.kind
    if mark.role and kind is Kind.ANSWER and NAMED_CALL.search(words):
        kind = Kind.THOUGHT
    if words.strip():
        by_role = mark.role and kind is Kind.ANSWER
        yield Part(kind=kind, text=words, start=mark.start, end=end, by_role=by_role)


def _settled(found: list[Part]) -> list[Part]:
    """Makes thoughts of what leads up to a call: an answer that is none yet, and intentions under no label."""
    for number, (part, after) in enumerate(pairwise(found)):
        unfinished = part.by_role and after.kind in (Kind.CALL, Kind.OBSERVATION)
        if unfinished or (part.kind is Kind.SAID and after.kind is Kind.CALL and INTENT.match(part.text)):
            found[number] = replace(part, kind=Kind.THOUGHT)
    return found
