"""What is right and what is wrong with the requests of every service."""

from collections.abc import Mapping

from google.protobuf.message import Message

from tests.service.api import (
    violations,
    violations_of_conversations,
    violations_of_instructions,
    violations_of_long_term,
    violations_of_operations,
)
from tests.service.api.violations import Table

_TABLES = (
    violations,
    violations_of_conversations,
    violations_of_instructions,
    violations_of_long_term,
    violations_of_operations,
)

RIGHT: dict[str, Message] = {method: request for table in _TABLES for method, request in table.RIGHT.items()}
WRONG: dict[str, Table] = {method: wrong for table in _TABLES for method, wrong in table.WRONG.items()}
HARMLESS: dict[str, Mapping[str, str]] = {
    method: harmless for table in _TABLES for method, harmless in table.HARMLESS.items()
}
