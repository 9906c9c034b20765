"""Repeated calls: what the first one stored is read from the change feed, and what it answered once it had waited is
kept beside it.

Law: an answer that is kept under a request holds no words that a caller may erase; those stand in the feed alone, from
which an erasure takes them.
"""

from dataclasses import replace
from typing import Any

from core.errors import AggregateNotFound
from core.ids import RequestId
from core.keys import Key
from core.ports.aggregates import Aggregates, CommitResult, Draft, RequestKey, Result

END = "/end"  # behind a request's id, in which no caller can write it


async def stored_steps(
    aggregates: Aggregates[Any], key: Key, committed: CommitResult[Any]
) -> tuple[Any, ...]:
    """Returns the steps that a call stored, or its first one did; none where the feed does not have them any more."""
    if not committed.replayed:
        return committed.steps
    async for change in aggregates.feed(key, committed.revision):
        return change.steps
    return ()


async def repeated(
    aggregates: Aggregates[Any], key: Key, request: RequestKey | None, answer: type[Result]
) -> CommitResult[Result] | None:
    """Returns the answer that is kept under the request, if any: for what refuses a call before its command is
    staged. Raises RequestIdReused."""
    if request is None:
        return None
    try:
        return await aggregates.commit(key, _nothing, request, answer)
    except (_NothingKept, AggregateNotFound):
        return None


async def kept_end(
    aggregates: Aggregates[Any], key: Key, request: RequestKey | None, answer: type[Result]
) -> Result | None:
    """Returns what `keep_end` kept under the request, if anything."""
    known = await repeated(aggregates, key, request and _of_end(request), answer)
    return None if known is None else known.result


async def keep_end(
    aggregates: Aggregates[Any], key: Key, request: RequestKey | None, result: Result
) -> Result:
    """Keeps what a call answers that has waited for the end of its work; returns what the first of its repetitions
    answered."""
    if request is None:
        return result

    def keep(_aggregate: Any, _revision: int) -> Draft[Result]:
        return Draft(result=result)

    return (await aggregates.commit(key, keep, _of_end(request), type(result))).result


def _of_end(request: RequestKey) -> RequestKey:
    return replace(request, request_id=RequestId(f"{request.request_id}{END}"))


class _NothingKept(Exception):
    """Nothing is kept under the request."""


def _nothing(_aggregate: Any, _revision: int) -> Draft[Any]:
    raise _NothingKept
