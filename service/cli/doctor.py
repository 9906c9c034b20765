"""`memorybank doctor`: what a memory bank is and holds, and what somebody should look at."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from importlib.metadata import version

import click
from rich.console import RenderableType
from rich.text import Text

from memorybank.v1 import operations_pb2 as pb
from service.cli import drawing
from service.cli.errand import CommandContext, errand_of_any
from service.cli.exits import Exit, Failure
from service.cli.messages import say

LATE = timedelta(minutes=10)  # that work in the background may wait, a restart included
LITTLE_DISK = 2**30  # bytes left,
SHARE = 0.2  # or less than this share of the database, which its log may need
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


@click.command()
@errand_of_any
def doctor(errand: CommandContext) -> None:
    """Say what answers, what it holds, what waits and what runs out; end with 1 where something is amiss.

    It reads counts, sizes and times alone, and takes as long on a large store as on a small one.

    \b
    Examples:
      memorybank doctor
      memorybank doctor --server 10.0.0.1:7700 --json
    """
    info = errand.client.get_server_info()
    problems = list(problems_of(info, version("agentic-memory-bank")))
    drawn: list[RenderableType] = [
        Text(say("{server} answers", server=errand.server), drawing.STRONG),
        drawing.pairs(_rows(info)),
        *(f"{say('look at')}: {problem}" for problem in problems),
    ]
    errand.answer({"info": info, "problems": problems}, *drawn)
    if problems:
        raise Failure(
            say("{things} to look at", things=drawing.many(len(problems), "thing")), exit_code=Exit.FAILED
        )


def problems_of(info: pb.GetServerInfoResponse, own_version: str) -> Iterator[str]:
    """Yields what somebody should look at, a sentence each."""
    now = info.server_time.ToDatetime()
    if info.version != own_version:
        yield say("the server is version {theirs}, this command {own}", theirs=info.version, own=own_version)
    if info.HasField("oldest_due_time") and (late := now - info.oldest_due_time.ToDatetime()) > LATE:
        yield say(
            "work in the background waits for {time}: its agents or their model may fail (the log says `a chore"
            " failed`), or no process may be at work on it",
            time=_span(late),
        )
    if info.HasField("oldest_unstructured_time"):
        late = now - info.oldest_unstructured_time.ToDatetime()
        if late > LATE:
            yield say(
                "a record has not been sorted into topics for {time}: `memorybank show bank` names those that failed,"
                " Restructure takes them up again",
                time=_span(late),
            )
    if info.overdue_reviews:
        waiting = drawing.many(info.overdue_reviews, "record")
        yield say(
            "{records} waited too long for a review: `memorybank review` lists and settles them",
            records=waiting,
        )
    if info.overdue_retractions:
        waiting = drawing.many(info.overdue_retractions, "retraction")
        yield say(
            "{retractions} neither released nor erased for too long: `memorybank retractions list` and"
            " `facts retractions` name them",
            retractions=waiting,
        )
    if info.full_collections:
        full = drawing.many(info.full_collections, "collection")
        yield say(
            "{collections} full: what is learned finds no room there, as users stated all that is kept;"
            " `memorybank facts list` tells which, `facts forget` makes room",
            collections=full,
        )
    if info.unused_api_keys:
        keys = drawing.many(info.unused_api_keys, "API key")
        yield say(
            "{keys} unused for 30 days: `memorybank keys list` names them, `keys revoke` ends one", keys=keys
        )
    if info.unshown_keys:
        keys = drawing.many(info.unshown_keys, "key")
        yield say(
            "{keys} of conversations that no context has shown for 30 days: `memorybank conversation keys --json` tells"
            " when each was shown last, and `--delete` lets one go",
            keys=keys,
        )
    if info.HasField("disk_free_bytes") and info.disk_free_bytes < max(
        LITTLE_DISK, SHARE * info.database_bytes
    ):
        yield say("the disk has {size} left; writes fail where it is full", size=_size(info.disk_free_bytes))


def _rows(info: pb.GetServerInfoResponse) -> list[tuple[str, str]]:
    up = info.server_time.ToDatetime() - info.start_time.ToDatetime()
    on_disk = f", {_size(info.database_bytes)}" if info.database_bytes else ""
    return [
        ("version", say("{version}, up for {time}", version=info.version, time=_span(up))),
        ("store", f"{info.store}, schema {info.schema}{on_disk}"),
        ("disk left", _size(info.disk_free_bytes) if info.HasField("disk_free_bytes") else ""),
        ("memories", _kinds(info.memories, info.counted_to) or say("none")),
        ("held in memory", f"{_kinds(info.open_memories) or say('none')}; {_held(info)}"),
        ("gone by tomorrow", _counted(info.purged_by_tomorrow, info.counted_to)),
        ("chores due", _counted(info.due_chores, info.counted_to)),
        ("records to be sorted", _counted(info.unstructured_interactions, info.counted_to)),
        (
            "conflicts",
            say("{count:,} wait for a verdict, in the banks held in memory", count=info.open_conflicts),
        ),
    ]


def _held(info: pb.GetServerInfoResponse) -> str:
    return say("{used} of {all}", used=_size(info.open_bytes), all=_size(info.memory_budget_bytes))


def _kinds(counts: Mapping[str, int], most: int = 0) -> str:
    return ", ".join(f"{kind} {_counted(counts[kind], most)}" for kind in sorted(counts))


def _counted(count: int, most: int = 0) -> str:
    return say("{count:,} or more", count=count) if most and count >= most else f"{count:,}"


def _span(time: timedelta) -> str:
    """Writes about how long it is, in its largest unit."""
    seconds = int(time.total_seconds())
    unit, noun = next((each for each in UNITS if seconds >= each[0]), UNITS[-1])
    return drawing.many(seconds // unit, noun)


def _size(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"
