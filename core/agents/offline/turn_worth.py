"""What turns are worth by the Reader: how likely the user tells something in them that is so and lasts.

Law: a turn is worth what the best sentence is that its author said in it, a question nothing; a reply counts nothing.
"""

from collections.abc import Sequence

from core.agents.offline.asking import MARK
from core.model.conversation import Turn
from core.ports.reader import Reader
from core.text.own_words import own_sentences

READ = 4_000  # code points of an input that are read
SENTENCES = 20


async def worths(reader: Reader, turns: Sequence[Turn]) -> list[float] | None:
    """Returns what each turn is worth, 0 to 1; None where nothing reads. Raises EmbedderUnavailable."""
    own = [
        [one.text for one in own_sentences(turn.input[:READ], SENTENCES) if not MARK.search(one.text)]
        for turn in turns
    ]
    texts = list(dict.fromkeys(text for of_one in own for text in of_one))
    readings = dict(zip(texts, await reader.read(texts), strict=True))
    if any(reading is None for reading in readings.values()):
        return None
    told = {text: reading.worth for text, reading in readings.items() if reading is not None}
    return [max((told[text] for text in of_one), default=0.0) for of_one in own]
