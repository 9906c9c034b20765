"""Tells what a contract takes away from its callers in its options, which `buf breaking` does not read.

`python -m tools.narrowed OLD.binpb NEW.binpb` prints each, and exits with 1 where there is any: a narrower bound, a
field that must be given now, a shorter deadline, a scope more.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet, MethodOptions

from memorybank.v1 import access_pb2, calls_pb2, options_pb2

LEAST = ("min_len", "min_items", "gte", "gt")
MOST = ("max_len", "max_items", "lte")
DEMANDS = ("not_blank", "unique")
SECONDS = {True: 30, False: 10}
"""Of a call whose method states none: one that changes memory, and one that is harmless to repeat (`calls.proto`)."""


def narrowed(old: FileDescriptorSet, new: FileDescriptorSet) -> list[str]:
    """Returns what of the old contract the new one narrows, a line each."""
    return [*_fields(old, new), *_methods(old, new)]


def _fields(old: FileDescriptorSet, new: FileDescriptorSet) -> Iterator[str]:
    before = dict(_rules(old))
    for name, rules in _rules(new):
        if name in before:
            yield from (f"{name}: {change}" for change in _narrower(before[name], rules))


def _rules(files: FileDescriptorSet) -> Iterator[tuple[str, Any]]:
    for file in files.file:
        for message in file.message_type:
            for field in message.field:
                yield (
                    f"{file.package}.{message.name}.{field.name}",
                    field.options.Extensions[options_pb2.rules],
                )


def _narrower(old: Any, new: Any) -> Iterator[str]:
    for name in (*LEAST, *MOST):
        is_least = name in LEAST
        if new.HasField(name):
            bound, was = getattr(new, name), getattr(old, name) if old.HasField(name) else None
            if was is None or (bound > was if is_least else bound < was):
                yield f"{name} {bound:,g}, before {'none' if was is None else f'{was:,g}'}"
    yield from (f"{name}" for name in DEMANDS if getattr(new, name) and not getattr(old, name))
    if new.format and new.format != old.format:
        yield options_pb2.Format.Name(new.format)
    if new.presence != old.presence and new.presence == options_pb2.PRESENCE_REQUIRED:
        yield "it must be given"
    if new.HasField("keys"):
        yield from (f"keys: {change}" for change in _narrower(old.keys, new.keys))


def _methods(old: FileDescriptorSet, new: FileDescriptorSet) -> Iterator[str]:
    before = dict(_options(old))
    for name, options in _options(new):
        if name not in before:
            continue
        was, now = _seconds(before[name]), _seconds(options)
        if now and (not was or now < was):
            yield f"{name}: a deadline of {now} s, before {was or 'none'}"
        scopes = [each.Extensions[access_pb2.access].scopes for each in (before[name], options)]
        for scope in sorted(set(scopes[1]) - set(scopes[0])):
            yield f"{name}: needs {access_pb2.Scope.Name(scope)}"
        for flag in ("whole_user", "admin_unless_bound", "whole_tenant"):
            if getattr(options.Extensions[access_pb2.access], flag) and not getattr(
                before[name].Extensions[access_pb2.access], flag
            ):
                yield f"{name}: {flag}"


def _options(files: FileDescriptorSet) -> Iterator[tuple[str, MethodOptions]]:
    for file in files.file:
        for service in file.service:
            for method in service.method:
                yield f"{file.package}.{service.name}.{method.name}", method.options


def _seconds(options: MethodOptions) -> int:
    """Returns a call's deadline; 0: none."""
    if options.HasExtension(calls_pb2.deadline_seconds):
        return int(options.Extensions[calls_pb2.deadline_seconds])
    return SECONDS[options.idempotency_level == MethodOptions.IDEMPOTENCY_UNKNOWN]


def main() -> int:
    old, new = (FileDescriptorSet.FromString(Path(name).read_bytes()) for name in sys.argv[1:3])
    if not any(file.name.endswith("/options.proto") for file in old.file):
        return 0  # a release from before there were rules
    changes = narrowed(old, new)
    print(*changes, sep="\n", file=sys.stderr)
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
