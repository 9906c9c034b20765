"""What an import tells people at its end."""

from collections.abc import Iterator

from service.cli.importing.bringing import Report

SHOWN = 10
"""Pairs of facts that are shown of each sort; --json has all."""


def lines_of(report: Report, *, dry_run: bool) -> list[str]:
    return list(_lines(report, "would come" if dry_run else "came"))


def _lines(report: Report, came: str) -> Iterator[str]:
    if report.facts or report.known_facts:
        yield f"{report.facts:,} facts {came}" + _known(report.known_facts)
    if report.messages or report.known_messages:
        told = f"{report.messages:,} messages of {report.conversations:,} conversations {came}"
        yield told + _known(report.known_messages)
    for record_id in report.sensitive:
        yield f"refused as sensitive: {record_id}"
    for what, times in report.left_out.items():
        yield f"left out: {times:,} {what}"
    yield from _pairs("facts say the same as another", "=", report.repeated)
    yield from _pairs(
        "facts contradict another; both are kept, and shown as contested", "≠", report.contested
    )
    if report.unjudged:
        waiting = f"{report.unjudged:,} facts wait to be compared"
        yield f"{waiting}: the same import again adds nothing, and tells what came of it"


def _known(known: int) -> str:
    return f", {known:,} were there" if known else ""


def _pairs(what: str, sign: str, pairs: list[tuple[str, str]]) -> Iterator[str]:
    if not pairs:
        return
    yield f"{len(pairs):,} {what}:"
    for one, other in pairs[:SHOWN]:
        yield f"  {one} {sign} {other}"
    if len(pairs) > SHOWN:
        yield f"  … and {len(pairs) - SHOWN:,} more"
