"""Making the vectors of an interaction's segments, a batch at a time, stored as they come."""

from core.ids import BankKey, InteractionId, SegmentRef
from core.usecases.house import House

BATCH = 32  # segments to a store write: seconds of work lost by a crash, at most


async def embed_segments(house: House, key: BankKey, interaction_id: InteractionId, indexes: range) -> None:
    """Embed those not embedded yet. A bank of CLIENT vectors has nothing to embed. Raises EmbedderUnavailable."""
    async with house.banks.reading(key) as bank:
        uid = bank.uid
        refs = [SegmentRef(interaction_id, index) for index in indexes]
        lines = {ref: bank.tree.line(ref) for ref in refs if ref in bank.wanting_vectors}
    wanting = list(lines)
    for start in range(0, len(wanting), BATCH):
        batch = wanting[start : start + BATCH]
        rows = await house.embedder.embed_passages([lines[ref] for ref in batch])
        await house.banks.keep_segment_vectors(key, uid, dict(zip(batch, rows, strict=True)))
