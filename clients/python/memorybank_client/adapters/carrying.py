"""A task's loop as a run in its user's memory: its prompts have what is known of the user, and what it went through is
the run's working memory.

Pure: fields of requests out of what the loop knows, text out of responses.
"""

from collections.abc import Sequence
from typing import Any

from memorybank.v1.conversation_pb2 import ITEM_TYPE_OBSERVATION, ITEM_TYPE_THOUGHT, Item
from memorybank.v1.types_pb2 import Message
from memorybank_client.messages import ASSISTANT, TOOL, USER, answer
from memorybank_client.runs import Owner, item


class OwnerRuns:
    """One loop after another as runs of an owner."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.invocation_id = ""
        self._step = 0

    def begins(self, query: str) -> dict[str, Any]:
        """Returns the fields of StartInvocationRequest."""
        return self.owner.begins(query)

    def begun(self, invocation_id: str) -> None:
        """Notes the run in which the steps are from now on."""
        self.invocation_id, self._step = invocation_id, 0

    def stepped(self, finished: bool) -> None:
        """Notes that a step was taken in whole, and whether it was the run's last."""
        self._step += 1
        if finished:
            self.invocation_id = ""

    def named(self) -> dict[str, Any]:
        """Returns the fields by which StartTask and AdvanceTask name the user's memories."""
        return {
            "user": self.owner.user,
            "conversation_id": self.owner.conversation,
            "collection": self.owner.collection,
            "invocation_id": self.invocation_id,
            "allow_partial": True,
        }

    def adds(self, context: str | Sequence[Message]) -> dict[str, Any]:
        """Returns the fields of AddWorkingItemsRequest: the last 100 things that a step went through; empty if it
        was none."""
        items = _items(context, self._step)[-100:]
        return self.owner.adds(self.invocation_id, items) if items else {}

    def ends(self, context: str | Sequence[Message], result: str, succeeded: bool) -> dict[str, Any]:
        """Returns the fields of EndInvocationRequest: what the user was answered is the `result`, else what the agent
        said last."""
        return self.owner.ends(self.invocation_id, result or answer(context), succeeded, wait=True)


def _items(context: str | Sequence[Message], step: int) -> list[Item]:
    if isinstance(context, str):
        return [item(ITEM_TYPE_OBSERVATION, context, step=step)] if context.strip() else []
    return [
        item(
            ITEM_TYPE_THOUGHT if message.role == ASSISTANT else ITEM_TYPE_OBSERVATION,
            message.text,
            step=step,
            tool=message.speaker if message.role == TOOL else "",
        )
        for message in context
        if message.text.strip() and message.role != USER
    ]
