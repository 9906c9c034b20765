"""What a dull but well-behaved model would answer the five roles: enough for a whole run, and nothing more.

It reads the question as a model has to: the shape asked for, in whichever way it is told, and the fenced texts
of the user's message.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

FENCED = r"\[\[{mark} (?P<name>[^\]]+)\]\]\n(?P<text>.*?)(?=\n\[\[{mark} )"
SUMMARY = re.compile(r"summary:\n(?P<text>.*)", re.DOTALL)


def sensible(body: Mapping[str, Any]) -> str:
    """The reply to a request's body, as JSON of the shape asked for."""
    asked = _schema(body)["properties"]
    opening = next(m["content"] for m in body["messages"] if m["role"] == "user")
    return json.dumps(_REPLIES[_kind(asked)](_fenced(opening), asked), ensure_ascii=False)


def _schema(body: Mapping[str, Any]) -> Any:
    """Where the endpoint takes schemas, it stands in the response_format; else it ends the system message."""
    if strict := body.get("response_format", {}).get("json_schema"):
        return strict["schema"]
    system = body["messages"][0]
    assert system["role"] == "system"
    return json.loads(system["content"].splitlines()[-1])


def _kind(asked: Mapping[str, Any]) -> str:
    """Shapes are told apart by what they hold: their names are not told in every way."""
    if "relations" in asked:
        judged = asked["relations"]["items"]["properties"]
        return "first judgement" if "conflict_description" in judged else "second judgement"
    return next(kind for kind in _REPLIES if kind in asked)


Texts = Mapping[str, str]
"""The fenced texts by name."""


def _fenced(message: str) -> Texts:
    mark = message.splitlines()[0].removeprefix("Fence mark: ")
    pattern = re.compile(FENCED.format(mark=mark), re.DOTALL)
    return {m["name"]: m["text"] for m in pattern.finditer(message) if m["name"] != "end"}


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "nothing")[:120]


def _summary(text: str) -> str:
    found = SUMMARY.search(text)
    return (found["text"] if found else text).strip()


def _clusters(texts: Texts, _asked: Any) -> Any:
    numbers = [name for name in texts if name.isdigit()]
    cluster = {
        "cluster_id": 1,
        "pieces": numbers,
        "context": _first_line(texts[numbers[0]]),
        "keywords": _first_line(texts[numbers[0]]).split()[:3],
    }
    return {"should_cluster": False, "clusters": [cluster]}


def _first_judgement(texts: Texts, asked: Mapping[str, Any]) -> Any:
    """What says the same word for word is to be merged; nothing else is anything."""
    fields = asked["relations"]["items"]["properties"]
    finding = {
        "relationship": "merge",
        "confidence": 1,
        "reasoning": "Both say the same.",
        "merge_strategy": "",
    }
    same = [n for n in texts if n.startswith("node_") and _summary(texts[n]) == _summary(texts["new"])]
    return {
        "relations": [{name: finding.get(name, "") for name in fields} | {"existing_node": n} for n in same]
    }


def _consolidation(texts: Texts, asked: Mapping[str, Any]) -> Any:
    memories = [_summary(text) for name, text in texts.items() if name.startswith("node_")]
    reply: dict[str, Any] = {
        "summary": "\n".join(dict.fromkeys(memories)),
        "context": _first_line(memories[0]),
        "keywords": ["merged"],
        "interaction_tree_description": f"{len(memories)} memories put together.",
    }
    if "neighbor_updates" in asked:
        reply |= _rewordings(texts, asked)
    return reply | ({"refuted": []} if "refuted" in asked else {})


def _rewordings(texts: Texts, _asked: Any) -> Any:
    neighbors = [name for name in texts if name.startswith("neighbor_")]
    return {
        "neighbor_updates": [
            {"node_id": name, "context": "beside what was merged", "keywords": ["merged"]}
            for name in neighbors
        ]
    }


def _plan(texts: Texts, asked: Mapping[str, Any]) -> Any:
    step = {"type": "ANSWER", "description": "Answer the goal.", "how": "", "retry_of": ""}
    fields = asked["pending_tasks"]["items"]["properties"]
    done = "reported" in texts
    return {
        "task_goal": texts.get("goal", ""),
        "completed_context": "It was found." if done else "",
        "pending_tasks": [] if done else [{name: step[name] for name in fields}],
    }


def _verdict(_texts: Texts, _asked: Any) -> Any:
    return {"reasoning": "The verdict decides.", "verdict": "merge"}


_REPLIES: Mapping[str, Callable[[Texts, Any], Any]] = {  # by the field that tells a shape from those below
    "clusters": _clusters,
    "question": lambda _texts, _asked: {"question": ["0"]},
    "first judgement": _first_judgement,
    "second judgement": lambda _texts, _asked: {"relations": []},
    "verdict": _verdict,
    "context": _consolidation,
    "summary": lambda texts, _asked: {"summary": texts["record"].strip()},
    "neighbor_updates": _rewordings,
    "pending_tasks": _plan,
}
