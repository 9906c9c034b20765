"""How a frozen value becomes a row and a row the value.

Law: a column for every field, of the field's name: scalars as themselves (times as integer
microseconds), bytes as they are, everything else as JSON text, None as NULL. A field without a
column fails at the first statement: nothing is left out in silence.
"""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import repeat
from types import NoneType
from typing import Any, Generic, NewType, TypeVar, get_args, get_origin, get_type_hints
from zlib import crc32

from core.aggregate.codec import expression, form
from core.errors import MemoryDamaged
from core.keys import BankKey
from service.adapters.store.checksums import checksum, seed_of

T = TypeVar("T")
VECTOR = "embedding"
CHECKSUM, VECTOR_CHECKSUM = "checksum", "embedding_checksum"
Column = str | int | float | bytes | None
Row = Mapping[str, Column]
"""Columns by name, for a statement that names its parameters."""
Values = tuple[Column, ...]
"""Columns in the order of a table's statements, which SQLite takes in half the time."""
Convert = Callable[[Any], Any]
Together = Callable[[list[Any], dict[str, str]], list[Any]]
"""Reads distinct cells of a column, given the interned texts."""


class RowShape(Generic[T]):
    """The columns of one class. `apart` are fields that live in rows of their own."""

    def __init__(self, type_: type[T], *, apart: Sequence[str] = ()) -> None:
        hints = get_type_hints(type_)
        self._type = type_
        self.names = tuple(field.name for field in fields(type_) if field.name not in apart)  # type: ignore[arg-type]
        writers = {f"{name}_column": _writer(hints[name]) for name in self.names}
        columns = "".join(f"{_column(name, hints[name])}, " for name in self.names)
        self._row = expression(f"({columns})", writers | {"passing": _passing})
        self._readers = [_reader(hints[name]) for name in self.names]
        self._hints = [hints[name] for name in self.names]
        self._many = [_many_at_once(hint) for hint in self._hints]
        # What databases give back as an equal number of another class.
        self.exact = [
            (place, exact)
            for place, hint in enumerate(self._hints)
            for exact in (bool, float)
            if exact in (hint, *get_args(hint))
        ]
        self._slots: list[Any] = [getattr(type_, name, None) for name in self.names]

    def row(self, value: T) -> Values:
        """Returns the value's columns, in the order of `names`."""
        made: Values = self._row(value)
        return made

    def columns(self, value: T) -> dict[str, Column]:
        """Returns the value's columns by name."""
        return dict(zip(self.names, self.row(value), strict=True))

    def value(self, row: Sequence[Column], **apart: Any) -> T:
        """Returns the value of a row that begins with the columns of `names`, in that order."""
        taken = {
            name: column if read is None or column is None else read(column)
            for name, read, column in zip(self.names, self._readers, row)  # noqa: B905 - rows may go on
        }
        return self._type(**taken, **apart)

    def values(self, rows: Sequence[Any], texts: dict[str, str] | None = None) -> list[T]:
        """Returns the values of many rows, as `value` does, in a third of the time: column by column, slot by slot.

        Of classes with slots that make nothing of their fields, and have none `apart`: calling their constructors
        takes 40 to 50 % longer, a sixth of a bank's load. What is equal in columns of one kind is read once, and one
        object.
        `texts` are those that lists in earlier rows held: an equal one in these is the same object.
        """
        known: dict[Any, dict[Any, Any]] = {hint: {None: None} for hint in self._hints}
        texts = {} if texts is None else texts
        made = list(map(object.__new__, repeat(self._type, len(rows))))
        columns = zip(*rows, strict=True)
        for slot, hint, read, column in zip(self._slots, self._hints, self._many, columns, strict=False):
            deque(map(slot.__set__, made, _read_once(column, known[hint], read, texts)), maxlen=0)
        return made


@cache
def shape_of(type_: type[T], *, apart: Sequence[str] = ()) -> RowShape[T]:
    """Returns the shape of a class, compiled once in a process. Whoever opens many stores, as tests do, waits less."""
    return RowShape(type_, apart=apart)


class Table(Generic[T]):
    """Rows of one shape, each of a bank, identified within it by `key`; their statements.

    `beside` are columns that are no fields of the value. When a row is put again, one of them
    that comes as NULL keeps what it was: so the vector, which is the last, has a checksum of its own.
    `later`: whether the last field, a text, came after rows were stored: it has a checksum of its own, too, so that a
    build which does not know it reads and writes the row beside one that does.
    """

    def __init__(
        self,
        name: str,
        shape: RowShape[T],
        *,
        key: Sequence[str] = (),
        beside: Sequence[str] = (),
        later: bool = False,
    ) -> None:
        self.name = name
        self.shape = shape
        identity = ("tenant", "bank_id", *key)
        columns = [*shape.names, *(column for column in beside if column not in shape.names)]
        self._columns = len(columns)
        self._has_vector = columns[-1] == VECTOR
        self._later = shape.names[-1] if later else ""
        columns += [CHECKSUM, *([VECTOR_CHECKSUM] if self._has_vector else ())]
        columns += [f"{self._later}_{CHECKSUM}"] if later else ()
        written = ["tenant", "bank_id", *columns]
        kept = {VECTOR_CHECKSUM, *beside}
        changed = [column for column in written if column not in identity]
        assignments = ", ".join(
            f'"{c}" = coalesce(excluded."{c}", {name}."{c}")' if c in kept else f'"{c}" = excluded."{c}"'
            for c in changed
        )
        self.insert = f"INSERT INTO {name} ({_quoted(written)}) VALUES ({', '.join('?' for _ in written)})"
        self.put = f"{self.insert} ON CONFLICT ({_quoted(identity)}) DO UPDATE SET {assignments}"
        of_bank = f"FROM {name} WHERE tenant = :tenant AND bank_id = :bank_id"
        self.select = f"SELECT {_quoted(columns)} {of_bank} ORDER BY {_quoted(identity)}"
        self.count = f"SELECT count(*) {of_bank}"

    def row(self, key: BankKey, value: T, *beside: Column) -> Values:
        """Returns what `insert` and `put` write of the value, given the columns `beside` it in their order."""
        row = (*self.shape.row(value), *beside)
        seed = seed_of(key)
        sealed = row[:-1] if self._has_vector else row
        own: Values = ()
        if self._has_vector:
            vector: Any = row[-1]
            own = (None if vector is None else crc32(vector, seed),)
        if self._later:
            sealed, own = sealed[:-1], (*own, _own_checksum(seed, sealed[-1]))
        return (key.tenant, key.bank_id, *row, self._checksum(seed, sealed), *own)

    def checked(self, key: BankKey, rows: Sequence[Any]) -> list[Any]:
        """Returns the rows that `select` found, without their checksums. Raises MemoryDamaged."""
        seed, columns = seed_of(key), self._columns
        fields = columns - self._has_vector
        sealed = fields - bool(self._later)
        for row in rows:
            if row[columns] is not None and row[columns] != self._checksum(seed, row[:sealed]):
                raise MemoryDamaged(key.kind, key.name, self.name)
            if self._has_vector and row[columns + 1] not in (None, crc32(row[fields] or b"", seed)):
                raise MemoryDamaged(key.kind, key.name, self.name)
            if self._later and row[-1] != _own_checksum(seed, row[sealed]):
                raise MemoryDamaged(key.kind, key.name, self.name)
        return [row[:columns] for row in rows]

    def _checksum(self, seed: int, row: Sequence[Any]) -> int:
        if self.shape.exact:
            cells = list(row)
            for place, exact in self.shape.exact:
                cells[place] = None if cells[place] is None else exact(cells[place])
            return checksum(seed, cells)
        return checksum(seed, row)


def bank_row(key: BankKey) -> Row:
    """Returns the columns that every row of a bank begins with."""
    return {"tenant": key.tenant, "bank_id": key.bank_id}


def _own_checksum(seed: int, text: Any) -> int | None:
    """Returns the checksum of a text that is none of its row's; an empty one has none."""
    return crc32(text.encode(), seed) if text else None


def _passing(text: str) -> str:
    """Returns a copy: a text that SQLite takes caches its UTF-8 as long as it lives, and a bank keeps its texts."""
    return text[:1] + text[1:]


def _quoted(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _column(name: str, hint: Any) -> str:
    """Returns the expression of a field's column, for a function of `value`."""
    if hint is str:
        return f"value.{name} if value.{name}.isascii() else passing(value.{name})"
    if _writer(hint) is None:
        return f"value.{name}"
    written = f"{name}_column(value.{name})"
    return f"None if value.{name} is None else {written}" if NoneType in get_args(hint) else written


def _writer(hint: Any) -> Convert | None:
    if _is_bytes(hint):
        return None
    shown = form(hint)
    return shown.write if shown.scalar else shown.text


def _reader(hint: Any) -> Convert | None:
    if _is_bytes(hint) or hint is bool:
        return None if _is_bytes(hint) else bool
    shown = form(hint)
    return shown.read if shown.scalar else lambda text: shown.taken(json.loads(text))


def _read_once(
    column: Sequence[Column], known: dict[Any, Any], read: Together | None, texts: dict[str, str]
) -> Sequence[Any]:
    """Returns the values of a column: `known` ones by their cells; new ones are added to these."""
    if read is None:
        return column
    fresh = [cell for cell in dict.fromkeys(column) if cell not in known]
    known.update(zip(fresh, read(fresh, texts), strict=True))
    return list(map(known.__getitem__, column))


def _many_at_once(hint: Any) -> Together | None:
    """Returns the reader of distinct cells of a column; None for a column whose cells stay as they are."""
    read = _reader(hint)
    if read is None:
        return None if _is_bytes(hint) or hint is float else lambda cells, _texts: cells
    if hint is bool or form(hint).scalar:
        return lambda cells, _texts: list(map(read, cells))
    if get_origin(hint) is tuple and {_plain(one) for one in get_args(hint)} == {str, ...}:
        return _tuples_of_texts
    taken = form(hint).taken
    return lambda cells, _texts: list(map(taken, _json(cells)))


def _tuples_of_texts(cells: list[str], texts: dict[str, str]) -> list[Any]:
    return [tuple(map(texts.setdefault, words, words)) for words in _json(cells)]


def _json(cells: list[str]) -> list[Any]:
    read: list[Any] = json.loads(f"[{','.join(cells)}]")
    return read


def _plain(hint: Any) -> Any:
    return hint.__supertype__ if isinstance(hint, NewType) else hint


def _is_bytes(hint: Any) -> bool:
    """Whether a column holds bytes as they are, in no form of JSON."""
    return hint in (bytes, bytes | None)
