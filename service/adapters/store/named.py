"""The .sql files beside this module, read when a store is opened."""

import re
from collections.abc import Mapping
from importlib.resources import files

_NAMED = re.compile(r"^-- name: (\w+)\n(.*?)(?=^--|\Z)", re.MULTILINE | re.DOTALL)
_HELD = re.compile(r"\{(\w+)\}")


def queries(dialect: str) -> Mapping[str, str]:
    """Returns by name the statements of `queries.sql`, which all databases share, and of `<dialect>/queries.sql`. One
    may hold another by its name in braces."""
    folder = files(__package__)
    texts = [place.joinpath("queries.sql").read_text("utf-8") for place in (folder, folder / dialect)]
    found = {name: body.strip() for text in texts for name, body in _NAMED.findall(text)}
    return {name: _HELD.sub(lambda held: found[held[1]], body) for name, body in found.items()}


def migrations(dialect: str) -> tuple[str, ...]:
    """Returns the scripts `<dialect>/NNNN_*.sql` in their order: script i makes schema i + 1 of schema i."""
    folder = files(__package__) / dialect
    scripts = sorted(entry.name for entry in folder.iterdir() if re.match(r"\d{4}_.*\.sql$", entry.name))
    if [int(name[:4]) for name in scripts] != list(range(1, len(scripts) + 1)):
        raise ValueError(f"the migrations of {dialect} are not numbered without gaps: {scripts}")
    return tuple((folder / name).read_text(encoding="utf-8") for name in scripts)
