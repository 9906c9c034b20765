"""What was said in a user's other conversations, in a prompt: of a turn the piece that fits, under its day.

Law: pure. Recorded text stands as data, on one line. A reply stands behind the beginning of what it answers: alone it
says nothing, and one that holds no word of the query adds nothing to what it answers. Where a fact, a turn or a passage
of another source says the same, that stands; what a fact says is not said here again.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from core.context.evidence import BEST, CUT, Candidate, Kind, Placement, said, untold
from core.context.lines import bracketed, one_line
from core.context.passages import fitting_part, is_short
from core.context.sections import Item, Section, Tier
from core.context.turns import shown_of
from core.conversation.telling import REPLY
from core.ids import ConversationId
from core.language import Words
from core.model.bearing import PromptSlot
from core.model.conversation import Turn
from core.model.interaction import Segment
from core.text.analysis import terms
from core.text.needs import has_need
from core.text.tokens import estimate

ELSEWHERE = "elsewhere"
LONGEST = 80
"""Tokens of the piece that fits;"""
ANSWERED = 40
"""and of what it answers, if it is of a reply."""
NO_HANDLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Piece(PromptSlot):
    """The words of a turn that a prompt shows, and the candidate that they are; either text may be empty."""

    input: str
    reply: str
    candidate: Candidate


class Passage(NamedTuple):
    """A piece of a turn, and the turn."""

    piece: Piece
    turn: Turn

    @property
    def candidate(self) -> Candidate:
        return self.piece.candidate


class _Short(NamedTuple):
    """What is kept of a segment that no query cuts: the words of a reply, and the piece as it is for queries of which
    the reply holds a word, and for others."""

    of_reply: Set[str]
    pieces: dict[bool, Piece]


def name_of(conversation_id: ConversationId, step: int) -> str:
    """Returns the id of a turn of another conversation, as items and candidates have it."""
    return f"{conversation_id}#{step}"


def passage_of(
    conversation_id: ConversationId, turn: Turn, segment: Segment, words: Mapping[str, float]
) -> Passage:
    """Cuts a piece of a turn to what fits a query by its `words`, each with its weight. What no query cuts is made
    once, and kept beside the turn."""
    kept = shown_of(turn).pieces
    short: _Short | None = kept.get(segment.ref.index)
    if short is None:
        is_reply = segment.role == REPLY
        if not is_short(segment.text, LONGEST) or (is_reply and not is_short(turn.input, ANSWERED)):
            return Passage(_piece(conversation_id, turn, segment, words), turn)
        of_reply = frozenset(terms(segment.text)) if is_reply else frozenset()
        short = kept[segment.ref.index] = _Short(of_reply, {})
    adds = not words.keys().isdisjoint(short.of_reply)
    if adds not in short.pieces:
        short.pieces[adds] = _piece(conversation_id, turn, segment, words)
    return Passage(short.pieces[adds], turn)


def _piece(
    conversation_id: ConversationId, turn: Turn, segment: Segment, words: Mapping[str, float]
) -> Piece:
    fits, answered = fitting_part(segment.text, words, LONGEST), ""
    if segment.role == REPLY and turn.input.strip():
        answered = fitting_part(turn.input, words, ANSWERED)
    input_, reply = (answered, fits) if segment.role == REPLY else (fits, "")
    adds = bool(words.keys() & terms(reply))
    counts = (input_, reply) if adds or not input_ else (input_, "")
    speakers = [name for name, text in _sides(turn, *counts) if text]
    name = name_of(conversation_id, turn.step)
    candidate = Candidate(
        name,
        name,
        Kind.ELSEWHERE,
        turn.event_time,
        said(*counts, speakers=speakers),
        estimate(input_) + estimate(reply),
    )
    return Piece(input_, reply, candidate)


def _sides(turn: Turn, input_: str, reply: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (turn.input_speaker, input_), (turn.reply_speaker, reply)


def elsewhere_section(
    found: Sequence[Passage],
    placement: Placement,
    words: Words,
    told: Set[int] = frozenset(),
    handles: Mapping[str, str] = NO_HANDLES,
) -> Section:
    """Returns those that stand by what they weigh among all evidence, in the order in which they were said. `told`: the
    sentences of the facts that stand; where these leave but a greeting or thanks of a turn, it tells nothing.
    `handles`: by the names of the candidates."""
    standing = [
        each
        for each in found
        if each.candidate.name in placement.weights
        and not each.candidate.said.sentences <= told
        and (has_need(each.piece.reply) or has_need(_left(each, told)))
    ]
    standing.sort(key=lambda each: (each.turn.event_time, each.candidate.name))
    return Section(
        name=ELSEWHERE,
        title=words.elsewhere,
        items=tuple(
            _item(each, placement, words, told, handles.get(each.candidate.name, "")) for each in standing
        ),
    )


def _item(passage: Passage, placement: Placement, words: Words, told: Set[int], handle: str) -> Item:
    name, says = passage.candidate.name, passage.candidate.said
    is_best = name == placement.best
    mark = f"{words.contested} " if placement.is_disputed(says) else ""
    return Item(
        name,
        f"- {bracketed(handle)}{mark}{_line(passage, words, told)}",
        weight=BEST if is_best else placement.weights[name],
        tier=Tier.NEEDED if is_best else Tier.FITTING,
        group=words.dates.written(passage.turn.event_time),
        copies=placement.copies.get(name, ()),
        requires=placement.requires(says),
        handle=handle,
    )


def _left(passage: Passage, told: Set[int]) -> str:
    """Returns what is left of an input without the sentences that stand already."""
    if told.isdisjoint(passage.candidate.said.sentences):
        return passage.piece.input
    return untold(passage.piece.input, told, (passage.turn.input_speaker,))


def _line(passage: Passage, words: Words, told: Set[int]) -> str:
    piece, turn = passage
    input_ = _left(passage, told) or (CUT if piece.reply else piece.input)
    sides = (
        (turn.input_speaker or words.user, input_),
        (turn.reply_speaker or words.agent, piece.reply),
    )
    return " ".join(words.behind(one_line(name), one_line(text)) for name, text in sides if text.strip())
