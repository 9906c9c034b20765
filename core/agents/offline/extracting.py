"""The offline Extractor: what users and tools said that lasts, sentence by sentence.

Law: pure and deterministic; every sentence stands as it was said, behind its speaker, and behind it in brackets the
dates that its relative times come to. Of a tool's result a few sentences with figures. Replies are never read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from core.agents.memory_roles import (
    CANDIDATE_CHARACTERS,
    MOST_CANDIDATES,
    Candidate,
    Passage,
    PassageKind,
)
from core.agents.offline import salience
from core.agents.offline.lasting import worth
from core.agents.offline.recalling import DOMAINS
from core.agents.offline.thinking import think
from core.agents.outcomes import FIGURE
from core.long_term.texts import normalised
from core.model.record import LIFE, PREFERENCE
from core.text import sentences
from core.text.moments import Frame, Span, spans
from core.text.scripts import is_chinese

READ = 20_000  # code points of a passage that are looked at
SENTENCES = 200
OF_A_RESULT = 3  # sentences of a tool's result
SURE = 0.6
ORDER = (PREFERENCE, "emotion", "work")  # the first whose words occur; else life


class OfflineExtractor:
    async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
        del known  # what is said in the same words is told in the same words
        return await think(candidates, passages)


def candidates(passages: Sequence[Passage]) -> tuple[Candidate, ...]:
    """Returns the sentences that last, in their order; of too many the most informative."""
    found: dict[str, tuple[float, Candidate]] = {}
    for passage in passages:
        for value, sentence in _lasting(passage):
            content = _content(passage, sentence)
            if len(content) > CANDIDATE_CHARACTERS:
                continue
            same = normalised(content)
            first = found[same][1].passages if same in found else ()
            candidate = Candidate(
                content=found[same][1].content if first else content,
                category=category_of(sentence),
                confidence=SURE,
                passages=tuple(dict.fromkeys((*first, passage.number))),
            )
            found[same] = (value, candidate)
    enough = sorted((value for value, _ in found.values()), reverse=True)[:MOST_CANDIDATES]
    kept = [candidate for value, candidate in found.values() if value >= enough[-1]]
    return tuple(kept[:MOST_CANDIDATES])


def category_of(sentence: str) -> str:
    return next((name for name in ORDER if DOMAINS[name].search(sentence)), LIFE)


def _lasting(passage: Passage) -> Iterator[tuple[float, str]]:
    texts = [" ".join(text.split()) for text in sentences.split(passage.text[:READ])[:SENTENCES]]
    if passage.kind is PassageKind.INPUT:
        yield from ((value, text) for text in texts if (value := worth(text)) > 0.0)
    elif passage.kind is PassageKind.TOOL_RESULT:
        telling = [text for text in texts if FIGURE.search(text) and len(text) <= CANDIDATE_CHARACTERS]
        scored = sorted(enumerate(salience.scores(telling)), key=lambda each: (-each[1], each[0]))
        yield from ((0.0, telling[place]) for place in sorted(place for place, _ in scored[:OF_A_RESULT]))


def _content(passage: Passage, sentence: str) -> str:
    chinese = is_chinese(sentence)
    dates = _dates(sentence, passage.event_time)
    if dates:
        sentence = f"{sentence}（{'、'.join(dates)}）" if chinese else f"{sentence} ({', '.join(dates)})"
    speaker = passage.speaker or _speaker(passage.kind, chinese)
    return f"{speaker}：{sentence}" if chinese else f"{speaker}: {sentence}"


def _speaker(kind: PassageKind, chinese: bool) -> str:
    if kind is PassageKind.TOOL_RESULT:
        return "工具" if chinese else "Tool"
    return "用户" if chinese else "User"


def _dates(sentence: str, time: datetime | None) -> list[str]:
    """Resolves the times that depend on the date of their statement."""
    if time is None:
        return []
    frame = Frame(first=time.year, last=time.year)
    plain = set(spans(sentence, frame))
    meant = [span for span in spans(sentence, replace(frame, now=time)) if span not in plain]
    return list(dict.fromkeys(map(_shown, meant)))


def _shown(span: Span) -> str:
    """Renders a day, a month, a year, or a day to a day."""
    start, last = span[0], span[1] - timedelta(days=1)
    if start.date() == last.date():
        return f"{start:%Y-%m-%d}"
    if start.day == 1 and last.month == start.month and (last + timedelta(days=1)).day == 1:
        return f"{start:%Y-%m}"
    if start.year == last.year and (last - start).days >= 364:
        return f"{start:%Y}"
    return f"{start:%Y-%m-%d} – {last:%Y-%m-%d}"
