"""What is right and what is wrong with the requests of every service.

A field that no table names has values that its rules in the contract refuse. A request that none has holds what must be
given.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from memorybank.v1 import access_pb2, options_pb2
from service.api.services import SERVICES
from tests.service.api import (
    violations,
    violations_of_conversations,
    violations_of_instructions,
    violations_of_long_term,
    violations_of_operations,
)
from tests.service.api.violations import (
    BAD_IDS,
    BAD_TIMES,
    BAD_TTLS,
    NO_ENUM,
    UNSEEN,
    YES_OR_NO,
    Table,
    paths,
    text,
)

_TABLES = (
    violations,
    violations_of_conversations,
    violations_of_instructions,
    violations_of_long_term,
    violations_of_operations,
)

METHODS: dict[str, MethodDescriptor] = {
    method.name: method for each in SERVICES for method in each.SERVICE.methods
}
REQUIRED, OUTPUT_ONLY = options_pb2.PRESENCE_REQUIRED, options_pb2.PRESENCE_OUTPUT_ONLY


def required(message: Descriptor) -> Message:
    """Returns a request with what must be given, as the tests name things."""
    known = {access_pb2.NAME_BANK: "b1", access_pb2.NAME_USER: "ada"}
    made = GetMessageClass(message)()
    for field in message.fields:
        options = field.GetOptions()
        if options.Extensions[options_pb2.rules].presence == REQUIRED:
            setattr(made, field.name, known.get(options.Extensions[access_pb2.names], "x1"))
    return made


def field_at(message: Descriptor, path: str) -> FieldDescriptor:
    head, _, rest = path.partition(".")
    field = message.fields_by_name[head.removesuffix("[]")]
    assert field.message_type is not None or not rest
    return field_at(field.message_type, rest) if rest and field.message_type else field


def refused(field: FieldDescriptor) -> list[Any]:
    """Returns single values that the rules of a field refuse, or that its type does."""
    rules: Any = field.GetOptions().Extensions[options_pb2.rules]
    needed = rules.presence == REQUIRED
    if field.message_type is not None:
        wrong: Table = {"Timestamp": BAD_TIMES, "Duration": BAD_TTLS}
        return wrong.get(field.message_type.name, [])
    if field.enum_type is not None:
        return [*NO_ENUM]
    if field.type == FieldDescriptor.TYPE_STRING:
        return (
            [*BAD_IDS]
            if rules.format == options_pb2.FORMAT_ID
            else text(rules.max_len or None, needed=needed)
        )
    below = [rules.gte - 1] if rules.HasField("gte") else []
    beyond = [rules.lte + 1] if rules.HasField("lte") else []
    whole = field.cpp_type not in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT)
    return [int(value) if whole else value for value in (*below, *beyond)]


def completed(method: str, wrong: Table, harmless: Mapping[str, str]) -> tuple[Table, Mapping[str, str]]:
    """Returns both tables with the fields that neither names."""
    message = METHODS[method].input_type
    values, reasons = dict(wrong), dict(harmless)
    for path in paths(message, frozenset(harmless)):
        if path in wrong or path in harmless:
            continue
        field = field_at(message, path)
        rules: Any = field.GetOptions().Extensions[options_pb2.rules]
        if rules.presence == OUTPUT_ONLY:
            reasons[path] = UNSEEN
        elif field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
            reasons[path] = YES_OR_NO
        elif not field.is_repeated and (found := refused(field)):
            values[path] = found
    return values, reasons


_GIVEN: dict[str, Message] = {method: right for table in _TABLES for method, right in table.RIGHT.items()}
RIGHT = _GIVEN | {name: required(method.input_type) for name, method in METHODS.items() if name not in _GIVEN}
_COMPLETED = {
    method: completed(
        method,
        {path: values for each in _TABLES for path, values in each.WRONG.get(method, {}).items()},
        {path: why for each in _TABLES for path, why in each.HARMLESS.get(method, {}).items()},
    )
    for method in METHODS
}
WRONG: dict[str, Table] = {method: wrong for method, (wrong, _) in _COMPLETED.items()}
HARMLESS: dict[str, Mapping[str, str]] = {method: why for method, (_, why) in _COMPLETED.items()}
