"""A conversation's part of a prompt: keys, summaries, what was done, clusters, single turns, the newest turns.

Law: pure, and speaks the language of the input. Stored text stands in it as data, indented under the line that names
its turn. Keys of the user are never touched; those of the system stand whole in a share of the budget, the latest
recalled first. The last turns go last, the one that fits the input best before them. Before that go others that fit by
themselves, the newest summary and the other newest turns, by their ranks, as scores of sections do not compare: the
better half of what fits after all the others. What goes first are older summaries, and turns that only lie in a cluster
with one that fits.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from core.context.budget import Item, Section, Tier
from core.context.lines import hanging, indented, opening, said_now
from core.context.turns import cut, lines_of, tokens_in, turn_item
from core.context.words import Words
from core.conversation.recalling import Recalled
from core.model.conversation import KeyType, Summary, Turn
from core.model.invocation import InvocationSummary
from core.text.tokens import estimate, tokens_of
from core.text.tokens import weight as parts_of

NEWEST = (
    0.75  # weight of the newest summary: shortened where but the best fourth of the turns that fit has room
)
BEST = 4  # turns that fit best
FITS = 0.5  # what a turn that fits weighs more than a latest one: the better half outlive all but the last
ASKED_LENGTH = 200  # characters of what an invocation was about
PROMOTED = 0.15  # of a budget, what keys of the system may take
LAST_TURNS = 4  # of the short tier: what is being talked about right now,
LATEST = 0.25  # of what is left beside what never goes, their share; the very last stands whatever it takes

KEY, LONG, DONE, MID = "key", "long", "invocations", "mid"
RECALL, SHORT, INPUT = "recall", "short", "input"
RECORDED = "recorded"
TURNS = frozenset({MID, RECALL, SHORT})


def conversation_sections(remembered: Recalled, words: Words, room: int) -> list[Section]:
    """Returns the parts in their order; those without anything in them are left out when a prompt is made.

    Turns that fit are laid out, best first, until they fill `room` tokens by themselves; what goes before them all,
    only where they leave some of it: nothing is made that no prompt of that size can hold.
    """
    grouped = [step for _, steps in remembered.clusters for step in steps]
    fitting, left = _fitting([*grouped, *remembered.turns], remembered, words, room)
    lying = [step for step in grouped if step not in remembered.ranks] if left > 0 else []
    spare = _spare([remembered.turn(step) for step in lying], words)
    summaries = remembered.summaries if left > 0 else remembered.summaries[:1]
    return [
        _keys(remembered, words),
        Section(name=LONG, title=words.summaries, items=_summaries(summaries)),
        Section(name=DONE, title=words.invocations, items=_done(remembered.invocations, words)),
        Section(
            name=MID,
            title=words.clusters,
            items=_in_order([*_of(grouped, fitting), *spare]),
        ),
        Section(
            name=RECALL,
            title=words.recalled,
            items=_in_order(_of(remembered.turns, fitting)),
        ),
        Section(name=SHORT, title=words.short, items=_short(remembered.short, remembered.ranks, words)),
    ]


def bounded(sections: Sequence[Section], room: int) -> list[Section]:
    """Returns the sections; as many of the last turns as their share of `room` tokens holds go last, the very last in
    any case, and the others with what fits."""
    return [
        s._replace(items=_bounded(s.items, int(LATEST * room))) if s.name == SHORT else s for s in sections
    ]


def _bounded(items: Sequence[Item], room: int) -> tuple[Item, ...]:
    made: list[Item] = []
    for item in reversed(items):
        room -= estimate(item.short) if item.short else tokens_of(item.size)
        goes_last = item.tier is Tier.LAST and (room >= 0 or not made)
        made.append(item if goes_last else item._replace(tier=_tier(item.weight), short=""))
    return tuple(reversed(made))


def best_fitting(remembered: Recalled, room: int) -> list[tuple[Turn, int]]:
    """Returns the turns that fit best, best first, as many as `room` tokens hold, each with what it takes."""
    ranks = remembered.ranks
    grouped = [step for _, steps in remembered.clusters for step in steps]
    latest = [turn.step for turn in remembered.short]
    steps = sorted(ranks.keys() & {*grouped, *remembered.turns, *latest}, key=ranks.__getitem__)
    weighed = ((turn, tokens_in(turn)) for turn in map(remembered.turn, steps))
    return _filling(weighed, room)


def surely_shown(
    short: Sequence[Turn], best: Sequence[tuple[Turn, int]], sections: Sequence[Section], room: int
) -> list[Turn]:
    """Returns the turns that a context which has `room` tokens for turns hardly leaves out: those of `short` that go
    last, and of the `best` as many as fill half of it."""
    items = [item for s in sections if s.name == SHORT for item in s.items]
    last = {item.item_id for item in items if item.tier is Tier.LAST and not item.short}
    shown = [turn for turn in short if str(turn.step) in last]
    return shown + [turn for turn, _ in _filling(best, room // 2)]


def _filling(weighed: Iterable[tuple[Turn, int]], room: int) -> list[tuple[Turn, int]]:
    """Returns the first of the turns, as many as the room holds."""
    held = []
    for turn, tokens in weighed:
        room -= tokens
        if room < 0:
            break
        held.append((turn, tokens))
    return held


def outliving(remembered: Recalled, sections: Sequence[Section]) -> dict[str, float]:
    """Returns each side of the turns that fit or are the last, on one line, with its turn's weight: what weighs less in
    the tier of what fits goes before it does."""
    weights: dict[str, float] = {}
    for item in (i for s in sections if s.name in TURNS for i in s.items):
        if item.tier is Tier.SPARE or (item.tier is Tier.LAST and item.short):
            continue
        for line in lines_of(remembered.turn(int(item.item_id))):
            weights[line] = max(item.weight, weights.get(line, 0.0))
    return weights


def recorded_section(words: Words, until: str = "") -> Section:
    """Returns the note on all sections between it and the one with the title `until`, or below it."""
    line = words.recorded_to.format(until) if until else words.recorded
    return Section(name=RECORDED, title="", items=(Item(item_id=RECORDED, full=line, fixed=True),))


def input_section(text: str, words: Words) -> Section:
    """Returns what is to be answered."""
    return Section(
        name=INPUT,
        title=words.input,
        items=(Item(item_id=INPUT, full=said_now(words.user, text), fixed=True),),
    )


def _keys(remembered: Recalled, words: Words) -> Section:
    """Returns the keys; of the system's that of the cluster longest without a hit goes first."""
    stays = {key.key_id: place for place, key in enumerate(remembered.promoted)}
    items = tuple(
        Item(
            item_id=key.key_id,
            full=f"- {hanging(key.text.strip())}",
            tier=Tier.LAST,
            weight=stays.get(key.key_id, len(stays)),
            fixed=key.type is KeyType.USER,
        )
        for key in remembered.keys
    )
    return Section(name=KEY, title=words.keys, items=items, share=PROMOTED)


def _summaries(summaries: Sequence[Summary]) -> tuple[Item, ...]:
    """Returns summaries, given newest first, in step order; the newest is the last of them to go."""
    older = max(1, len(summaries) - 1)
    items = [
        Item(
            item_id=summary.summary_id,
            full=_summed_up(summary, summary.text),
            short=_summed_up(summary, shown.opening(summary.text)),
            takes=shown.takes,
            short_takes=shown.short_takes,
            tier=Tier.SPARE if rank else Tier.FITTING,
            weight=1.0 - (rank - 1) / older if rank else NEWEST,
        )
        for rank, (summary, shown) in enumerate(zip(summaries, map(_shown, summaries), strict=True))
    ]
    return tuple(reversed(items))


class _Summary(NamedTuple):
    """What a prompt shows of a summary: what either form of it takes, and of the shorter one how many characters of the
    text stand there, and what behind them. No copy of the text."""

    takes: int
    short_takes: int
    length: int
    rest: str

    def opening(self, text: str) -> str:
        return f"{text[: self.length]}{self.rest}"


def _shown(summary: Summary) -> _Summary:
    try:
        shown: _Summary = summary.shown
    except AttributeError:
        text, opening = summary.text, _first_lines(summary.text)
        rest = "" if opening is text else "\n…" if opening.endswith("\n…") else "…"
        takes, short_takes = (parts_of(_summed_up(summary, form)) for form in (text, opening))
        shown = summary.keep_shown(_Summary(takes, short_takes, len(opening) - len(rest), rest))
    return shown


def _summed_up(summary: Summary, text: str) -> str:
    steps = f"[{summary.first_step}–{summary.last_step}]"
    return f"{steps} {summary.end_time.date().isoformat()}\n{indented(text)}"


def _first_lines(text: str) -> str:
    """Returns the lines that a shorter form holds; of a first one that is longer its beginning."""
    begins = cut(text)
    whole, _, _broken = begins.rpartition("\n")
    return f"{whole}\n…" if begins is not text and whole else begins


def _done(invocations: Sequence[InvocationSummary], words: Words) -> tuple[Item, ...]:
    """Returns invocations, given newest first, in the order they ended; the newest is the last of them to go."""
    items = [
        Item(
            item_id=each.invocation_id,
            full=f"{_ended(each, words)}\n{indented(each.summary)}",
            short=f"{_ended(each, words)} {opening(each.query, ASKED_LENGTH)}",
            weight=1.0 - rank / len(invocations),
        )
        for rank, each in enumerate(invocations)
    ]
    return tuple(reversed(items))


def _ended(each: InvocationSummary, words: Words) -> str:
    mark = "" if each.succeeded else f" {words.failed}"
    return f"- {each.event_time.date().isoformat()}{mark}"


def _fitting(
    steps: Sequence[int], remembered: Recalled, words: Words, room: int
) -> tuple[dict[int, Item], int]:
    """Returns by step those of the turns that fit by themselves, by their rank, until they fill the room; and what they
    leave of it.

    They are shown whole or not at all, but for the best: what is shortened outlives what is not, and the beginnings of
    many would leave no room for one that answers.
    """
    ranks = remembered.ranks
    made: dict[int, Item] = {}
    for step in sorted(ranks.keys() & steps, key=ranks.__getitem__):
        if room <= 0:
            break
        turn = remembered.turn(step)
        weight = _fit(turn, ranks)
        item = turn_item(turn, words, tier=_tier(weight), weight=weight, whole=ranks[step] >= BEST)
        made[step] = item
        room -= tokens_of(item.size)
    return made, room


def _spare(turns: Sequence[Turn], words: Words) -> list[Item]:
    """Returns turns that only lie in a cluster with one that fits."""
    return [
        turn_item(turn, words, tier=Tier.SPARE, weight=1.0 - place / len(turns), whole=True)
        for place, turn in enumerate(turns)
    ]


def _of(steps: Sequence[int], made: Mapping[int, Item]) -> list[Item]:
    return [made[step] for step in steps if step in made]


def _in_order(items: Sequence[Item]) -> tuple[Item, ...]:
    return tuple(sorted(items, key=lambda item: int(item.item_id)))


def _short(turns: Sequence[Turn], ranks: Mapping[int, int], words: Words) -> tuple[Item, ...]:
    """Returns the latest turns in step order; of those that do not fit by themselves the newest is the last to go.

    But for the last ones they are shown whole or not at all, as what is found is: their beginnings would outlive turns
    that answer.
    """
    items = []
    for place, turn in enumerate(turns):
        is_last = place >= len(turns) - LAST_TURNS
        weight = max((place + 1) / len(turns), _fit(turn, ranks))
        tier = Tier.LAST if is_last else _tier(weight)
        items.append(turn_item(turn, words, tier=tier, weight=weight, whole=not is_last))
    return tuple(items)


def _tier(weight: float) -> Tier:
    """Returns the tier of a turn: the one that fits best outlives all else that fits."""
    return Tier.NEEDED if weight >= FITS + 1.0 else Tier.FITTING


def _fit(turn: Turn, ranks: Mapping[int, int]) -> float:
    """Returns the weight of a turn by its rank; 0 for one that does not fit by itself."""
    rank = ranks.get(turn.step)
    return 0.0 if rank is None else FITS + 1.0 - rank / len(ranks)
