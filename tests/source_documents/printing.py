"""The tables of the source documents, printed when a run of tests ends: each requirement and how it stands."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from tests.source_documents.requirement import Requirement, Tested

PROPERTY = "requirement"
"""The property under which a test of a table reports its document and its requirement."""

_WORST_FIRST = ("failed", "error", "skipped", "xfailed", "passed")


def print_tables(reporter: pytest.TerminalReporter) -> None:
    """Prints a table for each source document of which requirements were checked in this run."""
    tables: dict[str, list[tuple[str, Requirement, str]]] = defaultdict(list)
    outcomes = _outcomes(reporter.stats)
    for kind in _WORST_FIRST:
        for report in reporter.stats.get(kind, ()):
            for document, requirement in _named(report):
                standing = _standing(kind, requirement, outcomes)
                tables[document].append((report.nodeid, requirement, standing))
    for document, rows in sorted(tables.items()):
        _print(
            reporter,
            document,
            [(requirement, standing) for _, requirement, standing in sorted(rows, key=_first)],
        )


def _first(named: tuple[str, Requirement, str]) -> str:
    """The node id of a row's test: rows are numbered in it, in the order of their document."""
    return named[0]


def _named(report: Any) -> Iterator[tuple[str, Requirement]]:
    yield from (value for name, value in getattr(report, "user_properties", ()) if name == PROPERTY)


def _outcomes(stats: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """What became of each test of this run, the worst of its parameters."""
    outcomes: dict[str, str] = {}
    for kind in _WORST_FIRST:
        for report in stats.get(kind, ()):
            test = "::".join(report.nodeid.split("[")[0].split("::")[:2])
            outcomes.setdefault(test, kind)
    return outcomes


def _standing(kind: str, requirement: Requirement, outcomes: Mapping[str, str]) -> str:
    """How a requirement stands; a test elsewhere counts by what became of it, if it was part of this run."""
    if kind == "xfailed":
        return "LACKING"
    if kind == "passed" and isinstance(requirement.proof, Tested):
        kind = outcomes.get(f"tests/{requirement.proof.node_id}", "not run")
    return "holds" if kind == "passed" else kind if kind == "not run" else kind.upper()


def _print(reporter: pytest.TerminalReporter, document: str, rows: Sequence[tuple[Requirement, str]]) -> None:
    counts = Counter(standing for _, standing in rows)
    reporter.section(f"source document {document}")
    for requirement, standing in rows:
        proof = requirement.lacking or requirement.proof
        reporter.line(
            f"{requirement.section:<9} {standing:<8} {requirement.text} [{requirement.home}; {proof}]"
        )
    reporter.line(
        f"{len(rows)} requirements: " + ", ".join(f"{n} {standing}" for standing, n in counts.items())
    )
