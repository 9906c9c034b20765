"""JSON schemas in the strict form: every property required, no other allowed.

Only what every endpoint's grammar knows is used (types, enums, items): lengths and ranges are
checked when the reply is read.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

MOST_NAMED = 250  # values of an enum; endpoints bound it, and the reader checks names anyway

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": "number"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def fields(**properties: Schema) -> Schema:
    """Returns the schema of an object of exactly these properties, in this order: models write them in turn."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def rows(**properties: Schema) -> Schema:
    return {"type": "array", "items": fields(**properties)}


def one_of(values: Sequence[str]) -> Schema:
    """Returns the schema of one of the values; of any text where they are too many to list."""
    return {"type": "string", "enum": list(values)} if len(values) <= MOST_NAMED else TEXT


def some_of(values: Sequence[str]) -> Schema:
    return {"type": "array", "items": one_of(values)}
