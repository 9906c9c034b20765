"""Whether a sentence refers to what another one named: "She is allergic to nuts."

Law: pure. A pronoun of the third person, before which nothing is named in the sentence itself; a language without
spaces also leaves the subject away ("对花生过敏。").
"""

import re

from core.language import cue, language_of
from core.text.analysis import STOP_WORDS
from core.text.persons import speaks_of_itself

_REFERS, _NAMED = cue("refers", re.IGNORECASE), cue("named", re.IGNORECASE)
_NOUN = "n"
_SAYS_OF_A_SUBJECT = ("v", "a", "p")
"""Kinds of words with which a sentence begins that has left its subject away."""


def refers_back(sentence: str) -> bool:
    """Whether its subject, or a thing that it speaks of, was named before it."""
    text = sentence.strip()
    found = _REFERS.search(text)
    if found is None:
        return lacks_subject(text)
    return not _names_something(text[: found.start()])


def lacks_subject(sentence: str) -> bool:
    """Whether it is of a language without spaces, and begins with what is said of a subject."""
    language = language_of(sentence)
    if language.is_spaced or speaks_of_itself(sentence):
        return False
    words = language.tagged(sentence)
    return bool(words) and words[0].kind[:1] in _SAYS_OF_A_SUBJECT


def _names_something(text: str) -> bool:
    language = language_of(text)
    if language.is_spaced:
        first = text.split(" ", 1)[0].lower()
        if first in STOP_WORDS:  # its capital is the sentence's
            text = text[:1].lower() + text[1:]
        return _NAMED.search(text) is not None
    return any(word.kind.startswith(_NOUN) for word in language.tagged(text))
