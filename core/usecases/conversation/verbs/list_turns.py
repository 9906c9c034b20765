"""ListTurns: turns in step order, with the clusters they lie in."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from core.conversation.conversation import Conversation
from core.keys import ConversationKey
from core.model.conversation import Turn
from core.usecases.conversation.turn_metadata import metadata_of
from core.usecases.paging import BY_NUMBER, DEFAULT_PAGE, Page, first_page, place_of
from core.usecases.ports import HasConversations
from core.usecases.room import weight

LAST = 10**12 - 1  # the largest step there can be


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTurns:
    """`newest`: only so many, and the page holds the newest of them that fit. `writer`: the subject of the API key;
    empty for any. `metadata`: it is answered, too."""

    key: ConversationKey
    first_step: int = 1
    last_step: int = LAST
    newest: int | None = None
    metadata: bool = False
    writer: str = ""
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedTurn:
    """A turn, with the name of its cluster, empty for none, and with its metadata where that was asked for."""

    turn: Turn
    cluster_id: str = ""
    metadata_json: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsListed:
    turns: tuple[PlacedTurn, ...]
    next_page_token: str
    revision: int


async def list_turns(ports: HasConversations, command: ListTurns) -> TurnsListed:
    """Raises ConversationNotFound, RevisionNotReached, InvalidField (page_token)."""
    async with ports.conversations.reading(command.key, command.min_revision) as conversation:
        page = _page(conversation, command)
        names, uid, revision = conversation.cluster_names(), conversation.uid, conversation.revision
    known = dict[int, str]()
    if command.metadata:
        having = [turn.step for turn in page.items if turn.metadata_bytes]
        known = {step: text async for step, text in metadata_of(ports, command.key, uid, having)}
    listed = (
        PlacedTurn(turn=turn, cluster_id=names.get(turn.step, ""), metadata_json=known.get(turn.step, ""))
        for turn in sorted(page.items, key=lambda turn: turn.step)
    )
    return TurnsListed(turns=tuple(listed), next_page_token=page.next_page_token, revision=revision)


def _page(conversation: Conversation, command: ListTurns) -> Page[Turn]:
    """Returns a page of turns; of the newest those come first that are newer. Only these are made of their rows."""
    place = place_of(command, command.page_token, BY_NUMBER)
    behind = None if place is None else int(place[0])
    weigh = partial(_weight, metadata=command.metadata)
    if command.newest is None:
        first = command.first_step if behind is None else max(command.first_step, behind + 1)
        rows = _rows(conversation, first, command.last_step, command.writer)
        found = list(conversation.turns.each(rows[: command.page_size + 1]))
        return first_page(command, found, lambda turn: (turn.step,), command.page_size, weigh)
    rows = _rows(conversation, 1, LAST, command.writer)[-command.newest :]
    newest = conversation.turns.each(reversed(rows))
    found = [turn for turn in newest if behind is None or -turn.step > behind]
    return first_page(command, found, lambda turn: (-turn.step,), command.newest, weigh)


def _rows(conversation: Conversation, first: int, last: int, writer: str) -> Sequence[int]:
    """Returns the rows of the turns from one step to another; only what API keys of a writer wrote, if one is named."""
    steps = conversation.steps
    return conversation.turns.written_by(writer, bisect_left(steps, first), bisect_right(steps, last))


def _weight(turn: Turn, *, metadata: bool) -> int:
    return weight(turn) + (turn.metadata_bytes if metadata else 0)
