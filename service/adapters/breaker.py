"""Endpoints that are left alone for a while when they fail again and again.

Law: a call of a resting endpoint fails at once. After the rest one call is let through; what becomes of it
decides for all others.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from core.internal_errors import ModelUnavailable, RerankerUnavailable
from core.ports.chat import ChatMessage, ChatModel, ChatReply, ReplyShape
from core.ports.reranker import Reranker
from service.adapters.endpoint_reranker import TextsRefused
from service.adapters.openai_chat import QuestionRefused

Now = Callable[[], float]
"""Gives seconds that never go back."""


class Breaker:
    """A language model that rests for `rest_seconds` after `failures` calls in a row that gave no reply.

    A refused question is no failure: the endpoint is there.
    """

    def __init__(
        self, inner: ChatModel, *, failures: int, rest_seconds: float, now: Now = time.monotonic
    ) -> None:
        self._inner = inner
        self._rest = _Rest(ModelUnavailable, QuestionRefused, failures, rest_seconds, now)

    @property
    def window(self) -> int:
        return self._inner.window

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        with self._rest.watching():
            return await self._inner.reply(messages, shape)


class RerankerBreaker:
    """A reranker that rests likewise. That it was late is a failure, too: no call is to wait for it in vain."""

    def __init__(
        self, inner: Reranker, *, failures: int, rest_seconds: float, now: Now = time.monotonic
    ) -> None:
        self._inner = inner
        self._rest = _Rest(RerankerUnavailable, TextsRefused, failures, rest_seconds, now)

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        with self._rest.watching():
            return await self._inner.rerank(query, texts)


class _Rest:
    """Counts failures in a row. `unavailable` is raised by calls that failed, and while the endpoint rests;
    `refused` is a kind of it that is none."""

    def __init__(
        self,
        unavailable: type[Exception],
        refused: type[Exception],
        failures: int,
        rest_seconds: float,
        now: Now,
    ) -> None:
        self._unavailable = unavailable
        self._refused = refused
        self._allowed = failures
        self._rest = rest_seconds
        self._now = now
        self._failures = 0
        self._rests_until = 0.0
        self._trying = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Around one call. Raises `unavailable` instead while it rests."""
        trial = self._enter()
        try:
            yield
        except self._refused:
            self._failures = 0
            raise
        except self._unavailable:
            self._failed(trial)
            raise
        finally:
            if trial:
                self._trying = False
        self._failures = 0

    def _enter(self) -> bool:
        """Whether this call is the one that tries it again."""
        if self._failures < self._allowed:
            return False
        left = self._rests_until - self._now()
        if self._trying or left > 0:
            raise self._unavailable(
                f"the endpoint failed {self._failures} times in a row and is asked again in {max(left, 0):.0f} s"
            )
        self._trying = True
        return True

    def _failed(self, trial: bool) -> None:
        self._failures += 1
        # Calls that were under way when the rest began do not make it longer.
        if trial or self._failures == self._allowed:
            self._rests_until = self._now() + self._rest
