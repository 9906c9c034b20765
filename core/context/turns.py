"""A turn in a prompt: word for word behind its step, under its day; or the part of either side that fits.

Law: pure. What stands in it of its own, whatever the prompt's words, is made once and kept beside the turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from core.context.disputes import SentenceKeys
from core.context.evidence import Candidate, Copy, Kind, said
from core.context.lines import hanging, one_line, same
from core.context.passages import fitting_part
from core.context.sections import Item, Tier
from core.language import Words
from core.model.conversation import Turn
from core.text.tokens import estimate, weight

SHORT_SIDE = 80
"""Tokens of a side of a turn in its shorter form."""
BESIDE = 40
"""Tokens of the side of a long turn that does not hold what fits best."""


class _Whole(NamedTuple):
    """A turn as it stands whole: its lines, its day, and what the lines take."""

    full: str
    day: str
    takes: int


class ShownTurn(NamedTuple):
    """What a prompt shows of a turn, its own words left aside: either side indented, empty where it says nothing; the
    candidate that it is, with its sentences and what both texts take; how it stands whole, in either language; and
    the pieces of it that other conversations are shown, by the index of the segment that fits."""

    input: str
    reply: str
    candidate: Candidate
    whole: dict[str, _Whole]
    pieces: dict[int, Any]

    @property
    def said(self) -> SentenceKeys:
        return self.candidate.said

    @property
    def tokens(self) -> int:
        return self.candidate.tokens


def shown_of(turn: Turn) -> ShownTurn:
    """Returns what is kept of a turn; makes it where nothing is kept yet."""
    try:
        shown: ShownTurn = turn.shown
    except AttributeError:
        candidate = Candidate(
            name_of(turn.step),
            str(turn.step),
            Kind.TURN,
            turn.event_time,
            said(turn.input, turn.reply, speakers=(turn.input_speaker, turn.reply_speaker)),
            estimate(turn.input) + estimate(turn.reply),
        )
        shown = turn.keep_shown(ShownTurn(_block(turn.input), _block(turn.reply), candidate, {}, {}))
    return shown


def name_of(step: int) -> str:
    """Returns the name of a turn among the candidates of a prompt."""
    return f"turn {step}"


def candidate_of(turn: Turn) -> Candidate:
    """Returns a turn as a candidate."""
    return shown_of(turn).candidate


def turn_item(
    turn: Turn,
    words: Words,
    *,
    tier: Tier = Tier.FITTING,
    weight_: float = 0.0,
    whole: bool = False,
    copies: Sequence[Copy] = (),
) -> Item:
    """Returns a turn word for word; its shorter form, unless it is to be shown `whole` or not at all, has the beginning
    of either side."""
    shown, short = shown_of(turn), ""
    if not whole and shown.tokens > SHORT_SIDE and (cut_ := shortened(turn)) is not turn:
        short = _lines(turn, _block(cut_.input), _block(cut_.reply), words)
    stands = shown.whole.get(words.user) or _whole(turn, shown, words)
    return Item(
        shown.candidate.item_id,
        stands.full,
        short,
        weight_,
        tier,
        group=stands.day,
        copies=copies,
        takes=stands.takes,
        handle=shown.candidate.item_id,
    )


def _whole(turn: Turn, shown: ShownTurn, words: Words) -> _Whole:
    """Makes how a turn stands whole, and keeps it."""
    full = _lines(turn, shown.input, shown.reply, words)
    made = shown.whole[words.user] = _Whole(full, _day(turn, words), weight(full))
    return made


def evidence_item(
    turn: Turn,
    words: Words,
    wanted: Mapping[str, float],
    in_reply: bool,
    longest: int,
    weight_: float,
    tier: Tier,
    copies: Sequence[Copy],
) -> Item:
    """Returns a turn of which what fits is shown; of a long one the side that fits best in the `longest` tokens."""
    if shown_of(turn).tokens <= longest:
        return turn_item(turn, words, tier=tier, weight_=weight_, whole=True, copies=copies)
    of_input, of_reply = (BESIDE, longest) if in_reply else (longest, BESIDE)
    parts = (fitting_part(turn.input, wanted, of_input), fitting_part(turn.reply, wanted, of_reply))
    full = _lines(turn, _block(parts[0]), _block(parts[1]), words)
    return Item(
        str(turn.step),
        full,
        weight=weight_,
        tier=tier,
        group=_day(turn, words),
        copies=copies,
        takes=weight(full),
        handle=str(turn.step),
    )


def _day(turn: Turn, words: Words) -> str:
    return words.dates.written(turn.event_time)


def shortened(turn: Turn) -> Turn:
    """Cuts either side of a turn to its beginning; returns the turn itself, where that is all."""
    begins, reply = cut(turn.input), cut(turn.reply)
    if begins is turn.input and reply is turn.reply:
        return turn
    return replace(turn, input=begins, reply=reply)


def cut(text: str) -> str:
    """Cuts a long text to its first SHORT_SIDE tokens; no word is cut in two."""
    if len(text) <= SHORT_SIDE:
        return text
    kept = text[: 8 * SHORT_SIDE]
    size = estimate(kept)
    if size <= SHORT_SIDE and (len(kept) == len(text) or estimate(text) <= SHORT_SIDE):
        return text
    while size > SHORT_SIDE:
        kept = kept[: min(len(kept) * SHORT_SIDE // size, len(kept) - 1)]
        size = estimate(kept)
    if text[len(kept)].isascii() and not text[len(kept)].isspace():
        kept = kept.rsplit(None, 1)[0]
    return f"{kept.rstrip()}…"


def _lines(turn: Turn, given: str, reply: str, words: Words) -> str:
    sides = [words.behind(one_line(turn.input_speaker or words.user), given)] if given else []
    sides += [words.behind(one_line(turn.reply_speaker or words.agent), reply)] if reply else []
    return f"[{turn.step}] " + "\n  ".join(sides)


def _block(text: str) -> str:
    """Indents what follows the first line, which stands behind its speaker; empty for a side that says nothing."""
    return same(hanging(text), text) if text.strip() else ""
