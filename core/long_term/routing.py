"""Where a query is looked for: by its intent and domain first (source document 002 §5.1).

Law: pure. Routing never costs recall: without a sure category, or with fewer found than wanted, all is searched.
"""

from dataclasses import dataclass
from enum import StrEnum

from core.model.record import PREFERENCE, STRATEGY, Record, RecordKind, RecordState


class Intent(StrEnum):
    ASK = "ask"
    DECIDE = "decide"
    REFLECT = "reflect"


class Layer(StrEnum):
    L2 = "L2"  # records
    L3 = "L3"  # reflections


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """`categories`: those the domain names; empty: not sure. `widened`: all was searched."""

    intent: Intent
    categories: tuple[str, ...] = ()
    layers: tuple[Layer, ...] = (Layer.L2,)
    widened: bool = False


def layers_of(intent: Intent) -> tuple[Layer, ...]:
    """Reflections help to decide and to learn; a question is answered by records."""
    return (Layer.L2,) if intent is Intent.ASK else (Layer.L2, Layer.L3)


def leads_to(route: Route, record: Record) -> bool:
    """Whether the route looks at a record."""
    if record.state is RecordState.SUPERSEDED:
        return False
    if route.widened or record.category in route.categories:
        return True
    match route.intent:
        case Intent.ASK:
            return record.category == PREFERENCE or record.kind is RecordKind.FACT
        case Intent.DECIDE:
            return record.category in (PREFERENCE, STRATEGY) or record.kind is RecordKind.EPISODE
        case Intent.REFLECT:
            return record.category == STRATEGY or record.kind is RecordKind.EPISODE
