"""Calls of the service's methods in this process, without a network, and their answers as texts.

A text is the same wherever it is made: floating-point numbers have six places, maps are sorted.
"""

import hashlib
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.text_format import MessageToString

from core.errors import InvalidField, MemoryBankError
from core.usecases.house import House
from memorybank.v1 import types_pb2
from service.api.endpoint import RequestLimits
from service.api.errors.transport import InvalidRequest
from service.api.services import services
from tests.service.api.every_violation import METHODS

LARGEST = 64 * 1024 * 1024
PLACES = 6
MADE_UP = re.compile(r'(?<=sha256: ")\w+|(?<=-)[0-9a-f]{16}(?=-[0-9a-f]{64}-)')
"""Digests of a whole export, and what makes the name of a stored file its own."""
FLOATS = (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT)


class Answering:
    """The methods over a house, called by name."""

    def __init__(self, house: House) -> None:
        desk = RequestLimits(max_message_bytes=LARGEST)
        offered = services(house)
        self._bound = {
            name: (endpoint, endpoint.bind(f"{service}/{name}", desk))
            for service, endpoints in offered.items()
            for name, endpoint in endpoints.items()
        }

    async def answer(self, name: str, sent: Sequence[Message]) -> list[bytes]:
        """Returns the messages of the answer. Raises what the method raises."""
        endpoint, behave = self._bound[name]
        written: Any = _Written()
        encoded = [request.SerializeToString() for request in sent]
        last = await behave(_each(encoded) if endpoint.streams_in else encoded[0], written)
        return [*written.messages, *([] if last is None else [last])]


class _Written:
    """The side of a call's context by which answers leave."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    async def write(self, message: bytes) -> None:
        self.messages.append(message)


async def _each(encoded: Sequence[bytes]) -> AsyncIterator[bytes]:
    for message in encoded:
        yield message


def text_of(name: str, answer: Sequence[bytes]) -> str:
    """Returns an answer's messages as text."""
    kind = GetMessageClass(METHODS[name].output_type)
    read = [kind.FromString(message) for message in answer]
    for message in read:
        _round(message)
    return MADE_UP.sub("…", "\n--\n".join(map(MessageToString, read)))


def _round(message: Any) -> None:
    """Rounds all floating-point numbers of a message, those in packed vectors too."""
    if isinstance(message, types_pb2.Vector) and message.f32:
        message.values[:] = np.frombuffer(message.f32, "<f4").tolist()
        message.ClearField("f32")
    for field, value in message.ListFields():
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.cpp_type in FLOATS and field.is_repeated:
            value[:] = [round(each, PLACES) for each in value]
        elif field.cpp_type in FLOATS:
            setattr(message, field.name, round(value, PLACES))
        elif is_map and field.message_type.fields_by_name["value"].cpp_type in FLOATS:
            value.update({key: round(each, PLACES) for key, each in value.items()})
        elif field.message_type is not None and not is_map:
            for inner in value if field.is_repeated else (value,):
                _round(inner)


def refusal_of(error: MemoryBankError) -> str:
    """Returns an error as text: its name and what it carries."""
    if isinstance(error, InvalidRequest | InvalidField):
        wrong = error.violations if isinstance(error, InvalidRequest) else [error]
        return "\n".join(f"{each.field}: {each.problem}" for each in wrong)
    carried: Mapping[str, Any] = {each.name: getattr(error, each.name) for each in fields(error)}
    return f"{type(error).__name__} {carried}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def digests(answers: Iterable[tuple[str, str]]) -> str:
    """Returns a line for each answer: what was asked, and the digest of what came."""
    return "".join(f"{asked} {digest(text)}\n" for asked, text in answers)
