"""What of a record is searched, embedded and judged, and when two texts are the same.

Law: pure. Equal texts up to Unicode compatibility, case, white space and end marks are the same.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.language import LANGUAGES, language_of
from core.model.record import Origin, Record
from core.text.data_runs import without_data
from core.text.scripts import CJK_CLOSE

FIELD_WEIGHTS: Mapping[str, float] = {"content": 1.0, "marks": 1.0, "more": 0.5}
LONGEST_DETAIL = 4_096  # code points of a detail whose words are searched

_BLANK = re.compile(r"\s+")
_SPEAKER = re.compile(r"([^:：\n]{1,128})(?:：|: )")
_UNNAMED = tuple(language.headings.user for language in LANGUAGES)
_DAY = r"\d{4}(?:-\d\d){0,2}"
_DAYS = rf"{_DAY}(?: – {_DAY})?"
_DATES = re.compile(rf"(?: \({_DAYS}(?:, {_DAYS})*\)|（{_DAYS}(?:、{_DAYS})*）)\Z")
_DAY_IN = re.compile(_DAY)
_ENDS = " .。!！;；,，"


def fields(record: Record) -> Mapping[str, str]:
    """Returns what is searched by words, by field (see FIELD_WEIGHTS)."""
    marks = " \n".join((record.subcategory.replace("_", " "), *record.tags))
    return {"content": told(record), "marks": marks, "more": _more(record)}


def _more(record: Record) -> str:
    episode = record.episode
    texts = (*episode.steps, episode.outcome, episode.lessons) if episode is not None else ()
    return "\n".join((*texts, record.detail[:LONGEST_DETAIL]))


def embedded(record: Record) -> str:
    """Returns what is embedded: of an episode its goal, outcome and lessons, of others the content; of data its
    beginning."""
    if record.episode is None:
        return without_data(told(record))
    texts = (record.episode.goal, record.episode.outcome, record.episode.lessons)
    return without_data("\n".join(part for part in texts if part))


def unnamed(sentence: str) -> str:
    """Returns as whom the words of a user without a name are quoted, in the language of the sentence."""
    return language_of(sentence).headings.user


def told(record: Record) -> str:
    """Returns the content as it can stand alone: behind its speaker and the sentence before, before what its times come
    to."""
    return quoted(record.content, record.speaker, record.said_dates, record.context)


def quoted(sentence: str, speaker: str, dates: Sequence[str], context: str = "") -> str:
    """Returns a sentence behind its speaker and the sentence before, before what its times come to, as far as these are
    told."""
    marks = language_of(sentence).marks
    if dates:
        sentence += marks.aside.format(marks.listed.join(dates))
    if context:
        sentence = f"{context}{'' if context.endswith(CJK_CLOSE) else ' '}{sentence}"
    return f"{speaker}{marks.colon}{sentence}" if speaker else sentence


class Quotation(NamedTuple):
    """A content taken apart.

    `speaker`: the person who is quoted; "" for the user, a tool, or no person. `statement`: what was said. `dates`:
    what its times come to, as the service put them behind.
    """

    speaker: str
    statement: str
    dates: str = ""


def quotation(record: Record) -> Quotation:
    """Takes a record's content apart: an earlier version put the speaker before it and the dates behind. One that no
    conversation taught stands as it was given."""
    if record.speaker:
        is_named = record.origin is Origin.STATED and record.speaker not in _UNNAMED
        return Quotation(record.speaker if is_named else "", record.content, ", ".join(record.said_dates))
    if not (record.conversation_id or record.invocation_id) or record.origin is Origin.STORED:
        return Quotation("", record.content)
    said = _SPEAKER.match(record.content)
    text = record.content[said.end() :] if said else record.content
    name = said.group(1) if said and record.origin is Origin.STATED else ""
    dates = _DATES.search(text)
    begin = dates.start() if dates else len(text)
    return Quotation("" if name in _UNNAMED else name, text[:begin], text[begin:])


def without_speaker(line: str) -> str:
    """Returns a line without the name before its colon."""
    said = _SPEAKER.match(line)
    return line[said.end() :] if said else line


def statement(record: Record) -> str:
    """Returns the content without what the service put to it: the speaker before, the dates behind."""
    return quotation(record).statement


def identity(record: Record) -> str:
    """Returns what only records share that say the same: who is quoted, the statement, what its times come to, and what
    it refers to."""
    said = quotation(record)
    context = [f"\0{normalised(record.context)}"] if record.context else []
    return "\0".join(
        (said.speaker.casefold(), normalised(said.statement), *_DAY_IN.findall(said.dates), *context)
    )


def normalised(text: str) -> str:
    """Returns the text as it compares with others."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _BLANK.sub(" ", plain).strip(_ENDS)
