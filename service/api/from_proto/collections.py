"""Requests of LongTerm about collections as wholes."""

from collections.abc import Mapping

from core.usecases.long_term.verbs.update_collection import UpdateCollection
from memorybank.v1 import long_term_pb2 as pb
from service.api.from_proto.checks import NAME, Checks
from service.api.from_proto.forms import word
from service.api.mapping.lines import By
from service.api.mapping.reading import reading
from service.api.mapping.rules import greatest, most_items

LONGEST_HALF_LIFE = greatest(pb.Collection, "half_life_days")
MOST_CATEGORIES = most_items(pb.Collection, "half_life_days")


def half_lives(check: Checks, field: str, values: Mapping[str, float]) -> dict[str, float]:
    """Reads days by category."""
    check.amount(field, values, MOST_CATEGORIES)
    for name, days in list(values.items())[:MOST_CATEGORIES]:
        word(check, field, name or " ")
        if not 0.0 <= days <= LONGEST_HALF_LIFE:
            check.wrong(f"{field}[{name[:NAME]}]", f"must be 0 to {LONGEST_HALF_LIFE:,.0f} days")
    return dict(values)


update_collection = reading(
    UpdateCollection,
    pb.UpdateCollectionRequest,
    named=("half_life_days", "retention", "enabled", "review"),
    half_life_days=By(half_lives, "collection.half_life_days"),
)
