"""What a text denies, by a short list of words (`core/language/*/denials.txt`).

Law: pure. What is denied stands behind the word that denies, up to the end of its clause.
"""

import re
from functools import cache

from core.language import in_all
from core.text.analysis import terms

CLAUSE_END = re.compile(r"[,.;:!?，。；：！？、]|\b(?:but|and)\b|但|而")


def count_denials(text: str) -> int:
    return len(_words().findall(text))


def denied(text: str) -> frozenset[str]:
    """Returns the terms that are denied."""
    found: set[str] = set()
    for word in _words().finditer(text):
        end = CLAUSE_END.search(text, word.end())
        found.update(terms(text[word.end() : end.start() if end else len(text)]))
    return frozenset(found)


@cache
def _words() -> re.Pattern[str]:
    listed = in_all("denials")
    endings = [word for word in listed if word[:1] == "n" and word[1:2] in "'’"]
    whole = [word for word in listed if word.isascii() and word not in endings]
    others = [word for word in listed if not word.isascii() and word not in endings]
    forms = (rf"\b(?:{'|'.join(whole)})\b", "|".join(map(re.escape, (*endings, *others))))
    return re.compile("|".join(forms), re.IGNORECASE)
