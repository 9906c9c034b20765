"""A prompt's part of what was said in a user's other conversations, those that teach the collection it names.

Law: reads only. Nothing is found where the memory of user, collection or conversation is off, or where a person agrees
first to what the collection keeps; nor what holds a secret, or what the collection was told to forget.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from core.aggregate.handles import Handles
from core.context.elsewhere import Passage, Piece, passage_of
from core.context.evidence import Source, idf_of
from core.context.weighing import Fitting, Weighable, best_of, weighable
from core.conversation.conversation import Conversation
from core.conversation.telling import segment_of, step_of
from core.errors import CollectionNotFound
from core.ids import SegmentRef
from core.keys import CollectionKey, ConversationKey
from core.long_term.withdrawn import Sentence, Withdrawals, sentences_of
from core.model.review import Review
from core.ports.store import NamedConversation
from core.text.sensitive import sort_in
from core.usecases.context.asked import AssembleContext
from core.usecases.context.ports import RecallPorts
from core.usecases.conversation.across import AllConversations, newest, read_each
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import looking
from core.usecases.ports import HasConversations
from core.usecases.user.permission import Permission, Permissions
from core.usecases.vectors import query_vector
from core.verbatim.measuring import words_of

LEAST = 20  # tokens of a turn's piece: so many are looked for that they would fill the prompt,
MOST = 50  # but no more than these
FEW = 5  # of those that have nothing in common with the input: of a few the right one may be there,
BEHIND = 0.2  # but not far behind what fits best, on the embedder's scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """The passages found, best first, and what they weigh among all evidence; `handles` of their turns, by the names of
    the candidates."""

    passages: Sequence[Passage]
    source: Source
    handles: Mapping[str, str]


async def elsewhere(
    ports: RecallPorts, command: AssembleContext, key: CollectionKey, budget: int, users: Permissions
) -> Elsewhere | None:
    """Returns what fits the input; None where there is nothing. Raises EmbedderUnavailable, RevisionNotReached."""
    permission = await users.of(key)
    if not await _is_open(ports, command, key, permission):
        return None
    among = AllConversations(tenant=key.tenant, user=key.user, collection=key.collection)

    def teaches(one: NamedConversation) -> bool:
        return one.collection == key.collection and one.key != command.conversation

    chosen, _ = await newest(ports, among, permission, teaches)
    if not chosen:
        return None
    vector, words = await query_vector(ports, command.input), words_of(command.input)
    space = ports.embedder.space

    def weigh(conversation: Conversation) -> Weighable:
        return weighable(conversation, words, vector, space)

    weighed = await read_each(ports, [one.key for one in chosen], weigh)
    found = best_of([one for _, one in weighed], max(1, min(MOST, budget // LEAST)))
    passages = await _passages(ports, [key for key, _ in weighed], found, words)
    found_here = await _admitted(ports, command, key, permission, passages, budget)
    return (
        replace(found_here, handles=_handles(found_here, [one.key for one in chosen])) if found_here else None
    )


def _handles(found: Elsewhere, keys: Sequence[ConversationKey]) -> dict[str, str]:
    """Returns of each turn the shortest end of its conversation's id that no other of these has, and its step."""
    ends = Handles()
    for key in keys:
        ends.add(key.conversation_id)
    named = [(passage.candidate.name, passage.turn.step) for passage in found.passages]
    return {name: f"{ends.of(name.rpartition('#')[0])}:{step}" for name, step in named}


class _MeasuredPassage(NamedTuple):
    """A passage, and what measures it beside others."""

    passage: Passage
    fit: Fitting


async def _passages(
    ports: HasConversations, keys: Sequence[ConversationKey], found: Sequence[Fitting], words: Sequence[str]
) -> list[_MeasuredPassage]:
    """Reads the turns found, in their order; those that were deleted meanwhile are passed over."""
    weights = dict(zip(words, idf_of(np.array([fit.holds for fit in found])).tolist(), strict=True))
    by_key: dict[ConversationKey, list[Fitting]] = {}
    for fit in found:
        by_key.setdefault(keys[fit.place], []).append(fit)

    def read(conversation: Conversation) -> dict[SegmentRef, Passage]:
        name, bounds = conversation.record.key.conversation_id, conversation.verbatim.order.bounds
        found: dict[SegmentRef, Passage] = {}
        for ref in (fit.ref for fit in by_key[conversation.record.key]):
            if ref.interaction_id in conversation.turns:
                turn = conversation.cached_turn(step_of(ref.interaction_id))
                found[ref] = passage_of(name, turn, segment_of(turn, ref, *bounds(ref)), weights)
        return found

    told = dict(await read_each(ports, list(by_key), read))
    at = [(told.get(keys[fit.place], {}).get(fit.ref), fit) for fit in found]
    return [_MeasuredPassage(passage, fit) for passage, fit in at if passage is not None]


async def _is_open(
    ports: CollectionPorts, command: AssembleContext, key: CollectionKey, permission: Permission
) -> bool:
    """Whether the collection lets turns be told; one that is not there yet does."""
    try:
        async with looking(ports, key, command.least(key), permission) as opened:
            record = opened.collection.record
            return record.enabled and record.review is Review.NONE
    except CollectionNotFound:
        return True


async def _admitted(
    ports: CollectionPorts,
    command: AssembleContext,
    key: CollectionKey,
    permission: Permission,
    found: Sequence[_MeasuredPassage],
    room: int,
) -> Elsewhere | None:
    """Returns what may be told of it, best first, as much as the room holds."""
    try:
        async with looking(ports, key, command.least(key), permission) as opened:
            withdrawn = Withdrawals(opened.collection)
            admitted = list(_filling(found, room, None if withdrawn.is_nothing else withdrawn))
    except CollectionNotFound:
        admitted = list(_filling(found, room, None))
    if not admitted:
        return None
    return Elsewhere(
        passages=[one.passage for one in admitted],
        source=Source(
            candidates=[one.passage.candidate for one in admitted],
            holds=np.array([one.fit.holds for one in admitted]),
            cosines=np.array([one.fit.cosine for one in admitted]),
            doubts=np.array([one.fit.doubt for one in admitted]),
        ),
        handles={},
    )


def _filling(
    found: Sequence[_MeasuredPassage], room: int, withdrawn: Withdrawals | None
) -> Iterator[_MeasuredPassage]:
    """Yields what holds no secret and is not withdrawn, until it fills the room; of what has nothing in common with the
    input a few."""
    few, best = FEW, found[0].fit.fit if found else 0.0
    for one in found:
        if room <= 0:
            return
        passage, fits = one.passage, one.fit.has_in_common
        if not fits and (not few or one.fit.fit < best - BEHIND):
            continue
        read, time = _read(passage.piece), passage.turn.event_time
        if not read.is_secret and not (withdrawn and withdrawn.has_any(read.sentences, time)):
            room -= passage.candidate.tokens
            few -= not fits
            yield one


class _PieceReading:
    """What a piece says, and whether it holds a secret: read when it is first asked for."""

    def __init__(self, piece: Piece) -> None:
        self._texts = (piece.input, piece.reply)

    @cached_property
    def is_secret(self) -> bool:
        return sort_in(self._texts) is not None

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return sentences_of(self._texts)


def _read(piece: Piece) -> _PieceReading:
    """Returns what is kept of a piece."""
    try:
        read: _PieceReading = piece.shown
    except AttributeError:
        read = piece.keep_shown(_PieceReading(piece))
    return read
