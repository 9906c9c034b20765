"""Long-term memory as plain dicts: what a collection must hold after each operation, told from the rules alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_OPPONENTS = 20
STRENGTH = {"stated": 2, "stored": 2, "observed": 1, "distilled": 0}
FIRST = {"stated": 0.8, "stored": 0.8, "observed": 0.6, "distilled": 0.5}
WEAK, UNUSED = 0.3, 30  # confidence, days


@dataclass(slots=True, kw_only=True)
class Plain:
    """A record. Times are days; `order` is that of making; `until` is set for one that was contradicted."""

    text: str
    origin: str
    event: int
    order: int
    made: int
    updated: int
    is_fact: bool = True
    ttl: int | None = None
    confidence: float = 0.0
    reward: float = 0.0
    needs_revision: bool = False
    state: str = "active"
    by: str = ""
    until: int | None = None
    since: int = 0
    against: set[str] = field(default_factory=set)
    uses: int = 0
    last_use: int = -1_000

    @property
    def matter(self) -> str:
        return self.text.split()[1]

    @property
    def value(self) -> str:
        return self.text.split()[3]

    @property
    def strength(self) -> int:
        return STRENGTH[self.origin]

    def surer(self, by: float = 1.0) -> None:
        self.confidence += 0.1 * by * (1.0 - self.confidence)


@dataclass(slots=True)
class PlainCollection:
    """Records by id, opinions, and the texts of what was deleted with the day of that."""

    records: dict[str, Plain] = field(default_factory=dict)
    opinions: list[set[str]] = field(default_factory=list)
    stones: dict[str, tuple[str, int]] = field(default_factory=dict)

    # ---- new facts ----

    def forgets(self, text: str, origin: str, event: int) -> bool:
        """Whether it was deleted after it was said."""
        return origin != "stored" and any(said == text and event <= day for said, day in self.stones.values())

    def known(self, text: str) -> str:
        """The oldest fact that stands and says these words."""
        said = [
            key for key, r in self.records.items() if r.is_fact and r.text == text and r.state != "superseded"
        ]
        return min(said, key=lambda key: self.records[key].order, default="")

    def said_again(self, key: str, origin: str, event: int) -> None:
        record = self.records[key]
        if STRENGTH[origin] >= record.strength:
            record.surer()
            record.event, record.needs_revision = max(record.event, event), False
        record.since = min(record.since, event)
        if STRENGTH[origin] > record.strength:
            record.origin, record.confidence = origin, max(record.confidence, FIRST[origin])

    def judge(self, key: str) -> None:
        """Against every other fact that stands: those of its matter contradict it, or say the same."""
        new = self.records.get(key)
        if new is None or new.state == "superseded":
            return
        others = [
            (other, r)
            for other, r in sorted(self.records.items())
            if other != key and r.is_fact and r.state != "superseded" and r.matter == new.matter
        ]
        conflicts = [other for other, r in others if r.value != new.value]
        for other in conflicts:
            self._conflict(key, other)
        if not conflicts and others:
            self._merge(key, others[0][0])

    def _conflict(self, one: str, other: str) -> None:
        a, b = self.records[one], self.records[other]
        if "superseded" in (a.state, b.state) or max(len(a.against), len(b.against)) >= MOST_OPPONENTS:
            return
        for record, against in ((a, other), (b, one)):
            record.state = "contested"
            record.against.add(against)

    def _merge(self, one: str, other: str) -> None:
        if any(self.records[key].state != "active" for key in (one, other)):
            return
        goes, stays = sorted(
            (one, other),
            key=lambda key: (
                self.records[key].strength,
                len(self.records[key].text),
                self.records[key].event,
                key,
            ),
        )
        lost, kept = self.records[goes], self.records[stays]
        if lost.strength >= kept.strength:
            kept.surer()
            kept.event, kept.needs_revision = max(kept.event, lost.event), False
        kept.since = min(kept.since, lost.since)
        lost.state, lost.by = "superseded", stays

    def _supersede(self, older: str, newer: str, day: int) -> None:
        self._release(older)
        lost = self.records[older]
        lost.state, lost.by, lost.until = "superseded", newer, max(day, lost.since)
        lost.against.clear()

    def _release(self, key: str) -> None:
        for other in self.records[key].against:
            opponent = self.records.get(other)
            if opponent is not None:
                opponent.against.discard(key)
                if not opponent.against:
                    opponent.state = "active"

    # ---- edits ----

    def decide(self, key: str, *, stands: bool) -> None:
        record = self.records[key]
        others = [other for other in sorted(record.against) if other in self.records]
        record.state = "active"
        record.against = set()
        for other in others:
            self.records[other].against.discard(key)
            if not self.records[other].against:
                self.records[other].state = "active"
        if stands:
            for other in others:
                self._supersede(other, key, max(record.event, self.records[other].since))

    def withdraw(self, key: str) -> None:
        """What it said is said no more: what it alone contradicted stands again."""
        self._release(key)
        for other in self.records.values():
            if other.by == key and other.until is not None:
                other.state, other.by, other.until, other.needs_revision = "active", "", None, True

    def reword(self, key: str, text: str, day: int) -> None:
        record = self.records[key]
        if record.text != text:
            self.withdraw(key)
            if record.is_fact:
                record.state, record.by, record.until, record.against = "active", "", None, set()
        record.text, record.updated, record.needs_revision = text, day, False

    # ---- opinions ----

    def rate(self, keys: Sequence[str], stars: int) -> None:
        value = (stars - 3) / 2
        for key in keys:
            record = self.records[key]
            record.reward += 0.3 * (value - record.reward)
            if value > 0:
                record.surer(value)
            if value < 0:
                record.confidence *= 1 + 0.2 * value
                record.needs_revision = True
        self.opinions.append(set(keys))

    def report(self, key: str, *, helped: bool) -> None:
        record = self.records[key]
        if helped:
            record.surer()
        else:
            record.confidence *= 0.8

    # ---- going ----

    def duplicates(self, key: str) -> set[str]:
        found = {other for other, r in self.records.items() if r.by == key and r.until is None}
        return found.union(*(self.duplicates(other) for other in found))

    def delete(self, keys: Sequence[str], day: int) -> None:
        going = set(keys).union(*(self.duplicates(key) for key in keys))
        for key in going:
            self.withdraw(key)
        for key in going:
            self.stones[key] = (self.records.pop(key).text, day)
        self._without(going)

    def sweep(self, today: int) -> int:
        gone = {
            key
            for key, r in self.records.items()
            if (r.ttl is not None and today >= r.made + r.ttl)
            or (not r.is_fact and r.confidence < WEAK and today - max(r.updated, r.last_use) >= UNUSED)
        }
        for key in gone:
            del self.records[key]
        self._without(gone)
        return len(gone)

    def _without(self, gone: set[str]) -> None:
        self.opinions = [left for opinion in self.opinions if (left := opinion - gone)]
