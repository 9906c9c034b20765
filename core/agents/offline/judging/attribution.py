"""What a sentence states, without the words that only tell who or what says so, or when.

Law: pure. "According to the leaflet, the ferry leaves at nine" and "the captain said that it leaves at ten" are about
the ferry: a source is no part of what is compared. Words that deny or doubt are: "nobody said that" stays whole.
"""

import re

from core.agents.offline.denials import count_denials
from core.language import Language, language_of
from core.language.attribution import LONGEST
from core.text import citation, transcript
from core.text.quantities import DATE, quantities

LEAST = 3  # words of a statement without its source; with fewer, the words are no source
LABEL = re.compile(
    r"(?P<label>[^\s:：.!?。！？|]+(?:[ ][^\s:：.!?。！？|]+){0,7})(?:(?<!\d)[:：]|[:：](?!\d))(?!//)\s*(?=\S)"
)
WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+")


def statement_of(text: str) -> str:
    """Returns what a sentence states; the whole sentence where it names no source."""
    text = citation.stripped(text)
    label = LABEL.match(text)
    if label and (transcript.names_part(label["label"]) or is_dated(label["label"])):
        text = text[label.end() :]
    language = language_of(text)
    start = _opening(text, language)
    end = _end(text, start, language)
    source, stated = text[:start] + text[end:], text[start:end] + ("" if end == len(text) else text[-1])
    return stated if len(WORD.findall(stated)) >= LEAST and not count_denials(source) else text


def is_dated(title: str) -> bool:
    """Whether a heading or a label holds a date, and so is a time."""
    return any(one.kind == DATE for one in quantities(title))


def _opening(text: str, language: Language) -> int:
    """Returns where a sentence begins behind its source."""
    form = language.attribution
    found = next((found.end() for each in form.openings if (found := each.match(text))), 0)
    return found or (_behind_saying(text, language) if form.sayings else 0)


def _behind_saying(text: str, language: Language) -> int:
    """Returns where a sentence begins behind a source and its verb, in a language whose words do not stand apart."""
    place = 0
    for n, word in enumerate(language.tagged(text[: LONGEST + 4])):
        place += len(word.text)
        if not any(map(str.isalnum, word.text)) or place > LONGEST:
            break
        if n and word.text in language.attribution.sayings:
            return place + len(text[place:]) - len(text[place:].lstrip('，,：:“”" '))
    return 0


def _end(text: str, start: int, language: Language) -> int:
    """Returns where a sentence ends before its source."""
    ending = language.attribution.ending
    found = ending.search(text, start) if ending else None
    return found.start() if found else len(text)
