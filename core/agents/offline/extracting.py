"""The offline Extractor: what users and tools said that lasts, sentence by sentence.

Law: deterministic; every sentence stands as it was said; beside it are its speaker, the dates that its relative times
come to, and the sentence before, where it refers to that. Of the user's own words (`core.text.own_words`) a sentence is
a fact where the Reader takes it as told and lasting, or it is an order that is to stand (`core.text.standing_orders`).
So it is with the few sentences of a tool's result that say most, unless they seem to be about a user. Replies are never
read. What is no fact stays what it is, a turn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.agents.memory_roles import (
    CANDIDATE_CHARACTERS,
    CONTEXT_CHARACTERS,
    MOST_CANDIDATES,
    Candidate,
    Passage,
    PassageKind,
)
from core.agents.offline import salience
from core.agents.offline.asking import MARK
from core.agents.offline.recalling import DOMAINS
from core.agents.offline.thinking import think
from core.language import language_of
from core.long_term.texts import normalised, quoted, unnamed
from core.model.record import LIFE, LIMIT, PREFERENCE
from core.ports.reader import About, Reader, Reading
from core.text import sentences
from core.text.acknowledgements import acknowledges
from core.text.moments import Frame, Span, spans
from core.text.own_words import own_sentences
from core.text.questions import asks
from core.text.referring import refers_back
from core.text.standing_orders import is_standing_order

READ = 20_000  # code points of a passage that are looked at
SENTENCES = 200
OF_A_RESULT = 10  # sentences of a tool's result that are read
SURE = 0.6
FACT = 0.7  # worth from which on a sentence is a fact; below it is found as a turn,
TWICE = 0.2  # unless it is worth so much, and said in two conversations
MOST_DOUBTFUL = 3  # of one question, those worth most
STANDING = 0.5  # what an order that is to stand is worth at the least
TOLD = 0.5  # likelihood of being told from which on what a sentence introduces is told
LIMITS = 0.35  # likelihood from which on a fact names what somebody cannot have or do
INTRODUCES = (":", "：")
UNTOLD = 0.3  # likelihood of being told under which what a sentence leads to is not told either
_OF_TOOLS = ("emotion", "work")  # the first whose words occur in a tool's sentence; else life


@dataclass(frozen=True, slots=True, kw_only=True)
class _UserSentence:
    """A sentence of a user: `led_by` and `before` are the numbers of the one that introduces it, and of the one that
    stands before it in its passage."""

    passage: Passage
    text: str
    led_by: int | None
    before: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToolSentence:
    passage: Passage
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _WeighedCandidate:
    worth: float
    candidate: Candidate


class OfflineExtractor:
    """Finds what lasts. Raises EmbedderUnavailable."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
        del known  # what is said in the same words is told in the same words
        said, observed = await think(_own, passages), await think(_observed, passages)
        new = dict.fromkeys(one.text for one in said if not one.passage.is_known)
        texts = [text for text in new if _may_tell(text)]
        texts += [one.text for one in observed if one.text not in new]
        read = dict(zip(texts, await self._reader.read(texts), strict=True))
        readings = {n: read[one.text] for n, one in enumerate(said) if one.text in read}
        return await think(_candidates, said, readings, [(one, read.get(one.text)) for one in observed])


def _own(passages: Sequence[Passage]) -> list[_UserSentence]:
    """Returns the users' own sentences, in the order they were said."""
    found: list[_UserSentence] = []
    for passage in sorted(passages, key=lambda one: one.step):
        if passage.kind is not PassageKind.INPUT:
            continue
        first = len(found)
        for sentence in own_sentences(passage.text[:READ], SENTENCES):
            led = None if sentence.led_by is None else first + sentence.led_by
            before = len(found) - 1 if len(found) > first else None
            found.append(_UserSentence(passage=passage, text=sentence.text, led_by=led, before=before))
    return found


def _may_tell(sentence: str) -> bool:
    return not MARK.search(sentence) and not acknowledges(sentence) and any(map(str.isalpha, sentence))


def _candidates(
    said: Sequence[_UserSentence],
    readings: Mapping[int, Reading | None],
    observed: Sequence[tuple[_ToolSentence, Reading | None]],
) -> tuple[Candidate, ...]:
    """Returns the sentences that last, in their order; of too many those worth most."""
    found: dict[str, _WeighedCandidate] = {}
    for each, reading in observed:
        if reading is not None and reading.about is not About.USER and reading.worth >= FACT:
            _take(found, _candidate(each.passage, each.text, _of_tool(each.text), SURE), 0.0)
    for number, one in enumerate(said):
        reading = readings.get(number)
        if reading is not None and (worth := _worth(one, reading, readings)) > 0.0:
            candidate = _candidate(one.passage, one.text, _category(one, reading), min(SURE, worth))
            candidate = replace(
                candidate,
                subcategory=LIMIT if reading.limit >= LIMITS else "",
                is_doubtful=worth < FACT and not is_standing_order(one.text),
            )
            _take(found, _in_context(candidate, one, said), worth)
    kept = [each for each in found.values() if not each.candidate.is_doubtful]
    doubtful = [each for each in found.values() if each.candidate.is_doubtful]
    chosen = [*_best(kept, MOST_CANDIDATES), *_best(doubtful, MOST_DOUBTFUL)][:MOST_CANDIDATES]
    return tuple(each.candidate for each in sorted(chosen, key=lambda each: each.candidate.passages[0]))


def _best(found: Sequence[_WeighedCandidate], most: int) -> list[_WeighedCandidate]:
    """Returns those worth most, in their order."""
    enough = sorted((each.worth for each in found), reverse=True)[:most]
    return [each for each in found if each.worth >= enough[-1]][:most]


def _worth(one: _UserSentence, reading: Reading, readings: Mapping[int, Reading | None]) -> float:
    """Returns what a sentence is worth as a fact; 0: it is none."""
    if one.passage.is_known or one.text.endswith(INTRODUCES) or not _is_told(one, reading, readings):
        return 0.0
    if reading.worth >= FACT:
        return reading.worth
    if is_standing_order(one.text):
        return max(STANDING, reading.worth)
    return reading.worth if reading.worth >= TWICE else 0.0


def _is_told(one: _UserSentence, reading: Reading, readings: Mapping[int, Reading | None]) -> bool:
    """Whether what stands before a sentence lets it be told: no order or story to which it belongs."""
    if one.led_by is not None and _told(readings.get(one.led_by)) < TOLD:
        return False
    if reading.about is not About.OTHER or one.before is None or one.before not in readings:
        return True
    return _told(readings[one.before]) >= UNTOLD


def _told(reading: Reading | None) -> float:
    return reading.asserted if reading is not None else 0.0


def _category(one: _UserSentence, reading: Reading) -> str:
    """Returns the category: an order that is to stand is a preference, and what somebody else prefers is none of the
    user's."""
    if is_standing_order(one.text):
        return PREFERENCE
    return LIFE if reading.category == PREFERENCE and reading.about is not About.USER else reading.category


def _of_tool(sentence: str) -> str:
    return next((name for name in _OF_TOOLS if DOMAINS[name].search(sentence)), LIFE)


def _observed(passages: Sequence[Passage]) -> list[_ToolSentence]:
    results = (passage for passage in passages if passage.kind is PassageKind.TOOL_RESULT)
    return [_ToolSentence(passage=passage, text=text) for passage in results for text in _telling(passage)]


def _telling(passage: Passage) -> Iterator[str]:
    """Yields the few sentences of a tool's result that say most, in their order: what can be understood alone."""
    texts = [" ".join(text.split()) for text in sentences.split(passage.text[:READ])[:SENTENCES]]
    telling = [
        text
        for text in texts
        if len(text) <= CANDIDATE_CHARACTERS and _may_tell(text) and not refers_back(text)
    ]
    scored = sorted(enumerate(salience.scores(telling)), key=lambda each: (-each[1], each[0]))
    yield from (telling[place] for place in sorted(place for place, _ in scored[:OF_A_RESULT]))


def _candidate(passage: Passage, sentence: str, category: str, confidence: float) -> Candidate:
    return Candidate(
        content=sentence,
        category=category,
        confidence=round(confidence, 2),
        passages=(passage.number,),
        speaker=passage.speaker or _speaker(passage.kind, sentence),
        said_dates=tuple(_dates(sentence, passage.event_time)),
    )


def _in_context(candidate: Candidate, one: _UserSentence, said: Sequence[_UserSentence]) -> Candidate:
    """Returns a candidate beside the sentence before, where it refers to that: no question, and none too long."""
    before = _sentence_before(one, said)
    if (
        before is None
        or len(before.text) > CONTEXT_CHARACTERS
        or asks(before.text)
        or not refers_back(one.text)
    ):
        return candidate
    passages = tuple(dict.fromkeys((*candidate.passages, before.passage.number)))
    return replace(candidate, context=before.text, passages=passages)


def _sentence_before(one: _UserSentence, said: Sequence[_UserSentence]) -> _UserSentence | None:
    """Returns what the same person said last before a sentence, in its input or at the end of the one before."""
    if one.before is not None:
        return said[one.before]
    place = next(number for number, each in enumerate(said) if each is one)
    last = said[place - 1] if place else None
    if (
        last is None
        or last.passage.step != one.passage.step - 1
        or last.passage.speaker != one.passage.speaker
    ):
        return None
    return last


def _take(found: dict[str, _WeighedCandidate], candidate: Candidate, worth: float) -> None:
    """Adds a candidate to what was found; the same words are one fact."""
    whole = quoted(candidate.content, candidate.speaker, candidate.said_dates, candidate.context)
    if len(whole) > CANDIDATE_CHARACTERS:
        return
    same = normalised(whole)
    if (known := found.get(same)) is not None:
        numbers = tuple(dict.fromkeys((*known.candidate.passages, *candidate.passages)))
        found[same] = replace(known, candidate=replace(known.candidate, passages=numbers))
        return
    found[same] = _WeighedCandidate(worth=worth, candidate=candidate)


def _speaker(kind: PassageKind, sentence: str) -> str:
    if kind is PassageKind.TOOL_RESULT:
        return language_of(sentence).phrases.tool
    return unnamed(sentence)


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
