"""What is refused of every field of every request: values at bounds, beside them and beyond, one field at a time."""

from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from core.errors import MemoryBankError
from core.usecases.limits import Limits
from memorybank.v1 import options_pb2, types_pb2
from tests.oracles.answering import Answering, refusal_of
from tests.service.api.every_violation import METHODS, RIGHT, WRONG
from tests.service.api.test_bad_input import wrong
from tests.service.api.violations import BAD_TIMES, BAD_TTLS, BAD_VECTORS, paths

SHARES = (-1.0, -0.1, 0.0, 1.0, 1.1, 5.0, 10.0, 10.5, float("nan"), float("inf"))
WORDS = ("", " ", "a\0b", "a\nb", "x", "X y", "节点", "{}", "[")


class Accepted(Exception):
    """A request was read and goes on to the memory."""


class NoSettings:
    """Limits, and whatever else is asked of it says the same."""

    finished_ttl = None

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def __getattr__(self, name: str) -> Any:
        raise Accepted


class NoMemory:
    """The place of a house: whatever is asked of it says that the request was accepted."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.settings = NoSettings(limits or Limits())

    def __getattr__(self, name: str) -> Any:
        raise Accepted


def values(field: FieldDescriptor) -> list[Any]:
    """Returns values of a field's type, at its bounds and one beyond."""
    message, rules = field.message_type, field.GetOptions().Extensions[options_pb2.rules]
    counts = [0, 1, 2, *((rules.max_items, rules.max_items + 1) if rules.max_items else ())]
    if message is not None and message.GetOptions().map_entry:
        one = _one(message.fields_by_name["value"])
        return [dict.fromkeys(map(str, range(count)), one) for count in counts]
    if field.is_repeated:
        one = _one(field)
        several = [[_named(one, n) for n in range(count)] for count in counts]
        return [*several, [one, one], *([each] for each in _singles(field, rules))]
    return _singles(field, rules)


def _named(one: Any, number: int) -> Any:
    if isinstance(one, str):
        return f"{one}{number}"
    return number + 1 if isinstance(one, int) else one


def _one(field: FieldDescriptor) -> Any:
    if field.message_type is not None:
        return GetMessageClass(field.message_type)()
    return {FieldDescriptor.CPPTYPE_STRING: "x", FieldDescriptor.CPPTYPE_BOOL: True}.get(field.cpp_type, 1)


def _singles(field: FieldDescriptor, rules: Any) -> list[Any]:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return [b"", b"x", b"x" * 1_048_576, b"x" * 1_048_577]
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            longest = [64, 128, *((rules.max_len, rules.max_len + 1) if rules.max_len else ())]
            return [*WORDS, *("字" * n for n in longest), *("x" * n for n in (64, 65, 128, 129))]
        case FieldDescriptor.CPPTYPE_BOOL:
            return [False, True]
        case FieldDescriptor.CPPTYPE_ENUM:
            assert field.enum_type is not None
            return [*(each.number for each in field.enum_type.values), 99, -1]
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return [*SHARES]
        case FieldDescriptor.CPPTYPE_MESSAGE:
            return _messages(field)
    return [-1, 0, 1, int(rules.gte) - 1, int(rules.gte), int(rules.lte), int(rules.lte) + 1]


def _messages(field: FieldDescriptor) -> list[Any]:
    assert field.message_type is not None
    values: dict[str, list[Any]] = {
        "Timestamp": [Timestamp(), Timestamp(seconds=5), Timestamp(seconds=6), *BAD_TIMES],
        "Duration": [Duration(seconds=s) for s in (-1, 0, 1, 60, 61, 315_576_000_000)] + BAD_TTLS,
        "FieldMask": [FieldMask(), FieldMask(paths=["nothing"])],
        "Vector": [types_pb2.Vector(values=[1.0] * 8_192), *BAD_VECTORS],
    }
    return values.get(field.message_type.name, [GetMessageClass(field.message_type)()])


def fields_of(method: str) -> Iterator[tuple[str, FieldDescriptor]]:
    """Yields the fields of a request by their paths, outer ones too."""
    leaves = list(paths(METHODS[method].input_type, frozenset()))
    every: dict[str, None] = {}
    for leaf in leaves:
        parts = leaf.split(".")
        for length in range(1, len(parts) + 1):
            every[".".join(parts[:length]).removesuffix("[]")] = None
    for path in every:
        inside, field = METHODS[method].input_type, None
        for part in path.split("."):
            field = inside.fields_by_name[part.removesuffix("[]")]
            inside = field.message_type or inside
        assert field is not None
        yield path, field


async def refusals() -> list[tuple[str, str]]:
    """Returns what is answered of each field's values, by method and field."""
    house: Any = NoMemory()
    answering = Answering(house)
    found = []
    for method in RIGHT:
        table: Mapping[str, list[Any]] = WRONG[method]
        for path, field in fields_of(method):
            tried = [*table.get(path, ()), *values(field)]
            answers = [await _refusal(answering, method, wrong(method, path, value)) for value in tried]
            found.append((f"{method} {path}", "\n--\n".join(answers)))
    return found


async def _refusal(answering: Answering, method: str, sent: list[Message]) -> str:
    try:
        await answering.answer(method, sent)
    except MemoryBankError as error:
        return refusal_of(error)
    except Accepted:
        pass
    return "accepted"
