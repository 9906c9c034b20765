"""An assembled context as messages for a chat model.

Law: pure. What stands before the short tier is one message of the system; the short tier's turns are what they were, a
message for either side, but for what looks like the frame; the input comes last. What the budget shortened or dropped
is so here too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.context.conversing import INPUT, SHORT
from core.context.frame import as_data
from core.context.lines import one_line
from core.context.sections import Assembly, Loss
from core.context.turns import shortened
from core.model.conversation import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextMessage:
    """`role`: system, user or assistant."""

    role: str
    text: str


def messages(made: Assembly, short: Sequence[Turn], given: str) -> tuple[ContextMessage, ...]:
    """Returns the messages, without empty ones."""
    system = "\n\n".join(text for name, text in made.texts.items() if name not in (SHORT, INPUT))
    opening = (ContextMessage(role="system", text=system),) if system else ()
    return (*opening, *_turns(made, short), ContextMessage(role="user", text=given))


def _turns(made: Assembly, short: Sequence[Turn]) -> Iterator[ContextMessage]:
    stands = {item.item_id for each in made.sections if each.name == SHORT for item in each.items}
    losses = {each.item_id: each.loss for each in made.left_out if each.section == SHORT}
    for turn in short:
        if (step := str(turn.step)) not in stands:
            continue
        shown = shortened(turn) if losses.get(step) is Loss.SHORTENED else turn
        for role, speaker, text in (
            ("user", turn.input_speaker, shown.input),
            ("assistant", turn.reply_speaker, shown.reply),
        ):
            if text.strip():
                prefix = f"{one_line(speaker)}: " if speaker else ""
                yield ContextMessage(role=role, text=f"{prefix}{as_data(text)}")
