"""The offline Structurer: a summary made of the content's own sentences.

Law: extractive. Every sentence stands verbatim, white space folded, and in the content's order; a
speaker's name is repeated before what the speaker says. Deterministic, no network.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.offline import salience
from core.agents.offline.thinking import think
from core.text import outline, sentences, transcript
from core.text.scripts import CJK_CLOSE, display_width

WHOLE = 700  # columns: shorter content is its own summary
SHARE = 0.4  # of longer content
LEAST = 0.25  # of the best sentence's score: what says less is left out though there is room
MOST = 2_400  # columns, about 600 tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of the content: its text, the label of who says it (`Alice: `), the line it stands in."""

    text: str
    label: str = ""
    line: int = 0


class OfflineStructurer:
    """Extractive summaries of at most `MOST` columns; see `salience` for what is kept."""

    async def structure(self, content: str, context: str, keywords: Sequence[str]) -> str:
        return await think(_structured, content, " ".join([context, *keywords]))


def _structured(content: str, topic: str) -> str:
    """Of an agent's transcript, what it found: what it thought and called is no information."""
    found = transcript.told(content) or content
    return found.strip() if display_width(found) <= WHOLE else summary(found, topic)


def summary(content: str, topic: str = "") -> str:
    """The most informative sentences of `content`, verbatim, in order; those on `topic` count more."""
    said = statements(content)
    if not said:
        return content.strip()
    texts = [one.text for one in said]
    room = int(min(MOST, max(WHOLE, SHARE * display_width(content))))
    worth = salience.scores(texts, topic)
    enough = LEAST * max(worth)
    kept = [index for index, score in enumerate(worth) if score >= enough]
    picked = salience.chosen([texts[index] for index in kept], [worth[index] for index in kept], room)
    return composed([said[kept[index]] for index in picked])


def statements(content: str) -> list[Statement]:
    """The sentences of `content` with their speakers; headings, rules and fences are left out.

    White space is folded: a sentence wrapped over lines would not be read as one the next time.
    """
    names = _speakers(content)
    found: list[Statement] = []
    label, line, last_end = "", 0, 0
    for start, end in sentences.spans(content):
        text = content[start:end]
        if not last_end or outline.BREAK.search(content, last_end, start):
            line += 1
            speaks = outline.SPEAKER.match(text)
            label = speaks.group() if speaks and speaks["name"].strip() in names else ""
            text = text[len(label) :]
        last_end = end
        if any(map(str.isalnum, text)) and outline.heading(text) is None:
            found.append(Statement(text=" ".join(text.split()), label=label, line=line))
    return found


def _speakers(content: str) -> frozenset[str]:
    """Names that open two lines of `content`, or most of its lines together."""
    labels = [outline.speaker_of(line) for line in content.splitlines() if line.strip()]
    if sum(map(bool, labels)) * 2 > len(labels):
        return frozenset(filter(None, labels))
    return outline.speakers(content)


def composed(said: Sequence[Statement]) -> str:
    """Statements as text: those of one line joined, other lines on lines of their own."""
    parts: list[str] = []
    before: Statement | None = None
    for one in said:
        if before is not None and one.line == before.line:
            parts.append("" if before.text.endswith(CJK_CLOSE) else " ")
        else:
            parts.append(("\n" if before else "") + one.label)
        parts.append(one.text)
        before = one
    return "".join(parts)
