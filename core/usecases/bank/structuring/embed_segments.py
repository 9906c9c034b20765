"""Making the vectors of an interaction's segments, a batch at a time, stored as they come."""

from collections.abc import Callable

from core.agents.usage import Ledger
from core.bank.bank import SEGMENTS
from core.errors import BankNotFound, EmbedderUnavailable, EmbeddingSpaceMismatch, StoreUnavailable
from core.ids import InteractionId, SegmentRef
from core.keys import BankKey
from core.usecases.bank.ports import BankPorts, EmbeddingPorts
from core.usecases.spaces import require_own_space
from core.usecases.workshop import Report

BATCH = 32  # segments to a store write: seconds of work lost by a crash, at most


def _untold(_count: int) -> None:
    pass


async def embed_segments(
    ports: BankPorts,
    key: BankKey,
    interaction_id: InteractionId,
    indexes: range,
    told: Callable[[int], None] = _untold,
) -> None:
    """Embeds those not embedded yet; `told` is how many more are, a batch at a time, those that were included.

    A bank of CLIENT vectors has nothing to embed. Raises EmbedderUnavailable, EmbeddingSpaceMismatch."""
    async with ports.banks.reading(key) as bank:
        require_own_space(ports, bank)
        uid = bank.uid
        refs = [SegmentRef(interaction_id, index) for index in indexes]
        lines = {ref: bank.tree.line(ref) for ref in refs if ref in bank.verbatim.wanting}
    wanting = list(lines)
    told(len(refs) - len(wanting))
    for start in range(0, len(wanting), BATCH):
        batch = wanting[start : start + BATCH]
        rows = await ports.embedder.embed_passages([lines[ref] for ref in batch])
        await ports.banks.keep_vectors(key, uid, SEGMENTS, dict(zip(batch, rows, strict=True)))
        told(len(batch))


def embed_later(ports: EmbeddingPorts, key: BankKey, interaction_id: InteractionId) -> None:
    """Sets the embedding of all segments going; found by their words they are already."""

    async def work(ledger: Ledger, report: Report) -> None:
        try:
            async with ports.banks.reading(key) as bank:
                count = len(bank.tree.interaction(interaction_id).spans)
            await embed_segments(ports, key, interaction_id, range(count))
        except (EmbedderUnavailable, EmbeddingSpaceMismatch, BankNotFound, StoreUnavailable):
            return  # no call waits; the segments still want their vectors

    ports.workshop.begin(key, interaction_id, work)
