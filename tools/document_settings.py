"""Writes docs/configuration.md: every setting with its default and meaning, as the service's own code tells them.

`make settings` runs it; a test compares what it writes with what lies there.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr

from service.config import NESTING, PREFIX, Settings, packaged
from service.settings.agents import RoleModelsSection

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"

HEAD = f"""\
# Configuration

Settings come from the packaged defaults. A TOML file goes over these (`memorybank serve --config FILE`), the
environment over that (`{PREFIX}RETRIEVAL{NESTING}TOP_K=12`), and `--listen` and `--data` over all. The server prints
them when it starts, secrets as stars. Settings that cannot be used keep it from starting, and the message names each
and how to set it.

`top_k`, `alpha` and `chunk_ratio` have no default in the program: without them it does not start. A bank may set its
own, and so may a request.

`make settings` writes this page from `service/settings`.
"""

ROLE = (
    "A role's own model, as in `[llm.roles.judge]`: any of the above but the two files. "
    "At another address it gets no key but its own."
)


def page() -> str:
    """Returns the whole page."""
    sections = [f"## {name}\n\n{_table(rows)}" for name, rows in _sections()]
    return "\n".join([HEAD, *sections])


def _sections() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    own: list[tuple[str, str, str]] = []
    meanings = _meanings(Settings)
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            continue
        own.append((name, str(packaged()[name]), meanings.get(name, "")))
    yield "The process", own
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield f"`[{name}]`", list(_rows(kind, f"{name}.", packaged().get(name, {})))


def _rows(section: type[BaseModel], path: str, chosen: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yields each setting of a section: its name, its default as TOML would have it, what it means."""
    meanings = _meanings(section)
    for name, field in section.model_fields.items():
        kind, below = field.annotation, chosen.get(name)
        if kind is RoleModelsSection:  # for each role the same again: told once
            yield f"{path}{name}.ROLE", "", ROLE
        elif isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _rows(kind, f"{path}{name}.", below or {})
        else:
            yield f"{path}{name}", _shown(field.default if below is None else below), meanings.get(name, "")


def _meanings(section: type[BaseModel]) -> dict[str, str]:
    """What stands below each setting in the source of its section, and of the sections that this one extends."""
    found: dict[str, str] = {}
    for part in reversed(section.mro()):
        if not part.__module__.startswith("service."):
            continue
        (written,) = ast.parse(inspect.getsource(part)).body
        assert isinstance(written, ast.ClassDef)
        for pair in pairwise(written.body):
            match pair:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(ast.Constant(str(told))):
                    found[name] = inspect.cleandoc(told)
    return found


def _shown(default: Any) -> str:
    plain = default.get_secret_value() if isinstance(default, SecretStr) else default
    if isinstance(plain, bool):
        return str(plain).lower()
    return "" if plain is None else str(plain)


def _table(rows: list[tuple[str, str, str]]) -> str:
    lines = ["| Setting | Default | Meaning |", "|---|---|---|"]
    for name, default, meaning in rows:
        shown = f"`{default}`" if default else ""
        lines.append(f"| `{name}` | {shown} | {' '.join(meaning.split())} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
