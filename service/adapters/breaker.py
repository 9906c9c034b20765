"""A language model that is left alone for a while when it fails again and again.

Law: a call of a resting model fails at once. After the rest one call is let through; what becomes of it
decides for all others.
"""

import time
from collections.abc import Callable, Sequence

from core.errors import ModelUnavailable
from core.ports import ChatMessage, ChatModel, ChatReply, ReplyShape
from service.adapters.openai_chat import QuestionRefused


class Breaker:
    """Lets `inner` rest for `rest_seconds` after `failures` calls in a row that gave no reply.

    `now` gives seconds that never go back. A refused question is no failure: the endpoint is there.
    """

    def __init__(
        self,
        inner: ChatModel,
        *,
        failures: int,
        rest_seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._allowed = failures
        self._rest = rest_seconds
        self._now = now
        self._failures = 0
        self._rests_until = 0.0
        self._trying = False

    @property
    def window(self) -> int:
        return self._inner.window

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        trial = self._enter()
        try:
            reply = await self._inner.reply(messages, shape)
        except QuestionRefused:
            self._failures = 0
            raise
        except ModelUnavailable:
            self._failed(trial)
            raise
        finally:
            if trial:
                self._trying = False
        self._failures = 0
        return reply

    def _enter(self) -> bool:
        """Whether this call is the one that tries it again. Raises ModelUnavailable while it rests."""
        if self._failures < self._allowed:
            return False
        left = self._rests_until - self._now()
        if self._trying or left > 0:
            raise ModelUnavailable(
                f"the endpoint failed {self._failures} times in a row and is asked again in {max(left, 0):.0f} s"
            )
        self._trying = True
        return True

    def _failed(self, trial: bool) -> None:
        self._failures += 1
        # Calls that were under way when the rest began do not make it longer.
        if trial or self._failures == self._allowed:
            self._rests_until = self._now() + self._rest
