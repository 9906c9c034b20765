"""A turn in a prompt: word for word under its step and day, or the beginning of either side.

Law: pure. What stands in it of its own, whatever the prompt's words, is made once and kept beside the turn.
"""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from core.context.budget import Item, Tier
from core.context.lines import hanging, one_line, same
from core.context.words import Words
from core.model.conversation import Turn
from core.text.tokens import LINE_BREAK, estimate
from core.text.tokens import weight as parts_of

SHORT_SIDE = 80
"""Tokens of a side of a turn in its shorter form."""
NOTHING_CUT = ("", "")


class ShownTurn(NamedTuple):
    """What a prompt shows of a turn, its own words left aside: its head; either side indented, empty where it says
    nothing; what all that takes with the speakers' names. Where that was asked for, the tokens of both texts; both
    sides on one line; and the beginnings of both, empty where they are all of them."""

    head: str
    input: str
    reply: str
    takes: int
    tokens: int | None = None
    lines: tuple[str, str] | None = None
    begins: tuple[str, str] | None = None


def shown_of(turn: Turn) -> ShownTurn:
    """Returns what is kept of a turn; makes it where nothing is kept yet."""
    try:
        shown: ShownTurn = turn.shown
    except AttributeError:
        shown = turn.keep_shown(_shown(turn))
    return shown


def tokens_in(turn: Turn) -> int:
    """Returns the tokens of both texts."""
    shown = shown_of(turn)
    tokens = shown.tokens
    if tokens is None:
        tokens = estimate(turn.input) + estimate(turn.reply)
        turn.keep_shown(shown._replace(tokens=tokens))
    return tokens


def lines_of(turn: Turn) -> tuple[str, str]:
    """Returns both sides, each on one line."""
    shown = shown_of(turn)
    lines = shown.lines
    if lines is None:
        lines = (same(one_line(turn.input), turn.input), same(one_line(turn.reply), turn.reply))
        turn.keep_shown(shown._replace(lines=lines))
    return lines


def turn_item(
    turn: Turn, words: Words, *, tier: Tier = Tier.FITTING, weight: float = 0.0, whole: bool = False
) -> Item:
    """Returns a turn word for word; its shorter form, unless it is to be shown `whole` or not at all, has the beginning
    of either side."""
    shown = shown_of(turn)
    said, reply = NOTHING_CUT if whole or tokens_in(turn) <= SHORT_SIDE else _begins(turn)
    short = _told(turn, shown.head, said, reply, words) if said or reply else ""
    takes = shown.takes
    if shown.input and not turn.input_speaker:
        takes += _takes(words.user)
    if shown.reply and not turn.reply_speaker:
        takes += _takes(words.agent)
    full = _told(turn, shown.head, shown.input, shown.reply, words)
    return Item(str(turn.step), full, short, weight, tier, takes=takes)


def shortened(turn: Turn) -> Turn:
    """Cuts either side of a turn to its beginning; returns the turn itself, where that is all."""
    said, reply = cut(turn.input), cut(turn.reply)
    if said is turn.input and reply is turn.reply:
        return turn
    return replace(turn, input=said, reply=reply)


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


def _begins(turn: Turn) -> tuple[str, str]:
    """Returns the beginnings of both sides, indented; empty where they are all of them."""
    shown = shown_of(turn)
    begins = shown.begins
    if begins is None:
        cut_ = shortened(turn)
        begins = NOTHING_CUT if cut_ is turn else (_block(cut_.input), _block(cut_.reply))
        turn.keep_shown(shown._replace(begins=begins))
    return begins


def _told(turn: Turn, head: str, said: str, reply: str, words: Words) -> str:
    of_input = f"\n  {one_line(turn.input_speaker or words.user)}: {said}" if said else ""
    of_reply = f"\n  {one_line(turn.reply_speaker or words.agent)}: {reply}" if reply else ""
    return f"{head}{of_input}{of_reply}"


def _shown(turn: Turn) -> ShownTurn:
    head = f"[{turn.step}] {turn.event_time.date().isoformat()}"
    said, reply = _block(turn.input), _block(turn.reply)
    return ShownTurn(
        head=head,
        input=said,
        reply=reply,
        takes=parts_of(head)
        + _takes_below(turn.input_speaker, said)
        + _takes_below(turn.reply_speaker, reply),
    )


def _block(text: str) -> str:
    """Indents what follows the first line, which stands behind its speaker; empty for a side that says nothing."""
    return same(hanging(text), text) if text.strip() else ""


def _takes_below(speaker: str, block: str) -> int:
    """Returns what a side's lines take, with a speaker who has a name."""
    return LINE_BREAK + parts_of(f"{one_line(speaker)}: {block}") if block else 0


@cache
def _takes(word: str) -> int:
    """Returns what one of the prompt's own words takes."""
    return parts_of(word)
