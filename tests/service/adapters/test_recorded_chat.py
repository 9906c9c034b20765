"""Recording a model's replies, and replaying them without it."""

import stat
from pathlib import Path

import pytest

from core.agents.llm.fence import Enclosure, message
from core.internal_errors import ModelUnavailable
from core.ports.chat import ChatMessage, ChatReply, ReplyShape
from service.adapters.recorded_chat import (
    Record,
    Recorder,
    RecordingChat,
    RecordUnreadable,
    ReplayedChat,
    digest,
)
from tests.support.scripted_chat import ScriptedChat

SHAPE = ReplyShape(name="s", schema={"type": "object"})


def question(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", text=text)]


async def recorded(path: Path, *exchanges: tuple[str, str | Exception]) -> list[ChatReply | None]:
    """What came of each question, with all of it on record."""
    recorder = Recorder(path)
    model = RecordingChat(ScriptedChat([answer for _, answer in exchanges]), recorder)
    came: list[ChatReply | None] = []
    for text, _ in exchanges:
        try:
            came.append(await model.reply(question(text), SHAPE))
        except ModelUnavailable:
            came.append(None)
    recorder.close()
    return came


async def test_what_was_recorded_is_answered_again_in_order_per_question(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    came = await recorded(path, ("甲?", "一"), ("b?", "2"), ("甲?", "三\n\u2028\0"))

    replayed = ReplayedChat(Record(path), window=8_000)
    again = [await replayed.reply(question(text), SHAPE) for text in ("甲?", "甲?", "b?")]

    assert again == [came[0], came[2], came[1]]


async def test_a_run_that_goes_on_is_recorded_behind_the_first(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await recorded(path, ("a?", "1"))
    await recorded(path, ("a?", "2"))

    replayed = ReplayedChat(Record(path), window=8_000)

    assert [(await replayed.reply(question("a?"), SHAPE)).text for _ in range(2)] == ["1", "2"]


async def test_what_was_not_recorded_is_unavailable_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await recorded(path, ("a?", "1"), ("b?", ModelUnavailable("down")))
    replayed = ReplayedChat(Record(path), window=8_000)
    await replayed.reply(question("a?"), SHAPE)

    with pytest.raises(ModelUnavailable, match="no further reply"):
        await replayed.reply(question("a?"), SHAPE)
    with pytest.raises(ModelUnavailable, match=r"no reply to this question \(") as raised:
        await replayed.reply(question("b?"), SHAPE)

    assert "b?" not in str(raised.value)


async def test_a_record_is_its_owners_and_holds_no_question(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await recorded(path, ("who knows the secret?", "nobody"))

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "secret" not in path.read_text()


def test_questions_differ_by_every_part() -> None:
    asked = [
        digest(question("a"), SHAPE),
        digest(question("a "), SHAPE),
        digest([ChatMessage(role="system", text="a")], SHAPE),
        digest(question("a"), ReplyShape(name="t", schema=SHAPE.schema)),
        digest(question("a"), ReplyShape(name="s", schema={"type": "array"})),
        digest(question("\ud800"), SHAPE),
    ]

    assert len(set(asked)) == len(asked)


def at(moment: str) -> list[ChatMessage]:
    return question(message(["The memory:", Enclosure(name="node_1", text=f"time: {moment}\n它属于我们。")]))


def test_a_question_asked_at_another_time_is_the_same() -> None:
    first, again = at("2024-05-01T09:00:00.123456+00:00"), at("2026-11-22T02:19:45+00:00")

    assert first != again
    assert digest(first, SHAPE) == digest(again, SHAPE)
    assert digest(first, SHAPE) == digest(at("2026-11-22 02:19"), SHAPE)
    assert digest(first, SHAPE) != digest(at("2024-05-01"), SHAPE)


@pytest.mark.parametrize("content", [b"{}\n", b"reply\n", b"\n", b"\xff\n"])
def test_a_file_that_is_no_record_is_not_replayed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)

    with pytest.raises(RecordUnreadable, match=r"run\.jsonl"):
        Record(path)


def test_a_record_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(RecordUnreadable, match="No such file"):
        Record(tmp_path / "none.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
async def test_a_reply_that_cannot_be_recorded_is_not_given() -> None:
    recorder = Recorder(Path("/dev/full"))
    model = RecordingChat(ScriptedChat(["one"]), recorder)

    with pytest.raises(ModelUnavailable, match="No space left"):
        await model.reply(question("a?"), SHAPE)
    recorder.close()
