"""`memorybank resolve --dismiss`: one conflict, several, or all of low confidence.

Law: each conflict is a call of its own. One that fails is named and the others go on; one that was dismissed before
counts as done, so the same command again changes nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import types_pb2 as types
from memorybank.v1.errors_pb2 import ERROR_REASON_CONFLICT_CLOSED
from memorybank_client import DeadlineExceeded, MemoryBankError, Unavailable
from service.cli import drawing, paging
from service.cli.confirming import ask
from service.cli.errand import CommandContext, known_of
from service.cli.exits import Exit, Failure, failure_of

MANY = 10
"""More conflicts than these are asked about first."""

Glimpses = Mapping[str, types.Conflict]


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissOutcome:
    """What became of one conflict: dismissed with a `result`, failed with an `error`, or, with neither, dismissed
    before."""

    conflict_id: str
    result: memory.ResolveConflictResponse | None = None
    error: MemoryBankError | None = None

    @property
    def plain(self) -> Mapping[str, Any]:
        """As --json has it."""
        if self.error is not None:
            problem = {**known_of(self.error), "message": self.error.message}
            return {"conflict_id": self.conflict_id, "outcome": "failed", "error": problem}
        if self.result is None:
            return {"conflict_id": self.conflict_id, "outcome": "dismissed_before"}
        return {"conflict_id": self.conflict_id, "outcome": "dismissed", "result": self.result}

    @property
    def lines(self) -> Iterator[str]:
        """As people read it; what failed is told on standard error."""
        if self.result is not None:
            description = drawing.glimpse(self.result.conflict.description)
            yield drawing.words(f"dismissed {self.conflict_id}  {description}").plain
            yield from (f"opened {each}" for each in self.result.conflict_ids)
        elif self.error is None:
            yield f"dismissed before: {self.conflict_id}"


def dismiss_named(errand: CommandContext, conflict_ids: Sequence[str], *, yes: bool, **words: str) -> None:
    """Dismisses these conflicts. `words`: the `verdict` and `evidence` that each is dismissed with."""
    ids = list(dict.fromkeys(conflict_ids))
    known = _open_ones(errand, ids) if len(ids) > 1 else {}
    _dismiss(errand, ids, known, yes=yes, **words)


def dismiss_below(errand: CommandContext, confidence: float, *, yes: bool, **words: str) -> None:
    """Dismisses every open conflict whose confidence is lower."""
    known = {
        each.conflict_id: each
        for each in paging.conflicts(errand.client, errand.bank_id)
        if each.confidence < confidence
    }
    if known:
        _dismiss(errand, list(known), known, yes=yes, **words)
    else:
        plain = {"bank_id": errand.bank_id, "conflicts": []}
        errand.answer(plain, f"no open conflict has a confidence below {confidence:g}")


def _open_ones(errand: CommandContext, ids: Iterable[str]) -> Glimpses:
    """Reads the open conflicts until all of these are found."""
    missing, found = set(ids), {}
    for each in paging.conflicts(errand.client, errand.bank_id):
        if each.conflict_id in missing:
            missing.remove(each.conflict_id)
            found[each.conflict_id] = each
        if not missing:
            break
    return found


def _dismiss(errand: CommandContext, ids: list[str], known: Glimpses, *, yes: bool, **words: str) -> None:
    asks = len(ids) > MANY and not yes
    if known and not errand.as_json:  # its standard error is JSON, too
        errand.aside.print(f"{drawing.many(len(ids), 'conflict')} to dismiss:")
        errand.aside.print(_listed(ids, known))
    if asks:
        ask(
            f"Dismiss {len(ids):,} conflicts for good?",
            why=f"these are {len(ids):,} conflicts, and a dismissal is for good",
            left="nothing was dismissed",
        )
    settled = _each(errand, ids, words)
    failed = [each.error for each in settled if each.error is not None]
    if failed and len(ids) == 1:
        raise failed[0]
    lines = [line for each in settled for line in each.lines]
    errand.answer({"bank_id": errand.bank_id, "conflicts": [each.plain for each in settled]}, *lines)
    if failed:
        raise _failure(errand, settled, len(ids))


def _listed(ids: Iterable[str], known: Glimpses) -> RenderableType:
    """Draws id, confidence and point at issue, a line each."""
    return drawing.pairs(
        (each, f"{known[each].confidence:.2f}  {drawing.glimpse(known[each].description)}")
        if each in known
        else (each, "not open")
        for each in ids
    )


def _each(errand: CommandContext, ids: Sequence[str], words: Mapping[str, str]) -> list[DismissOutcome]:
    """Dismisses one after another; stops where the service does not answer."""
    settled: list[DismissOutcome] = []
    for conflict_id in ids:
        done = sum(each.error is None for each in settled)
        errand.kept[:] = [f"{done:,} of {len(ids):,} are dismissed; the same command again does the others"]
        settled.append(_one(errand, conflict_id, words))
        if isinstance(settled[-1].error, (Unavailable, DeadlineExceeded)):
            break
    return settled


def _one(errand: CommandContext, conflict_id: str, words: Mapping[str, str]) -> DismissOutcome:
    try:
        result = errand.client.resolve_conflict(
            bank_id=errand.bank_id,
            conflict_id=conflict_id,
            verdict_type=types.VERDICT_TYPE_DISMISS,
            verdict=words["verdict"],
            evidence=words["evidence"],
        )
    except MemoryBankError as error:
        if error.reason == ERROR_REASON_CONFLICT_CLOSED and error.metadata.get("status") == "dismissed":
            return DismissOutcome(conflict_id=conflict_id)
        return DismissOutcome(conflict_id=conflict_id, error=error)
    return DismissOutcome(conflict_id=conflict_id, result=result)


def _failure(errand: CommandContext, settled: Sequence[DismissOutcome], asked: int) -> Failure:
    """Returns a failure that names each conflict that failed; the exit code is theirs where they share one."""
    failures = [
        (each.conflict_id, failure_of(each.error, errand.server))
        for each in settled
        if each.error is not None
    ]
    codes = {failure.exit_code for _, failure in failures}
    named = [f"{conflict_id}: {failure.message}" for conflict_id, failure in failures]
    if untried := asked - len(settled):
        named.append(f"{untried:,} more were not tried")
    return Failure(
        f"{len(failures) + untried:,} of {asked:,} conflicts could not be dismissed",
        "\n  ".join(named),
        codes.pop() if len(codes) == 1 else Exit.FAILED,
    )
