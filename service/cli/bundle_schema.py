"""The JSON schema of a bundle's files: of each line, from the contract's descriptors.

Law: says what protobuf's JSON form of a message is, with the names of the protos; whatever ExportUser writes fits it.
"""

from collections.abc import Iterable
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import instructions_pb2, memory_bank_pb2
from memorybank.v1 import long_term_pb2 as pb

Schema = dict[str, Any]

WHOLE: dict[str, Any] = {
    r"^user\.json$": pb.GetUserResponse,
    r"^collections/\d+/collection\.json$": pb.Collection,
    r"^banks/[^/]+\.jsonl$": memory_bank_pb2.ExportRecord,
}
"""Files that are one message, or a message a line, by their paths."""

NAMED: dict[str, dict[str, Any]] = {
    r"^instructions\.jsonl$": {"source": instructions_pb2.Source},
    r"^conversations/[^/]+\.jsonl$": {
        "conversation": talk.ConversationRecord,
        "progress": pb.ConversationProgress,
        "turn": talk.Turn,
        "cluster": talk.Cluster,
        "summary": talk.Summary,
        "key": talk.Key,
        "invocation": talk.InvocationSummary,
    },
    r"^invocations/[^/]+\.jsonl$": {
        "invocation": talk.InvocationSummary,
        "running": pb.RunningInvocation,
        "item": talk.Item,
    },
    r"^collections/\d+/feedback\.jsonl$": {"feedback": pb.Feedback},
    r"^collections/\d+/tombstones\.jsonl$": {"tombstone": pb.Tombstone},
}
"""Files each of whose lines has one field, by their paths: its message by its name."""

_TEXT: Schema = {"type": "string"}
_LONG: Schema = {"type": "string", "pattern": r"^-?\d+$"}
_WELL_KNOWN: dict[str, Schema] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Duration": {"type": "string", "pattern": r"^-?\d+(\.\d+)?s$"},
}
_SCALARS: dict[int, Schema] = {
    FieldDescriptor.CPPTYPE_INT32: {"type": "integer"},
    FieldDescriptor.CPPTYPE_UINT32: {"type": "integer"},
    FieldDescriptor.CPPTYPE_INT64: _LONG,
    FieldDescriptor.CPPTYPE_UINT64: _LONG,
    FieldDescriptor.CPPTYPE_DOUBLE: {"type": "number"},
    FieldDescriptor.CPPTYPE_FLOAT: {"type": "number"},
    FieldDescriptor.CPPTYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.CPPTYPE_STRING: _TEXT,
}


def schema() -> Schema:
    """Returns the schema of all files. `files` has by the pattern of a path what a line of it is, or all of it."""
    files = {path: _ref(kind.DESCRIPTOR) for path, kind in WHOLE.items()}
    for path, lines in NAMED.items():
        files[path] = {"oneOf": [_line(name, kind.DESCRIPTOR) for name, kind in lines.items()]}
    every = [*WHOLE.values(), *(kind for lines in NAMED.values() for kind in lines.values())]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lines of the .jsonl files, and the .json files, of a user's bundle",
        "files": files,
        "$defs": {each.full_name: _message(each) for each in _all(kind.DESCRIPTOR for kind in every)},
    }


def _all(roots: Iterable[Descriptor]) -> list[Descriptor]:
    """Returns the messages, and all that they hold."""
    found: dict[str, Descriptor] = {}
    waiting = list(roots)
    while waiting:
        each = waiting.pop()
        if each.full_name in found or each.full_name in _WELL_KNOWN:
            continue
        if not each.GetOptions().map_entry:
            found[each.full_name] = each
        waiting += [field.message_type for field in each.fields if field.message_type is not None]
    return [found[name] for name in sorted(found)]


def _line(name: str, message: Descriptor) -> Schema:
    return _object({name: _ref(message)}) | {"required": [name]}


def _message(message: Descriptor) -> Schema:
    return _object({field.name: _field(field) for field in message.fields})


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _field(field: FieldDescriptor) -> Schema:
    inner = field.message_type
    if inner is not None and inner.GetOptions().map_entry:
        return {"type": "object", "additionalProperties": _one(inner.fields_by_name["value"])}
    return {"type": "array", "items": _one(field)} if field.is_repeated else _one(field)


def _one(field: FieldDescriptor) -> Schema:
    if field.message_type is not None:
        return _WELL_KNOWN.get(field.message_type.full_name) or _ref(field.message_type)
    if field.enum_type is not None:
        return _enum(field.enum_type)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return {"type": "string", "contentEncoding": "base64"}
    return _SCALARS[field.cpp_type]


def _enum(enum: EnumDescriptor) -> Schema:
    return {"enum": [value.name for value in enum.values]}


def _ref(message: Descriptor) -> Schema:
    return {"$ref": f"#/$defs/{message.full_name}"}
