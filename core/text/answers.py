"""What an agent answered: among all that a transcript, or its messages, tell of a step.

Law: pure. What tools brought after an answer takes nothing away from it.
"""

from collections.abc import Iterable, Sequence

from core.text.message_lists import ListedMessage
from core.text.transcript import Kind, Part, marked, of_message


def answered(text: str) -> str:
    """Returns what the agent answered last in a transcript, without label; "" where it has not, and for a text that is
    none."""
    return _last(marked(text))


def answered_in(messages: Iterable[tuple[str, str]]) -> str:
    """Returns the last message of the agent that calls no tool, of messages given as (role, text); "" without one."""
    listed = (ListedMessage(start=0, end=0, said=((role.casefold(), text),)) for role, text in messages)
    return _last([part for message in listed for part in of_message(message)])


def _last(found: Sequence[Part]) -> str:
    """Returns the last answer; what leads up to a call under one label is none."""
    for part, after in zip(reversed(found), (None, *reversed(found)), strict=False):
        leads = part.by_role and not part.whole and after is not None and after.kind is Kind.CALL
        if part.kind is Kind.ANSWER and not leads and part.text.strip():
            return part.text.strip()
    return ""
