"""How often callers may call, per API key and per tenant, and how often an address may present a wrong key.

Law: token buckets of this process alone; a call that finds none is refused before it is read, with the exact wait.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from core.ids import Tenant
from core.model.access import ApiKey
from service.api.errors.transport import RateLimited

BURST_SECONDS = 2.0  # of calls that may come at once
MOST_PEERS = 10_000
GUESSES_PER_SECOND, GUESSES = 20.0, 100.0  # of wrong keys, by one address


class Bucket:
    """So many calls a second, and `burst` at once; `outer` is another that each call takes from as well."""

    def __init__(
        self,
        limit: str,
        per_second: float,
        burst: float,
        outer: "Bucket | None" = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        """`limit`: the setting's name. `per_second` 0: any number."""
        self._limit, self._per_second, self._burst = limit, per_second, max(1.0, burst)
        self._outer, self._now = outer, now
        self._left, self._seen = self._burst, now()

    def take(self) -> None:
        """Raises RateLimited; then nothing is taken."""
        wait = self.wait()
        if wait > 0.0:
            raise RateLimited(self._limit, wait)
        if self._outer is not None:
            self._outer.take()
        if self._per_second:
            self._left -= 1.0

    def wait(self) -> float:
        """Returns the seconds until a call may be made."""
        if not self._per_second:
            return 0.0
        now = self._now()
        self._left = min(self._burst, self._left + (now - self._seen) * self._per_second)
        self._seen = now
        return max(0.0, (1.0 - self._left) / self._per_second)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimits:
    """Calls a second; 0: any number."""

    per_key: float = 0.0
    per_tenant: float = 0.0


class Rates:
    """The buckets of one process."""

    def __init__(self, limits: RateLimits = RateLimits(), now: Callable[[], float] = monotonic) -> None:
        self._limits, self._now = limits, now
        self._keys: dict[str, Bucket] = {}
        self._tenants: dict[Tenant, Bucket] = {}
        self._peers: OrderedDict[str, Bucket] = OrderedDict()

    def bucket(self, key: ApiKey) -> Bucket | None:
        """Returns the bucket of a key, within its tenant's; None where there is no limit."""
        if not (self._limits.per_key or self._limits.per_tenant):
            return None
        tenant = self._tenants.setdefault(
            key.tenant, self._made("auth.tenant_calls_per_second", self._limits.per_tenant)
        )
        return self._keys.setdefault(
            key.key_id, self._made("auth.key_calls_per_second", self._limits.per_key, tenant)
        )

    def require_guess(self, peer: str) -> None:
        """Raises RateLimited for an address that presented too many wrong keys."""
        bucket = self._peers.get(host_of(peer))
        if bucket is not None and (wait := bucket.wait()) > 0.0:
            raise RateLimited("wrong API keys", wait)

    def guessed(self, peer: str) -> None:
        """Notes that an address presented a wrong key."""
        host = host_of(peer)
        if host not in self._peers:
            self._peers[host] = Bucket("wrong API keys", GUESSES_PER_SECOND, GUESSES, now=self._now)
            if len(self._peers) > MOST_PEERS:
                self._peers.popitem(last=False)
        self._peers[host].take()

    def _made(self, limit: str, per_second: float, outer: Bucket | None = None) -> Bucket:
        return Bucket(limit, per_second, per_second * BURST_SECONDS, outer, self._now)


def host_of(peer: str) -> str:
    """Returns the address in gRPC's name of a peer, without its port."""
    return peer.rpartition(":")[0]
