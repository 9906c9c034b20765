"""Packed turns read as plain ones in a dict do."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.aggregate.parts import numbered
from core.conversation import turn_rows
from core.conversation.turn_rows import TurnRows
from core.model.conversation import Turn
from tests.support.conversations import turn

TEXTS = st.text(max_size=20)
TURNS = st.builds(
    Turn,
    step=st.integers(1, 12),
    input=TEXTS,
    reply=TEXTS,
    event_time=st.datetimes(timezones=st.just(UTC)),
    create_time=st.datetimes(timezones=st.just(UTC)),
    input_speaker=st.sampled_from(["", "Ada", "王明"]),
    reply_speaker=st.sampled_from(["", "Bot"]),
    labels=st.sampled_from([{}, {"topic": "ferry"}]),
    invocation_id=st.sampled_from(["", "i1"]),
)


@given(st.lists(TURNS | st.integers(1, 12), max_size=40), st.booleans())
def test_rows_hold_what_a_dict_would(edits: list[Turn | int], trimmed: bool) -> None:
    rows, plain = TurnRows(), dict[str, Turn]()
    for edit in edits:
        if isinstance(edit, Turn):
            rows[numbered(edit.step)] = plain[numbered(edit.step)] = edit
        else:
            assert rows.pop(numbered(edit), None) == plain.pop(numbered(edit), None)
        if trimmed:
            rows.trim()

    expected = dict(sorted(plain.items()))
    assert dict(rows) == expected
    assert list(rows.steps) == [turn.step for turn in expected.values()]
    assert rows.rows(0, len(rows)) == list(expected.values())
    assert [rows.time_of(name) for name in rows] == [turn.event_time for turn in expected.values()]
    assert all(rows.has(step) == (numbered(step) in plain) for step in range(1, 13))


def test_the_text_of_a_deleted_turn_is_overwritten() -> None:
    rows = TurnRows()
    for step in range(1, 9):
        said = datetime(2026, 1, step, tzinfo=UTC)
        rows[numbered(step)] = Turn(
            step=step, input=f"secret{step}", reply="", event_time=said, create_time=said
        )
    del rows[numbered(3)]

    assert b"secret3" not in rows._text
    with pytest.raises(KeyError):
        rows[numbered(3)]


def test_a_time_of_another_zone_is_the_same_moment() -> None:
    said = datetime(2026, 1, 1, 8, 0, 0, 123_457, tzinfo=timezone(timedelta(hours=8)))
    rows = TurnRows()
    rows[numbered(1)] = Turn(step=1, input="早", reply="", event_time=said, create_time=said)

    assert rows[numbered(1)].event_time == said


@pytest.mark.parametrize("little", [0, 1_000])
def test_which_turns_may_say_a_text(little: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_rows, "LITTLE", little)
    rows = TurnRows()
    rows["1"] = turn(1, "The ferry leaves at nine.", "数据库定了。")
    rows["2"] = turn(2, "The password is marmalade.")

    assert rows.saying("ferry leaves", ["1", "2"]) == [True, False]
    assert rows.saying("数据库定了", ["2", "1"]) == [False, True]
    assert rows.saying("ferry arrives", ["1", "2"]) == [False, False]
    assert rows.saying("marmalade", ["2"]) == [True]
    rows["2"] = turn(2, "The password is secret.")
    assert rows.saying("marmalade", ["1", "2"]) == [False, False]
