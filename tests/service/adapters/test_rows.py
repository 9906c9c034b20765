"""Values read out of many rows are those that each row gives alone, and share what is equal."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import pytest

from core.ids import InteractionId, SegmentRef
from service.adapters.store.rows import RowShape


class Mood(StrEnum):
    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    name: str
    again: str
    words: tuple[str, ...]
    refs: tuple[SegmentRef, ...]
    time: datetime
    mood: Mood | None
    count: int
    raw: bytes


SHAPE = RowShape(Said)


def said(number: int) -> Said:
    return Said(
        name=f"text {number % 2}",
        again=f"text {number % 2}",
        words=("river", "河边", 'a "quote", and more'),
        refs=(SegmentRef(InteractionId("i1"), number),),
        time=datetime(2024, 5, 1, tzinfo=UTC) + timedelta(microseconds=number),
        mood=None if number % 3 else Mood.BAD,
        count=1_000 + number % 2,
        raw=bytes([number]),
    )


def rows(*numbers: int) -> list[tuple[object, ...]]:
    return [(*SHAPE.row(said(number)), "beside") for number in numbers]


def test_many_rows_give_what_each_gives_alone() -> None:
    some = rows(*range(12))

    assert SHAPE.values(some) == [SHAPE.value(row) for row in some] == [said(n) for n in range(12)]  # type: ignore[arg-type]
    assert SHAPE.values([]) == []


def test_what_is_equal_is_one_object() -> None:
    texts: dict[str, str] = {}

    one, other, third = SHAPE.values(rows(1, 2, 3), texts)
    (later,) = SHAPE.values(rows(4), texts)

    assert one.name is one.again is third.name
    assert one.words is other.words
    assert one.words[1] is later.words[1]
    assert one.count is third.count
    assert set(texts) == set(one.words)


def test_rows_of_different_lengths_are_refused() -> None:
    short = rows(1)[0][:3]

    with pytest.raises(ValueError, match="shorter"):
        SHAPE.values([*rows(2), short])
