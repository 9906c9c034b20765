"""What a contract takes away in its options is named, and what it grants is not."""

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from memorybank.v1 import access_pb2, calls_pb2, options_pb2
from tests.protos.test_contract import described
from tools.narrowed import narrowed

ALPHA = "memorybank.v1.SearchRequest.alpha"
USER = "memorybank.v1.StoreFactRequest.user"
LABELS = "memorybank.v1.Filter.labels"
SEARCH = "memorybank.v1.Retrieval.Search"


def rules(files: FileDescriptorSet, name: str) -> Any:
    _, _, message, field = name.rsplit(".", 3)
    found = next(m for file in files.file for m in file.message_type if m.name == message)
    return next(f for f in found.field if f.name == field).options.Extensions[options_pb2.rules]


def method(files: FileDescriptorSet, name: str) -> Any:
    service, called = name.split(".")[-2:]
    found = next(s for file in files.file for s in file.service if s.name == service)
    return next(m for m in found.method if m.name == called).options


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda new: setattr(rules(new, ALPHA), "lte", 0.5), [f"{ALPHA}: lte 0.5, before 1"]),
        (lambda new: setattr(rules(new, ALPHA), "lte", 2), []),
        (lambda new: setattr(rules(new, ALPHA), "gte", 0.1), [f"{ALPHA}: gte 0.1, before 0"]),
        (lambda new: rules(new, USER).ClearField("max_len"), []),
        (lambda new: setattr(rules(new, USER), "min_len", 2), [f"{USER}: min_len 2, before none"]),
        (lambda new: setattr(rules(new, ALPHA), "presence", 1), [f"{ALPHA}: it must be given"]),
        (lambda new: setattr(rules(new, USER), "format", 3), [f"{USER}: FORMAT_LINE"]),
        (
            lambda new: setattr(rules(new, LABELS).keys, "max_len", 9),
            [f"{LABELS}: keys: max_len 9, before 128"],
        ),
        (
            lambda new: method(new, SEARCH).Extensions.__setitem__(calls_pb2.deadline_seconds, 5),
            [f"{SEARCH}: a deadline of 5 s, before 10"],
        ),
        (lambda new: method(new, SEARCH).Extensions.__setitem__(calls_pb2.deadline_seconds, 0), []),
        (
            lambda new: (
                method(new, SEARCH).Extensions[access_pb2.access].scopes.append(access_pb2.SCOPE_ADMIN)
            ),
            [f"{SEARCH}: needs SCOPE_ADMIN"],
        ),
        (
            lambda new: setattr(method(new, SEARCH).Extensions[access_pb2.access], "whole_user", True),
            [f"{SEARCH}: whole_user"],
        ),
    ],
)
def test_what_is_narrower_is_told(change: Callable[[FileDescriptorSet], None], told: list[str]) -> None:
    old, new = described(), described()
    change(new)

    assert narrowed(old, new) == told
