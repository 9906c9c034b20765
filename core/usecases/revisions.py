"""What a caller read may have changed since."""

from core.errors import StaleRevision


def require_unchanged(if_revision: int | None, changed_at: int) -> None:
    """Raises StaleRevision if the thing last changed after the revision the caller read it at."""
    if if_revision is not None and changed_at > if_revision:
        raise StaleRevision(if_revision, changed_at)
