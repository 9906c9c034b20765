"""A topic's own sentences, each in its context: what stands around it and says what it is about.

Law: pure. A sentence's context is made of the headings above it, the label before its colon and, where it names nothing
itself, the beginnings of up to three sentences before it in its paragraph. A heading or label that holds a date is a
time, and no matter. Code, tables of contents and option lists hold no sentences, a row of a table is one; a question
tells nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from core.agents.offline.judging.attribution import LABEL, is_dated, statement_of
from core.agents.offline.statements import statements
from core.agents.roles import Excerpt, Topic
from core.language import language_of
from core.text import sentences as splitter
from core.text import transcript
from core.text.analysis import STOP_WORDS, terms
from core.text.blocks import Block, Form, blocks, folded
from core.text.outline import LINE, PlacedHeading, headings
from core.text.quantities import Quantity, quantities

MOST_SENTENCES = 64  # of one topic; what comes after is not compared
BEFORE = 3  # sentences whose beginnings say what the next one is about
LOWEST = 9  # level of a label that is alone on its line: below any heading
HEAD = 4  # words of such a beginning
MOST_BEFORE = 300  # code points ahead of an excerpt that are read for what its first sentences are about

ALONE = re.compile(r"\W*(?P<label>[^:：。！？.!?\n]{1,40})[:：]\W*$")
MARK = re.compile(r"\s*(?:[-*+•·]\s+|\(?\d{1,2}[.)、]\s*|>\s*)?")
ASIDE = re.compile(r"[（(][^（()）]*[)）]")
WORD = re.compile(r"[\u4e00-\u9fff]+|[^\W_]+(?:[.'’\-/_:][^\W_]+)*")
QUESTION = re.compile(r"[?？][\"'”’)）*_]*$")
NAME_KINDS = ("nr", "ns", "nt", "nz")
SMALL = STOP_WORDS | frozenset(
    "的了是在和与有被把为对从到也都就会将已还不没这那他她它我你们并及或等上下中后前"
)


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """`quote` is verbatim, `text` the same on one line without a list's mark. `headings` and `times`: the titles above
    that hold no date, and those that do. `before`: words of the sentences before, where it names nothing itself.
    `generated`: only an assistant says it.
    """

    quote: str
    text: str
    headings: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    label: str = ""
    before: tuple[str, ...] = ()
    generated: bool = False

    @cached_property
    def stated(self) -> str:
        """The text without the words that only tell its source."""
        return statement_of(self.text)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities of what is stated."""
        return quantities(self.stated)

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self.text))

    @cached_property
    def context(self) -> frozenset[str]:
        """The words that say what it is about, whether it has them itself or not."""
        named = [word for part in (*self.headings, self.label) for word in telling(words(part))]
        return frozenset(word.lower() for word in (*named, *self.before))


class TopicSentences(NamedTuple):
    """A topic's first sentences, and how many come after them, by a count that looks at end marks alone."""

    read: tuple[Sentence, ...]
    unread: int


def topic_sentences(topic: Topic) -> TopicSentences:
    """Returns a topic's sentences: those of its excerpts; of a topic without excerpts its summary's, or its context's.
    A word alone is one only where there is nothing else. An excerpt that the topic does not hold counts as one."""
    excerpts = topic.excerpts or (Excerpt(text=topic.summary or topic.context),)
    read: list[Sentence] = []
    unread = topic.unread
    for excerpt in excerpts:
        for start, sentence in _read(excerpt, topic):
            if len(read) == MOST_SENTENCES:
                unread += sum(map(tells, splitter.split(excerpt.text[start:])))
                break
            read.append(sentence)
    several = tuple(one for one in read if one.label or len(words(one.text)) > 1)
    return TopicSentences(several or tuple(read), unread)


def words(text: str) -> list[str]:
    """Returns the words of a text in order; Chinese ones as the dictionary cuts them."""
    found: list[str] = []
    for word in WORD.findall(text):
        found += [one.text for one in language_of(word).tagged(word)]
    return found


def telling(found: Sequence[str]) -> list[str]:
    """Returns the words that name something or say what; the letter of "Firm A" is none that is too common."""
    return [
        word
        for n, word in enumerate(found)
        if word.lower() not in SMALL or (n and len(word) == 1 and word.isupper() and word != "I")
    ]


def is_name(word: str) -> bool:
    """Whether a word of a language that has capitals names something."""
    return any(map(str.isdigit, word)) or (word[:1].isupper() and word.lower() not in SMALL)


def names(text: str) -> list[str]:
    """Returns what a text names: words with capitals or figures; of Chinese, what the dictionary calls a name."""
    found: list[str] = []
    for word in WORD.findall(text):
        language = language_of(word)
        if not language.is_spaced:
            found += [one.text for one in language.tagged(word) if one.kind.startswith(NAME_KINDS)]
        elif is_name(word):
            found.append(word)
    return found


def names_nothing(text: str) -> bool:
    """Whether a sentence's first words name nothing: a pronoun, a bare "the total". Its initial capital does not
    tell."""
    first = words(text)[:HEAD]
    if not language_of(text).is_spaced:
        return not any(any(map(str.isdigit, word)) for word in first[:2])
    return not any(map(is_name, first[1:3])) and not (first and any(map(str.isdigit, first[0])))


def tells(text: str) -> bool:
    """Whether a text can be true: a question cannot, nor a number of a list or a line drawn across."""
    return not QUESTION.search(text) and any(map(str.isalpha, text))


def _read(excerpt: Excerpt, topic: Topic) -> Iterator[tuple[int, Sentence]]:
    """Yields the sentences of an excerpt, each with where it starts, the beginnings of those just ahead of it known."""
    for place, part in _told_parts(excerpt.text):
        ahead = "" if place else excerpt.before[-MOST_BEFORE:]
        for start, end, sentence in _Reading(ahead + part, excerpt).sentences():
            own = place + start - len(ahead)
            if start < len(ahead) or any(own < b and a < own + end - start for a, b in excerpt.refuted):
                continue
            if tells(sentence.text):
                yield own, _told(sentence, topic)


def _told_parts(text: str) -> list[tuple[int, str]]:
    """Returns what a text tells and where it stands there: of a transcript what was found and said, of other text
    all."""
    parts = transcript.parts(text)
    told = [one.text for one in parts if one.kind in transcript.TOLD]
    return [(max(0, text.find(one)), one) for one in told] if parts else [(0, text)]


def _told(sentence: Sentence, topic: Topic) -> Sentence:
    if not topic.generated or not topic.is_generated(sentence.quote):
        return sentence
    return replace(sentence, generated=True)


class _Reading:
    """A text read from its start: the headings it stands under now, and what its paragraph has told."""

    def __init__(self, text: str, excerpt: Excerpt) -> None:
        self._text = text
        self._speaker = excerpt.speaker
        self._path = [(0, title) for title in excerpt.headings]
        self._before: list[tuple[str, ...]] = []

    def sentences(self) -> Iterator[tuple[int, int, Sentence]]:
        """Yields each sentence with where it starts and ends."""
        above = headings(self._text)
        last = 0
        for block in blocks(self._text):
            if block.form is Form.TABLE:
                yield from self._rows(block)
            if block.form is not Form.PROSE:
                continue
            for begin, stop in splitter.spans(self._text[block.start : block.end]):
                start, end = block.start + begin, block.start + stop
                if self._text.count("\n", last, start) > 1:
                    self._part(start)
                last = end
                while above and above[0].start <= start:
                    self._enter(above[0])
                    heading = above.pop(0)
                    if end <= heading.end:
                        break
                else:
                    if alone := ALONE.match(self._text[start:end]):
                        self._path = [*self._above(LOWEST), (LOWEST, alone["label"].strip(" *_"))]
                    else:
                        yield start, end, self._sentence(start, end)

    def _rows(self, table: Block) -> Iterator[tuple[int, int, Sentence]]:
        """Yields the rows of a table, each cell behind the head of its column."""
        _, _, *lines = LINE.finditer(self._text, table.start, table.end)
        rows = [line for line in lines if any(map(str.isalnum, line.group()))]
        for line, told in zip(rows, statements(self._text[table.start : table.end]), strict=False):
            titles, times = self._titles()
            label = told.label.strip(" :：")
            yield (
                line.start(),
                line.end(),
                Sentence(
                    quote=line.group().strip(), text=told.told, headings=titles, times=times, label=label
                ),
            )

    def _titles(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns the headings above that hold no date, without what they have in brackets, and those that do."""
        titles = [ASIDE.sub("", title).strip() for _, title in self._path]
        dated = [title for title in titles if is_dated(title)]
        return tuple(title for title in titles if title not in dated), tuple(dated)

    def _part(self, start: int) -> None:
        """Begins a paragraph: what was told before is over, and so is a list with its label."""
        self._before = []
        mark = MARK.match(self._text, start)
        if not (mark and mark[0].strip()):
            self._path = self._above(LOWEST)

    def _above(self, level: int) -> list[tuple[int, str]]:
        return [one for one in self._path if one[0] < level]

    def _enter(self, heading: PlacedHeading) -> None:
        title = heading.line if quantities(heading.line) else heading.title  # "4 March 2025" is no number
        self._path = [*self._above(heading.level), (heading.level, title)]
        self._before = []

    def _sentence(self, start: int, end: int) -> Sentence:
        quote = self._text[start:end]
        mark = MARK.match(quote)
        shown = quote[mark.end() :] if mark else quote
        if len(shown) < len(quote):
            self._before = []  # an entry of a list
        text = folded(shown)
        label = LABEL.match(text)
        named = label["label"] if label else ""
        titles, times = self._titles()
        if label and transcript.names_part(named):
            text, named, label = text[label.end() :], "", None
        if label and is_dated(named):
            text, named, times = text[label.end() :], "", (*times, named)
            label = None
        sentence = Sentence(
            quote=quote,
            text=text,
            headings=titles,
            times=times,
            label=named or self._speaker,
            before=tuple(word for head in self._before[-BEFORE:] for word in head)
            if names_nothing(statement_of(text))
            else (),
        )
        head = words(named) + words(text[label.end() :] if label else text)[:HEAD]
        self._before.append(tuple(telling(head)))
        return sentence
