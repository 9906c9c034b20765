"""The documentation of verbs for `help()`: the comments of the protos, out of the descriptor set that ships.

Read on demand, never during a call.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from inspect import Parameter, Signature
from textwrap import indent
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet

from memorybank_client.methods import Method

MESSAGE, SERVICE, FIELD, METHOD, NESTED = 4, 6, 2, 2, 3
"""Numbers of the fields of FileDescriptorProto and DescriptorProto, of which a comment's path is made."""

TYPES = {
    number: name.removeprefix("TYPE_").lower()
    for name, number in vars(FieldDescriptor).items()
    if name.startswith("TYPE_")
}


def doc_of(method: Method) -> str:
    """Returns a method's comment, the fields of its request, and its answer."""
    comments = _comments()
    lines = [comments.get(f"{method.service}.{method.name}", ""), "", "Fields:"]
    for field in method.header.DESCRIPTOR.fields:
        lines.append(f"  {field.name}: {_type(field)}")
        lines.append(indent(comments.get(field.full_name, ""), "      "))
    answered = method.response.DESCRIPTOR.name
    lines += ["", f"Answers {'a stream of ' if method.streams_down else ''}{answered}."]
    return "\n".join(lines).strip()


def signature(method: Method) -> Signature:
    """Returns a verb's signature: the client, what is streamed if anything is, and the header's fields as keywords."""
    positional = ["self", *(["streamed"] if method.streams_up else [])]
    keywords = [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=..., annotation=_type(field))
        for field in method.header.DESCRIPTOR.fields
    ]
    return Signature(
        [*(Parameter(name, Parameter.POSITIONAL_ONLY) for name in positional), *keywords],
        return_annotation=method.response.DESCRIPTOR.name,
    )


def _type(field: Any) -> str:
    named = field.message_type or field.enum_type
    plain = named.full_name.rpartition(".")[2] if named else TYPES[field.type]
    return f"repeated {plain}" if field.is_repeated else plain


@cache
def _comments() -> Mapping[str, str]:
    """Returns the comments of methods and fields, by full name."""
    described = FileDescriptorSet.FromString(files("memorybank.v1").joinpath("memorybank.binpb").read_bytes())
    found: dict[str, str] = {}
    for file in described.file:
        names = dict(_paths(file.package, list(file.message_type), (MESSAGE,)))
        for at, service in enumerate(file.service):
            for number, method in enumerate(service.method):
                names[(SERVICE, at, METHOD, number)] = f"{file.package}.{service.name}.{method.name}"
        for place in file.source_code_info.location:
            name = names.get(tuple(place.path))
            if name and place.leading_comments:
                found[name] = "\n".join(line.strip() for line in place.leading_comments.strip().splitlines())
    return found


def _paths(
    scope: str, messages: list[DescriptorProto], path: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yields the places of all fields of messages, with their full names."""
    for at, message in enumerate(messages):
        name = f"{scope}.{message.name}"
        for number, field in enumerate(message.field):
            yield (*path, at, FIELD, number), f"{name}.{field.name}"
        yield from _paths(name, list(message.nested_type), (*path, at, NESTED))
