"""A model that answers by rule, English and Chinese, from nothing but what the prompt shows it.

It reads the fences as the system message says, so that a prompt that leaves something out, or
fences it wrongly, changes the answer.
"""

import re
from collections.abc import Sequence

from core.language import CHINESE, language_of
from core.ports.chat import ChatMessage, ReplyShape
from core.text import sentences
from tests.core.agents.llm.replies import fences, said

SUBJECTS = ("quantum computing", "量子计算")  # memories that speak of one of these are of one topic
NEIGHBORING = ("quantum", "量子")
CLAIM = re.compile(r"(?:CEO of Acme is (?P<who>\w+ \w+))|(?:Acme的CEO是(?P<谁>\w\w))")
YEAR = re.compile(r"20\d\d")
KEYWORDS = ("IBM", "quantum", "qubits", "chip", "Acme", "CEO", "量子计算", "量子", "芯片", "2020", "2023")


def by_rule(messages: Sequence[ChatMessage], shape: ReplyShape) -> str:
    shown = dict(fences(messages[1].text))
    return RULES[shape.name](shown)


def _clusters(shown: dict[str, str]) -> str:
    numbers = [name for name in shown if name.isdecimal()]
    text = "\n".join(shown[number] for number in numbers)
    one = {"cluster_id": 1, "pieces": [f"0-{len(numbers) - 1}"]}
    one |= {"context": _first(text).rstrip(".。"), "keywords": _keywords(text)}
    return said(should_cluster=False, clusters=[one])


def _summary(shown: dict[str, str]) -> str:
    return said(summary=shown["record"])


def _first_judgement(shown: dict[str, str]) -> str:
    new = _summary_of(shown["new"])
    relations = []
    for name, memory in _nodes(shown):
        existing = _summary_of(memory)
        ours, theirs = CLAIM.search(new), CLAIM.search(existing)
        if ours and theirs and ours.group() != theirs.group():
            relations.append(_conflict(name, ours, theirs, language_of(new) is CHINESE))
        elif any(subject in new and subject in existing for subject in SUBJECTS):
            relations.append(_merge(name, language_of(new) is CHINESE))
    return said(relations=relations)


def _conflict(name: str, ours: re.Match[str], theirs: re.Match[str], chinese: bool) -> dict[str, object]:
    a, b = (next(filter(None, match.groups())) for match in (ours, theirs))
    return {
        "existing_node": name,
        "reasoning": f"新记忆说CEO是{a}，{name}说CEO是{b}"
        if chinese
        else f"The new one says {a}, {name} says {b}.",
        "new_quote": ours.group(),
        "existing_quote": theirs.group(),
        "relationship": "conflict",
        "confidence": 0.95,
        "conflict_description": f"CEO信息矛盾：{a}还是{b}"
        if chinese
        else f"Who the CEO of Acme is: {a} or {b}",
        "merge_strategy": "",
    }


def _merge(name: str, chinese: bool) -> dict[str, object]:
    return {
        "existing_node": name,
        "reasoning": "两者都描述量子计算的进展"
        if chinese
        else "Both describe progress in quantum computing.",
        "new_quote": "",
        "existing_quote": "",
        "relationship": "merge",
        "confidence": 0.9,
        "conflict_description": "",
        "merge_strategy": "保留完整信息，补充新视角"
        if chinese
        else "Keep all that is known, add the new view.",
    }


def _second_judgement(shown: dict[str, str]) -> str:
    new, relations = shown["new"], []
    for name, memory in _nodes(shown):
        if not any(word in new.casefold() and word in memory.casefold() for word in NEIGHBORING):
            continue
        mine, theirs = _context_of(new), _context_of(memory)
        near = ("（与{}相关）" if language_of(new) is CHINESE else " (related to {})").format
        relations.append(
            {
                "existing_node": name,
                "reasoning": "同属量子技术"
                if language_of(new) is CHINESE
                else "Both belong to quantum technology.",
                "relationship": "related",
                "confidence": 0.85,
                "context_update_new": mine + near(theirs),
                "context_update_existing": theirs + near(mine),
                "keywords_update_new": _keywords(new),
                "keywords_update_existing": _keywords(memory),
            }
        )
    return said(relations=relations)


def _consolidation(shown: dict[str, str]) -> str:
    memories = [memory for _, memory in _nodes(shown)]
    newest_first = sorted(memories, key=lambda memory: memory.split("\n", 1)[0], reverse=True)
    if "verdict" in shown:
        return _settled(shown, newest_first)
    text = "\n".join(_summary_of(memory) for memory in newest_first)
    title = _title(text)
    return said(
        summary=text,
        context=title,
        keywords=_keywords(text),
        neighbor_updates=[
            _reworded(name, words, title) for name, words in shown.items() if name.startswith("neighbor_")
        ],
        interaction_tree_description=_note(len(memories), text),
    )


def _verdict_type(shown: dict[str, str]) -> str:
    """It decides where it makes a claim."""
    decides = CLAIM.search(shown["verdict"]) is not None
    return said(reasoning=_first(shown["verdict"]), verdict="merge" if decides else "dismiss")


def _settled(shown: dict[str, str], memories: Sequence[str]) -> str:
    """The verdict, and what the memories say besides the claims it does not make."""
    verdict = shown["verdict"]
    lines = [line for memory in memories for line in _summary_of(memory).splitlines()]
    numbered = [line.split(": ", 1) for line in lines]
    claimed = CLAIM.findall(verdict)[-1]
    wrong = [(n, text) for n, text in numbered if (found := CLAIM.findall(text)) and found[0] != claimed]
    kept = [text for n, text in numbered if (n, text) not in wrong and not CLAIM.search(text)]
    return said(
        summary="\n".join([verdict, *kept]),
        context=_first(verdict).rstrip(".。"),
        keywords=_keywords(verdict),
        interaction_tree_description=_note(len(memories), verdict),
        refuted=[number for number, _ in wrong],
    )


def _reworded(name: str, words: str, title: str) -> dict[str, object]:
    near = "（与{}相关）" if language_of(title) is CHINESE else " (related to {})"
    own = re.sub(r"（与.*相关）| \(related to .*\)", "", _context_of(words))
    kept = [word for word in _keywords_of(words) if not YEAR.fullmatch(word)]
    years = YEAR.findall(title)
    added = ["-".join(years), "综合报告" if language_of(title) is CHINESE else "report"]
    return {"node_id": name, "context": own + near.format(title), "keywords": [*kept, *added]}


def _plan(shown: dict[str, str]) -> str:
    """SEARCH, then ANSWER, then nothing; a validation in front is the service's own affair."""
    goal = shown["goal"]
    reported = shown.get("reported", "")
    done = shown.get("done", "") + reported
    steps = []
    if "SEARCH" not in done:
        steps = [_step("SEARCH", "搜索：" if language_of(goal) is CHINESE else "Search for: ", goal)]
    elif "ANSWER" not in done:
        steps = [_step("ANSWER", "回答：" if language_of(goal) is CHINESE else "Answer: ", goal)]
    found = _first(reported.split("context:\n")[-1]) if reported else ""
    return said(task_goal=goal, completed_context=found, pending_tasks=steps)


def _step(kind: str, verb: str, goal: str) -> dict[str, str]:
    how = "依据已有记忆" if language_of(goal) is CHINESE else "From the memories there are"
    return {"type": kind, "description": verb + goal, "how": how, "retry_of": ""}


RULES = {
    "clusters": _clusters,
    "summary": _summary,
    "conflicts_and_merges": _first_judgement,
    "relations": _second_judgement,
    "consolidation": _consolidation,
    "verdict": _verdict_type,
    "plan": _plan,
}


# ---- reading what is shown ----


def _nodes(shown: dict[str, str]) -> list[tuple[str, str]]:
    return [(name, text) for name, text in shown.items() if name.startswith("node_")]


def _summary_of(memory: str) -> str:
    return memory.split("summary:\n", 1)[1]


def _context_of(memory: str) -> str:
    return _line(memory, "context")


def _keywords_of(memory: str) -> list[str]:
    return _line(memory, "keywords").split(", ")


def _line(memory: str, label: str) -> str:
    return next(line for line in memory.splitlines() if line.startswith(f"{label}: ")).removeprefix(
        f"{label}: "
    )


def _keywords(text: str) -> list[str]:
    return [word for word in KEYWORDS if word in text]


def _first(text: str) -> str:
    return sentences.split(text)[0]


def _title(text: str) -> str:
    years = sorted(set(YEAR.findall(text)))
    span = "-".join(dict.fromkeys((years[0], years[-1])))
    return (
        f"{span}年量子计算综合报告" if language_of(text) is CHINESE else f"Report on quantum computing {span}"
    )


def _note(count: int, text: str) -> str:
    return f"综合了{count}个节点的内容" if language_of(text) is CHINESE else f"Put together {count} memories."
