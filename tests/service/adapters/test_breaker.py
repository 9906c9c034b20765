"""The breakers: when calls are let through, and when they fail at once."""

import asyncio
from collections.abc import Sequence

import pytest

from core.internal_errors import ModelUnavailable, RerankerLate, RerankerUnavailable
from core.ports.chat import ChatMessage, ChatReply, ReplyShape
from service.adapters.breaker import Breaker, RerankerBreaker
from service.adapters.endpoint_reranker import TextsRefused
from service.adapters.openai_chat import QuestionRefused
from tests.support.scripted_chat import ScriptedChat
from tests.support.scripted_reranker import ScriptedReranker

SHAPE = ReplyShape(name="s", schema={"type": "object"})
QUESTION = (ChatMessage(role="user", text="问"),)
DOWN = ModelUnavailable("down")


class Watch:
    """Shows the seconds that a test sets."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


async def asked(breaker: Breaker, *, times: int = 1) -> list[str]:
    """What came of each call: the reply, or why there was none."""
    outcomes = []
    for _ in range(times):
        try:
            outcomes.append((await breaker.reply(QUESTION, SHAPE)).text)
        except ModelUnavailable as unavailable:
            outcomes.append(str(unavailable))
    return outcomes


async def test_after_so_many_failures_in_a_row_calls_fail_at_once() -> None:
    model = ScriptedChat([DOWN, DOWN, DOWN])
    breaker = Breaker(model, failures=3, rest_seconds=30, now=Watch())

    outcomes = await asked(breaker, times=5)

    assert outcomes[:3] == ["down"] * 3
    assert outcomes[3] == "the endpoint failed 3 times in a row and is asked again in 30 s"
    assert len(model.asked) == 3


async def test_a_reply_in_between_starts_the_count_anew() -> None:
    model = ScriptedChat([DOWN, DOWN, "yes", DOWN, DOWN, "yes"])
    breaker = Breaker(model, failures=3, rest_seconds=30, now=Watch())

    outcomes = await asked(breaker, times=6)

    assert outcomes == ["down", "down", "yes", "down", "down", "yes"]


async def test_a_refused_question_is_no_failure_of_the_endpoint() -> None:
    model = ScriptedChat([DOWN, QuestionRefused("too long"), DOWN, "yes"])
    breaker = Breaker(model, failures=2, rest_seconds=30, now=Watch())

    outcomes = await asked(breaker, times=4)

    assert outcomes == ["down", "too long", "down", "yes"]


async def test_after_the_rest_a_call_that_is_answered_opens_the_way_for_all() -> None:
    watch, model = Watch(), ScriptedChat([DOWN, "yes", "yes"])
    breaker = Breaker(model, failures=1, rest_seconds=30, now=watch)
    await asked(breaker)

    watch.seconds += 30
    outcomes = await asked(breaker, times=2)

    assert outcomes == ["yes", "yes"]


async def test_after_the_rest_a_call_that_fails_begins_the_next_rest() -> None:
    watch, model = Watch(), ScriptedChat([DOWN, DOWN, "yes"])
    breaker = Breaker(model, failures=1, rest_seconds=30, now=watch)
    await asked(breaker)

    watch.seconds += 30
    tried, *resting = await asked(breaker, times=3)

    assert tried == "down"
    assert all("asked again in 30 s" in outcome for outcome in resting)
    assert len(model.asked) == 2


class Gate:
    """A model that keeps every caller waiting until it is told what to answer."""

    window = 100

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[str]] = []

    async def reply(self, _messages: Sequence[ChatMessage], _shape: ReplyShape) -> ChatReply:
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        return ChatReply(text=await answer)

    async def asked(self, call: "asyncio.Task[list[str]]") -> "asyncio.Task[list[str]]":
        """The call, once it has begun."""
        await asyncio.sleep(0)
        return call


async def resting(gate: Gate, watch: Watch) -> Breaker:
    """A breaker whose rest is just over."""
    breaker = Breaker(gate, failures=1, rest_seconds=30, now=watch)
    call = await gate.asked(asyncio.create_task(asked(breaker)))
    gate.waiting.pop().set_exception(DOWN)
    await call
    watch.seconds += 30
    return breaker


async def test_one_call_at_a_time_tries_an_endpoint_that_rested() -> None:
    gate = Gate()
    breaker = await resting(gate, Watch())

    trial = await gate.asked(asyncio.create_task(asked(breaker)))
    meanwhile = await asked(breaker)
    gate.waiting.pop().set_result("yes")

    assert "failed 1 times in a row" in meanwhile[0]
    assert await trial == ["yes"]


async def test_a_trial_that_was_given_up_leaves_the_next_call_to_try() -> None:
    gate = Gate()
    breaker = await resting(gate, Watch())
    trial = await gate.asked(asyncio.create_task(asked(breaker)))

    trial.cancel()
    await asyncio.gather(trial, return_exceptions=True)
    again = await gate.asked(asyncio.create_task(asked(breaker)))
    gate.waiting.pop().set_result("yes")

    assert await again == ["yes"]


async def test_calls_under_way_when_the_rest_began_do_not_make_it_longer() -> None:
    gate, watch = Gate(), Watch()
    breaker = Breaker(gate, failures=1, rest_seconds=30, now=watch)
    calls = [await gate.asked(asyncio.create_task(asked(breaker))) for _ in range(2)]
    gate.waiting[0].set_exception(DOWN)
    await calls[0]

    watch.seconds += 20
    gate.waiting[1].set_exception(DOWN)
    await calls[1]
    watch.seconds += 10
    trial = await gate.asked(asyncio.create_task(asked(breaker)))
    gate.waiting[2].set_result("yes")

    assert await trial == ["yes"]


async def test_a_reranker_that_is_late_repeatedly_is_left_alone_and_refused_texts_are_no_failure() -> None:
    late, watch = RerankerLate("late"), Watch()
    reranker = ScriptedReranker([late, TextsRefused("too long"), late, late])
    breaker = RerankerBreaker(reranker, failures=2, rest_seconds=30, now=watch)

    for expected in ("late", "too long", "late", "late", "failed 2 times in a row"):
        with pytest.raises(RerankerUnavailable, match=expected):
            await breaker.rerank("q", ["a"])
    watch.seconds += 30
    scores = await breaker.rerank("q", ["q", "a"])

    assert scores == [1.0, 0.0]
    assert len(reranker.asked) == 5
