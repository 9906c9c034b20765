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
    message: bytes, fields: tuple[int, ...], unwanted: tuple[int, ...]
) -> tuple[bytes, list[tuple[int, bytes]]] | None:
    """The message without the fields of these numbers; and these, as they came, with their numbers and what they hold.

    None where one of them holds no bytes, where any of the fields `unwanted` is there, or where it is no message at
    all. Nothing else is looked at: whether the rest is sound, decoding it tells.
    """

def only_field(message: bytes, field: int) -> bytes | None:
    """What the message's only field holds; None where it has others, or this one holds no bytes."""

def is_vector(packed: bytes) -> bool:
    """Whether the bytes are float32 numbers, little-endian, all finite and not all 0."""
