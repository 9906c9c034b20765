"""A topic's sentences as the Judge reads them: verbatim, with their speaker or label, and as statements.

Law: pure; code and what stands beside the text are left out, and only the beginning of a very long summary is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.offline.claims.reading import read, speaker
from core.agents.offline.claims.statement import Statement
from core.agents.offline.entities import names_entity
from core.agents.offline.statements import Statement as Labelled
from core.agents.offline.statements import statements
from core.agents.roles import Topic
from core.text import sentences
from core.text.blocks import Block, Form, blocks, folded

MOST_SENTENCES = 64  # of one summary; what comes after is not compared
BRIEF = 3  # sentences of a note on one matter; in a longer text some sentence is always the nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSentence:
    """One sentence of a topic: verbatim, as it is judged (with its speaker in front), and as read.

    `entry`: the term of the entry or the head of the row it stands in; it is compared within such entries alone.
    `generated`: only an assistant says it.
    """

    quote: str
    judged: str
    statement: Statement
    entry: str = ""
    generated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A topic with its sentences: one of the two sides that are compared."""

    topic: Topic
    sentences: tuple[TopicSentence, ...]

    @property
    def brief(self) -> bool:
        return 0 < len(self.sentences) <= BRIEF


def text_of(topic: Topic) -> str:
    """Returns what a topic is judged by: its summary, or its context where it has none."""
    return topic.summary or topic.context


def topic_sentences(topic: Topic) -> tuple[TopicSentence, ...]:
    """Returns a topic's sentences without code and what stands beside the text.

    Each belongs to the speaker whom its line names, or to the firm or thing that its label names.
    """
    text = text_of(topic)
    labelled = _under_entities(text)
    laid_out = blocks(text)
    found = []
    for start, end in sentences.spans(text)[:MOST_SENTENCES]:
        block = _block_of(laid_out, end)
        if block.form in (Form.CODE, Form.BESIDE):
            continue
        quote = text[start:end]
        judged = _as_judged(text, start, quote, labelled)
        found.append(
            TopicSentence(
                quote=quote,
                judged=judged,
                statement=read(folded(judged)),
                entry=block.term,
                generated=topic.is_generated(quote),
            )
        )
    return tuple(found)


def _under_entities(text: str) -> list[Labelled]:
    """Returns the sentences under a label that names a firm or thing. One line without a colon has no such label."""
    if "\n" not in text and ":" not in text and "：" not in text:
        return []
    return [one for one in statements(text) if one.label and names_entity(one.label.rstrip(" :："))]


def _block_of(laid_out: Sequence[Block], place: int) -> Block:
    """Returns the block in which a sentence ends."""
    return next(block for block in laid_out if block.end >= place)


def _as_judged(text: str, start: int, quote: str, labelled: list[Labelled]) -> str:
    """Returns the sentence with the speaker of its line or with its label in front, unless it has one of its own."""
    spoken = speaker(text, text.rfind("\n", 0, start) + 1)
    judged = quote if spoken is None or spoken.end() > start else spoken.group() + quote
    own = speaker(quote)
    if own is not None and names_entity(own.group(1)):
        return quote
    return (_under_its_label(quote, labelled) if labelled else "") or judged


def _under_its_label(quote: str, labelled: list[Labelled]) -> str:
    """Takes the sentence with its label from those that are still to come; "" for one that has no label."""
    shown = folded(quote)
    for place, one in enumerate(labelled):
        if shown.endswith(one.text):
            del labelled[: place + 1]
            return one.told
    return ""
