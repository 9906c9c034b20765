"""Calling tools that learn from their failures: find what mended such a failure, try it, record it, report it.

A tool is called once more for each mending tried, never more often; what no mending cures is raised as it came.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client.client import SyncMemoryBankClient
from memorybank_client.errors import InvalidArgument
from memorybank_client.runs import as_json, held

Arguments = dict[str, Any]
Tool = Callable[..., Any]

NAME, MESSAGE = 128, 4_096  # code points


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How a call failed, and with what arguments."""

    tool: str
    arguments: Arguments
    error: Exception

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
        for found in self._found(failure):
            if (mended := patched(arguments, found.record.recovery)) is not None:
                worked, result = self._tried(name, mended)
                self._client.report_outcome(
                    **self._owner, record_ids=[found.record.record_id], succeeded=worked
                )
                if worked:
                    return result
        own = self._fix(failure)
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
        not kept, and what the tool brought is returned all the same."""
        original, fixed = as_json(failure.arguments), as_json(mended)
        if not original or not fixed:
            return
        with suppress(InvalidArgument):
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
    """Returns the arguments with what the recovery changed; None where that changes nothing of them."""
    before = json.loads(recovery.original_json or "{}")
    after = json.loads(recovery.fixed_json or "{}")
    changed = {name: value for name, value in after.items() if before.get(name, ...) != value}
    kept = {name: value for name, value in arguments.items() if name in after or name not in before}
    made = kept | changed
    return None if made == arguments else made
