"""What of a conversation belongs before a model that is about to answer an input.

Law: pure, reads only. No turn is chosen twice: what is short is not recalled, what lies in a chosen cluster is not
recalled by itself. Summaries that tell only of what is short are left out.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from core.conversation.conversation import Conversation
from core.conversation.keys import longest_unhit
from core.conversation.mid import Fit, fitting, recalled
from core.conversation.search import best_turns
from core.conversation.telling import step_of
from core.ids import SegmentRef
from core.model.bank import EmbeddingSpace
from core.model.conversation import KeyMemory, Summary, SummaryKind, Turn, TurnCluster
from core.model.invocation import InvocationSummary
from core.verbatim.query import Query

SHORT_SHOWN = 200  # newest turns at most, however many wait for their cluster
SUMMARIES_SHOWN = 20  # newest at most
INVOCATIONS_SHOWN = 10  # newest at most


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledConversation:
    """Keys in order; LONG summaries and ended invocations, newest first; clusters, best first, each with the steps of
    those of its turns that are not short; steps of single turns outside of them, best first; the short tier in order.

    `promoted`: the keys of the system, those of the clusters longest without a hit first.
    `best`: of the turns that fit the query by themselves, in clusters, short or neither, best first, the segment that
    fits best, by step.
    `cluster_of`: of those of them that lie in a cluster, its name.
    `turn`: the turn of a step; more are found than a prompt holds. To be called before the next change.
    """

    keys: Sequence[KeyMemory]
    promoted: Sequence[KeyMemory]
    summaries: Sequence[Summary]
    invocations: Sequence[InvocationSummary]
    clusters: Sequence[tuple[TurnCluster, Sequence[int]]]
    turns: Sequence[int]
    short: Sequence[Turn]
    best: Mapping[int, SegmentRef]
    turn: Callable[[int], Turn]
    cluster_of: Mapping[int, str] = field(default_factory=dict)


def recall(
    conversation: Conversation,
    query: Query,
    space: EmbeddingSpace,
    *,
    top_clusters: int,
    singles: int,
) -> RecalledConversation:
    """Finds what fits a query; `singles`: turns looked for one by one, 0 for none, and so many at most that only lie in
    a cluster with one that fits: no prompt has room for more."""
    short = [conversation.cached_turn(step) for step in conversation.short_steps[-SHORT_SHOWN:]]
    shown = {turn.step for turn in short}
    fit = fitting(conversation, query, space)
    found = _found(conversation, query, space, singles, fit)
    room = singles or top_clusters * conversation.tiers.cluster_turns
    clusters = []
    for cluster, _ in recalled(conversation, query, space, top_clusters, fit):
        others = [step for step in cluster.steps if step not in shown and step not in found][:room]
        room -= len(others)
        kept = (found.keys() | others) - shown
        steps = [step for step in cluster.steps if step in kept]
        if steps:
            clusters.append((cluster, steps))
    clustered = {step for _, steps in clusters for step in steps}
    first_shown = min(shown, default=conversation.record.last_step + 1)
    summaries = [s for s in conversation.summaries_in_order() if s.kind is SummaryKind.LONG]
    return RecalledConversation(
        keys=conversation.keys_in_order(),
        promoted=longest_unhit(conversation),
        summaries=[s for s in reversed(summaries) if s.first_step < first_shown][:SUMMARIES_SHOWN],
        invocations=_without_turn(conversation, shown),
        clusters=clusters,
        turns=[step for step in found if step not in clustered and step not in shown],
        short=short,
        best=found,
        cluster_of=_clusters_of(conversation, found),
        turn=_reading(conversation, short),
    )


def _clusters_of(conversation: Conversation, found: Mapping[int, SegmentRef]) -> dict[int, str]:
    at, position = conversation.clustered.at, conversation.verbatim.order.position
    return {step: name for step, ref in found.items() if (name := at(position(ref)))}


def _reading(conversation: Conversation, short: Sequence[Turn]) -> Callable[[int], Turn]:
    """Returns what reads a turn by its step, each once."""
    read = {turn.step: turn for turn in short}

    def turn(step: int) -> Turn:
        found = read.get(step)
        if found is None:
            found = read[step] = conversation.cached_turn(step)
        return found

    return turn


def _without_turn(conversation: Conversation, shown: Collection[int]) -> list[InvocationSummary]:
    """Returns what was done, without what the latest turns tell."""
    ended = reversed(conversation.invocations_in_order())
    return [each for each in ended if each.step not in shown][:INVOCATIONS_SHOWN]


def _found(
    conversation: Conversation, query: Query, space: EmbeddingSpace, wanted: int, fit: Fit
) -> dict[int, SegmentRef]:
    """Returns of the turns that fit best, best first, the segment that fits best, by step."""
    if not wanted:
        return {}
    found = best_turns(conversation, query._replace(top_k=wanted), space, fit)
    return {step_of(ref.interaction_id): ref for ref in found}
