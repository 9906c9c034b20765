"""A collection's part of a prompt: preferences, strategies, facts, episodes, reflections.

Law: pure, and speaks the language of the input. A record stands as data, on one line or indented under one; of a
contested one that is said, of a disliked one and of one in doubt too. The sides of a contest stand together, or none
does, but for an order that stands whatever is asked; the newest of what a user stated first, so that what corrects
stands before what it corrects. Its shorter form is the first paragraph of the
reflection over it, else its first sentence. Beside turns or a bank, preferences and strategies that proved themselves
have shares of the budget, in which they go last; facts, other strategies and episodes weigh what they weigh among all
evidence of the prompt.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.context import shares
from core.context.disputes import NOTHING_SAID, Disputes, SentenceKeys
from core.context.evidence import BEST, Candidate, Kind, Placement, said
from core.context.lines import bracketed, indented, one_line, same
from core.context.sections import Item, Section, Tier
from core.ids import RecordId, ReflectionId
from core.language import Words
from core.long_term.contests import by_precedence, contests_of
from core.long_term.texts import quotation, told
from core.model.record import PREFERENCE, STRATEGY, Record, RecordState, Reflection
from core.text import sentences
from core.text.tokens import estimate

PREFERENCES, STRATEGIES, FACTS = "preferences", "strategies", "facts"
EPISODES, REFLECTIONS = "episodes", "reflections"
PROVEN = 0.5
"""The reward from which a strategy has proved itself."""
SHARES = {PREFERENCES: shares.PREFERENCES, STRATEGIES: shares.STRATEGIES}
"""Of a budget, what each of these may take with its title: a small one must have room for what was said."""
MOST_SIDES = 4
"""Of one contest, at most: further ones are found by a search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionEvidence:
    """What a collection has for an input, each best first, and the reflections that stand over any of it. `limits`:
    those of the facts that stand whatever they weigh; `orders`: those of the preferences that do whatever is asked;
    `handles` of all records."""

    preferences: Sequence[Record] = ()
    strategies: Sequence[Record] = ()
    facts: Sequence[Record] = ()
    limits: frozenset[RecordId] = frozenset()
    orders: frozenset[RecordId] = frozenset()
    episodes: Sequence[Record] = ()
    reflections: Sequence[Reflection] = ()
    handles: Mapping[RecordId, str] = field(default_factory=dict)

    @property
    def records(self) -> list[Record]:
        return [*self.preferences, *self.strategies, *self.facts, *self.episodes]

    def contests(self) -> list[list[Record]]:
        """Returns the records that contest one another, by precedence; of each contest those that are shown: orders and
        limits, then those that fit best."""
        certain = self.orders | self.limits
        places = {r.record_id: (r.record_id not in certain, place) for place, r in enumerate(self.records)}
        contests = contests_of(self.records)
        return [
            by_precedence(sorted(each, key=lambda r: places[r.record_id])[:MOST_SIDES]) for each in contests
        ]


def add_contests(disputes: Disputes, contests: Iterable[Sequence[Record]]) -> None:
    """Adds what contests are about."""
    for contest in contests:
        ids = [record.record_id for record in contest]
        disputes.add(ids[0], [_shown(record).said.sentences for record in contest], ids)


def candidate_of(record: Record) -> Candidate:
    """Returns a record as a candidate. Only a plain fact may stand behind a turn that says it: what has a detail, or is
    contested, tells more."""
    return _shown(record).candidate


def sentences_of(known: CollectionEvidence, placement: Placement) -> frozenset[int]:
    """Returns the sentences of the preferences and facts that stand, and those that these refer to."""
    weights, limits = placement.weights, known.limits
    standing = [f for f in known.facts if f.record_id in weights or f.record_id in limits]
    records = (*known.preferences, *standing)
    referred = (said(record.context).sentences for record in records if record.context)
    return frozenset().union(*(_shown(record).said.sentences for record in records), *referred)


def long_term_sections(
    known: CollectionEvidence, placement: Placement, words: Words, *, alone: bool = False
) -> list[Section]:
    """Returns the parts in their order. `alone`: nothing else wants the budget, so they have no shares of it."""
    shares_ = {} if alone else SHARES
    contests = _contests(placement)
    over = {reflection.reflection_id: reflection for reflection in known.reflections}
    plain = [
        (PREFERENCES, words.preferences, known.preferences),
        (STRATEGIES, words.strategies, known.strategies),
        (FACTS, words.facts, known.facts),
    ]
    of_records = [
        Section(
            name=name,
            title=title,
            items=_records(records, name, known, over, placement, contests, words),
            share=shares_.get(name),
        )
        for name, title, records in plain
    ]
    return [
        *_levelled(of_records, contests),
        Section(name=EPISODES, title=words.episodes, items=_episodes(known, over, placement, words)),
        Section(name=REFLECTIONS, title=words.reflections, items=_reflections(known, placement)),
    ]


def _records(
    records: Sequence[Record],
    name: str,
    known: CollectionEvidence,
    over: Mapping[ReflectionId, Reflection],
    placement: Placement,
    contests: Mapping[str, Sequence[str]],
    words: Words,
) -> tuple[Item, ...]:
    standing = [
        r
        for r in records
        if _stands(r, name)
        or r.record_id in known.limits
        or r.record_id in placement.weights
        or r.record_id in contests
    ]
    items = [
        _weighed(
            Item(
                item_id=record.record_id,
                full=f"{_head(record, known, placement, words)} {_shown(record).line}{_below(record.detail)}",
                short=f"{_head(record, known, placement, words)} {_brief(record, over)}",
                handle=known.handles.get(record.record_id, ""),
                spare=name == FACTS,
                tier=_tier(record, name),
                weight=1.0 - rank / len(records),
            ),
            record,
            placement,
        )
        for rank, record in enumerate(standing)
    ]
    for place, record in enumerate(standing):
        key, one = record.record_id, items[place]
        if key in contests:
            others = [other for other in contests[key] if other != key]
            one = one._replace(requires=tuple(dict.fromkeys((*others, *one.requires))), is_pair=True)
            if not _stands(record, name) and key not in placement.weights:
                one = one._replace(weight=0.0, tier=Tier.FITTING)
        if key in known.orders:
            one = one._replace(requires=())
        items[place] = one._replace(tier=Tier.NEEDED) if key in known.limits else one
    return tuple(_beside_others(items, contests))


def _contests(placement: Placement) -> dict[str, Sequence[str]]:
    """Returns by the id of each record of a contest that is to stand those of all its sides."""
    apart = placement.disputes.told_apart
    return {key: apart[name] for name in placement.pairs if name in apart for key in apart[name]}


def _beside_others(items: Sequence[Item], contests: Mapping[str, Sequence[str]]) -> Iterator[Item]:
    """Yields items, those of a contest one after the other, where the first of them stands."""
    left = {item.item_id: item for item in items}
    for item in items:
        for key in contests.get(item.item_id, (item.item_id,)):
            if key in left:
                yield left.pop(key)


def _levelled(sections: Sequence[Section], contests: Mapping[str, Sequence[str]]) -> list[Section]:
    """Returns sections in which the sides of a contest weigh as much as the heaviest of them."""
    if not contests:
        return list(sections)
    heaviest: dict[str, tuple[Tier, float]] = {}
    of_contests = [item for section in sections for item in section.items if item.item_id in contests]
    for item in of_contests:
        for key in contests[item.item_id]:
            heaviest[key] = max(heaviest.get(key, (item.tier, item.weight)), (item.tier, item.weight))

    def level(item: Item) -> Item:
        if item.item_id not in heaviest:
            return item
        tier, weight = heaviest[item.item_id]
        return item._replace(tier=tier, weight=weight)

    return [section._replace(items=tuple(map(level, section.items))) for section in sections]


def _stands(record: Record, section: str) -> bool:
    """Whether a record stands by itself, and not for what it weighs among the evidence."""
    return section == PREFERENCES or (section == STRATEGIES and not 0.0 <= record.reward < PROVEN)


def _weighed(item: Item, record: Record, placement: Placement) -> Item:
    """Returns an item with what it weighs among the evidence, if it is any."""
    item = item._replace(requires=placement.requires(_shown(record).said))
    weight = placement.weights.get(item.item_id)
    if weight is None:
        return item
    item = item._replace(weight=weight, tier=Tier.FITTING, copies=placement.copies.get(item.item_id, ()))
    return item._replace(tier=Tier.NEEDED, weight=BEST) if item.item_id == placement.best else item


def _tier(record: Record, section: str) -> Tier:
    """Returns the tier of what stands by itself: what was disliked goes before all evidence."""
    if record.reward < 0.0:
        return Tier.SPARE
    return Tier.LAST if section == PREFERENCES else Tier.NEEDED


def _head(record: Record, known: CollectionEvidence, placement: Placement, words: Words) -> str:
    """Renders handle and day; whether another record, or the bank, contests it; and what feedback said of it."""
    is_contested = record.state is RecordState.CONTESTED or placement.is_disputed(_shown(record).said)
    marks = [words.contested] if is_contested else []
    if record.reward < 0.0 and record.category in (STRATEGY, PREFERENCE):
        marks.append(words.poor if record.category == STRATEGY else words.disliked)
    marks += [words.to_revise] if record.needs_revision else []
    handle = bracketed(known.handles.get(record.record_id, ""))
    return " ".join((f"- {handle}{words.dates.written(record.event_time)}", *marks))


def _below(detail: str) -> str:
    return f"\n{indented(detail.strip())}" if detail.strip() else ""


def _brief(record: Record, over: Mapping[ReflectionId, Reflection]) -> str:
    reflection = over.get(record.reflection_id)
    if reflection is not None:
        return _first_paragraph(reflection)
    return _shown(record).opening


class _Record(NamedTuple):
    """What a prompt shows of a record: its content on one line, the first sentence of it, and all its sentences."""

    line: str
    opening: str
    said: SentenceKeys
    candidate: Candidate


def _shown(record: Record) -> _Record:
    try:
        shown: _Record = record.shown
    except AttributeError:
        content = told(record)
        opening = one_line(" ".join(sentences.split(content)[:1]) or content)
        line = same(one_line(content), content)
        taken = quotation(record)
        sentences_ = said(taken.statement, speakers=(taken.speaker,))
        shown = record.keep_shown(
            _Record(line, same(opening, line), sentences_, _as_candidate(record, sentences_))
        )
    return shown


def _as_candidate(record: Record, says: SentenceKeys) -> Candidate:
    tells_more = record.episode is not None or record.detail.strip() or record.state is RecordState.CONTESTED
    name = record.record_id
    return Candidate(
        name,
        name,
        Kind.FACT,
        record.event_time,
        NOTHING_SAID if tells_more else says,
        estimate(told(record)),
    )


def _first_paragraph(reflection: Reflection) -> str:
    paragraphs = (part.strip() for part in reflection.text.split("\n\n"))
    return one_line(next((p for p in paragraphs if p and not p.startswith("#")), reflection.title))


def _episodes(
    known: CollectionEvidence,
    over: Mapping[ReflectionId, Reflection],
    placement: Placement,
    words: Words,
) -> tuple[Item, ...]:
    return tuple(
        _weighed(
            Item(
                item_id=record.record_id,
                full="\n".join(
                    (f"{_head(record, known, placement, words)} {_shown(record).line}", *_told(record, words))
                ),
                short=f"{_head(record, known, placement, words)} {_brief(record, over)}",
                handle=known.handles.get(record.record_id, ""),
            ),
            record,
            placement,
        )
        for record in known.episodes
        if record.record_id in placement.weights
    )


def _told(record: Record, words: Words) -> list[str]:
    """Renders steps, outcome and lessons, as far as there are any."""
    if record.episode is None:
        return [indented(record.detail.strip())] if record.detail.strip() else []
    told = record.episode
    steps = [
        f"  {words.steps}{words.colon.rstrip()}",
        *(f"  {n}. {one_line(step)}" for n, step in enumerate(told.steps, start=1)),
    ]
    return [
        *(steps if told.steps else ()),
        *(
            f"  {words.behind(label, one_line(text))}"
            for label, text in ((words.outcome, told.outcome), (words.lessons, told.lessons))
            if text.strip()
        ),
    ]


def _reflections(known: CollectionEvidence, placement: Placement) -> tuple[Item, ...]:
    """Returns what was learnt over any of what stands; it weighs as the heaviest of that."""
    weights: dict[ReflectionId, float] = {}
    standing = [*known.preferences, *known.strategies] if placement.is_floored else known.records
    if placement.is_floored:
        standing += [record for record in known.records if record.record_id in placement.weights]
    for record in standing:
        weight = placement.weights.get(record.record_id, 0.0)
        weights[record.reflection_id] = max(weight, weights.get(record.reflection_id, weight))
    return tuple(
        Item(
            item_id=reflection.reflection_id,
            full=f"- {one_line(reflection.title)}{_below(reflection.text)}",
            short=f"- {_first_paragraph(reflection)}",
            weight=weights.get(reflection.reflection_id, 0.0),
        )
        for reflection in known.reflections
        if reflection.reflection_id in weights
    )
