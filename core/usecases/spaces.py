"""Whether a bank's vectors are of this service's space: only then do they compare with its own."""

from core.bank.bank import Bank
from core.errors import EmbeddingRequired, EmbeddingSpaceMismatch
from core.usecases.ports import HasEmbedder


def require_embedding(ports: HasEmbedder, bank: Bank, field: str) -> None:
    """Requires that the service embeds texts of this bank, no vector having come as `field`. Raises
    EmbeddingRequired.

    Raises EmbeddingRequired for a bank of CLIENT vectors, EmbeddingSpaceMismatch as `require_own_space`.
    """
    if not bank.embeds:
        raise EmbeddingRequired(field)
    require_own_space(ports, bank)


def require_own_space(ports: HasEmbedder, bank: Bank) -> None:
    """Raises EmbeddingSpaceMismatch for a bank whose vectors another embedder made: they compare with none of ours."""
    own, theirs = ports.embedder.space, bank.record.space
    if bank.embeds and (own.name, own.dimension) != (theirs.name, theirs.dimension):
        raise EmbeddingSpaceMismatch(
            "", f"{theirs.name} ({theirs.dimension})", f"{own.name} ({own.dimension})"
        )
