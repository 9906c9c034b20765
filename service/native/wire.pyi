"""Messages joined from what is encoded already: protobuf's encoding."""

_HitParts = tuple[int, bytes, float, float | None, float | None, tuple[str, ...], bytes]
"""A SearchHit: the number of the field that holds what was found, this message with its length before it, score,
attribute_score and embedding_score (None: absent), neighbor_ids, and the fields behind these, encoded."""

def joined(hits: list[_HitParts], hit: int, messages: list[bytes], message: int, rest: bytes) -> bytes:
    """A message of repeated fields: the SearchHits as field number `hit`, then `messages`, each with its length before
    it, as number `message`, then `rest`, which is encoded. Raises TypeError for parts of other types, ValueError for
    a field number that no field has.
    """
