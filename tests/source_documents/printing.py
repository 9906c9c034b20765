"""The tables of the source documents, printed when a run of tests ends: each requirement and how it stands."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from tests.source_documents.requirement import Requirement, Tested

PROPERTY = "requirement"
"""The property under which a test of a table reports its row."""


class Row(NamedTuple):
    """A requirement as it is printed: words alone, since reports of tests travel between processes."""

    document: str
    section: str
    text: str
    home: str
    proof: str
    test: str
    """The node id of the test elsewhere that proves it, or empty."""


def reported(document: str, requirement: Requirement) -> tuple[str, ...]:
    """A requirement's row, for its test to report as PROPERTY."""
    proof = requirement.proof
    return tuple(
        Row(
            document=document,
            section=requirement.section,
            text=requirement.text,
            home=requirement.home,
            proof=requirement.lacking or str(proof),
            test=str(proof) if isinstance(proof, Tested) else "",
        )
    )


_WORST_FIRST = ("failed", "error", "skipped", "xfailed", "passed")
_BROKEN = ("FAILED", "ERROR")


def print_tables(reporter: pytest.TerminalReporter) -> None:
    """Prints a table for each source document of which requirements were checked in this run."""
    tables: dict[str, list[tuple[str, Row, str]]] = defaultdict(list)
    outcomes = _outcomes(reporter.stats)
    for kind in _WORST_FIRST:
        for report in reporter.stats.get(kind, ()):
            for row in _rows(report):
                tables[row.document].append((report.nodeid, row, _standing(kind, row, outcomes)))
    for document, rows in sorted(tables.items()):
        # node ids number the rows in the order of their document
        _print(reporter, document, [(row, standing) for _, row, standing in sorted(rows)])
    _print_again(reporter, [row for _, rows in sorted(tables.items()) for row in sorted(rows)])


def _rows(report: Any) -> Iterator[Row]:
    yield from (Row(*value) for name, value in getattr(report, "user_properties", ()) if name == PROPERTY)


def _outcomes(stats: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """What became of each test of this run, the worst of its parameters."""
    outcomes: dict[str, str] = {}
    for kind in _WORST_FIRST:
        for report in stats.get(kind, ()):
            test = "::".join(report.nodeid.split("[")[0].split("::")[:2])
            outcomes.setdefault(test, kind)
    return outcomes


def _standing(kind: str, row: Row, outcomes: Mapping[str, str]) -> str:
    """How a requirement stands; a test elsewhere counts by what became of it, if it was part of this run."""
    if kind == "xfailed":
        return "LACKING"
    if kind == "passed" and row.test:
        kind = outcomes.get(row.test, "not run")
    return "holds" if kind == "passed" else kind if kind == "not run" else kind.upper()


def _print(reporter: pytest.TerminalReporter, document: str, rows: Sequence[tuple[Row, str]]) -> None:
    counts = Counter(standing for _, standing in rows)
    reporter.section(f"source document {document}")
    for row, standing in rows:
        reporter.line(_line(row, standing), red=standing in _BROKEN)
    reporter.line(
        f"{len(rows)} requirements: " + ", ".join(f"{n} {standing}" for standing, n in counts.items())
    )


def _print_again(reporter: pytest.TerminalReporter, rows: Sequence[tuple[str, Row, str]]) -> None:
    """Prints the requirements that do not hold, which are easily overlooked among hundreds that do."""
    broken = [(row, standing) for _, row, standing in rows if standing in _BROKEN]
    if broken:
        reporter.section("requirements that do not hold", sep="!", red=True)
    for row, standing in broken:
        reporter.line(f"{row.document}, {_line(row, standing)}", red=True)


def _line(row: Row, standing: str) -> str:
    return f"{row.section:<9} {standing:<8} {row.text} [{row.home}; {row.proof}]"
