"""What the server refuses of each field of each request, measured by values that are far beyond every bound.

A bound is read from the refusal; that it is where the refusal says, values at it and one beyond show.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.text_format import MessageToString

from core.errors import InvalidField, MemoryBankError
from core.usecases.limits import Limits
from memorybank.v1 import (
    access_pb2,
    conversation_pb2,
    long_term_pb2,
    memory_bank_pb2,
    options_pb2,
    query_graph_pb2,
    retrieval_pb2,
    types_pb2,
)
from service.api.errors.transport import InvalidRequest
from tests.oracles.answering import Answering
from tests.oracles.refusals import Accepted, NoMemory, fields_of
from tests.service.api.every_violation import HARMLESS, METHODS, RIGHT
from tests.service.api.test_bad_input import wrong
from tests.service.api.violations import UNSEEN, put

FAR = 110_000  # code points
MANY = 10_001
LENGTH = re.compile(r"must have at most ([\d,]+) code points")
COUNT = re.compile(r"must be at most ([\d,]+), not")
RANGE = re.compile(r"must be (-?[\d,]+) to (-?[\d,]+)")
LEAST = re.compile(r"must be at least (-?[\d,]+)|.*which count from (\d+)")
ABOVE_ZERO = "must be above 0"
A_SECOND = "must be at least a second"
MOST_SECONDS = re.compile(r"must be more than 0 and at most (\d+) s")
ONE_OF = re.compile(r"must be one of (\w+)")
NOT_EMPTY = re.compile(r"must (be given|not be empty( or blank)?)($|:)")
FORMATS = {
    "must be 1 to 128 letters": options_pb2.FORMAT_ID,
    "must be a lower-case word": options_pb2.FORMAT_WORD,
    "must not hold control characters": options_pb2.FORMAT_LINE,
    "must be a JSON object": options_pb2.FORMAT_JSON_OBJECT,
}

NUMBERS = (
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_DOUBLE,
    FieldDescriptor.CPPTYPE_FLOAT,
)

Rules = options_pb2.Rules


WIDE = Limits(**{each.name: 2**31 for each in fields(Limits) if isinstance(each.default, int)})
"""None of the bounds that are configured."""


OTHERS: Mapping[str, tuple[tuple[str, ...], Message]] = {
    "SearchTurns": (
        ("most_conversations", "labels", "collection"),
        conversation_pb2.SearchTurnsRequest(user="ada", text="t"),
    ),
    "AssembleContext": (
        ("part_timeout",),
        retrieval_pb2.AssembleContextRequest(input="i", user="ada", allow_partial=True),
    ),
    "CreateBank": (
        ("embedding_space.name", "embedding_space.dimension"),
        memory_bank_pb2.CreateBankRequest(
            embedding_space=types_pb2.EmbeddingSpace(source=types_pb2.SPACE_SOURCE_SERVER)
        ),
    ),
    "ReviewRecords": (
        ("record_ids", "content"),
        long_term_pb2.ReviewRecordsRequest(
            user="ada", record_ids=["r"], decision=long_term_pb2.REVIEW_DECISION_APPROVE
        ),
    ),
    "MergeNodes": (("node_ids",), query_graph_pb2.MergeNodesRequest(bank_id="b", summary="s")),
}
"""Requests for fields that do not go with what the right one holds."""

Tried = Callable[[Any], Awaitable[list[str]]]
"""What is wrong with a value."""


class Measuring:
    """The readers of all requests, asked for what they refuse."""

    def __init__(self) -> None:
        memory: Any = NoMemory(WIDE)
        self._answering = Answering(memory)

    async def problems(self, method: str, path: str, value: Any) -> list[tuple[str, str]]:
        """Returns what is wrong with a field that has this value: where in it, and what."""
        sent = wrong(method, path, value)
        names, other = OTHERS.get(method, ((), None))
        if other is not None and path in names:
            sent = [type(other).FromString(other.SerializeToString())]
            put(sent[0], path, value)
        found: list[tuple[str, str]] = []
        try:
            await self._answering.answer(method, sent)
        except InvalidRequest as error:
            found = [(each.field, each.problem) for each in error.violations]
        except InvalidField as error:
            found = [(error.field, error.problem)]
        except (MemoryBankError, Accepted):
            pass
        at = path.replace("[]", "[0]")
        return [
            (name.removeprefix(at), problem)
            for name, problem in found
            if re.match(re.escape(at) + r"(\[|$)", name)
        ]

    async def rules(self, method: str, path: str, field: FieldDescriptor) -> Any:
        """Returns the rules of a field, as the readers refuse what breaks them."""

        async def whole(value: Any) -> list[str]:
            return [problem for at, problem in await self.problems(method, path, value) if not at]

        async def inside(value: Any) -> list[str]:
            return [problem for at, problem in await self.problems(method, path, value) if at]

        async def first(value: Any) -> list[str]:
            return await inside([value])

        rules, message = Rules(), field.message_type
        if message is not None and message.GetOptions().map_entry:
            one = example(message.fields_by_name["value"])
            await self._count(rules, whole, lambda count: {f"k{n}": one for n in range(count)})
            await self._scalar(rules.keys, lambda key: whole({key: one}), message.fields_by_name["key"])
            if not rules.keys.ListFields():
                rules.ClearField("keys")
            named = [found[1] for problem in await inside({"k": one}) if (found := ONE_OF.match(problem))]
            key = next(iter(named), "work" if rules.keys.format == options_pb2.FORMAT_WORD else "k")
            await self._scalar(rules, lambda value: inside({key: value}), message.fields_by_name["value"])
        elif field.is_repeated:
            await self._count(rules, whole, lambda count: [numbered(field, n) for n in range(count)])
            if message is None:
                await self._scalar(rules, first, field)
                rules.presence = options_pb2.PRESENCE_UNSPECIFIED  # an element is there
            twice = await whole([numbered(field, 1)] * 2)
            rules.unique = any("must not name one twice" in problem for problem in twice)
        elif message is None or message.name == "Duration":
            await self._scalar(rules, whole, field)
            if field.containing_oneof:
                rules.presence = options_pb2.PRESENCE_UNSPECIFIED
        return rules

    async def _count(self, rules: Any, whole: Tried, several: Callable[[int], Any]) -> None:
        for problem in await whole(several(MANY)):
            if found := RANGE.match(problem):
                rules.max_items = number(found[2])
                if any(map(RANGE.match, await whole(several(0)))):  # or else an empty one is none
                    rules.min_items = number(found[1])
            elif found := COUNT.match(problem):
                rules.max_items = number(found[1])

    async def _scalar(self, rules: Any, tried: Tried, field: FieldDescriptor) -> None:
        if field.cpp_type == FieldDescriptor.CPPTYPE_STRING and field.type != FieldDescriptor.TYPE_BYTES:
            await self._text(rules, tried)
        elif field.cpp_type in NUMBERS or field.message_type is not None:
            await self._number(rules, tried, field)
        elif field.cpp_type == FieldDescriptor.CPPTYPE_ENUM and await tried(0):
            rules.presence = options_pb2.PRESENCE_REQUIRED

    async def _text(self, rules: Any, tried: Tried) -> None:
        for value in ("x" * FAR, "[]", "a\nb", "a/b"):
            for problem in await tried(value):
                rules.format = max(
                    rules.format, *(f for start, f in FORMATS.items() if problem.startswith(start)), 0
                )
                if length := LENGTH.match(problem):
                    rules.max_len = number(length[1])
        empty, blank = await tried(""), await tried(" ")
        rules.not_blank = "must not be empty or blank" in blank
        if any(map(NOT_EMPTY.match, empty)):
            rules.presence = options_pb2.PRESENCE_REQUIRED

    async def _number(self, rules: Any, tried: Tried, field: FieldDescriptor) -> None:
        for far in extremes(field):
            for problem in await tried(far):
                if found := RANGE.match(problem):
                    rules.gte, rules.lte = map(number, found.groups())
                elif found := LEAST.match(problem):
                    rules.gte = number(found[1] or found[2])
                elif found := MOST_SECONDS.match(problem):
                    rules.lte = number(found[1])
                elif problem == A_SECOND:
                    rules.gte = 1
        if field.message_type is None and ABOVE_ZERO in await tried(0):
            rules.ClearField("gte")
            rules.gt = 0


def number(text: str) -> Any:
    value = float(text.rstrip(".").replace(",", ""))
    return int(value) if value.is_integer() else value


def example(field: FieldDescriptor) -> Any:
    if field.message_type is not None:
        return GetMessageClass(field.message_type)()
    return "x" if field.cpp_type == FieldDescriptor.CPPTYPE_STRING else 1


def numbered(field: FieldDescriptor, place: int) -> Any:
    one = example(field)
    return f"x{place}" if one == "x" else place + 1 if one == 1 else one


def extremes(field: FieldDescriptor) -> tuple[Any, Any]:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_MESSAGE:
            return Duration(), Duration(seconds=315_576_000_000)
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return -1e9, 1e9
        case FieldDescriptor.CPPTYPE_INT32:
            return -(2**31), 2**31 - 1
        case FieldDescriptor.CPPTYPE_INT64:
            return -(2**63), 2**63 - 1
    return 0, 2**32 - 1


def is_read(method: str, path: str) -> bool:
    """Whether a request's field is read as a request's: what is exported comes back as it was."""
    unread = [name for name, why in HARMLESS.get(method, {}).items() if why == UNSEEN]
    exported = method == "ImportBank" and path.startswith("record")
    return not exported and not any(
        path == name or path.startswith((f"{name}.", f"{name}[")) for name in unread
    )


def read_fields() -> Iterator[tuple[str, str, FieldDescriptor]]:
    """Yields the fields that are read of each request: its method and their paths."""
    for method in RIGHT:
        for path, field in fields_of(method):
            if is_read(method, path):
                yield method, path, field


OF_THE_WHOLE = {
    ("BatchSearch", "searches[].bank_id"),
    ("BatchSearch", "searches[].min_revision"),
    ("MemorizeStream", "header.text"),
    ("MemorizeStream", "header.messages"),
}
"""Fields that must be left out of a message in this place."""


async def field_rules() -> dict[str, Any]:
    """Returns the rules that hold for each field wherever a request has it."""
    measuring, found = Measuring(), dict[str, Any]()
    for method, path, field in read_fields():
        if (method, path) in OF_THE_WHOLE:
            continue
        here = await measuring.rules(method, path, field)
        if is_masked(method, path) and not identifies(field):  # what the mask does not name may be left out
            here.ClearField("presence")
            here.ClearField("not_blank")
        before = found.setdefault(field.full_name, here)
        if before.presence != here.presence:
            before.ClearField("presence")
        if before.not_blank != here.not_blank:
            before.ClearField("not_blank")
        assert text_of(before) == text_of(here, before), (field.full_name, method, path, before, here)
    return found | {
        name: Rules(presence=options_pb2.PRESENCE_OUTPUT_ONLY) for name in unread_fields() - set(found)
    }


def unread_fields() -> set[str]:
    """Returns the fields that answers hold and that are not read where a request holds their message."""
    unread = {
        (method, path) for method, table in HARMLESS.items() for path, why in table.items() if why == UNSEEN
    }
    return {
        field.full_name for method in RIGHT for path, field in fields_of(method) if (method, path) in unread
    }


def text_of(rules: Any, like: Any = None) -> str:
    """Returns rules as text, presence and blanks as in `like`."""
    plain = Rules()
    plain.CopyFrom(rules)
    if like is not None:
        plain.presence, plain.not_blank = like.presence, like.not_blank
    return str(MessageToString(plain, as_one_line=True))


def is_masked(method: str, path: str) -> bool:
    """Whether the field lies in a message of which a mask says what is to be set."""
    fields_by_name = METHODS[method].input_type.fields_by_name
    return "update_mask" in fields_by_name and "." in path


def identifies(field: FieldDescriptor) -> bool:
    """Whether it names what is to be changed."""
    options = field.GetOptions()
    return bool(options.Extensions[access_pb2.names]) or field.name.endswith("_id")
