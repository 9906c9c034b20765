"""A step's messages, of any vendor, as the context that goes to memory.

Words stay verbatim. What the deep retrieval tool brought stays out: it came from memory, and lies there. What
is handed over as a verdict begins with the last words said; the rest stands behind it as its evidence.
"""

from collections.abc import Iterable
from typing import Any

from memorybank.v1.memory_bank_pb2 import AdvanceTaskRequest
from memorybank.v1.types_pb2 import Message
from memorybank_client.adapters.reading import TOOL_NAME
from memorybank_client.fields import request_of
from memorybank_client.messages import SYSTEM, TOOL

EVIDENCE = "evidence"
"""The role of a message that a verdict rests on."""


def transcript(messages: Iterable[Any], *, verdict: bool = False) -> list[Message]:
    """Returns the messages, calls and results as text; messages without words, and those of the system, bring
    nothing.

    `verdict`: of a CROSS_VALIDATION step, whose last message is the verdict.
    """
    said = [each for each in spoken(messages) if each.role != SYSTEM and not _of_memory(each)]
    if not verdict or not said:
        return said
    for message in said[:-1]:
        message.role = EVIDENCE
    return [said[-1], *said[:-1]]


def spoken(messages: Iterable[Any]) -> list[Message]:
    """Returns messages of any form in the contract's. Raises TypeError."""
    request: Any = request_of(AdvanceTaskRequest, "messages", {"messages": messages})
    return list(request.messages)


def _of_memory(message: Message) -> bool:
    return message.role == TOOL and message.speaker == TOOL_NAME
