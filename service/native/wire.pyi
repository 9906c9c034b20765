"""Messages joined from what is encoded already, and taken apart before they are decoded: protobuf's encoding."""

_HitParts = tuple[int, bytes, float, float | None, float | None, tuple[str, ...], bytes]
"""A SearchHit: the number of the field that holds what was found, this message with its length before it, score,
attribute_score and embedding_score (None: absent), neighbor_ids, and the fields behind these, encoded."""

def joined(hits: list[_HitParts], hit: int, messages: list[bytes], message: int, rest: bytes) -> bytes:
    """A message of repeated fields: the SearchHits as field number `hit`, then `messages`, each with its length before
    it, as number `message`, then `rest`, which is encoded. Raises TypeError for parts of other types, ValueError for
    a field number that no field has.
    """

def taken_out(
    message: bytes, field: int, inner: int, unwanted: tuple[int, ...]
) -> tuple[bytes, bytes] | None:
    """The message without the message that is its field number `field`, and the bytes that this one holds as `inner`.

    None where there is no such field, or more than one, or more in it, or any of the fields `unwanted` beside it, or
    where it is no message at all. Nothing else is looked at: whether the rest is sound, decoding it tells.
    """

def is_vector(packed: bytes) -> bool:
    """Whether the bytes are float32 numbers, little-endian, all finite and not all 0."""
