"""Vectors of questions: embedded, or a caller's, checked against the bank's space and scaled to unit length.

Law: a vector that has unit length already passes bit for bit, so that what was read can be sent back.
"""

import math

import numpy as np

from core.errors import EmbeddingSpaceMismatch, InvalidField
from core.model.bank import EmbeddingSpace
from core.model.vector import Vector
from core.usecases.ports import HasEmbedder

UNIT = (
    1e-6  # how far from 1 a length may be and still be taken for 1: float32 rounding of a few hundred numbers
)


def unit(vector: Vector, space: EmbeddingSpace, field: str) -> Vector:
    """Returns the vector, shape (space.dimension,), float32, of length 1. `field` is its path in the request.

    Raises EmbeddingSpaceMismatch for another length, InvalidField for numbers that are not finite, or all zero.
    """
    if vector.shape != (space.dimension,):
        raise EmbeddingSpaceMismatch(
            field, f"{space.dimension} numbers ({space.name})", f"{vector.size} numbers"
        )
    wide = vector.astype(np.float64)
    length = math.sqrt(wide.dot(wide))  # in doubles: float32 numbers that are finite cannot overflow it
    if not math.isfinite(length):
        raise InvalidField(field, "every number must be finite")
    if length == 0.0:
        raise InvalidField(field, "must not be all zero")
    if abs(length - 1.0) <= UNIT:
        return vector.astype(np.float32, copy=False)
    return (wide / length).astype(np.float32)


async def query_vector(ports: HasEmbedder, text: str) -> Vector:
    """Returns the text as a question's vector. Raises EmbedderUnavailable."""
    rows = await ports.embedder.embed_queries([text])
    vector: Vector = rows[0]
    return vector
