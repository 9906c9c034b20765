"""Reads messages as commands, field by field, by name and type, and checks every field by its rules in the contract.

Law: a command's field is the message's field of that name, else what the caller is, else the one field of that name in
a message that it holds; a value that no field holds is made of the fields of its own names. Anything else is said in a
line. The contract's rules are checked of each field, whether the command has it or not: a range stands there alone.
What binds several fields is a rule, `rule(check, message)`. What is absent is the command's default, or None. A reader
is a plain function: its source is written once, when it is first called, as dataclasses write theirs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from core.caller import Caller
from service.api.from_proto.checks import Checks
from service.api.mapping.lines import Line, Rule
from service.api.mapping.reader_source import ReaderSource

Command = TypeVar("Command")
M = TypeVar("M", bound=Message)

READERS: "dict[tuple[Any, str], Reader[Any, Any]]" = {}
"""All that were declared, by the command and the message's name: what lies within a message is read by them."""


class Reader(Generic[M, Command]):
    """Makes commands of requests."""

    def __init__(
        self,
        command: Any,
        message: Descriptor,
        rules: Iterable[Rule] = (),
        unread: Set[str] = frozenset(),
        named: Sequence[str] = (),
        lines: Mapping[str, Line] | None = None,
    ) -> None:
        self._command, self._message, self._rules = command, message, rules
        self._unread, self._named, self._lines = unread, named, lines or {}
        self._read: Callable[[M, Checks], Command] | None = None

    def __call__(self, request: M, caller: Caller) -> Command:
        with Checks(caller, request) as check:
            return self.part(request, check)

    def part(self, message: M, check: Checks) -> Command:
        """Reads a message that is a part of a request, its fields named from where `check` is."""
        return (self._read or self.compiled())(message, check)

    def compiled(self) -> Callable[[M, Checks], Command]:
        """Returns the function, written when it is first asked for. Raises TypeError for a field that nothing says."""
        if self._read is None:
            source = ReaderSource(self._message, self._unread, self._named, _inner)
            self._read = source.function(self._command, self._lines, self._rules)
        return self._read


def reading(
    command: type[Command],
    message: type[M],
    *rules: Rule,
    unread: Iterable[str] = (),
    named: Sequence[str] = (),
    **lines: Line,
) -> Reader[M, Command]:
    """Declares how a message is read. `lines`: the command's fields that do not follow from name and type. `unread`:
    paths of fields that lines and rules alone check. `named`: what its mask may name; it is the command's `fields`, or
    else what is not named is None."""
    descriptor: Any = message.DESCRIPTOR  # of either implementation
    made = Reader[M, Command](command, descriptor, rules, frozenset(unread), named, lines)
    READERS[command, descriptor.full_name] = made
    return made


def reader_of(command: Any, message: Descriptor) -> Reader[Any, Any]:
    """Returns what reads a message as a command: as declared, or else by names; without a command it only checks."""
    if (command, message.full_name) not in READERS:
        READERS[command, message.full_name] = Reader(command, message)
    return READERS[command, message.full_name]


def _inner(command: Any, message: Descriptor) -> Callable[[Any, Checks], Any]:
    """Returns the function that reads a message within another."""
    return reader_of(command, message).compiled()
