"""Any endpoint that speaks OpenAI's chat completions API.

Law: a reply is what the model said, whatever that is: refused, empty or cut off (`cut_off`), it is given
as it came with its tokens, and the role that asked judges it. ModelUnavailable is that no reply came; its
cause never holds the texts, nor what the endpoint wrote about them.
"""

import asyncio
import json
import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Annotated, Any

import openai
from pydantic import BaseModel, Field, ValidationError

from core.internal_errors import ModelUnavailable
from core.ports.chat import ChatMessage, ChatReply, ReplyShape
from service.process.current_call import trace_headers

NO_KEY = "none"
"""Sent to an endpoint that wants no key. Given none, the library would send it the environment's."""

LONGEST_WAIT = 8.0
"""Seconds between two attempts, unless the endpoint asks for more."""

FORMS = ("json_schema", "json_object", "text")
"""How a reply's shape is asked for, the strictest first."""

_PASSING = {408, 409, 429}  # and all from 500 on
_ABOUT_THE_QUESTION = {400, 413, 422}
_CUT = {"length", "content_filter"}
_CODE = re.compile(r"[a-z_]{3,40}")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the model is, and how it wants to be asked.

    What is None is not sent, and left to the endpoint. `retries` counts attempts after the first, for
    connection errors, timeouts, 408, 409, 429 and 5xx: after `backoff_seconds`, doubled each time and
    shortened by chance, or when `Retry-After` says. Where that lies beyond the deadline, the call fails
    at once.
    """

    model: str
    base_url: str
    api_key: str = field(repr=False)
    window: int = 16_000  # tokens of prompt and reply
    temperature: float | None = None
    max_output_tokens: int | None = None  # sent as max_tokens
    extra: Mapping[str, Any] = field(default_factory=dict)  # sent with every request as it is
    concurrency: int = 4  # requests at a time
    timeout_seconds: float = 60.0  # of one attempt
    deadline_seconds: float = 180.0  # of all attempts at one reply, counted from its turn
    retries: int = 3
    backoff_seconds: float = 0.5


class QuestionRefused(ModelUnavailable):
    """The endpoint is there and will not take this request (too long, say); the next one may do."""


class OpenAIChat:
    """A model behind an endpoint.

    Where the endpoint says that it does not know a way to ask for a shape, the next one is tried
    (strict JSON schema, JSON mode with the schema in the system message, that message alone), and the
    one that was taken is kept to for that shape.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._turns = asyncio.Semaphore(endpoint.concurrency)
        self._forms: dict[str, int] = {}  # by the shape's name: a schema may be refused for what it says
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.api_key or NO_KEY,
            base_url=endpoint.base_url,
            timeout=endpoint.timeout_seconds,
            max_retries=0,  # done here: the library would wait beyond the deadline
        )

    @property
    def window(self) -> int:
        return self._endpoint.window

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        deadline = self._endpoint.deadline_seconds
        async with self._turns:
            try:
                async with asyncio.timeout(deadline) as limit:
                    body = await self._in_a_form_it_takes(messages, shape, limit.when() or 0.0)
            # Not chained: these errors hold the request, and the endpoint's words on it.
            except TimeoutError:
                raise ModelUnavailable(f"the endpoint gave no reply within {deadline:g} seconds") from None
            except openai.OpenAIError as error:
                raise _unavailable(error) from None
        return _read(body)

    async def close(self) -> None:
        await self._client.close()

    async def _in_a_form_it_takes(
        self, messages: Sequence[ChatMessage], shape: ReplyShape, ends: float
    ) -> bytes:
        for place in range(self._forms.get(shape.name, 0), len(FORMS)):
            try:
                body = await self._patiently(_asked(messages, shape, FORMS[place]), ends)
            except openai.APIStatusError as refusal:
                if FORMS[place] == "text" or not _refuses_form(refusal):
                    raise
            else:
                self._forms[shape.name] = place
                return body
        raise AssertionError("the last form is given or raised")

    async def _patiently(self, question: Mapping[str, Any], ends: float) -> bytes:
        """Returns the body of the answer, after as many attempts as it takes and may until the loop's time `ends`."""
        now = asyncio.get_running_loop().time
        for attempt in count():
            try:
                return await self._attempt(question)
            except openai.APIError as error:
                wait = _wait(error, self._endpoint.backoff_seconds * 2**attempt)
                if attempt >= self._endpoint.retries or wait is None or now() + wait > ends:
                    raise
            await asyncio.sleep(wait)
        raise AssertionError("attempts are counted without end")

    async def _attempt(self, question: Mapping[str, Any]) -> bytes:
        endpoint = self._endpoint
        response = await self._client.chat.completions.with_raw_response.create(
            model=endpoint.model,
            extra_headers=trace_headers(),
            temperature=openai.omit if endpoint.temperature is None else endpoint.temperature,
            max_tokens=openai.omit if endpoint.max_output_tokens is None else endpoint.max_output_tokens,
            extra_body=dict(endpoint.extra),
            **question,
        )
        body: bytes = response.content
        return body


# ---- asking ----


def _asked(messages: Sequence[ChatMessage], shape: ReplyShape, form: str) -> dict[str, Any]:
    messages_sent = [{"role": message.role, "content": _sendable(message.text)} for message in messages]
    if form == "json_schema":
        strictly = {"name": shape.name, "schema": shape.schema, "strict": True}
        return {"messages": messages_sent, "response_format": {"type": form, "json_schema": strictly}}
    asked: dict[str, Any] = {"messages": _told(messages_sent, shape)}
    return asked | ({"response_format": {"type": form}} if form == "json_object" else {})


def _told(messages: list[dict[str, str]], shape: ReplyShape) -> list[dict[str, str]]:
    """Returns the messages with the shape in the first system message: more than one is not understood everywhere."""
    demand = "Reply with one JSON object and nothing else, valid under this JSON schema:\n" + json.dumps(
        shape.schema, ensure_ascii=False
    )
    if messages and messages[0]["role"] == "system":
        return [{"role": "system", "content": f"{messages[0]['content']}\n\n{demand}"}, *messages[1:]]
    return [{"role": "system", "content": demand}, *messages]


def _sendable(text: str) -> str:
    """Replaces half characters (lone surrogates), which cannot be sent in any encoding."""
    return _SURROGATES.sub("\ufffd", text)


# ---- what went wrong ----


def _refuses_form(error: openai.APIStatusError) -> bool:
    """Whether the endpoint says that it is the response_format that it does not take."""
    reason = error.response.text.lower()
    return error.status_code in {400, 404, 422} and any(
        name in reason for name in ("response_format", "json_schema", "json_object")
    )


def _wait(error: openai.APIError, backoff: float) -> float | None:
    """Seconds to the next attempt; None for what another attempt would not change."""
    shortened = min(backoff, LONGEST_WAIT) * random.uniform(0.5, 1)
    if not isinstance(error, openai.APIStatusError):
        return shortened if isinstance(error, openai.APIConnectionError) else None
    if error.status_code not in _PASSING and error.status_code < 500:
        return None
    asked = _retry_after(error.response.headers)
    return shortened if asked is None else max(asked, 0.0)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the endpoint asks to be left alone: a number, or a date (RFC 9110, 10.2.3)."""
    for name, of_a_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers[name]) / of_a_second
        except (KeyError, ValueError):
            continue
        return seconds if math.isfinite(seconds) else math.inf
    try:
        moment = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _unavailable(error: openai.OpenAIError) -> ModelUnavailable:
    """Returns what went wrong, without the message: endpoints like to repeat the input in it."""
    cause = f"the endpoint failed: {type(error).__name__}"
    if not isinstance(error, openai.APIStatusError):
        return ModelUnavailable(cause)
    code = error.code if error.code and _CODE.fullmatch(str(error.code)) else ""
    cause = " ".join(filter(None, (cause, str(error.status_code), code)))
    return (QuestionRefused if error.status_code in _ABOUT_THE_QUESTION else ModelUnavailable)(cause)


# ---- what came ----

_Tokens = Annotated[int, Field(ge=0)] | None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: _Tokens = None
    completion_tokens: _Tokens = None


class _Answer(BaseModel):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: _Usage | None = None


def _read(body: bytes) -> ChatReply:
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError:
        raise ModelUnavailable("the endpoint's answer is no chat completion") from None
    choice, usage = answer.choices[0], answer.usage or _Usage()
    return ChatReply(
        text=choice.message.content or choice.message.refusal or "",
        cut_off=choice.finish_reason in _CUT,
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
    )
