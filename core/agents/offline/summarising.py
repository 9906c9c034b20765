"""What was said, in its own sentences: summaries and keys.

Law: extractive and deterministic. Every sentence stands verbatim, white space folded, behind its speaker and in the
order it was said; an answer stands behind its question, and what was decided, changed or came of something goes first.
Before a summary stand words that several turns share, whole or not at all, but not before what came of something, which
is told beside its goal. No network.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from core.agents.faithful import WORD, length
from core.agents.memory_roles import (
    KEY_CHARACTERS,
    KeyOpinion,
    Passage,
    PassageKind,
    Unit,
)
from core.agents.offline import salience
from core.agents.offline.exchanges import REFERS, Line, Piece, pieces
from core.agents.offline.labels import shared_words
from core.agents.offline.turning import changes
from core.language import Language, language_of
from core.text import analysis

KEYWORDS, FEWEST = 3, 2  # words before a summary, at most and at least: one alone names no topic
KEYWORDS_SHARE = 0.25  # of a summary's length, at most
LEAST = 0.4  # of the best piece's worth: what says less is left out though there is room
WEIGHED = 300  # pieces that are compared with one another, the best by themselves
NEWEST = 0.5  # how much more the newest piece counts for a key than the oldest
STATEMENTS = 2  # of a key, at most: what always stands in a prompt is to be read at a glance
LASTS = 0.5  # how likely a sentence of a key is told as true and lasts
ASKED = (
    0.5  # of the questions that were answered by the turn that answered most, that a turn of a key answered
)
MATTER = 1 / 4  # of a key's turns, that name what they are about
SAME = 0.5  # of the smaller one's terms that two pieces share which are about one thing
CUT = "…"
NOTHING_ASKED: Mapping[str, int] = MappingProxyType({})


def summary(passages: Sequence[Passage], limit: int, unit: Unit, *, named: bool = True) -> str:
    """Returns words that it is about, if it is to be `named`, then the pieces that say most, in `limit` of `unit`."""
    found = pieces(passages) or _questions(passages)
    if not found:
        return _clipped(" ".join(" ".join(p.text.split()) for p in passages), limit, unit)
    language = language_of("".join(each.text for each in found))
    head = _named(passages, int(limit * KEYWORDS_SHARE), unit, language) if named else ""
    worth = _worths(found)
    picked = _chosen(found, worth, limit - length(head, unit), unit, language)
    lines = _lines((found[place] for place in sorted(picked)), language)
    return _clipped("\n".join([head, *lines] if head else lines), limit, unit)


def said(passages: Sequence[Passage]) -> list[str]:
    """Returns the sentences that a key may be made of, each once."""
    return list(dict.fromkeys(line.text for each in pieces(passages) for line in each.lines))


def asked_for(passages: Sequence[Passage]) -> dict[str, int]:
    """Returns how many questions the turn of each sentence answered, of those that answered any."""
    asked = [each for each in passages if each.asked]
    return {line.text: line.passage.asked for each in pieces(asked) for line in each.lines}


def key(chosen: Sequence[Piece]) -> KeyOpinion:
    """Returns what pieces say, each line behind its speaker; nothing where there is none."""
    if not chosen:
        return KeyOpinion(text="", passages=())
    language = language_of("".join(each.text for each in chosen))
    text = _clipped("\n".join(_lines(chosen, language)), KEY_CHARACTERS, Unit.CHARACTERS)
    return KeyOpinion(
        text=text, passages=tuple(sorted({line.passage.number for each in chosen for line in each.lines}))
    )


def telling(
    passages: Sequence[Passage],
    worth_of: Mapping[str, float] | None = None,
    without: Collection[str] = (),
    asked: Mapping[str, int] = NOTHING_ASKED,
) -> list[Piece]:
    """Returns the statements that say most, each with its speaker; of those about one thing the newest. What most turns
    name, they name: a statement without it is of another matter.

    `worth_of` says of each sentence how likely it is told as true and lasts: then only what does is kept, and of a talk
    in which nothing does nothing. `without`: sentences that are not told. `asked`: how many questions the turns of
    sentences answered: a statement of a turn that answered few is left out.
    """
    known = [each for each in pieces(passages) if not any(line.text in without for line in each.lines)]
    found = [each for each in known if not (each.is_comment or REFERS.match(each.lines[0].text))] or known
    if worth_of is not None:
        found = [piece for each in found if (piece := _lasting(each, worth_of)) is not None]
        if not found:
            return []
    found = found or _questions(passages)
    if not found:
        found = [
            Piece(lines=(Line(text=" ".join(passages[0].text.split()), passage=passages[0]),), factor=1.0)
        ]
    language = language_of("".join(each.text for each in found))
    standing = _on_the_matter(_not_overtaken(_most_asked(found, asked)), passages)
    worth = _worths(standing)
    last = max(1, len(standing) - 1)
    worth = [each * (1 + NEWEST * place / last) for place, each in enumerate(worth)]
    picked = sorted(_chosen(standing, worth, KEY_CHARACTERS, Unit.CHARACTERS, language)[:STATEMENTS])
    return [standing[place] for place in picked]


def _lasting(piece: Piece, worth_of: Mapping[str, float]) -> Piece | None:
    """Returns a piece that counts what its best sentence is worth; None where none of them lasts."""
    worth = max(worth_of.get(line.text, 0.0) for line in piece.lines)
    return replace(piece, factor=piece.factor * worth) if worth >= LASTS else None


def _most_asked(found: list[Piece], asked: Mapping[str, int]) -> list[Piece]:
    """Returns the pieces that were asked for most; all where that is not known of any."""
    counts = [max(asked.get(line.text, 0) for line in each.lines) for each in found]
    most = max(counts)
    return [each for each, count in zip(found, counts, strict=True) if count >= ASKED * most]


def _on_the_matter(found: list[Piece], passages: Sequence[Passage]) -> list[Piece]:
    """Returns the pieces that name what many turns name; all where no word is as frequent, or none of them does."""
    turns = _by_turn(passages)
    shared = shared_words(turns)
    matter = [word.casefold() for word, count in shared.items() if count >= MATTER * len(turns)]
    named = [each for each in found if any(word in each.text.casefold() for word in matter)]
    return named or found


def _by_turn(passages: Sequence[Passage]) -> list[str]:
    by_turn: dict[int, str] = {}
    for passage in passages:
        by_turn[passage.step] = f"{by_turn.get(passage.step, '')}\n{passage.text}"
    return list(by_turn.values())


def _questions(passages: Sequence[Passage]) -> list[Piece]:
    """Returns what was said where nothing is stated: the questions."""
    stated = pieces(
        [replace(each, text=each.text.replace("?", ".").replace("？", "。")) for each in passages]
    )
    known = {passage.number: passage for passage in passages}
    return [
        Piece(
            lines=tuple(
                Line(
                    text=" ".join(known[line.passage.number].text.split()), passage=known[line.passage.number]
                )
                for line in each.lines
            ),
            factor=each.factor,
        )
        for each in stated
    ]


def _worths(found: Sequence[Piece]) -> list[float]:
    scores = salience.scores([each.text for each in found])
    return [score * each.factor for score, each in zip(scores, found, strict=True)]


def _not_overtaken(found: Sequence[Piece]) -> list[Piece]:
    """Returns the pieces without those that a newer one about the same thing takes the place of: one that tells of a
    change, or that says it again."""
    terms = [frozenset(analysis.terms(each.text)) for each in found]

    def is_overtaken(place: int) -> bool:
        return any(
            found[newer].step > found[place].step
            and salience.overlap(terms[place], terms[newer])
            >= (SAME / 2 if changes(found[newer].text) else SAME)
            for newer in range(place + 1, len(found))
        )

    recent = list(range(max(0, len(found) - WEIGHED), len(found)))
    return [found[place] for place in recent if not is_overtaken(place)]


def _chosen(
    found: Sequence[Piece], worth: Sequence[float], room: int, unit: Unit, language: Language
) -> list[int]:
    """Returns the places of the pieces that say most and not the same, best first, as far as their lines have room; at
    least one. Where the talk turned goes before all else."""
    enough = LEAST * max(worth)
    says_enough = [each.turns or of >= enough for each, of in zip(found, worth, strict=True)]
    waiting = sorted((-worth[place], place) for place, is_so in enumerate(says_enough) if is_so)[:WEIGHED]
    terms = {place: frozenset(analysis.terms(found[place].text)) for _, place in waiting}
    left = {place: -negative for negative, place in waiting}
    said = dict.fromkeys(left, 0.0)  # how much of a piece the chosen ones say
    picked: list[int] = []
    shown: set[str] = set()
    while left:
        best = max(
            left, key=lambda at: (found[at].turns, left[at] * (1 - salience.DIVERSITY * said[at]), -at)
        )
        lines = [line for line in _lines([found[best]], language) if line not in shown]
        width = sum(length(line, unit) + 1 for line in lines)
        del left[best]
        if picked and width > room:
            continue
        room -= width
        picked.append(best)
        shown.update(lines)
        for place in left:
            said[place] = max(said[place], salience.overlap(terms[place], terms[best]))
    return picked


def _lines(chosen: Iterable[Piece], language: Language) -> list[str]:
    """Returns the lines of pieces behind their speakers, each once."""
    shown = (_line(line, language) for piece in chosen for line in piece.lines)
    return list(dict.fromkeys(shown))


def _line(line: Line, language: Language) -> str:
    speaker = line.passage.speaker or role_of(line.passage.kind, language)
    if not speaker:
        return line.text
    return f"{speaker}{language.marks.colon}{line.text}"


def role_of(kind: PassageKind, language: Language) -> str:
    match kind:
        case PassageKind.INPUT:
            return language.headings.user
        case PassageKind.REPLY:
            return language.headings.agent
        case PassageKind.TOOL_RESULT:
            return language.phrases.tool
        case PassageKind.SUMMARY:
            return ""


def _named(passages: Sequence[Passage], room: int, unit: Unit, language: Language) -> str:
    """Returns words that several turns share as a line of at most `room`; empty where there are none, or no room."""
    words = list(shared_words(_by_turn(passages)))
    for count in range(min(KEYWORDS, len(words)), FEWEST - 1, -1):
        line = language.marks.listed.join(words[:count]) + language.marks.stop
        if length(line, unit) <= room:
            return line
    return ""


def _clipped(text: str, limit: int, unit: Unit) -> str:
    """Returns the text, or its beginning that fits."""
    if length(text, unit) <= limit:
        return text
    if unit is Unit.CHARACTERS:
        return text[: _before_a_figure(text, limit - len(CUT))].rstrip() + CUT
    ends = [match.end() for match in WORD.finditer(text)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        fits = length(text[: ends[middle - 1]], unit) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[: _before_a_figure(text, ends[low - 1]) if low else 1] + CUT


def _before_a_figure(text: str, end: int) -> int:
    """Moves the end of a cut before the figure that it would cut in two: half of one would be another one."""
    start = end
    while start and _is_of_a_figure(text[start - 1]):
        start -= 1
    return start if start and _is_of_a_figure(text[end : end + 1]) else end


def _is_of_a_figure(sign: str) -> bool:
    """Whether it may stand in a figure: a digit of any form (`7`, `７`, `⑦`, `²`), or what parts digits."""
    return sign != "" and (sign in ".," or unicodedata.category(sign) in ("Nd", "No"))
