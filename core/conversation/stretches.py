"""The long tier: which turns the next summary is of.

Law: pure. Stretches are cut at `summarised_to`, each of as many turns as are told of at once; deleting turns moves no
later cut. What was summarised is summarised again only if it is owed.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from core.conversation.conversation import Conversation
from core.conversation.steps import Step, SummaryDrop, SummaryPut
from core.model.conversation import ConversationState, StepRange, Summary, SummaryKind, SummaryOwed, Turn


def next_owed(conversation: Conversation) -> SummaryOwed | None:
    """Returns the summary to be made next: one that lost a turn, else that of the next full stretch; of what is left
    once the conversation has ended."""
    for owed in conversation.record.owed:
        if has_turns(conversation, owed.ranges):  # an import may owe one of turns that it does not bring
            return owed
    first = bisect_right(conversation.steps, conversation.record.summarised_to)
    stretch = conversation.steps[first : first + conversation.tiers.summary_every]
    full = len(stretch) == conversation.tiers.summary_every
    if not stretch or not (full or conversation.record.state is not ConversationState.ACTIVE):
        return None
    whole = StepRange(first_step=stretch[0], last_step=stretch[-1])
    return SummaryOwed(
        summary_id=f"s{whole.first_step}-{whole.last_step}", kind=SummaryKind.LONG, ranges=(whole,)
    )


def has_turns(conversation: Conversation, ranges: Iterable[StepRange]) -> bool:
    """Whether any turn in some ranges is there."""
    steps = conversation.steps
    return any(bisect_left(steps, r.first_step) < bisect_right(steps, r.last_step) for r in ranges)


def turns_of(conversation: Conversation, ranges: tuple[StepRange, ...]) -> list[Turn]:
    """Returns the turns in some ranges that are there."""
    return [turn for r in ranges for turn in conversation.between(r.first_step, r.last_step)]


def put_summary(conversation: Conversation, summary: Summary) -> list[Step]:
    """Adds a summary; the oldest of its kind go where there are too many."""
    others = [
        each
        for each in conversation.summaries_in_order()
        if each.kind is summary.kind and each.summary_id != summary.summary_id
    ]
    gone = others[: max(0, len(others) + 1 - conversation.tiers.summaries)]
    return [SummaryPut(summary=summary), *(SummaryDrop(summary_id=each.summary_id) for each in gone)]
