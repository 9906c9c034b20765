"""Who may look: the browser that was given the one address which this process printed.

Law: the token of the address opens one session, once. All secrets are random, live in this process's memory, and are
compared in constant time.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import compare_digest, token_urlsafe
from time import monotonic

IDLE_SECONDS = 12 * 3_600.0


def _secret() -> str:
    return token_urlsafe(32)


@dataclass(slots=True, kw_only=True)
class Session:
    """One browser's. `form_token` stands in every form. `notice` names a sentence that the next page says."""

    language: str
    last_use: float
    cookie: str = field(default_factory=_secret, repr=False)
    form_token: str = field(default_factory=_secret, repr=False)
    notice: str = ""

    def owns_form(self, token: str) -> bool:
        return _same(token, self.form_token)


class Sessions:
    """The session of this process, once the address has been opened."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.entry_token = _secret()
        self._clock = clock
        self._is_used = False
        self._opened: Session | None = None

    def enter(self, token: str, language: str) -> Session | None:
        """Opens the session. Returns None for a wrong token, and for the right one once it was used."""
        if self._is_used or not _same(token, self.entry_token):
            return None
        self._is_used = True
        self._opened = Session(language=language, last_use=self._clock())
        return self._opened

    def of(self, cookie: str) -> Session | None:
        """Returns the session that a cookie belongs to; None for any other, and for one that lay idle too long."""
        now, opened = self._clock(), self._opened
        if opened is None or not _same(cookie, opened.cookie) or now - opened.last_use > IDLE_SECONDS:
            return None
        opened.last_use = now
        return opened


def _same(given: str, kept: str) -> bool:
    return compare_digest(given.encode("utf-8", "replace"), kept.encode())
