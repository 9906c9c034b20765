"""API keys as calls present them: looked up once, cached, given up as soon as something changed.

Law: it never fails open. A cached key is taken only while the store has confirmed, within `max_staleness` seconds or
so, that nothing changed; what the store cannot confirm is refused. A refusal does not tell what was wrong with a key.
"""

import hmac
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import TypeVar

from core.caller import Caller
from core.model.access import OPEN, ApiKey
from core.ports.clock import Clock
from core.ports.credentials import Credentials
from service.api.access.rates import Bucket, Rates
from service.api.access.tokens import UNKNOWN, bearer_of, digest_of, id_of
from service.api.errors.transport import Unauthenticated

MOST_KNOWN = 10_000  # keys in the cache
MOST_REFUSED = 10_000
REFUSED_SECONDS = 30.0  # for which a refused key is refused without a look-up
KNOWN_FOR = timedelta(hours=1)  # after which a key is looked up again, and its day of use noted

V = TypeVar("V")

Metadata = Iterable[tuple[str, str | bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKey:
    """A valid key: who calls with it, until when that may be taken from the cache, and how often it may call."""

    caller: Caller
    until: datetime
    bucket: Bucket | None


class Keyring:
    """Tells who calls. `is_asking`: whether calls need a credential at all."""

    def __init__(
        self,
        credentials: Credentials,
        clock: Clock,
        max_staleness: float,
        *,
        required: bool,
        rates: Rates | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        """`required`: calls are asked whether or not there was ever a key. `now`: seconds, of no clock."""
        self._credentials = credentials
        self._clock = clock
        self._max_staleness = max_staleness
        self._required = required
        self._rates = rates or Rates()
        self._now = now
        self._confirmed = float("-inf")
        self.version = -1
        self._known: OrderedDict[str, KnownKey] = OrderedDict()  # by the key itself: a digest would cost more
        self._refused: OrderedDict[str, float] = OrderedDict()  # digests, and until when
        self._used: set[str] = set()
        self.is_asking = required

    async def confirm(self) -> None:
        """Asks the store whether anything changed; then everything is looked up anew, and `version` is another."""
        asked = self._now()
        asking = await self._credentials.asking()
        self._confirmed = asked
        if asking.version != self.version:
            self.version = asking.version
            self.is_asking = self._required or asking.is_on
            self._known.clear()
            self._refused.clear()
        if self._used:
            used, self._used = self._used, set()
            today = self._clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
            await self._credentials.touch(used, today)

    def at_hand(self, metadata: Metadata) -> Caller | None:
        """Returns who calls, if there is nothing to wait for: the key was seen, and the store has confirmed lately that
        nothing changed. Raises Unauthenticated, RateLimited."""
        known = self._known.get(bearer_of(metadata))
        if known is None or self._now() - self._confirmed > self._max_staleness:
            return None
        if known.until <= self._clock.now():
            return None
        if known.bucket is not None:
            known.bucket.take()
        return known.caller

    async def caller(self, metadata: Metadata, peer: str) -> Caller:
        """Returns who calls. Raises Unauthenticated, RateLimited, StoreUnavailable."""
        at_hand = self.at_hand(metadata)
        if at_hand is not None:
            return at_hand
        known = await self._looked_up(bearer_of(metadata), peer)
        if known.bucket is not None:
            known.bucket.take()
        return known.caller

    async def is_valid(self, caller: Caller) -> bool:
        """Whether a call that began may go on."""
        if not caller.key_id:
            return not self.is_asking
        key = await self._credentials.find(caller.key_id)
        return key is not None and key.is_valid(self._clock.now())

    async def _looked_up(self, token: str, peer: str) -> KnownKey:
        if self._now() - self._confirmed > self._max_staleness:
            await self.confirm()
            if (known := self._known.get(token)) and known.until > self._clock.now():
                return known
        digest = digest_of(token)
        if not (key_id := id_of(token)) or self._refused.get(digest, 0.0) > self._now():
            raise Unauthenticated(UNKNOWN)
        self._rates.require_guess(peer)
        key, version = None, -1
        while version != self.version:  # it may be revoked while the store answers
            version = self.version
            key = await self._credentials.find(key_id)
        now = self._clock.now()
        if key is None or not hmac.compare_digest(key.digest, digest) or not key.is_valid(now):
            self._rates.guessed(peer)
            _put(self._refused, digest, self._now() + REFUSED_SECONDS, MOST_REFUSED)
            raise Unauthenticated(UNKNOWN)
        until = min(key.expire_time, now + KNOWN_FOR)
        known = KnownKey(caller=caller_of(key), until=until, bucket=self._rates.bucket(key))
        _put(self._known, token, known, MOST_KNOWN)
        self._used.add(key_id)
        return known


def caller_of(key: ApiKey) -> Caller:
    return Caller(
        tenant=key.tenant,
        subject=key.subject,
        key_id=key.key_id,
        scopes=frozenset(key.scopes),
        binding=OPEN if key.binding.is_open else key.binding,
    )


def _put(cache: OrderedDict[str, V], name: str, value: V, most: int) -> None:
    """Puts it in; the oldest goes where there are too many."""
    cache[name] = value
    if len(cache) > most:
        cache.popitem(last=False)
