"""Whether a sentence refers to what another one named: "She is allergic to nuts."

Law: pure. A pronoun of the third person, before which nothing is named in the sentence itself; a language without
spaces also leaves the subject away ("对花生过敏。").
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from core.language import cue, language_of
from core.language.words import Word
from core.text.analysis import STOP_WORDS
from core.text.persons import speaks_of_itself

_REFERS, _NAMED = cue("refers", re.IGNORECASE), cue("named", re.IGNORECASE)
_NOUN, _LINKS, _MARK = "n", "uj", "x"
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
    return bool(words) and words[0].kind[:1] in _SAYS_OF_A_SUBJECT and not _begins_with_a_clause(words)


def _begins_with_a_clause(words: Sequence[Word]) -> bool:
    """Whether it begins with what describes its subject, of which something is said behind: "修烤箱的师傅周四来"."""
    first = [word.kind[:1] for word in takewhile(lambda word: word.kind != _MARK, words)]
    linked = next((n for n, word in enumerate(words) if word.kind == _LINKS), len(first))
    return first[linked + 1 : linked + 2] == [_NOUN] and "v" in first[linked + 2 :]


def _names_something(text: str) -> bool:
    language = language_of(text)
    if language.is_spaced:
        first = text.split(" ", 1)[0].lower()
        if first in STOP_WORDS:  # its capital is the sentence's
            text = text[:1].lower() + text[1:]
        return _NAMED.search(text) is not None
    return any(word.kind.startswith(_NOUN) for word in language.tagged(text))
