"""A conversation's part of a prompt: keys, summaries, what was done, clusters, single turns, the newest turns.

Law: pure. Stored text stands in it as data: behind its step, indented under it. Keys of the user are never touched;
those of the system have a share, in which the latest recalled go last. Turns found weigh what they weigh among all
evidence of the prompt. The last turns have a share in which they go last, the very last stands in any case, and the
short form of the newest summary. Older summaries, other latest turns, and turns that only lie in a cluster with one
that fits take what room is left.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from core.context.disputes import NO_DISPUTES, NOTHING_SAID, Disputes, SentenceKeys
from core.context.evidence import BEST, Placement, said
from core.context.lines import hanging, indented, opening, said_now
from core.context.passages import longest_in
from core.context.sections import Item, Section, Tier
from core.context.shares import KEYS, LEAST_KEYS, SUMMARIES, latest
from core.context.turns import cut, evidence_item, name_of, shown_of, turn_item
from core.conversation.recalling import RecalledConversation
from core.language import Words, language_of
from core.model.conversation import KeyMemory, KeyType, Summary, Turn
from core.model.invocation import InvocationSummary
from core.text.tokens import estimate, tokens_of
from core.text.tokens import weight as parts_of

ASKED_LENGTH = 200  # characters of what an invocation was about
LAST_TURNS = 4  # of the short tier: what is being talked about right now
LATER, OLDER, BEYOND = 2.0, 1.0, -2.0
"""Weights of what takes the room left: latest turns first, then older summaries in their share; last, other ones."""

_SPEAKER = re.compile(r"[^:：]{1,40}(?=(?:(?<!\d)[:：]|[:：](?!\d)))")

KEY, PROMOTED, LONG, DONE, MID = "key", "promoted", "long", "invocations", "mid"
RECALL, SHORT, INPUT = "recall", "short", "input"
RECORDED = "recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What was read of a conversation for a prompt. `turns`: those that may stand in it, by step; `in_reply`: the steps
    of long ones whose reply fits best; `lying`: steps of turns that only lie in a cluster with one that fits."""

    recalled: RecalledConversation
    turns: Mapping[int, Turn]
    in_reply: Collection[int]
    lying: Collection[int]


def key_section(keys: Iterable[KeyMemory], disputes: Disputes = NO_DISPUTES) -> Section:
    """Returns those of the user, which stand whole, in their own language; what says one side of a quarrel is marked,
    whatever the input is."""
    own = [key for key in keys if key.type is KeyType.USER]
    words = language_of("\n".join(key.text for key in own)).headings
    marks = [f"{words.contested} " if disputes and disputes.one_sided(said(key.text)) else "" for key in own]
    items = tuple(Item(key.key_id, _key(key, mark), fixed=True) for key, mark in zip(own, marks, strict=True))
    return Section(name=KEY, title=words.keys, items=items)


def conversation_sections(
    talk: Talk, placement: Placement, words: Words, budget: int, room: int
) -> list[Section]:
    """Returns what was recorded, in its order; those without anything in them are left out when a prompt is made.

    Turns that fit are laid out, heaviest first, until they fill `room` tokens by themselves: nothing is made that no
    prompt of that size can hold. `budget`: of the whole prompt, which shares are of.
    """
    recalled = talk.recalled
    fitting, left = _fitting(talk, placement, words, room)
    has_room = left > 0 and not placement.is_full
    grouped = [step for _, steps in recalled.clusters for step in steps]
    lying = _lying(talk, fitting.keys()) if placement.is_floored else talk.lying
    spare = _spare([talk.turns[step] for step in lying], placement, words) if has_room else []
    summaries = recalled.summaries if has_room else recalled.summaries[:1]
    of_clusters = [fitting[step] for step in grouped if step in fitting]
    singles = [fitting[step] for step in recalled.turns if step in fitting]
    return [
        _promoted(recalled, placement, words, budget),
        _summaries(summaries, placement, words, budget),
        Section(name=DONE, title=words.invocations, items=_done(recalled.invocations, words)),
        Section(name=MID, title=words.clusters, items=_in_order([*of_clusters, *spare])),
        Section(name=RECALL, title=words.recalled, items=_in_order(singles)),
        Section(
            name=SHORT,
            title=words.short,
            items=_short(recalled.short, placement, words, int(latest(budget) * room)),
        ),
    ]


def recorded_section(words: Words, ends: bool) -> Section:
    """Returns the note on all sections below it; where that `ends`, but for the last."""
    line = words.recorded_to if ends else words.recorded
    return Section(name=RECORDED, title="", items=(Item(item_id=RECORDED, full=line, fixed=True),))


def input_section(text: str, words: Words) -> Section:
    """Returns what is to be answered."""
    return Section(
        name=INPUT,
        title=words.input,
        items=(Item(item_id=INPUT, full=said_now(words.behind(words.user, text)), fixed=True),),
    )


def _key(key: KeyMemory, mark: str = "") -> str:
    return f"- {mark}{hanging(key.text.strip())}"


def _promoted(recalled: RecalledConversation, placement: Placement, words: Words, budget: int) -> Section:
    """Returns the keys of the system; that of the cluster longest without a hit goes first."""
    stays = {key.key_id: place for place, key in enumerate(recalled.promoted)}
    items = tuple(
        Item(
            key.key_id,
            _key(key, _mark(told := _told_by(key, placement), placement, words) + _day(key, words)),
            tier=Tier.LAST,
            weight=stays.get(key.key_id, len(stays)),
            requires=placement.requires(told),
        )
        for key in recalled.keys
        if key.type is not KeyType.USER
    )
    share = max(KEYS, LEAST_KEYS / budget)
    return Section(name=PROMOTED, title=words.promoted, items=items, share=share)


def _day(key: KeyMemory, words: Words) -> str:
    """Returns the day on which what a key holds was said; empty where that is not known."""
    return f"{words.dates.written(key.event_time)} " if key.event_time else ""


def _told_by(key: KeyMemory, placement: Placement) -> SentenceKeys:
    """Returns the sentences of a key, where there are quarrels that they may be about."""
    return said(key.text) if placement.disputes else NOTHING_SAID


def _mark(told: SentenceKeys, placement: Placement, words: Words) -> str:
    """Returns the mark of what says one side of a quarrel that was not found; empty for all else."""
    return f"{words.contested} " if placement.is_disputed(told) else ""


def _summaries(summaries: Sequence[Summary], placement: Placement, words: Words, budget: int) -> Section:
    """Returns summaries, given newest first, in step order: the short form of the newest is needed. The older ones take
    what room is left, those beyond their share of the budget after all else."""
    items, room = [], int(SUMMARIES * budget)
    for rank, summary in enumerate(summaries):
        shown = _shown(summary)
        room -= tokens_of(shown.takes) if rank else 0
        mark = _mark(shown.said, placement, words)
        if not rank and placement.requires(shown.said):
            mark = f"{words.contested} "  # the newest stays
        items.append(
            Item(
                item_id=summary.summary_id,
                full=_summed_up(summary, summary.text, mark),
                short=_summed_up(summary, shown.opening(summary.text), mark),
                takes=0 if mark else shown.takes,
                short_takes=0 if mark else shown.short_takes,
                spare=True,
                tier=Tier.SPARE if rank else Tier.NEEDED,
                weight=(OLDER if room >= 0 else BEYOND) + 1.0 - rank / len(summaries),
                requires=placement.requires(shown.said) if rank else (),
            )
        )
    return Section(name=LONG, title=words.summaries, items=tuple(reversed(items)))


class _Summary(NamedTuple):
    """What a prompt shows of a summary: what either form of it takes, and of the shorter one how many characters of the
    text stand there, and what behind them; and its sentences. No copy of the text."""

    takes: int
    short_takes: int
    length: int
    rest: str
    said: SentenceKeys

    def opening(self, text: str) -> str:
        return f"{text[: self.length]}{self.rest}"


def _shown(summary: Summary) -> _Summary:
    try:
        shown: _Summary = summary.shown
    except AttributeError:
        text, opening = summary.text, _first_lines(summary.text)
        rest = "" if opening is text else "\n…" if opening.endswith("\n…") else "…"
        takes, short_takes = (parts_of(_summed_up(summary, form)) for form in (text, opening))
        shown = summary.keep_shown(
            _Summary(takes, short_takes, len(opening) - len(rest), rest, said(text, speakers=_speakers(text)))
        )
    return shown


def _speakers(text: str) -> set[str]:
    """Returns who is named before the sentences of a summary, a line each."""
    return {match.group() for line in text.splitlines() if (match := _SPEAKER.match(line))}


def _summed_up(summary: Summary, text: str, mark: str = "") -> str:
    steps = f"[{summary.first_step}–{summary.last_step}]"
    day = language_of(summary.text).dates.written(summary.end_time)
    return f"{steps} {mark}{day}\n{indented(text)}"


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
    return f"- {words.dates.written(each.event_time)}{mark}"


def _fitting(talk: Talk, placement: Placement, words: Words, room: int) -> tuple[dict[int, Item], int]:
    """Returns by step those of the turns that fit by themselves and are not among the latest, heaviest first, until
    they fill the room; and what they leave of it."""
    latest_ = {turn.step for turn in talk.recalled.short}
    steps = {name_of(step): step for step in talk.recalled.best if step not in latest_}
    made: dict[int, Item] = {}
    whole, best = room, placement.best
    for place, (name, weight) in enumerate(placement.weights.items()):
        step = steps.get(name)
        if step is None:
            continue
        if room <= 0:
            break
        turn, in_reply = talk.turns[step], step in talk.in_reply
        item = evidence_item(
            turn,
            words,
            placement.words,
            in_reply,
            longest_in(whole, place),
            BEST if name == best else weight,
            Tier.NEEDED if name == best else Tier.FITTING,
            placement.copies.get(name, ()),
        )
        made[step] = _beside_its_other_side(item, shown_of(turn).said, placement, words)
        room -= tokens_of(item.size)
    return made, room


def _lying(talk: Talk, fitting: AbstractSet[int]) -> list[int]:
    """Returns the steps of turns that lie in a cluster with one that stands."""
    lying = set(talk.lying)
    clusters = [steps for _, steps in talk.recalled.clusters if not fitting.isdisjoint(steps)]
    return [step for steps in clusters for step in steps if step in lying]


def _spare(turns: Sequence[Turn], placement: Placement, words: Words) -> list[Item]:
    """Returns turns that only lie in a cluster with one that fits."""
    return [
        turn_item(turn, words, tier=Tier.SPARE, weight_=1.0 - place / len(turns), whole=True)._replace(
            requires=placement.requires(shown_of(turn).said)
        )
        for place, turn in enumerate(turns)
        if not placement.is_disputed(shown_of(turn).said)
    ]


def _in_order(items: Sequence[Item]) -> tuple[Item, ...]:
    return tuple(sorted(items, key=lambda item: int(item.item_id)))


def _short(turns: Sequence[Turn], placement: Placement, words: Words, room: int) -> tuple[Item, ...]:
    """Returns the latest turns in step order: as many of the last as the `room` holds go last, the very last in any
    case, of a long one its shorter form; of the others those that fit weigh what they weigh among all evidence.

    But for the last ones they are shown whole or not at all, as what is found is: their beginnings would outlive turns
    that answer. Where evidence fills the room, no others are made.
    """
    items: list[Item] = []
    whole = room
    for back, turn in enumerate(reversed(turns)):
        name = name_of(turn.step)
        weight = placement.weights.get(name)
        if back >= LAST_TURNS and weight is None and placement.is_full:
            continue
        copies = placement.copies.get(name, ())
        item = turn_item(turn, words, tier=Tier.LAST, weight_=-back, whole=back >= LAST_TURNS, copies=copies)
        room -= estimate(item.short) if item.short else tokens_of(item.size)
        if not back:
            item = item._replace(spare=tokens_of(item.size) > whole)
        elif back >= LAST_TURNS or room < 0:
            item = _as_evidence(item, LATER + 1.0 - back / len(turns), weight, name == placement.best)
        items.append(_beside_its_other_side(item, shown_of(turn).said, placement, words))
    return tuple(reversed(items))


def _as_evidence(item: Item, spare: float, weight: float | None, is_best: bool) -> Item:
    """Returns a turn that is not among the last: with what it weighs as evidence; as no evidence it is spare."""
    if weight is None:
        return item._replace(short="", tier=Tier.SPARE, weight=spare)
    if is_best:
        return item._replace(short="", tier=Tier.NEEDED, weight=BEST)
    return item._replace(short="", tier=Tier.FITTING, weight=weight)


def _beside_its_other_side(item: Item, told: SentenceKeys, placement: Placement, words: Words) -> Item:
    """Returns a turn that says one side of a quarrel so that it does not stand without the other; marked, where it
    stays in any case or the other was not found. Any other turn is returned as it is."""
    required, stays = placement.requires(told), item.tier is Tier.LAST
    if required and not stays:
        item = item._replace(requires=required)
    if not placement.is_disputed(told) and not (required and stays):
        return item
    head, _, rest = item.full.partition(" ")
    full = f"{head} {words.contested} {rest}"
    short = item.short and item.short.replace(f"{head} ", f"{head} {words.contested} ", 1)
    return item._replace(full=full, short=short, takes=parts_of(full), short_takes=0)
