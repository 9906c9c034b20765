"""The OpenAI-compatible chat model against a real HTTP server, through the real client."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from core.internal_errors import ModelUnavailable
from core.ports.chat import ChatMessage, ChatReply, ReplyShape
from service.adapters.openai_chat import Endpoint, OpenAIChat, QuestionRefused
from tests.support.chat_endpoint import ChatEndpoint, Reply, completion, failing, serving

SECRET = "sk-very-secret"
TEXT = "a text nobody else should read"
SHAPE = ReplyShape(
    name="verdict",
    schema={
        "type": "object",
        "properties": {"结论": {"type": "string"}},
        "required": ["结论"],
        "additionalProperties": False,
    },
)
QUESTION = (ChatMessage(role="system", text="You judge."), ChatMessage(role="user", text=TEXT))


@pytest.fixture
def endpoint() -> Iterator[ChatEndpoint]:
    with serving() as served:
        yield served


@asynccontextmanager
async def chat(url: str, **settings: object) -> AsyncIterator[OpenAIChat]:
    made = OpenAIChat(
        Endpoint(**{"model": "m", "base_url": url, "api_key": SECRET, "backoff_seconds": 0.001, **settings})  # type: ignore[arg-type]
    )
    try:
        yield made
    finally:
        await made.close()


# ---- asking ----


async def test_a_question_is_sent_whole_with_its_shape_and_the_parameters(endpoint: ChatEndpoint) -> None:
    async with chat(endpoint.url, temperature=0.2, max_output_tokens=500, extra={"top_k": 3}) as model:
        await model.reply(QUESTION, SHAPE)

    assert endpoint.requests == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": TEXT}],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "schema": SHAPE.schema, "strict": True},
            },
            "temperature": 0.2,
            "max_tokens": 500,
            "top_k": 3,
        }
    ]
    assert endpoint.keys == [f"Bearer {SECRET}"]


async def test_what_is_not_set_is_not_sent(endpoint: ChatEndpoint) -> None:
    async with chat(endpoint.url) as model:
        await model.reply(QUESTION, SHAPE)

    assert endpoint.requests[0].keys() == {"model", "messages", "response_format"}


async def test_without_a_key_of_its_own_an_endpoint_is_not_sent_the_environments(
    endpoint: ChatEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    async with chat(endpoint.url, api_key="") as model:
        await model.reply(QUESTION, SHAPE)

    assert SECRET not in endpoint.keys[0]


async def test_half_a_character_does_not_keep_the_rest_from_being_sent(endpoint: ChatEndpoint) -> None:
    async with chat(endpoint.url) as model:
        await model.reply([ChatMessage(role="user", text="\ud800 half, 半")], SHAPE)

    assert endpoint.requests[0]["messages"][0]["content"] == "\ufffd half, 半"


async def test_as_many_requests_run_at_a_time_as_are_allowed_and_no_more(endpoint: ChatEndpoint) -> None:
    both, lock = threading.Barrier(2, timeout=20), threading.Lock()
    running, most = 0, 0

    def rule(_: object) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both.wait()
        with lock:
            running -= 1
        return "{}"

    endpoint.rule = rule
    async with chat(endpoint.url, concurrency=2) as model:
        await asyncio.gather(*(model.reply(QUESTION, SHAPE) for _ in range(12)))

    assert len(endpoint.requests) == 12
    assert most == 2


# ---- what came ----


async def test_a_reply_comes_as_it_was_said_with_its_tokens(endpoint: ChatEndpoint) -> None:
    endpoint.script = ['{"结论": "两者矛盾"}']

    async with chat(endpoint.url) as model:
        reply = await model.reply(QUESTION, SHAPE)

    assert reply == ChatReply(text='{"结论": "两者矛盾"}', input_tokens=7, output_tokens=11)


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (completion("{}", counted=False), ChatReply(text="{}")),
        (completion('{"a": [1, ', end="length"), ChatReply(text='{"a": [1, ', cut_off=True)),
        (completion("{}", end="content_filter"), ChatReply(text="{}", cut_off=True)),
        (completion(None, refusal="I will not."), ChatReply(text="I will not.")),
        (completion(None), ChatReply(text="")),
        (completion("no JSON at all"), ChatReply(text="no JSON at all")),
    ],
)
async def test_what_a_model_said_is_a_reply_and_says_when_it_was_cut_off(
    endpoint: ChatEndpoint, answer: Reply, reply: ChatReply
) -> None:
    endpoint.script = [answer]

    async with chat(endpoint.url) as model:
        came = await model.reply(QUESTION, SHAPE)

    assert (came.text, came.cut_off) == (reply.text, reply.cut_off)


async def test_an_endpoint_that_counts_nothing_costs_nothing(endpoint: ChatEndpoint) -> None:
    endpoint.script = [completion("{}", counted=False)]

    async with chat(endpoint.url) as model:
        reply = await model.reply(QUESTION, SHAPE)

    assert (reply.input_tokens, reply.output_tokens) == (0, 0)


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b"<html>Welcome</html>",
        b'{"error": {"message": "%s"}}' % TEXT.encode(),
        b"\xff\xfe",
        b"",
    ],
)
async def test_an_answer_that_is_no_completion_is_no_reply(endpoint: ChatEndpoint, body: bytes) -> None:
    endpoint.script = [Reply(body=body)]

    async with chat(endpoint.url) as model:
        with pytest.raises(ModelUnavailable, match="no chat completion") as raised:
            await model.reply(QUESTION, SHAPE)

    assert TEXT not in str(raised.value)


# ---- endpoints that know no schema ----


@pytest.mark.parametrize("status", [400, 404, 422])
async def test_an_endpoint_without_schemas_is_asked_in_json_mode_and_told_the_schema(
    endpoint: ChatEndpoint, status: int
) -> None:
    endpoint.lacks, endpoint.refusal = {"json_schema"}, status

    async with chat(endpoint.url) as model:
        await model.reply(QUESTION, SHAPE)
        await model.reply(QUESTION, SHAPE)

    assert endpoint.forms == ["json_schema", "json_object", "json_object"]
    system, user = endpoint.requests[1]["messages"]
    assert system["content"].startswith("You judge.\n\nReply with one JSON object")
    assert json.dumps(SHAPE.schema, ensure_ascii=False) in system["content"]
    assert user["content"] == TEXT


async def test_an_endpoint_without_json_mode_is_asked_in_words(endpoint: ChatEndpoint) -> None:
    endpoint.lacks = {"json_schema", "json_object"}

    async with chat(endpoint.url) as model:
        await model.reply(QUESTION[1:], SHAPE)
        await model.reply(QUESTION, SHAPE)

    assert endpoint.forms == ["json_schema", "json_object", "text", "text"]
    assert [message["role"] for message in endpoint.requests[2]["messages"]] == ["system", "user"]


async def test_a_schema_that_is_refused_keeps_no_other_from_being_asked_for_strictly(
    endpoint: ChatEndpoint,
) -> None:
    endpoint.lacks = {"json_schema"}

    async with chat(endpoint.url) as model:
        await model.reply(QUESTION, SHAPE)
        endpoint.lacks = set()
        await model.reply(QUESTION, ReplyShape(name="another", schema=SHAPE.schema))

    assert endpoint.forms == ["json_schema", "json_object", "json_schema"]


async def test_a_refusal_of_something_else_is_not_taken_for_one_of_the_schema(endpoint: ChatEndpoint) -> None:
    endpoint.script = [Reply(status=404, body=b'{"error": {"message": "no such model"}}')]

    async with chat(endpoint.url) as model:
        with pytest.raises(ModelUnavailable, match="NotFoundError 404"):
            await model.reply(QUESTION, SHAPE)
        await model.reply(QUESTION, SHAPE)

    assert endpoint.forms == ["json_schema", "json_schema"]


# ---- what goes wrong on the way ----


@pytest.mark.parametrize(
    "reply", [*map(failing, (408, 409, 429, 500, 503)), Reply(body=b"{}" * 40, cut=True)]
)
async def test_a_passing_failure_is_tried_again(endpoint: ChatEndpoint, reply: Reply) -> None:
    endpoint.script = [reply, reply, "{}"]

    async with chat(endpoint.url, retries=2) as model:
        came = await model.reply(QUESTION, SHAPE)

    assert came.text == "{}"
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (failing(429), "RateLimitError 429"),
        (failing(500), "InternalServerError 500"),
        (Reply(status=500), "InternalServerError 500"),
        (Reply(body=b"{}" * 40, cut=True), "APIConnectionError"),
    ],
)
async def test_a_lasting_failure_is_unavailable_after_the_last_attempt(
    endpoint: ChatEndpoint, reply: Reply, cause: str
) -> None:
    endpoint.script = [reply] * 9

    async with chat(endpoint.url, retries=2) as model:
        with pytest.raises(ModelUnavailable, match=cause):
            await model.reply(QUESTION, SHAPE)

    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    "wanted",
    [
        "0.05",
        pytest.param(format_datetime(datetime.now(UTC) - timedelta(hours=1)), id="an hour ago"),
        "soon",
        "-3",
    ],
)
async def test_an_endpoint_is_asked_again_when_it_says(endpoint: ChatEndpoint, wanted: str) -> None:
    endpoint.script = [Reply(status=429, headers={"retry-after": wanted}), "{}"]
    loop = asyncio.get_running_loop()

    async with chat(endpoint.url) as model:
        start = loop.time()
        await model.reply(QUESTION, SHAPE)

    assert len(endpoint.requests) == 2
    assert wanted != "0.05" or loop.time() - start >= 0.05


@pytest.mark.parametrize(
    "wanted",
    [
        "3600",
        "inf",
        "nan",
        "1e400",
        pytest.param(format_datetime(datetime.now(UTC) + timedelta(days=1)), id="tomorrow"),
    ],
)
async def test_an_endpoint_that_wants_longer_than_the_deadline_is_not_waited_for(
    endpoint: ChatEndpoint, wanted: str
) -> None:
    endpoint.script = [Reply(status=429, headers={"retry-after": wanted})] * 2

    async with chat(endpoint.url, deadline_seconds=60) as model:
        with pytest.raises(ModelUnavailable, match="RateLimitError 429"):
            await model.reply(QUESTION, SHAPE)

    assert len(endpoint.requests) == 1


async def test_an_attempt_that_hangs_is_given_up_and_the_next_one_made(endpoint: ChatEndpoint) -> None:
    endpoint.script = [Reply(hangs=True), "{}"]

    async with chat(endpoint.url, timeout_seconds=0.5) as model:
        came = await model.reply(QUESTION, SHAPE)

    assert came.text == "{}"


async def test_a_call_ends_at_its_deadline_whatever_an_attempt_may_take(endpoint: ChatEndpoint) -> None:
    endpoint.script = [Reply(hangs=True)]

    async with chat(endpoint.url, deadline_seconds=1, concurrency=1) as model:
        with pytest.raises(ModelUnavailable, match=r"no reply within 1 second"):
            await model.reply(QUESTION, SHAPE)

        assert (await model.reply(QUESTION, SHAPE)).text  # and its turn is free again


async def test_an_endpoint_that_is_not_there_is_unavailable() -> None:
    with serving() as endpoint:
        gone = endpoint.url

    async with chat(gone, retries=1) as model:
        with pytest.raises(ModelUnavailable, match="APIConnectionError"):
            await model.reply(QUESTION, SHAPE)


@pytest.mark.parametrize(("status", "kind"), [(401, ModelUnavailable), (400, QuestionRefused)])
async def test_a_refusal_is_not_tried_again_and_its_cause_keeps_secrets(
    endpoint: ChatEndpoint, status: int, kind: type[ModelUnavailable]
) -> None:
    error = {"message": f"{TEXT} {SECRET}", "code": "context_length_exceeded"}
    endpoint.script = [Reply(status=status, body=json.dumps({"error": error}).encode())]

    async with chat(endpoint.url) as model:
        with pytest.raises(ModelUnavailable) as raised:
            await model.reply(QUESTION, SHAPE)

    assert type(raised.value) is kind
    assert len(endpoint.requests) == 1
    assert str(raised.value).endswith(f"{status} context_length_exceeded")
    assert TEXT not in str(raised.value)
    assert SECRET not in str(raised.value)
    assert raised.value.__suppress_context__  # a traceback in a log ends here
    assert SECRET not in repr(Endpoint(model="m", base_url=endpoint.url, api_key=SECRET))


async def test_an_error_code_that_is_prose_is_not_repeated(endpoint: ChatEndpoint) -> None:
    endpoint.script = [Reply(status=401, body=json.dumps({"error": {"code": TEXT}}).encode())]

    async with chat(endpoint.url) as model:
        with pytest.raises(ModelUnavailable) as raised:
            await model.reply(QUESTION, SHAPE)

    assert TEXT not in str(raised.value)


async def test_who_gives_up_waiting_leaves_the_others_their_turns(endpoint: ChatEndpoint) -> None:
    endpoint.script = [Reply(hangs=True), "{}"]

    async with chat(endpoint.url, concurrency=1) as model:
        asked = asyncio.create_task(model.reply(QUESTION, SHAPE))
        waiting = asyncio.create_task(model.reply(QUESTION, SHAPE))
        await asyncio.to_thread(endpoint.arrived.wait)
        asked.cancel()

        assert (await waiting).text == "{}"
