"""Checking what callers send, field by field.

Law: what a field's value may be by itself stands in the contract (`rules`), and `service.api.mapping` asks these checks
for it; what no rule can say is asked by the readers beside this module (what a value means to a bank, in core). What is
wrong is collected, so that one answer names it all. A check returns a value of the right type in any case: a command is
only used when nothing was wrong. What is right costs little: a repeated or mapped field is read from its message once,
and its elements' paths are made for those that are wrong.
"""

import hashlib
import math
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Self, TypeVar

import numpy as np
from google.protobuf.descriptor import Descriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from numpy.typing import NDArray

from core.caller import Caller
from core.errors import InvalidField
from core.ids import RequestId, is_id
from core.model.bank import NEVER
from core.ports.aggregates import RequestKey
from memorybank.v1 import types_pb2 as pb
from service.api.errors.transport import InvalidRequest

Choice = TypeVar("Choice")
Number = TypeVar("Number", bound=int)

NAME = 128  # code points of a name: user, collection, role, speaker, type
SENTENCE = 4_096
LABELS = 64
LABEL_VALUE = 1_024
MOST_DIMENSIONS = 8_192

ID_RULE = "must be 1 to 128 letters, digits and . _ : -, and start with a letter or digit"
PART = re.compile(r"(?P<name>\w+)(?:\[(?P<element>\d+)\])?\.?")  # of a field's path
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FLOATS = np.dtype("<f4")
NO_VECTOR: NDArray[np.float32] = np.zeros(0, dtype=np.float32)


class Checks:
    """What was found wrong so far, and the checks that find it. Fields are named by their path in the request.

    As a context it ends by raising InvalidRequest with all that was found: each problem once, in the order in which the
    contract lists the fields, whatever the order of the checks.
    """

    def __init__(self, caller: Caller, message: Message) -> None:
        self.caller = caller
        self.violations: list[InvalidField] = []
        self._message = message
        self.place = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self.violations and kind is None:
            message: Any = self._message.DESCRIPTOR
            found = {(wrong.field, wrong.problem) for wrong in self.violations}
            in_order = sorted(found, key=lambda wrong: (place_of(message, wrong[0]), wrong))
            raise InvalidRequest([InvalidField(*wrong) for wrong in in_order])

    def within(self, place: str) -> "Checks":
        """Checks of a message that lies at `place` (`searches[3].`): what they find is found here."""
        inner = Checks(self.caller, self._message)
        inner.violations, inner.place = self.violations, self.place + place
        return inner

    def quiet(self) -> "Checks":
        """Checks whose findings are told elsewhere."""
        return Checks(self.caller, self._message)

    def wrong(self, field: str, problem: str) -> None:
        self.violations.append(InvalidField(self.place + field, problem))

    # ---- ids ----

    def id(self, field: str, value: str) -> str:
        if not value:
            self.wrong(field, "must be given")
        elif not is_id(value):
            self.wrong(field, ID_RULE)
        return value

    def id_or_none(self, field: str, value: str) -> str | None:
        return self.id(field, value) if value else None

    def ids(self, field: str, values: Sequence[str], most: int, least: int = 0) -> tuple[str, ...]:
        """Reads different ids, `least` to `most` of them."""
        given = tuple(values) if values else ()
        self.amount(field, given, most, least)
        for index, value in enumerate(given[:most]):
            if not is_id(value):
                self.id(f"{field}[{index}]", value)
        if len(given) > 1 and len(set(given)) < len(given):
            self.wrong(field, "must not name one twice")
        return given

    # ---- texts ----

    def text(self, field: str, value: str, most: int | None = None, least: int = 0) -> str:
        """Checks a text: at most so many code points, no NUL; `least` 1: not blank."""
        if "\0" in value:
            self.wrong(field, "must not hold NUL characters")
        if most is not None and len(value) > most:
            self.wrong(field, f"must have at most {most:,} code points, not {len(value):,}")
        if least and not value.strip():
            self.wrong(field, "must not be empty or blank")
        return value

    def texts(self, field: str, values: Sequence[str], most: int, each: int) -> tuple[str, ...]:
        """Checks texts: at most `most`, none blank, of at most `each` code points."""
        given = tuple(values) if values else ()
        self.amount(field, given, most)
        for index, value in enumerate(given[:most]):
            if "\0" in value or len(value) > each or not value.strip():
                self.text(f"{field}[{index}]", value, each, least=1)
        return given

    def labels(
        self,
        field: str,
        values: Mapping[str, str],
        most: int = LABELS,
        key: int = NAME,
        each: int = LABEL_VALUE,
    ) -> dict[str, str]:
        """Checks texts by name: at most `most`, their names of at most `key` code points."""
        if not values:
            return {}
        if len(values) > most:
            self.wrong(field, f"must be at most {most}, not {len(values):,}")
        for name, value in list(values.items())[:most]:
            self.text(field, name, key, least=1)
            self.text(f"{field}[{name[:NAME]}]", value, each)
        return dict(values)

    # ---- numbers ----

    def amount(self, field: str, values: Collection[object], most: int, least: int = 0) -> None:
        if not least <= len(values) <= most:
            self.wrong(field, f"must be {least:,} to {most:,}, not {len(values):,}")

    def between(self, field: str, value: int, least: int, most: int) -> int:
        if not least <= value <= most:
            self.wrong(field, f"must be {least:,} to {most:,}, not {value:,}")
        return value

    def numbers(
        self, field: str, values: Sequence[int], most: int, least: int, greatest: int
    ) -> tuple[int, ...]:
        """Reads different numbers, at most `most` of them."""
        given = tuple(values)
        self.amount(field, given, most)
        for index, value in enumerate(given[:most]):
            self.between(f"{field}[{index}]", value, least, greatest)
        if len(set(given)) < len(given):
            self.wrong(field, "must not name one twice")
        return given

    def amounts(
        self, field: str, values: Mapping[str, int], most: int, key: int, least: int
    ) -> dict[str, int]:
        """Reads numbers by name: at most `most`, their names of at most `key` code points."""
        self.amount(field, values, most)
        for name, value in list(values.items())[:most]:
            self.text(field, name, key, least=1)
            self.at_least(f"{field}[{name[:NAME]}]", value, least)
        return dict(values)

    def at_least(self, field: str, value: int, least: int = 0) -> int:
        if value < least:
            self.wrong(field, f"must be at least {least:,}, not {value:,}")
        return value

    def ratio(self, field: str, value: float, least: float = 0.0, most: float = 1.0) -> float:
        if not least <= value <= most:  # NaN is not either
            self.wrong(field, f"must be {least:g} to {most:g}, not {value:g}")
        return value

    def finite(self, field: str, value: float) -> float:
        if not math.isfinite(value):
            self.wrong(field, f"must be a finite number, not {value:g}")
        return value

    # ---- times ----

    def time(self, field: str, value: Timestamp) -> datetime:
        if not 0 <= value.nanos < 1_000_000_000:
            self.wrong(field, "nanos must be 0 to 999,999,999")
            return EPOCH
        try:
            return EPOCH + timedelta(seconds=value.seconds, microseconds=value.nanos // 1_000)
        except OverflowError:
            self.wrong(field, "must lie in the years 1 to 9999")
            return EPOCH

    def optional_time(self, message: Message, field: str, path: str = "") -> datetime | None:
        return self.time(path or field, getattr(message, field)) if message.HasField(field) else None

    def time_range(self, given: pb.TimeRange) -> tuple[datetime | None, datetime | None]:
        """Reads start, inclusive, and end, exclusive; None where unbounded."""
        since, until = self.optional_time(given, "start"), self.optional_time(given, "end")
        if since is not None and until is not None and not since < until:
            self.wrong("end", "must be later than start")
        return since, until

    def duration(self, field: str, value: Duration) -> timedelta:
        """Reads a duration, not negative; microseconds count, what is finer is dropped."""
        whole = abs(value.seconds) <= 315_576_000_000 and abs(value.nanos) < 1_000_000_000
        if not whole or value.seconds < 0 or value.nanos < 0:
            self.wrong(field, "must be a duration of 0 to 315,576,000,000 seconds")
            return timedelta()
        return timedelta(seconds=value.seconds, microseconds=value.nanos // 1_000)

    def seconds(self, field: str, value: timedelta, least: float | None, most: float | None) -> None:
        """Checks how long a duration is."""
        if least is not None and value.total_seconds() < least:
            self.wrong(field, "must be at least a second" if least == 1 else f"must be at least {least:g} s")
        if most is not None and not timedelta() < value <= timedelta(seconds=most):
            self.wrong(field, f"must be more than 0 and at most {most:g} s")

    def ttl(self, field: str, value: Duration) -> timedelta:
        """Reads a duration, or NEVER."""
        never = value.seconds == NEVER.total_seconds() and not value.nanos
        return NEVER if never else self.duration(field, value)

    # ---- the rest ----

    def choice(self, field: str, value: Number, choices: Mapping[Number, Choice]) -> Choice:
        """Reads an enum's value; the first of `choices` stands in for one that has no meaning."""
        if value not in choices:
            self.wrong(field, f"has no value {value}; it has {', '.join(map(str, choices))}")
            return next(iter(choices.values()))
        return choices[value]

    def choices(
        self, field: str, values: Sequence[Number], choices: Mapping[Number, Choice]
    ) -> frozenset[Choice]:
        return frozenset(self.choice(f"{field}[{i}]", v, choices) for i, v in enumerate(values))

    def mask(self, field: str, mask: FieldMask, known: Sequence[str]) -> frozenset[str]:
        paths = frozenset(mask.paths)
        if not paths:
            self.wrong(field, f"must name what to set: {', '.join(known)}")
        elif unknown := sorted(paths - set(known)):
            self.wrong(field, f"{unknown[0][:NAME]!r} cannot be set; {', '.join(known)} can")
        return paths

    def vector(self, field: str, vector: pb.Vector) -> NDArray[np.float32]:
        """Reads finite numbers, not all zero, as they came: core knows the bank's dimension, and scales."""
        packed, values = vector.f32, vector.values
        if bool(packed) == bool(len(values)):
            self.wrong(field, "must have either f32 or values")
            return NO_VECTOR
        if len(packed) % 4:
            self.wrong(f"{field}.f32", f"must be 4 bytes to a number: {len(packed):,} bytes are not")
            return NO_VECTOR
        numbers = np.frombuffer(packed, FLOATS) if packed else np.array(values, dtype=np.float32)
        with np.errstate(all="ignore"):  # a signalling NaN is refused below like any other
            square = float(numbers.dot(numbers))
            if not 0.0 < square < math.inf:  # of doubles, as no finite float32 numbers overflow it
                wide = numbers.astype(np.float64)
                square = float(wide.dot(wide))
        if 0.0 < square < math.inf and len(numbers) <= MOST_DIMENSIONS:
            return numbers
        place = f"{field}.f32" if packed else f"{field}.values"
        if len(numbers) > MOST_DIMENSIONS:
            self.wrong(place, f"must be at most {MOST_DIMENSIONS:,} numbers, not {len(numbers):,}")
        elif not math.isfinite(square):
            self.wrong(place, "must be finite numbers")
        elif square == 0.0:
            self.wrong(place, "must not be all zero")
        return numbers

    def request(self, message: Message, *apart: str, path: str = "request_id") -> RequestKey | None:
        """Reads the call's identity, None without a request_id. Fields named `apart` may differ in a repetition."""
        request_id: str = getattr(message, "request_id")  # noqa: B009  every mutation has it
        if not request_id:
            return None
        return request_key(self.id(path, request_id), message, self.caller.subject, digest(message, *apart))


def checking(caller: Caller, message: Message) -> Checks:
    """Checks of a caller's request: `with checking(caller, request) as check`."""
    return Checks(caller, message)


def place_of(message: Descriptor, path: str) -> tuple[int, ...]:
    """Returns where the contract lists a field: the places of the fields and elements on its path, outermost first.

    A part that names no field has no place: a oneof, or what a stream calls the message. A map's keys have none either.
    """
    place: list[int] = []
    inside: Descriptor | None = message
    while inside is not None and (part := PART.match(path)):
        path = path[part.end() :]
        if field := inside.fields_by_name.get(part["name"]):
            is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
            place += [field.index] if is_map or not part["element"] else [field.index, int(part["element"])]
            inside = None if is_map else field.message_type
    return tuple(place)


def request_key(request_id: str, message: Message, subject: str, body: str) -> RequestKey:
    verb = message.DESCRIPTOR.name.removesuffix("Request")
    return RequestKey(
        request_id=RequestId(request_id), verb=verb, digest=digest_for(subject, body), subject=subject
    )


def digest_for(subject: str, body: str) -> str:
    """Returns the digest of a subject's request: two subjects' are never the same. Without a subject it is the body's
    alone, as it was before there were any."""
    return hashlib.sha256(f"{subject}\n{body}".encode()).hexdigest() if subject else body


def digest(message: Message, *apart: str) -> str:
    """Returns the SHA-256 of a request's body: its deterministic bytes without request_id and the fields `apart`."""
    body = type(message)()
    body.CopyFrom(message)
    for field in ("request_id", *apart):
        body.ClearField(field)
    return hashlib.sha256(body.SerializeToString(deterministic=True)).hexdigest()
