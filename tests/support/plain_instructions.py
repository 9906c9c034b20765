"""What instruction documents and runs must come to, kept in plain dicts."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.model.instructions import Owner, SourceRef

LIFETIME = timedelta(days=7)
MOST_VERSIONS = 4


class Expired(Exception):
    """The run is too old."""


@dataclass(slots=True)
class PlainSource:
    """Every version by number: its text, and when it was replaced."""

    first: int
    texts: dict[int, str]
    replaced: dict[int, datetime] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        return max(self.texts)


@dataclass(slots=True)
class PlainRun:
    """`seen`: the version of each source by owner, 0 for one that was missing; of `whole` owners all was asked for."""

    expires: datetime
    seen: dict[Owner, dict[str, int]] = field(default_factory=dict)
    whole: set[Owner] = field(default_factory=set)


@dataclass(slots=True)
class PlainInstructions:
    sources: dict[Owner, dict[str, PlainSource]] = field(default_factory=dict)
    last: dict[Owner, int] = field(default_factory=dict)
    runs: dict[str, PlainRun] = field(default_factory=dict)

    def newest(self, owner: Owner, path: str) -> int:
        """0: there is none."""
        source = self.sources.get(owner, {}).get(path)
        return source.newest if source else 0

    def text(self, owner: Owner, path: str) -> str:
        source = self.sources[owner][path]
        return source.texts[source.newest]

    def write(self, owner: Owner, path: str, text: str, now: datetime) -> int:
        """The version that stands now."""
        mine = self.sources.setdefault(owner, {})
        if path not in mine:
            first = self.last.get(owner, 0) + 1
            mine[path] = PlainSource(first=first, texts={first: text})
        elif self.text(owner, path) != text:
            source = mine[path]
            source.replaced[source.newest] = now
            source.texts[source.newest + 1] = text
            if len(source.texts) > MOST_VERSIONS:
                self._forget(source, min(source.texts))
        return mine[path].newest

    def delete(self, owner: Owner, path: str) -> int:
        source = self.sources[owner].pop(path)
        self.last[owner] = max(self.last.get(owner, 0), source.newest)
        return len(source.texts)

    def trim(self, now: datetime) -> None:
        for mine in self.sources.values():
            for source in mine.values():
                for version, time in list(source.replaced.items()):
                    if time + LIFETIME <= now:
                        self._forget(source, version)

    def _forget(self, source: PlainSource, version: int) -> None:
        del source.texts[version], source.replaced[version]

    # ---- loading ----

    def load(
        self, refs: list[SourceRef], run_id: str, refresh: bool, now: datetime
    ) -> tuple[dict[tuple[Owner, str], str], set[tuple[Owner, str]]]:
        """Texts in order, and what is missing. Raises Expired."""
        run = self.runs.get(run_id) if run_id else None
        if run is None:
            run = PlainRun(expires=now + LIFETIME)
        elif refresh:
            for owner in {ref.owner for ref in refs}:
                run.seen.pop(owner, None)
                run.whole.discard(owner)
            run.expires = now + LIFETIME
        elif run.expires <= now:
            raise Expired
        if run_id:
            self.runs[run_id] = run
        asked = [(ref, self._versions(run, ref)) for ref in refs]
        found: dict[tuple[Owner, str], str] = {}
        missing: set[tuple[Owner, str]] = set()
        for ref, versions in asked:
            if not versions:
                missing.add((ref.owner, ref.path))
            for path, version in versions.items():
                text = self._seen_text(ref.owner, path, version)
                if text is None:
                    missing.add((ref.owner, path))
                else:
                    found.setdefault((ref.owner, path), text)
        return found, missing

    def _versions(self, run: PlainRun, ref: SourceRef) -> dict[str, int]:
        seen = run.seen.setdefault(ref.owner, {})
        now = {} if ref.owner in run.whole else self.sources.get(ref.owner, {})
        for path in [ref.path] if ref.path else sorted(now):
            if path not in seen:
                seen[path] = now[path].newest if path in now else 0
        if not ref.path:
            run.whole.add(ref.owner)
        paths = [ref.path] if ref.path else sorted(seen)
        return {path: seen[path] for path in paths if seen[path]}

    def _seen_text(self, owner: Owner, path: str, version: int) -> str | None:
        """None: the source was deleted since."""
        source = self.sources.get(owner, {}).get(path)
        if source is None or source.first > version:
            return None
        if version not in source.texts:
            raise Expired
        return source.texts[version]
