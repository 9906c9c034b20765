"""What the service knows of languages: a folder each, with data and one small class.

Law: a language that has no folder is `und`: it is given English headings and no cues, and nothing of it is dropped.
Word lists lie in files, one entry a line; `#` begins a comment. What needs a list names it and is given those of all
languages.

A new language is a folder with a `Language`, named in `LANGUAGES`.
"""

import re
from dataclasses import replace
from functools import cache

from core.language.attribution import NO_ATTRIBUTION
from core.language.cues import NO_CUES, either
from core.language.en import ENGLISH
from core.language.headings import Wording, Words
from core.language.language import Language
from core.language.lists import read
from core.language.requests import NO_REQUESTS
from core.language.times import NO_TIMES
from core.language.zh import CHINESE

LANGUAGES = (ENGLISH, CHINESE)
UNDETERMINED = replace(
    ENGLISH, code="und", attribution=NO_ATTRIBUTION, cues=NO_CUES, requests=NO_REQUESTS, times=NO_TIMES
)
UNSPACED = replace(UNDETERMINED, is_spaced=False, tagged=CHINESE.tagged, rarity=CHINESE.rarity)
"""What has no folder and no spaces: Japanese. Its Chinese characters are cut as Chinese."""

__all__ = [
    "CHINESE",
    "ENGLISH",
    "LANGUAGES",
    "UNDETERMINED",
    "UNSPACED",
    "Language",
    "Wording",
    "Words",
    "cue",
    "entries",
    "in_all",
    "language_of",
    "unspaced",
]


_LETTER = re.compile("[A-Za-z]")
_KANA = re.compile("[\u3041-\u30ff]")
_OF_KANA = 2.5
"""Words that a sign of kana counts: between them stand Chinese characters, and none stand in Chinese."""
_OTHERS = re.compile("[\u0370-\u1cff\u2c00-\u2dff\ua4d0-\uabff\uac00-\ud7af]+")
_OF_OTHERS = 0.5


def language_of(text: str) -> Language:
    """Returns the language of a text: that of most of its words; of two that have as many the one named later, as the
    words of others stand in all. What is written in another script has none of them, nor has a text without letters."""
    if text.isascii():
        return LANGUAGES[0] if _LETTER.search(text) else UNDETERMINED
    found, most = UNDETERMINED, 0.0
    for language in LANGUAGES:
        size = len(language.letters.findall(text)) * language.weight
        if size and size >= most:
            found, most = language, size
    if len(_KANA.findall(text)) * _OF_KANA > most:
        return UNSPACED
    return UNDETERMINED if len(_OTHERS.findall(text)) * _OF_OTHERS > most else found


def unspaced(text: str) -> Language | None:
    """Returns the language whose words do not stand apart that letters of a text belong to; None where all do."""
    return next((one for one in LANGUAGES if not one.is_spaced and one.letters.search(text)), None)


@cache
def entries(name: str, language: Language) -> tuple[str, ...]:
    """Returns the entries of a list in one language, as they stand in its file; none where it has no such list."""
    return read(language.package, name)


@cache
def in_all(name: str) -> tuple[str, ...]:
    """Returns the entries of a list in all languages that have it."""
    return tuple(entry for language in LANGUAGES for entry in entries(name, language))


def cue(name: str, flags: int = 0) -> re.Pattern[str]:
    """Returns the pattern of a cue in all languages, `name` being its field in `Cues`."""
    return re.compile(either(tuple(getattr(language.cues, name) for language in LANGUAGES)), flags)
