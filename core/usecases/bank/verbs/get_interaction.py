"""GetInteraction: from a summary down to the verbatim records it stands for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.bank.bank import Bank
from core.errors import AttachmentNotFound, InvalidField
from core.ids import AttachmentId, InteractionId, NodeId
from core.keys import BankKey
from core.model.interaction import Attachment, Interaction
from core.model.node import Node
from core.model.vector import Vector
from core.usecases.bank.interactions import InteractionSeen, by_event, piece, touched
from core.usecases.bank.ports import BankPorts, FilePorts
from core.usecases.bank.retrieval.passages import Passages, Piece, pieces
from core.usecases.paging import BY_NUMBER_AND_NUMBER, BY_NUMBER_ID_AND_OFFSET, place_of, token_of
from core.usecases.spaces import require_own_space
from core.usecases.vectors import query_vector

PAGE_BYTES = 1_048_576  # of text in UTF-8 to one page
PAGE_SEGMENTS = 8_192  # to one page: each brings ids and times beside its text


@dataclass(frozen=True, slots=True, kw_only=True)
class GetInteraction:
    """Of a `node_id` (an absorbed one counts as its heir) or an `interaction_id`, exactly one.

    `start` and `end` cut each text, in code points; `passages` brings pieces of them instead. `attachment_id` brings
    a file of these records, and no record.
    """

    key: BankKey
    node_id: NodeId | None = None
    interaction_id: InteractionId | None = None
    attachment_id: AttachmentId | None = None
    start: int = 0
    end: int | None = None
    passages: Passages | None = None
    page_size: int = 10
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionsRead:
    """By event_time, then id; passages of a query the best first. A text that goes on in the next page is a piece here.

    `content` is the attachment's, where the service keeps it and it is small enough to come inline.
    `node_id` is the living node that the records were found through.
    """

    interactions: tuple[InteractionSeen, ...]
    attachment: Attachment | None
    content: bytes | None
    node_id: NodeId | None
    next_page_token: str
    revision: int


async def get_interaction(ports: FilePorts, command: GetInteraction) -> InteractionsRead:
    """Raises NodeNotFound, InteractionNotFound, AttachmentNotFound, BlobCorrupt, InvalidField, BankNotFound,
    EmbeddingSpaceMismatch, EmbedderUnavailable, RevisionNotReached."""
    if (command.node_id is None) == (command.interaction_id is None):
        raise InvalidField("target", "give a node_id or an interaction_id, and not both")
    vector = await _query_vector(ports, command)
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        node, records = _asked(bank, command)
        attachment = _attachment(records, command.attachment_id)
        shown: tuple[InteractionSeen, ...] = ()
        token = ""
        if command.passages is not None:
            alpha = ports.settings.retrieval.alpha_of(bank)
            found = pieces(bank, node, records, command.passages, vector, alpha)
            shown, token = _page_of_pieces(bank, found, command)
        elif attachment is None:
            shown, token = _page(bank, records, command)
        uid, revision = bank.uid, bank.revision
    return InteractionsRead(
        interactions=shown,
        attachment=attachment,
        content=await _content(ports, command.key, uid, attachment),
        node_id=node.node_id if node else None,
        next_page_token=token,
        revision=revision,
    )


async def _query_vector(ports: BankPorts, command: GetInteraction) -> Vector | None:
    """Returns the vector of what is looked for; None where words alone can be."""
    if command.passages is None or not command.passages.query:
        return None
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        if not bank.embeds:
            return None
        require_own_space(ports, bank)
    return await query_vector(ports, command.passages.query)


def _asked(bank: Bank, command: GetInteraction) -> tuple[Node | None, list[Interaction]]:
    if command.interaction_id is not None:
        return None, [bank.interaction_named(command.interaction_id)]
    assert command.node_id is not None
    node = bank.node_standing_for(command.node_id)
    return node, sorted((bank.tree.interaction(i) for i in bank.records(node)), key=by_event)


def _page(
    bank: Bank, records: Sequence[Interaction], command: GetInteraction
) -> tuple[tuple[InteractionSeen, ...], str]:
    """Returns what fits on the page, and the token of the place where the next one goes on."""
    shown: list[InteractionSeen] = []
    room = _Room()
    for record, start in _from_token(records, command):
        end = len(record.text) if command.end is None else min(command.end, len(record.text))
        fitting = room.end_of(record, start, end)
        if len(shown) == command.page_size or (fitting == start < end and shown):
            return tuple(shown), token_of(command, (*by_event(record), start))
        shown.append(piece(bank, record, start, max(start, fitting)))
        if fitting < end:
            return tuple(shown), token_of(command, (*by_event(record), fitting))
        room.take(record, start, end)
    return tuple(shown), ""


def _page_of_pieces(
    bank: Bank, found: Sequence[Piece], command: GetInteraction
) -> tuple[tuple[InteractionSeen, ...], str]:
    """Returns the same as `_page`, of pieces by their number."""
    shown: list[InteractionSeen] = []
    room = _Room()
    number, start = place_of(command, command.page_token, BY_NUMBER_AND_NUMBER) or (0, 0)
    for place, one in enumerate(found):
        if place < int(number):
            continue
        first = min(max(one.start, int(start)), one.end) if place == number else one.start
        fitting = room.end_of(one.record, first, one.end)
        if len(shown) == command.page_size or (fitting == first < one.end and shown):
            return tuple(shown), token_of(command, (place, first))
        shown.append(piece(bank, one.record, first, max(first, fitting)))
        if fitting < one.end:
            return tuple(shown), token_of(command, (place, fitting))
        room.take(one.record, first, one.end)
    return tuple(shown), ""


def _from_token(records: Sequence[Interaction], command: GetInteraction) -> Iterator[tuple[Interaction, int]]:
    """Yields the records from where the last page ended, each with the first code point wanted of it."""
    place = place_of(command, command.page_token, BY_NUMBER_ID_AND_OFFSET)
    for record in records:
        first = min(command.start, len(record.text))
        if place is None or by_event(record) > place[:2]:
            yield record, first
        elif by_event(record) == place[:2]:
            yield record, max(0, min(int(place[2]), len(record.text)))


class _Room:
    """What a page still holds."""

    def __init__(self) -> None:
        self._bytes = PAGE_BYTES
        self._segments = PAGE_SEGMENTS

    def end_of(self, record: Interaction, start: int, end: int) -> int:
        """Returns the end, up to `end`, of what fits from `start` on."""
        wide = record.text[start : min(end, start + self._bytes)].encode()
        fitting = start + len(wide[: self._bytes].decode(errors="ignore"))
        segments = touched(record, start, fitting)
        if len(segments) <= self._segments:
            return fitting
        return max(start, record.spans[segments[self._segments]].start)

    def take(self, record: Interaction, start: int, end: int) -> None:
        self._bytes -= len(record.text[start:end].encode())
        self._segments -= len(touched(record, start, end))


def _attachment(records: Sequence[Interaction], wanted: AttachmentId | None) -> Attachment | None:
    if wanted is None:
        return None
    for record in records:
        for attachment in record.attachments:
            if attachment.attachment_id == wanted:
                return attachment
    raise AttachmentNotFound(wanted)


async def _content(ports: FilePorts, key: BankKey, uid: str, attachment: Attachment | None) -> bytes | None:
    if (
        attachment is None
        or not attachment.stored
        or attachment.size > ports.settings.limits.inline_attachment_bytes
    ):
        return None
    return b"".join([chunk async for chunk in ports.blobs.read(key, uid, attachment.uri, 0, None)])
