"""An interaction as it is read back: its text or a piece of it, its segments as they stand, its structuring.

Law: reads only; the text is cut where asked, never changed.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace

from core.aggregate.codec import micros
from core.bank.bank import Bank
from core.ids import InteractionId, NodeId, SegmentRef
from core.model.interaction import Interaction, Segment
from core.model.structuring import ClusterWork, Structuring
from core.usecases.room import weight


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionSeen:
    """`text` starts at code point `text_offset` of the record's; `segments` are those that touch it.

    Without its text (in lists) it has no segments and no clusters. `structuring` is None for what
    is never clustered. `node_ids` are the living nodes that stand for it.
    """

    interaction: Interaction
    structuring: Structuring | None
    node_ids: tuple[NodeId, ...]
    text: str = ""
    text_offset: int = 0
    segments: tuple[Segment, ...] = ()
    clusters: tuple[ClusterWork, ...] = ()


def outside(bank: Bank, interaction: Interaction) -> InteractionSeen:
    """Returns the record without its text."""
    interaction_id = interaction.interaction_id
    return InteractionSeen(
        interaction=interaction,
        structuring=bank.tree.structurings.get(interaction_id),
        node_ids=bank.tree.nodes_standing_for(interaction_id),
    )


def weight_outside(bank: Bank, interaction: Interaction) -> int:
    """Bytes that the record takes without its text."""
    structuring = bank.tree.structurings.get(interaction.interaction_id)
    return weight(
        (
            replace(interaction, text="", spans=()),
            bank.tree.nodes_standing_for(interaction.interaction_id),
            structuring and replace(structuring, insight=None, usage=None),
        )
    )


def piece(bank: Bank, interaction: Interaction, start: int, end: int) -> InteractionSeen:
    """Returns the record with its text from `start` to before `end`, in code points."""
    interaction_id = interaction.interaction_id
    return InteractionSeen(
        interaction=interaction,
        structuring=bank.tree.structurings.get(interaction_id),
        node_ids=bank.tree.nodes_standing_for(interaction_id),
        text=interaction.text[start:end],
        text_offset=start,
        segments=tuple(
            bank.tree.segment(SegmentRef(interaction_id, i)) for i in touched(interaction, start, end)
        ),
        clusters=tuple(bank.tree.clusters(interaction_id)),
    )


def touched(interaction: Interaction, start: int, end: int) -> range:
    """Returns the numbers of the segments that code points [start, end) touch."""
    first = bisect_right(interaction.spans, start, key=lambda span: span.end)
    return range(first, bisect_left(interaction.spans, end, key=lambda span: span.start))


def by_event(interaction: Interaction) -> tuple[int, InteractionId]:
    """Returns the order in which records are read: when they happened, then by id."""
    return micros(interaction.event_time), interaction.interaction_id


def by_creation(interaction: Interaction) -> tuple[int, InteractionId]:
    """Returns the order in which records are listed: when they were learned, then by id."""
    return micros(interaction.create_time), interaction.interaction_id
