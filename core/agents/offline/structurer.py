"""The offline Structurer: a summary made of the content's own sentences.

Law: extractive. Every sentence stands verbatim, white space folded, and in the content's order; its
label (who speaks, whose list or row it is) is repeated before it. JSON and XML are told by their
fields with their names. Deterministic, no network.
"""

from collections.abc import Sequence

from core.agents.offline import naming, salience
from core.agents.offline.statements import Statement, composed, statements
from core.agents.offline.thinking import think
from core.text import transcript
from core.text.blocks import prose
from core.text.fields import rows
from core.text.scripts import display_width

WHOLE = 700  # columns: shorter content is its own summary
SHARE = 0.4  # of longer content, at most
LEAST = 0.25  # of the best sentence's score: what says less is left out though there is room
MOST = 2_400  # columns, about 600 tokens


class OfflineStructurer:
    """Extractive summaries of at most `MOST` columns; see `salience` for what is kept."""

    async def structure(self, content: str, context: str, keywords: Sequence[str]) -> str:
        return await think(_structured, content, " ".join([context, *keywords]))


def _structured(content: str, topic: str) -> str:
    """Returns what is to be summarised: of an agent's transcript its findings, without thoughts and calls; of text
    beside code, the text; of JSON and XML their fields, a row a line."""
    told = transcript.told(content) or content
    found = "\n".join(rows(told)) or prose(told)
    return found.strip() if display_width(found) <= WHOLE else summary(found, topic)


def summary(content: str, topic: str = "") -> str:
    """Returns the most informative sentences of `content`, verbatim, in order; those on `topic` count more.

    Of what has no sentences, as code has none, the beginning.
    """
    stated = statements(content)
    room = int(min(MOST, max(WHOLE, SHARE * display_width(content))))
    fitting = [one for one in stated if display_width(one.told) <= room] or stated[:1]
    if not fitting:
        return naming.clipped(content.strip(), room)
    worth = salience.scores([one.text for one in fitting], topic)
    enough = LEAST * max(worth)
    kept = [index for index, score in enumerate(worth) if score >= enough]
    stated, worth = [fitting[index] for index in kept], [worth[index] for index in kept]
    left = room
    while display_width(found := _composed(stated, worth, left)) > room and left > 0:
        left -= display_width(found) - room  # labels and line breaks are known when it is composed
    return naming.clipped(found, room)


def _composed(stated: Sequence[Statement], worth: Sequence[float], room: int) -> str:
    picked = salience.chosen([one.text for one in stated], worth, room)
    return composed([stated[index] for index in picked])
