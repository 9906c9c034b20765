"""A use case sees no more of the registry than it uses; what puts a process together alone sees it whole.

That a use case reaches nothing which its Protocol does not name, and that the House has what they all name, is mypy's.
"""

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
USE_CASES = ROOT / "core/usecases"
WHOLE = ("core/usecases/house.py", "core/usecases/bound_house.py", "core/usecases/upkeep/duties.py")
"""These see all of it: they put it together, bound it, and give all chores to it. So does what carries rows to it."""
TOGETHER = ("service/assembly", "service/cli/eval.py", "service/api/rows.py", "service/api/services.py")


class Unit(NamedTuple):
    """A function or a class that takes ports, by its module and name."""

    module: str
    name: str


class Registry:
    """What the use cases say that they need, and what they use."""

    def __init__(self) -> None:
        files = [*USE_CASES.rglob("*.py"), *(ROOT / "service/api").glob("*.py")]
        texts = {".".join(f.relative_to(ROOT).with_suffix("").parts): f.read_text() for f in files}
        self.trees = {name: ast.parse(text) for name, text in texts.items() if "usecases." in text}

    @cached_property
    def protocols(self) -> dict[str, ast.ClassDef]:
        every = (node for tree in self.trees.values() for node in tree.body)
        classes = (node for node in every if isinstance(node, ast.ClassDef))
        return {
            c.name: c for c in classes if "Protocol" in map(ast.unparse, c.bases) and _is_of_ports(c.name)
        }

    def fields(self, name: str) -> set[str]:
        """Returns what a Protocol names."""
        protocol = self.protocols[name]
        own = {node.name for node in protocol.body if isinstance(node, ast.FunctionDef)}
        bases = [ast.unparse(base) for base in protocol.bases]
        return own.union(*(self.fields(base) for base in bases if base != "Protocol"))

    @cached_property
    def takes(self) -> dict[Unit, set[str]]:
        """The Protocols that the parameters of a unit are of."""
        found: dict[Unit, set[str]] = {}
        for module, tree in self.trees.items():
            for node in tree.body:
                named = {n.id for a in _annotations(node) for n in ast.walk(a) if isinstance(n, ast.Name)}
                if taken := named & self.protocols.keys():
                    found[Unit(module, _name(node))] = taken
        return found

    @cached_property
    def nodes(self) -> dict[Unit, ast.AST]:
        """What takes ports, and tables of it."""
        every = {Unit(m, _name(node)): node for m, tree in self.trees.items() for node in tree.body}
        tables = {unit for unit, node in every.items() if isinstance(node, ast.Assign | ast.AnnAssign)}
        return {unit: every[unit] for unit in tables | self.takes.keys()}

    @cached_property
    def uses(self) -> dict[Unit, set[str]]:
        """The ports that a unit reaches: by itself, or by what it calls."""
        every = {field for name in self.protocols for field in self.fields(name)}
        used = {unit: {a for a in _attributes(node) if a in every} for unit, node in self.nodes.items()}
        calls = {unit: set(self._called(unit, node)) for unit, node in self.nodes.items()}
        while True:
            before = sum(map(len, used.values()))
            for unit, called in calls.items():
                used[unit] = used[unit].union(*(used[each] for each in called))
            if sum(map(len, used.values())) == before:
                return used

    @cached_property
    def imported(self) -> dict[str, dict[str, Unit]]:
        """What the names are that a module imports."""
        return {
            module: {
                alias.asname or alias.name: Unit(node.module, alias.name)
                for node in tree.body
                if isinstance(node, ast.ImportFrom) and node.module
                for alias in node.names
            }
            for module, tree in self.trees.items()
        }

    def _called(self, unit: Unit, node: ast.AST) -> Iterator[Unit]:
        imported = self.imported[unit.module]
        for name in (n.id for n in ast.walk(node) if isinstance(n, ast.Name)):
            called = imported.get(name, Unit(unit.module, name))
            if called in self.nodes:
                yield called


def _is_of_ports(name: str) -> bool:
    return name.endswith("Ports") or name.startswith("Has")


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    target = getattr(node, "target", None)
    return getattr(node, "name", "") or (ast.unparse(target) if target is not None else "")


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        yield node  # the type of what a table has
    for each in ast.walk(node):
        if isinstance(each, ast.arg) and each.annotation is not None:
            yield each.annotation


def _attributes(node: ast.AST) -> Iterator[str]:
    """Yields what is read of ports, also of those that an object has."""
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute):
            owner = each.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if name in ("ports", "_ports"):
                yield each.attr


REGISTRY = Registry()


def test_only_what_puts_a_process_together_sees_the_whole_registry() -> None:
    seeing = [
        path.relative_to(ROOT).as_posix()
        for room in ("core", "service")
        for path in (ROOT / room).rglob("*.py")
        if "import House" in path.read_text()
    ]

    assert [path for path in seeing if path not in WHOLE and not path.startswith(TOGETHER)] == []


def test_no_protocol_names_a_port_that_its_functions_do_not_use_but_time_ids_and_settings() -> None:
    unused = {}
    for name in REGISTRY.protocols:
        derived = [p for p in REGISTRY.protocols if REGISTRY.fields(p) >= REGISTRY.fields(name)]
        takers = [unit for unit, taken in REGISTRY.takes.items() if name in taken]
        takers = takers or [unit for unit, taken in REGISTRY.takes.items() if taken & set(derived)]
        used = set[str]().union(*(REGISTRY.uses[unit] for unit in takers))
        if missing := REGISTRY.fields(name) - REGISTRY.fields("CommonPorts") - used:
            unused[name] = sorted(missing)

    assert unused == {}
    assert len(REGISTRY.protocols) > 10
