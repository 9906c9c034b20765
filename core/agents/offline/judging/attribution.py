"""What a sentence states, without the words that only tell who or what says so, or when.

Law: pure. "According to the leaflet, the ferry leaves at nine" and "the captain said that it leaves at ten" are about
the ferry: a source is no part of what is compared. Words that deny or doubt are: "nobody said that" stays whole.
"""

import re
from functools import cache

from core.agents.offline.denials import count_denials
from core.language import entries
from core.text import citation, transcript
from core.text.chinese import tagged
from core.text.quantities import DATE, quantities
from core.text.scripts import is_chinese

LEAST = 3  # words of a statement without its source; with fewer, the words are no source
MOST_WORDS = 8  # of a source before its verb
LONGEST = 30  # code points of a Chinese source
LABEL = re.compile(
    r"(?P<label>[^\s:：.!?。！？|]+(?:[ ][^\s:：.!?。！？|]+){0,7})(?:(?<!\d)[:：]|[:：](?!\d))(?!//)\s*(?=\S)"
)
WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+")
DETERMINERS = ("a", "the", "this", "my", "our", "his", "her", "its", "their")
BEGINNING = r"(?:the|a|an|this|that|these|those|it|its|he|she|his|her|they|their|we|our|there|all|no)\b"


def statement_of(text: str) -> str:
    """Returns what a sentence states; the whole sentence where it names no source."""
    text = citation.stripped(text)
    label = LABEL.match(text)
    if label and (transcript.names_part(label["label"]) or is_dated(label["label"])):
        text = text[label.end() :]
    chinese = is_chinese(text)
    start = _chinese_opening(text) if chinese else _english_opening(text)
    end = next((found.start() for found in _endings(chinese=chinese).finditer(text, start)), len(text))
    source, stated = text[:start] + text[end:], text[start:end] + ("" if end == len(text) else text[-1])
    return stated if len(WORD.findall(stated)) >= LEAST and not count_denials(source) else text


def is_dated(title: str) -> bool:
    """Whether a heading or a label holds a date, and so is a time."""
    return any(one.kind == DATE for one in quantities(title))


def _english_opening(text: str) -> int:
    """Returns where a sentence begins behind its source."""
    return next((found.end() for form in _english_openings() if (found := form.match(text))), 0)


@cache
def _english_openings() -> tuple[re.Pattern[str], ...]:
    sources = "|".join(map(re.escape, entries("sources", "en")))
    verbs = "|".join(entries("sayings", "en"))
    noun = "".join(rf"(?<!\b{word} )" for word in DETERMINERS)
    subject = rf"(?:[\w'’.\-]+\s+){{1,{MOST_WORDS}}}?{noun}"
    return (
        re.compile(rf"(?:{sources})\s+[^,:;.]{{1,80}}[,:]\s*", re.IGNORECASE),
        re.compile(rf"(?:{sources})\s+\S+(?:\s+\S+){{0,2}}?\s+(?={BEGINNING})", re.IGNORECASE),
        re.compile(rf"{subject}(?:{verbs})\s+(?:(?:to\s+)?(?:us|me|him|her|them)\s+)?that\s+", re.IGNORECASE),
        re.compile(rf"{subject}(?:say|says|said)\s+(?=\S)", re.IGNORECASE),
    )


def _chinese_opening(text: str) -> int:
    if found := _chinese_sources().match(text):
        return found.end()
    place = 0
    for n, word in enumerate(tagged(text[: LONGEST + 4])):
        place += len(word.text)
        if not any(map(str.isalnum, word.text)) or place > LONGEST:
            break
        if n and word.text in entries("sayings", "zh"):
            return place + len(text[place:]) - len(text[place:].lstrip('，,：:“”" '))
    return 0


@cache
def _chinese_sources() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(entries('sources', 'zh'))})[^，,。；]{{1,{LONGEST}}}[，,：:]\s*")


@cache
def _endings(*, chinese: bool) -> re.Pattern[str]:
    """What names the source at a sentence's end."""
    if chinese:
        return re.compile(rf"[，,][^，,。；]{{1,12}}(?:{'|'.join(entries('sayings', 'zh'))})[。！.!]?$")
    sources = "|".join(map(re.escape, entries("sources", "en")))
    name = r"[^,;:.]{1,40}"
    return re.compile(
        rf",\s+(?:(?:{sources})\s+{name}|(?:say|says|said)\s+{name}|{name}\s+(?:say|says|said))[.!]?$",
        re.IGNORECASE,
    )
