"""A model that knows a long task's script: it plans the next scripted step, and sees the planted contradictions.

Law: it answers from what the prompt shows it, but for the next step, which is the script's.
"""

import re
from collections.abc import Sequence
from typing import Any

from core.ports.chat import ChatMessage, ReplyShape
from core.text import sentences, transcript
from tests.core.agents.llm.replies import fences, said
from tests.long_tasks.script import LongTask

NUMBERED = re.compile(r"node_\d+\.\d+: ")
RETRIED = ("SEARCH", "SOLVE", "搜索", "解决")  # an answer makes no failure good
TYPES = {"搜索": "SEARCH", "解决": "SOLVE", "回答": "ANSWER"}


class ScriptedModel:
    """`position`: how many of the script's steps were reported, which the one that runs the task tells."""

    def __init__(self, task: LongTask) -> None:
        self.position = 0
        self._task = task

    def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> str:
        shown = dict(fences(messages[1].text))
        match shape.name:
            case "clusters":
                return self._clusters(shown)
            case "summary":
                return said(summary=transcript.told(shown["record"]) or shown["record"])
            case "conflicts_and_merges":
                return self._conflicts(shown)
            case "relations":
                return said(relations=[])
            case "verdict":
                return said(reasoning=_first(shown["verdict"]), verdict="merge")
            case "consolidation":
                return self._settled(shown)
            case _:
                return self._plan(shown)

    def _clusters(self, shown: dict[str, str]) -> str:
        numbers = [name for name in shown if name.isdecimal()]
        found = transcript.told("\n".join(shown[number] for number in numbers)) or shown[numbers[0]]
        one = {"cluster_id": 1, "pieces": [f"0-{len(numbers) - 1}"], "context": _first(found), "keywords": []}
        return said(should_cluster=False, clusters=[one])

    def _conflicts(self, shown: dict[str, str]) -> str:
        new = sentences.split(_summary(shown["new"]))
        relations: list[dict[str, Any]] = []
        for name, memory in shown.items():
            for ours, theirs in (
                (x, y) for x in new for y in sentences.split(_summary(memory)) if name.startswith("node_")
            ):
                planted = next(
                    (one for one in self._task.conflicts if one.is_of(ours, theirs) and ours != theirs), None
                )
                if planted and not any(one["existing_node"] == name for one in relations):
                    relations.append(
                        {
                            "existing_node": name,
                            "reasoning": planted.about,
                            "new_quote": ours,
                            "existing_quote": theirs,
                            "relationship": "conflict",
                            "confidence": 0.9,
                            "conflict_description": planted.about,
                            "merge_strategy": "",
                        }
                    )
        return said(relations=relations)

    def _settled(self, shown: dict[str, str]) -> str:
        verdict = shown["verdict"]
        lines = [
            line for name, text in shown.items() if name.startswith("node_") for line in text.splitlines()
        ]
        numbered = [line.split(": ", 1) for line in lines if NUMBERED.match(line)]
        planted = next(
            one for one in self._task.conflicts if one.verdict in verdict or verdict in one.verdict
        )
        sides = [side for side in (planted.one, planted.other) if side not in verdict]
        wrong = [number for number, text in numbered if any(side in text for side in sides)]
        kept = [text for number, text in numbered if number not in wrong and text not in verdict]
        return said(
            summary="\n".join([verdict, *kept]),
            context=_first(verdict),
            keywords=[],
            neighbor_updates=[],
            interaction_tree_description=planted.about,
            refuted=wrong,
        )

    def _plan(self, shown: dict[str, str]) -> str:
        """The script's next step, and of the task just reported what its record found first."""
        reported = shown.get("reported", "")
        failed = reported.startswith("status: failed")
        context = reported.split("context:\n", 1)[-1] if reported and not failed else ""
        found = transcript.told(context, transcript.FOUND) or transcript.told(context)
        steps = self._task.steps[self.position : self.position + 1]
        planned = [
            {
                "type": TYPES.get(step.type, step.type),
                "description": step.description,
                "how": "",
                "retry_of": "reported" if failed and step.type in RETRIED else "",
            }
            for step in steps
        ]
        return said(task_goal=self._task.goal, completed_context=_first(found), pending_tasks=planned)


def _summary(memory: str) -> str:
    """What a memory says, without its labels."""
    return memory.partition("summary:\n")[2] or memory


def _first(text: str) -> str:
    return " ".join(next(iter(sentences.split(text)), "").split())
