"""What a conversation has for a prompt: the turns that may stand in it, and of these the candidates.

Law: reads only. The last turns are candidates too, behind those that were found: what says the same folds into them.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.context.conversing import LAST_TURNS, Talk
from core.context.evidence import Source
from core.context.passages import LONGEST
from core.context.turns import candidate_of, shown_of
from core.conversation.conversation import Conversation
from core.conversation.recalling import RecalledConversation
from core.conversation.telling import REPLY
from core.model.bank import EmbeddingSpace
from core.model.vector import Vector
from core.verbatim.measuring import cosines, holding


def without_need(recalled: RecalledConversation) -> RecalledConversation:
    """Returns what stands before an input without a need: the last turns and the newest summary."""
    return replace(
        recalled, short=recalled.short[-LAST_TURNS:], summaries=recalled.summaries[:1], invocations=()
    )


def talk_of(conversation: Conversation, recalled: RecalledConversation, budget: int) -> Talk:
    """Reads the turns that may stand in a prompt: those that only lie in a cluster where it has room for them."""
    turns = {step: recalled.turn(step) for step in recalled.best}
    turns |= {turn.step: turn for turn in recalled.short[-LAST_TURNS:]}
    sizes = {step: shown_of(turn).tokens for step, turn in turns.items()}
    lying = [step for _, steps in recalled.clusters for step in steps if step not in recalled.best]
    if sum(sizes.values()) > budget:
        lying = []
    turns |= {step: recalled.turn(step) for step in lying}
    long = {step: ref for step, ref in recalled.best.items() if sizes[step] > LONGEST}
    in_reply = [step for step, ref in long.items() if conversation.segment(ref).role == REPLY]
    return Talk(recalled=recalled, turns=turns, in_reply=frozenset(in_reply), lying=lying)


def source_of(
    conversation: Conversation,
    talk: Talk,
    words: Sequence[str],
    vector: Vector | None,
    space: EmbeddingSpace,
) -> Source:
    """Returns the turns found, best first, and behind them the last ones: what says the same folds into these."""
    best = dict(talk.recalled.best)
    for turn in reversed(talk.recalled.short[-LAST_TURNS:]):
        if turn.step not in best and (refs := conversation.refs(turn)):
            best[turn.step] = refs[0]
    verbatim, refs = conversation.verbatim, list(best.values())
    return Source(
        candidates=[candidate_of(talk.turns[step]) for step in best],
        holds=holding(verbatim.words, refs, words),
        cosines=cosines(verbatim.vectors, refs, vector, space),
    )
