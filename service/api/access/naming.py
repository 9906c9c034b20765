"""Holds a request to what its caller's credential is bound to, by the options of the fields that name something.

Law: what the request and the credential alone decide is decided here, for every message of every call,
before a look-up.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from core.caller import Caller
from core.errors import PermissionDenied
from core.model.access import Scope
from memorybank.v1 import access_pb2 as pb

M = TypeVar("M", bound=Message)

OBSERVES = "observe"
"""The field of a read by which it counts nothing."""
OF_RECORDS = frozenset({"memorybank.v1.Bank", "memorybank.v1.ConversationRecord"})
"""What describes something that is there: an empty user of it stays empty."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The fields of one message that name something, and those of messages within it."""

    users: tuple[str, ...]
    banks: tuple[str, ...]
    collections: tuple[str, ...]
    has_owner: bool
    observes: bool
    fills: bool
    within: tuple[tuple[str, bool, "Naming"], ...]

    @property
    def is_empty(self) -> bool:
        return not (
            self.users or self.banks or self.collections or self.has_owner or self.observes or self.within
        )


def held(message: M, caller: Caller) -> M:
    """Returns the message, its empty user the caller's own. Raises PermissionDenied for a field that names what the
    caller is not bound to."""
    _hold(message, naming_of(message.DESCRIPTOR), caller, "")
    return message


@lru_cache(maxsize=1_024)
def naming_of(descriptor: Descriptor) -> Naming:
    """Returns what a message and those within it name. A message that holds its own kind is looked into once."""
    return _naming(descriptor, ())


def _naming(descriptor: Descriptor, around: tuple[str, ...]) -> Naming:
    named: dict[int, list[str]] = {}
    within = []
    for field in descriptor.fields:
        named.setdefault(field.GetOptions().Extensions[pb.names], []).append(field.name)
        inner = field.message_type
        if inner is None or inner.GetOptions().map_entry or inner.full_name in around:
            continue
        naming = _naming(inner, (*around, descriptor.full_name))
        if not naming.is_empty:
            within.append((field.name, _is_repeated(field), naming))
    return Naming(
        users=tuple(named.get(pb.NAME_USER, ())),
        banks=tuple(named.get(pb.NAME_BANK, ())),
        collections=tuple(named.get(pb.NAME_COLLECTION, ())),
        has_owner=bool(named.get(pb.NAME_OWNER)),
        observes=OBSERVES in descriptor.fields_by_name,
        fills=descriptor.full_name not in OF_RECORDS,
        within=tuple(within),
    )


def _is_repeated(field: FieldDescriptor) -> bool:
    return bool(field.is_repeated)


def _hold(message: Any, naming: Naming, caller: Caller, path: str) -> None:
    binding = caller.binding
    for name in naming.users:
        if not getattr(message, name) and naming.fills and binding.user is not None:
            setattr(message, name, binding.user)
        if (user := getattr(message, name)) and not binding.admits_user(user):
            raise _denied(path + name)
    for name in naming.banks:
        if (bank_id := getattr(message, name)) and not binding.admits_bank(bank_id):
            raise _denied(path + name)
    for name in naming.collections:
        if (collection := getattr(message, name)) and not binding.admits_collection(collection):
            raise _denied(path + name)
    if naming.has_owner and (level := message.WhichOneof("level")):
        owner = "" if level == "tenant" else getattr(message, level)
        if not binding.admits_owner(level, owner):
            raise _denied(path + level)
    if naming.observes and not caller.may(Scope.WRITE):
        setattr(message, OBSERVES, True)
    for name, repeated, inner in naming.within:
        if repeated:
            for place, each in enumerate(getattr(message, name)):
                _hold(each, inner, caller, f"{path}{name}[{place}].")
        elif message.HasField(name):
            _hold(getattr(message, name), inner, caller, f"{path}{name}.")


def _denied(field: str) -> PermissionDenied:
    return PermissionDenied(f"{field}: the API key is bound to others")
