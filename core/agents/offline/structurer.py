"""The offline Structurer: a summary made of the content's own sentences.

Law: extractive. Every sentence stands verbatim, white space folded, and in the content's order; its
label (who speaks, whose list or row it is) is repeated before it. Deterministic, no network.
"""

from collections.abc import Sequence

from core.agents.offline import salience
from core.agents.offline.statements import composed, statements
from core.agents.offline.thinking import think
from core.text import transcript
from core.text.scripts import display_width

WHOLE = 700  # columns: shorter content is its own summary
SHARE = 0.4  # of longer content
LEAST = 0.25  # of the best sentence's score: what says less is left out though there is room
MOST = 2_400  # columns, about 600 tokens


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
