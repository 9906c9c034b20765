"""One requirement of a source document: what it asks for, where that lives, and what proves it.

Law: a row points to something. What it says lives somewhere is there, and a test that it names is one that pytest
collects from its file.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest

CHECKOUT = Path(__file__).parents[2]

Scene = TypeVar("Scene")


@dataclass(frozen=True, slots=True)
class Seen(Generic[Scene]):
    """Proved here: `holds` of what a scene, which is played once, brought about."""

    scene: str
    holds: Callable[[Scene], object]

    def __str__(self) -> str:
        return f"seen in {self.scene}"


@dataclass(frozen=True, slots=True)
class Tested:
    """Proved by a test elsewhere, by its node id below `tests/`, without parameters."""

    node_id: str

    def __str__(self) -> str:
        return f"tests/{self.node_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A line of the table. `lacking` says in what it does not hold: its check must then fail. Without a `proof` it does
    fail."""

    section: str
    text: str
    home: str
    proof: "Seen[object] | Tested | None"
    lacking: str = ""


def row(section: str, text: str, home: str, proof: "Seen[Scene] | str", *, lacking: str = "") -> Requirement:
    """A requirement, proved by what a scene showed or by the test of a node id; by nothing where that is empty."""
    named = (Tested(proof) if proof else None) if isinstance(proof, str) else proof
    return Requirement(section=section, text=text, home=home, proof=named, lacking=lacking)  # type: ignore[arg-type]  # of its own scene


def cases(document: str, requirements: Sequence[Requirement]) -> list[Any]:
    """A document and each of its requirements as a test's parameters, those that are lacking expected to fail."""
    return [
        pytest.param(
            document,
            each,
            id=f"{document[:3]} {number:03d} {each.section.removeprefix('§')}",
            marks=[pytest.mark.xfail(strict=True, reason=each.lacking)] if each.lacking else [],
        )
        for number, each in enumerate(requirements, start=1)
    ]


def check(requirement: Requirement, play: Callable[[str], object]) -> None:
    """Fails unless the requirement holds; `play` gives a scene by its name."""
    assert (CHECKOUT / requirement.home).exists()
    assert requirement.proof is not None
    if isinstance(requirement.proof, Tested):
        path, _, name = requirement.proof.node_id.partition("::")
        assert name in tests_of(path)
    else:
        assert requirement.proof.holds(play(requirement.proof.scene))


@cache
def tests_of(path: str) -> frozenset[str]:
    """The tests that pytest collects from a file below `tests/`, by the rules that this checkout keeps to."""
    assert Path(path).name.startswith("test_")
    tree = ast.parse((CHECKOUT / "tests" / path).read_text())
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    machines = (node for node in tree.body if isinstance(node, ast.Assign))
    names = [node.name for node in functions]
    targets = (target for node in machines for target in node.targets)  # one name, or a tuple of them
    names += [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    names += [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    return frozenset(name for name in names if name.startswith(("test_", "Test")))
