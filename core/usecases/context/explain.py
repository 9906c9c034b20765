"""Explain: why a memory stands in a context, or why not, and which change of the request lets it stand.

Law: reads only, and asks no model. Nothing is told that was not tried: the context is assembled as AssembleContext does
it, as asked and then with one thing changed, and the change that turns the outcome is the reason.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from core.bank.query import Hit
from core.context.bank_evidence import BankEvidence
from core.context.evidence import Placement, Source, placed, shares_of_words
from core.context.sections import Assembly, Loss
from core.errors import MemoryOff
from core.index.scoring import Why
from core.text.needs import has_need
from core.usecases.context.asked import AssembleContext
from core.usecases.context.assemble_context import PreparedContext, prepared
from core.usecases.context.parts import revisions_of, sources_of
from core.usecases.context.ports import ContextPorts
from core.usecases.context.subject import PARTS, Reason, Subject, SubjectNames, What, subjects
from core.verbatim.measuring import words_of

MOST_TOKENS = 10_000_000
MOST = {"top_memories": 1_000, "top_facts": 1_000, "top_episodes": 1_000, "top_clusters": 100}
"""The greatest numbers that a request may have."""
HALVINGS = 6
"""How often the least budget that does is looked for between two, of which the lesser does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain:
    """`context`: the one in question."""

    context: AssembleContext
    asked: SubjectNames


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Where a memory stands among the evidence. `words`, `cosine`: None where it is no evidence, or has no vector."""

    rank: int = 0
    words: float | None = None
    cosine: float | None = None
    weight: float | None = None
    why: Why = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory stands (`item_id` in `section`), or does not. `changes`: fields of the request with values that
    together let it stand. `cut`: the least weight of evidence that stands."""

    subject: Subject
    stands: bool
    reason: Reason
    item_id: str = ""
    section: str = ""
    changes: Mapping[str, str]
    measured: Measures
    cut: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextExplanation:
    memories: tuple[Explanation, ...]
    tokens: int
    revisions: Mapping[str, int]


async def explain(ports: ContextPorts, command: Explain) -> ContextExplanation:
    """Raises what `assemble_context` and `subjects` raise."""
    asked = replace(command.context, observe=True)
    found = await subjects(ports, asked, command.asked)
    made = await prepared(ports, asked)
    told = [await _Explaining(ports, asked, made, subject).told() for subject in found]
    return ContextExplanation(
        memories=tuple(told), tokens=made.assembled.tokens, revisions=revisions_of(asked, made.read)
    )


class _Place(NamedTuple):
    """Where a memory stands: the item, its section, and whether the item only says as much."""

    item_id: str
    section: str
    is_copy: bool


class _Explaining:
    """One memory and one context: what decides whether it stands there."""

    def __init__(
        self, ports: ContextPorts, asked: AssembleContext, made: PreparedContext, subject: Subject
    ) -> None:
        self._ports, self._asked, self._made, self._subject = ports, asked, made, subject

    async def told(self) -> Explanation:
        place = _place(self._made.assembled, self._subject)
        if place is not None:
            return self._explanation(_standing(self._made.assembled, place), place, {}, self._made)
        if (reason := self._subject.kept_out) is not None:
            return self._explanation(reason, None, self._without(reason), self._made)
        if (reason := self._kept_out()) is not None:
            changes = {"parts": ""} if reason is Reason.PART_LEFT_OUT else {}
            return self._explanation(reason, None, changes, self._made)
        return await self._tried()

    def _without(self, reason: Reason) -> dict[str, str]:
        is_elsewhere = reason is Reason.OTHER_COLLECTION
        return {"collection": self._subject.other_id} if is_elsewhere else {}

    def _kept_out(self) -> Reason | None:
        """Returns what keeps out all of its part."""
        part = PARTS[self._subject.what]
        for missing in self._made.missing:
            if missing.part is part and isinstance(missing.error, MemoryOff):
                return Reason.MEMORY_OFF
        if not self._asked.wants(part):
            return Reason.PART_LEFT_OUT
        return None if has_need(self._asked.input) else Reason.NEEDLESS

    async def _tried(self) -> Explanation:
        """Tries a lower floor, then other numbers."""
        if (found := await self._below_floor()) is not None:
            return found
        found = await self._by_numbers()
        assert found is not None, "it does not stand"
        return found

    async def _by_numbers(self) -> Explanation | None:
        """Tries a larger budget, then more of its kind, then both; None: it stands as it is."""
        if _place(self._made.assembled, self._subject) is not None:
            return None
        room = {"token_budget": MOST_TOKENS}
        field = self._subject.field
        more = {field: MOST[field]} if field else {}
        if (made := await self._try(room)) is not None:
            return self._explanation(Reason.BUDGET, None, await self._least_budget({}), made)
        wide = await self._try({**room, **more})
        if wide is None:
            everything = await self._prepared({**room, **more})
            measured = self._measured(everything)
            return self._explanation(Reason.RANK if measured.rank else Reason.UNLIKE, None, {}, everything)
        number = await self._least_number(field, {})
        if number is None:  # not without more room, too
            number = await self._least_number(field, room) or MOST[field]
            changes = await self._least_budget({field: number})
            return self._explanation(Reason.RANK, None, changes | {field: str(number)}, wide)
        return self._explanation(Reason.RANK, None, {field: str(number)}, wide)

    async def _below_floor(self) -> Explanation | None:
        """Returns that the floor keeps it out, and what it takes besides a lower one; None: it does not."""
        if self._asked.min_score is None:
            return None
        field = self._subject.field
        wide = {"min_score": None, "token_budget": MOST_TOKENS} | ({field: MOST[field]} if field else {})
        for changes in ({"min_score": None}, wide):
            weight = self._measured(await self._prepared(changes)).weight
            if weight is None or weight >= self._asked.min_score:
                continue
            floor = weight if weight >= 0.0 else None
            asked = replace(self._asked, min_score=floor)
            lower = _Explaining(self._ports, asked, await prepared(self._ports, asked), self._subject)
            found = await lower._by_numbers()
            if found is None or found.changes:
                changed = {"min_score": "" if floor is None else repr(floor)}
                changed |= found.changes if found else {}
                return self._explanation(Reason.BELOW_FLOOR, None, changed, lower._made)
        return None

    async def _least_number(self, field: str, beside: Mapping[str, int]) -> int | None:
        """Returns the least number of a field that does, as far as it was tried; None: the greatest does not."""
        most = MOST[field]
        if await self._try({**beside, field: most}) is None:
            return None
        fails, does = 0, most
        while does - fails > 1:
            middle = (fails + does) // 2
            if await self._try({**beside, field: middle}) is None:
                fails = middle
            else:
                does = middle
        return does

    async def _least_budget(self, beside: Mapping[str, int]) -> dict[str, str]:
        """Returns a budget that does, near the least."""
        fails = self._asked.token_budget or self._ports.settings.retrieval.token_budget
        does = min(2 * fails, MOST_TOKENS)
        while does < MOST_TOKENS and await self._try({**beside, "token_budget": does}) is None:
            fails, does = does, min(2 * does, MOST_TOKENS)
        for _ in range(HALVINGS):
            middle = (fails + does) // 2
            if await self._try({**beside, "token_budget": middle}) is None:
                fails = middle
            else:
                does = middle
        return {"token_budget": str(does)}

    async def _try(self, changes: Mapping[str, float | None]) -> PreparedContext | None:
        """Returns the context with these numbers, if the memory stands there."""
        made = await self._prepared(changes)
        return made if _place(made.assembled, self._subject) else None

    async def _prepared(self, changes: Mapping[str, float | None]) -> PreparedContext:
        return await prepared(self._ports, replace(self._asked, **changes))  # type: ignore[arg-type]  # numbers

    # ---- what was measured ----

    def _explanation(
        self, reason: Reason, place: _Place | None, changes: Mapping[str, str], made: PreparedContext
    ) -> Explanation:
        """`made`: the context by which it is measured."""
        measured = self._measured(self._made)
        return Explanation(
            subject=self._subject,
            stands=place is not None,
            reason=reason,
            item_id=place.item_id if place else "",
            section=place.section if place else "",
            changes=changes,
            measured=measured if measured.rank else self._measured(made),
            cut=self._cut(),
        )

    def _measured(self, made: PreparedContext) -> Measures:
        sources, words = sources_of(made.read), words_of(self._asked.input)
        shares = shares_of_words(sources)
        places = [(source, share, self._at(source)) for source, share in zip(sources, shares, strict=True)]
        found = [(source, share, at) for source, share, at in places if at is not None]
        if not found:
            return self._beside(made)
        source, share, at = found[0]
        name, cosine = source.candidates[at].name, float(source.cosines[at])
        placement = placed(sources, words)
        return Measures(
            rank=at + 1,
            words=float(share[at]),
            cosine=None if np.isnan(cosine) else cosine,
            weight=placement.weights.get(_standing_for(placement, name)),
            why=_why(made.read.bank.evidence, name) if made.read.bank else (),
        )

    def _at(self, source: Source) -> int | None:
        """Returns the place of the best of its names in a source."""
        names = set(self._subject.names)
        return next((n for n, each in enumerate(source.candidates) if each.name in names), None)

    def _beside(self, made: PreparedContext) -> Measures:
        """Returns the rank of what is no evidence: preferences and strategies that stand by themselves."""
        if self._subject.what is not What.RECORD or made.read.known is None:
            return Measures()
        known = made.read.known.known
        for records in (known.preferences, known.strategies):
            for place, record in enumerate(records, start=1):
                if record.record_id == self._subject.id:
                    return Measures(rank=place)
        return Measures()

    def _cut(self) -> float | None:
        sources = sources_of(self._made.read)
        placement = placed(sources, words_of(self._asked.input))
        standing = {item.item_id for section in self._made.assembled.sections for item in section.items}
        weights = [
            placement.weights[each.name]
            for source in sources
            for each in source.candidates
            if each.item_id in standing and each.name in placement.weights
        ]
        return min(weights, default=None)


def _standing_for(placement: Placement, name: str) -> str:
    """Returns the name of what stands for a candidate."""
    if name in placement.weights:
        return name
    of = {copy.item_id: target for target, copies in placement.copies.items() for copy in copies}
    return of.get(name.removeprefix("turn "), name)


def _why(found: BankEvidence | None, name: str) -> Why:
    shown = found.shown.get(name) if found else None
    if not isinstance(shown, Hit):
        return ()
    return (("attribute", shown.attribute_score), ("embedding", shown.embedding_score), *shown.why)


def _place(made: Assembly, subject: Subject) -> _Place | None:
    """Returns where a memory stands, by itself rather than by what says as much."""
    return min(_places(made, subject), key=lambda place: place.is_copy, default=None)


def _places(made: Assembly, subject: Subject) -> Iterator[_Place]:
    for section in made.sections:
        for item in section.items:
            if item.item_id in subject.items and subject.may_stand_in(section.name):
                yield _Place(item.item_id, section.name, is_copy=False)
            elif not subject.items.isdisjoint(copy.item_id for copy in item.copies):
                yield _Place(item.item_id, section.name, is_copy=True)


def _standing(made: Assembly, place: _Place) -> Reason:
    if place.is_copy:
        return Reason.REPEATED
    is_short = (
        each.loss is Loss.SHORTENED and (each.section, each.item_id) == (place.section, place.item_id)
        for each in made.left_out
    )
    return Reason.SHORTENED if any(is_short) else Reason.STANDS
