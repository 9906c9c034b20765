"""A collection's part of a prompt: preferences, strategies, facts, episodes, reflections.

Law: pure, and speaks the language of the input. A record stands as data, on one line or indented under one; of a
contested one that is said. Its shorter form is the first paragraph of the reflection over it, else its first sentence.
Beside turns or a bank, preferences, facts and strategies have shares of the budget, in which they go last; episodes and
reflections go with the turns that fit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.context.budget import Item, Section, Tier
from core.context.lines import indented, one_line, same
from core.context.words import Words
from core.ids import ReflectionId
from core.model.record import Record, RecordState, Reflection
from core.text import sentences

PREFERENCES, STRATEGIES, FACTS = "preferences", "strategies", "facts"
EPISODES, REFLECTIONS = "episodes", "reflections"
PROVEN = 0.5
"""The reward from which a strategy has proved itself."""
SHARES = {PREFERENCES: 0.04, STRATEGIES: 0.03, FACTS: 0.04}
"""Of a budget, what each of these may take with its title: a small one must have room for what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a collection has for an input, each best first, and the reflections that stand over any of it."""

    preferences: Sequence[Record] = ()
    strategies: Sequence[Record] = ()
    facts: Sequence[Record] = ()
    episodes: Sequence[Record] = ()
    reflections: Sequence[Reflection] = ()

    @property
    def records(self) -> list[Record]:
        return [*self.preferences, *self.strategies, *self.facts, *self.episodes]


def long_term_sections(known: Known, words: Words, *, alone: bool = False) -> list[Section]:
    """Returns the parts in their order. `alone`: nothing else wants the budget, so they have no shares of it."""
    shares = {} if alone else SHARES
    over = {reflection.reflection_id: reflection for reflection in known.reflections}
    plain = [
        (PREFERENCES, words.preferences, known.preferences),
        (STRATEGIES, words.strategies, known.strategies),
        (FACTS, words.facts, known.facts),
    ]
    return [
        *(
            Section(
                name=name, title=title, items=_records(records, name, over, words), share=shares.get(name)
            )
            for name, title, records in plain
        ),
        Section(name=EPISODES, title=words.episodes, items=_episodes(known.episodes, over, words)),
        Section(name=REFLECTIONS, title=words.reflections, items=_reflections(known.reflections)),
    ]


def _records(
    records: Sequence[Record], name: str, over: Mapping[ReflectionId, Reflection], words: Words
) -> tuple[Item, ...]:
    return tuple(
        Item(
            item_id=record.record_id,
            full=f"{_head(record, words)} {_shown(record).line}{_below(record.detail)}",
            short=f"{_head(record, words)} {_brief(record, over)}",
            tier=_tier(record, name),
            weight=1.0 - rank / len(records),
        )
        for rank, record in enumerate(records)
    )


def _tier(record: Record, section: str) -> Tier:
    if section == PREFERENCES:
        return Tier.LAST
    return Tier.NEEDED if section == FACTS or record.reward >= PROVEN else Tier.FITTING


def _head(record: Record, words: Words) -> str:
    """Renders the day, and whether another record contests it."""
    mark = f" {words.contested}" if record.state is RecordState.CONTESTED else ""
    return f"- {record.event_time.date().isoformat()}{mark}"


def _below(detail: str) -> str:
    return f"\n{indented(detail.strip())}" if detail.strip() else ""


def _brief(record: Record, over: Mapping[ReflectionId, Reflection]) -> str:
    reflection = over.get(record.reflection_id)
    if reflection is not None:
        return _first_paragraph(reflection)
    return _shown(record).opening


class _Record(NamedTuple):
    """What a prompt shows of a record: its content on one line, and the first sentence of it."""

    line: str
    opening: str


def _shown(record: Record) -> _Record:
    try:
        shown: _Record = record.shown
    except AttributeError:
        content = record.content
        opening = one_line(" ".join(sentences.split(content)[:1]) or content)
        line = same(one_line(content), content)
        shown = record.keep_shown(_Record(line, same(opening, line)))
    return shown


def _first_paragraph(reflection: Reflection) -> str:
    paragraphs = (part.strip() for part in reflection.text.split("\n\n"))
    return one_line(next((p for p in paragraphs if p and not p.startswith("#")), reflection.title))


def _episodes(
    records: Sequence[Record], over: Mapping[ReflectionId, Reflection], words: Words
) -> tuple[Item, ...]:
    return tuple(
        Item(
            item_id=record.record_id,
            full="\n".join((f"{_head(record, words)} {_shown(record).line}", *_told(record, words))),
            short=f"{_head(record, words)} {_brief(record, over)}",
            weight=1.0 - rank / len(records),
        )
        for rank, record in enumerate(records)
    )


def _told(record: Record, words: Words) -> list[str]:
    """Renders steps, outcome and lessons, as far as there are any."""
    if record.episode is None:
        return [indented(record.detail.strip())] if record.detail.strip() else []
    told = record.episode
    steps = [f"  {words.steps}:", *(f"  {n}. {one_line(step)}" for n, step in enumerate(told.steps, start=1))]
    return [
        *(steps if told.steps else ()),
        *(
            f"  {label}: {one_line(text)}"
            for label, text in ((words.outcome, told.outcome), (words.lessons, told.lessons))
            if text.strip()
        ),
    ]


def _reflections(reflections: Sequence[Reflection]) -> tuple[Item, ...]:
    return tuple(
        Item(
            item_id=reflection.reflection_id,
            full=f"- {one_line(reflection.title)}{_below(reflection.text)}",
            short=f"- {_first_paragraph(reflection)}",
            weight=1.0 - rank / len(reflections),
        )
        for rank, reflection in enumerate(reflections)
    )
