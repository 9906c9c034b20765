"""What of a record is searched and embedded, and when two texts are the same.

Law: pure. Equal texts up to Unicode compatibility, case, white space and end marks are the same.
"""

import re
import unicodedata
from collections.abc import Mapping

from core.model.record import Record
from core.text.data_runs import without_data

FIELD_WEIGHTS: Mapping[str, float] = {"content": 1.0, "marks": 1.0, "more": 0.5}
LONGEST_DETAIL = 4_096  # code points of a detail whose words are searched

_BLANK = re.compile(r"\s+")
_ENDS = " .。!！;；,，"


def fields(record: Record) -> Mapping[str, str]:
    """Returns what is searched by words, by field (see FIELD_WEIGHTS)."""
    marks = " \n".join((record.subcategory.replace("_", " "), *record.tags))
    return {"content": record.content, "marks": marks, "more": _more(record)}


def _more(record: Record) -> str:
    episode = record.episode
    texts = (*episode.steps, episode.outcome, episode.lessons) if episode is not None else ()
    return "\n".join((*texts, record.detail[:LONGEST_DETAIL]))


def embedded(record: Record) -> str:
    """Returns what is embedded: of an episode its goal, outcome and lessons, of others the content; of data its
    beginning."""
    if record.episode is None:
        return without_data(record.content)
    texts = (record.episode.goal, record.episode.outcome, record.episode.lessons)
    return without_data("\n".join(part for part in texts if part))


def normalised(text: str) -> str:
    """Returns the text as it compares with others."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _BLANK.sub(" ", plain).strip(_ENDS)
