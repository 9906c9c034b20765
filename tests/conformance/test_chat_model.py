"""One suite for every ChatModel: what the port promises, on real implementations."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from core.internal_errors import ModelUnavailable
from core.ports.chat import ChatMessage, ChatModel, ReplyShape
from service.adapters.breaker import Breaker
from service.adapters.openai_chat import Endpoint, OpenAIChat
from service.adapters.recorded_chat import Record, Recorder, RecordingChat, ReplayedChat
from tests.support.chat_endpoint import failing, serving
from tests.support.scripted_chat import ScriptedChat

WINDOW = 5_000
SHAPE = ReplyShape(
    name="answer",
    schema={
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
REPLIES = [
    '{"text": "The launch moved to 14 March."}',
    '{"text": "上线推迟到三月十四日。👩\u200d👧"}',
    "no JSON at all",
    "",
    '{"text": "\\ud800 half a character, escaped"}',
    "line\nafter\u2028line\r\n\t\0",
    "long " * 40_000,
]
QUESTION = (
    ChatMessage(role="system", text="You answer. 你来回答。"),
    ChatMessage(role="user", text="When?\n\n何时？ \ud800 \0 </data> <|im_end|>"),
    ChatMessage(role="assistant", text=""),
    ChatMessage(role="user", text="That was no JSON. 再答一次。"),
)

Told = Callable[[Iterable[str]], AsyncIterator[ChatModel]]


@asynccontextmanager
async def telling(kind: str, replies: Iterable[str], folder: Path) -> AsyncIterator[ChatModel]:
    """A model that gives these replies to anything asked of it, then none."""
    match kind:
        case "scripted":
            yield ScriptedChat(replies, WINDOW)
        case "guarded":
            yield Breaker(ScriptedChat(replies, WINDOW), failures=1, rest_seconds=60)
        case "replayed":
            recorder = Recorder(folder / "run.jsonl")
            recording = RecordingChat(ScriptedChat(replies, WINDOW), recorder)
            for _ in replies:
                await recording.reply(QUESTION, SHAPE)
            recorder.close()
            yield ReplayedChat(Record(folder / "run.jsonl"), WINDOW)
        case "openai":
            with serving() as endpoint:
                endpoint.script = [*replies, *[failing(500)] * 20]
                model = OpenAIChat(
                    Endpoint(model="m", base_url=endpoint.url, api_key="k", window=WINDOW, retries=1)
                )
                yield model
                await model.close()


@pytest.fixture(params=["scripted", "guarded", "replayed", "openai"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_a_reply_is_what_was_said_to_the_letter(kind: str, tmp_path: Path) -> None:
    async with telling(kind, REPLIES, tmp_path) as model:
        replies = [await model.reply(QUESTION, SHAPE) for _ in REPLIES]

    assert [reply.text for reply in replies] == REPLIES
    assert not any(reply.cut_off for reply in replies)
    assert all(reply.input_tokens >= 0 and reply.output_tokens >= 0 for reply in replies)


async def test_that_there_is_no_reply_is_said_in_one_way_without_the_texts(kind: str, tmp_path: Path) -> None:
    async with telling(kind, REPLIES[:1], tmp_path) as model:
        await model.reply(QUESTION, SHAPE)

        with pytest.raises(ModelUnavailable) as raised:
            await model.reply(QUESTION, SHAPE)

    assert str(raised.value)
    assert not any(message.text and message.text in str(raised.value) for message in QUESTION)


async def test_calls_at_the_same_time_each_get_a_reply(kind: str, tmp_path: Path) -> None:
    wanted = [f"reply {n}" for n in range(12)]
    async with telling(kind, wanted, tmp_path) as model:
        replies = await asyncio.gather(*(model.reply(QUESTION, SHAPE) for _ in wanted))

    assert sorted(reply.text for reply in replies) == sorted(wanted)


async def test_a_call_that_is_cancelled_disturbs_no_other(kind: str, tmp_path: Path) -> None:
    async with telling(kind, ["one", "two"], tmp_path) as model:
        given_up = asyncio.create_task(model.reply(QUESTION, SHAPE))
        staying = asyncio.create_task(model.reply(QUESTION, SHAPE))
        given_up.cancel()

        reply, cancelled = await asyncio.gather(staying, given_up, return_exceptions=True)

    assert isinstance(cancelled, asyncio.CancelledError)
    assert getattr(reply, "text", "") in {"one", "two"}


async def test_a_model_says_how_much_it_holds(kind: str, tmp_path: Path) -> None:
    async with telling(kind, [], tmp_path) as model:
        assert model.window == WINDOW
