"""Calling tools that learn from their failures: find what mended such a failure, try it, record it, report it.

A tool is called once more for each mending tried, never more often; what no mending cures is raised as it came, and
what a mended call brought is returned, also where memory cannot be asked or told: a note at the error says so. A
mending is tried by itself only where the message is alike and it fits these arguments: a field is renamed, or the value
that failed is the one that failed then. No other argument changes. What is known is shown to `fix` (`Failure.known`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client.client import SyncMemoryBankClient
from memorybank_client.errors import MemoryBankError
from memorybank_client.runs import as_json, held

Arguments = dict[str, Any]
Tool = Callable[..., Any]

SURE = (
    0.9  # the least match at which a mending is tried by itself: same type, same tool, a message half alike
)
NAME, MESSAGE = 128, 4_096  # code points


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How a call failed, and with what arguments; `known`: what mended such failures before, best first."""

    tool: str
    arguments: Arguments
    error: Exception
    known: tuple[pb.Recovery, ...] = ()

    @property
    def error_type(self) -> str:
        return held(type(self.error).__name__, NAME)

    @property
    def message(self) -> str:
        return held(str(self.error), MESSAGE)


Fix = Callable[[Failure], Arguments | None]
"""The agent's own idea: other arguments, or None."""


class LearningTools:
    """Tools under names, over one collection of one user. `fix` is asked where no recorded mending helps."""

    def __init__(
        self,
        client: SyncMemoryBankClient,
        user: str,
        tools: Mapping[str, Tool],
        collection: str = "",
        fix: Fix = lambda _: None,
    ) -> None:
        self._client, self._tools, self._fix = client, tools, fix
        self._owner: dict[str, Any] = {"user": user, "collection": collection}

    def call(self, name: str, arguments: Arguments) -> Any:
        """Calls the tool. Raises what it raised at first, where nothing mended it."""
        try:
            return self._tools[name](**arguments)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is what is to be mended
            failure = Failure(tool=name, arguments=arguments, error=error)
        found_: Sequence[pb.FoundRecovery] = ()
        try:
            found_ = self._found(failure)
        except MemoryBankError as away:
            failure.error.add_note(f"what mended it before could not be asked: {away}")
        for found in found_:
            if found.match < SURE:
                continue
            if (mended := patched(arguments, found.record.recovery)) is not None:
                worked, result = self._tried(name, mended)
                with suppress(MemoryBankError):  # the tool was called: it must not be called again for that
                    self._client.report_outcome(
                        **self._owner, record_ids=[found.record.record_id], succeeded=worked
                    )
                if worked:
                    return result
        own = self._fix(replace(failure, known=tuple(found.record.recovery for found in found_)))
        if own is not None:
            worked, result = self._tried(name, own)
            if worked:
                self._record(failure, own)
                return result
        raise failure.error

    def _found(self, failure: Failure) -> Sequence[pb.FoundRecovery]:
        return self._client.find_recoveries(
            **self._owner,
            error_type=failure.error_type,
            tool=failure.tool[:NAME],
            message=failure.message,
        ).recoveries

    def _tried(self, name: str, arguments: Arguments) -> tuple[bool, Any]:
        try:
            return True, self._tools[name](**arguments)
        except Exception:  # noqa: BLE001 - it did not help: the first failure is the one to tell
            return False, None

    def _record(self, failure: Failure, mended: Arguments) -> None:
        """Records what mended a failure, where memory takes it: arguments that are no JSON, or hold a credential, are
        not kept; nor is anything while memory is away."""
        original, fixed = as_json(failure.arguments), as_json(mended)
        if not original or not fixed:
            return
        with suppress(MemoryBankError):
            self._client.record_recovery(
                **self._owner,
                error_type=failure.error_type,
                tool=failure.tool[:NAME],
                message=failure.message,
                original_json=original,
                fixed_json=fixed,
                success=True,
            )


def patched(arguments: Arguments, recovery: pb.Recovery) -> Arguments | None:
    """Returns the arguments mended as the recovery, or an example of it, mended its own; None where none fits them."""
    pairs = [(recovery.original_json, recovery.fixed_json)]
    pairs += [(each.original_json, each.fixed_json) for each in recovery.examples]
    for original, fixed in pairs:
        before, after = json.loads(original or "{}"), json.loads(fixed or "{}")
        made = _mended(arguments, before, after)
        if made is not None and made != arguments:
            return made
    return None


def _mended(arguments: Arguments, before: Arguments, after: Arguments) -> Arguments | None:
    """Returns the arguments with what was changed then; None where one of these changes does not fit: the value is
    another one, or there is one that the mending would take the place of."""
    renamed = _renamed(before, after)
    made = dict(arguments)
    for old, new in renamed.items():
        if old not in made or new in made:
            return None
        made[new] = made.pop(old)
    changed = [name for name in before.keys() | after.keys() if before.get(name, ...) != after.get(name, ...)]
    for name in changed:
        if name in renamed or name in renamed.values():
            continue
        if name not in before and arguments != before:
            return None  # what was added then may be another value now
        if arguments.get(name, ...) != before.get(name, ...):
            return None
        if name in after:
            made[name] = after[name]
        else:
            made.pop(name)
    return made


def _renamed(before: Arguments, after: Arguments) -> dict[str, str]:
    """Returns by old name the new one of fields that kept their value."""
    free = [name for name in after if name not in before]
    found: dict[str, str] = {}
    for name in (name for name in before if name not in after):
        new = next((each for each in free if after[each] == before[name]), None)
        if new is not None:
            free.remove(new)
            found[name] = new
    return found
