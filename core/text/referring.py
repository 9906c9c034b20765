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

_REFERS, _NAMED, _PREDICATE = cue("refers", re.IGNORECASE), cue("named", re.IGNORECASE), cue("predicate")
_NOUN, _LINKS, _MARK, _NOUN_OF_A_VERB = "n", "uj", "x", "vn"
_SAYS_OF_A_SUBJECT = ("v", "a", "p")
"""Kinds of words with which a sentence begins that has left its subject away."""
_SAYS_OF_A_NOUN = ("v", "a", "p", "d", "z")
"""Kinds of words behind a noun made of a verb that make it a subject: "培训改到周三". An object makes it a verb."""


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
    if not words or words[0].kind[:1] not in _SAYS_OF_A_SUBJECT:
        return False
    return not (len(words) > 1 and _is_subject(*words[:2])) and not _begins_with_a_clause(words)


def _is_subject(first: Word, behind: Word) -> bool:
    """Whether what stands behind a first word says something of it: "测试推迟了", "预算被砍了"."""
    of_a_noun = first.kind == _NOUN_OF_A_VERB and behind.kind[:1] in _SAYS_OF_A_NOUN
    return of_a_noun or (first.kind[:1] == "v" and _PREDICATE.fullmatch(behind.text) is not None)


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
