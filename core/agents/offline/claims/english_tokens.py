"""English sentences to tokens; where names begin and end.

Law: pure. A name is a run of capitalised words (joined by "of", "de" and the like), or what stands
in quotes; at the start of a sentence, where all words are capitalised, what follows decides. A long sentence set in
capitals throughout, as licences have them, names nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.agents.offline.claims.clock import CLOCK
from core.agents.offline.claims.grammar_en import (
    FUNCTION,
    MONTHS,
    NOT_NAMES,
    NUMBERS,
    PAST,
    PERSONAL,
    PHRASES,
    STATES,
    TITLES,
    WEEKDAYS,
)
from core.agents.offline.claims.lexicon_en import SEVERAL
from core.agents.offline.claims.vocabulary import groups, is_grouped

TOKEN = re.compile(
    r"(?P<quoted>\"[^\"]{2,80}\"|“[^”]{2,80}”|(?<![A-Za-z])'[A-Z][^']{2,80}'(?![A-Za-z]))"
    rf"|(?P<number>{CLOCK}"
    r"|[$€£¥]?\d[\d,]*(?:\.\d+)?(?:%|(?:st|nd|rd|th|k|m|bn|s)\b)?)"
    r"|(?P<word>[A-Za-zÀ-ɏ](?:[A-Za-zÀ-ɏ0-9]|[-'’_](?=[A-Za-zÀ-ɏ0-9]))*\.?)"
    r"|(?P<option>(?<![\w-])-{1,2}[A-Za-z][\w-]*)"
    r"|(?P<han>[\u3400-\u9fff]+)"
    r"|(?P<mark>[,;:—–()]|\.(?=\s))"
)
ABBREVIATED = re.compile(r"(?:[A-Za-z]\.)+|(?:Mr|Mrs|Ms|Dr|Prof|Jr|Sr|St)\.", re.IGNORECASE)
CAPITALISED = 12  # spaces, from which on capitals throughout are a way to set a text
JOINERS = frozenset({"of", "de", "von", "van", "da", "di", "la"})
INSIDE_NAMES = JOINERS | {"the", "for", "and"}
AMBIGUOUS_MONTHS = frozenset({"may", "march"})  # names and words too
AFTER_A_NAME = STATES | PAST | {"will", "can", "does", "did", "never"}
SMALL = FUNCTION | WEEKDAYS | (MONTHS - AMBIGUOUS_MONTHS)  # no names, though a sentence may begin with one
PRONOUNS = groups(PERSONAL)
VERBS = STATES | PAST | SEVERAL
OPENING_PHRASES = frozenset(phrase.split()[0] for phrase in PHRASES)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is the group of `TOKEN` that matched; `lower` the text as it is looked up."""

    kind: str
    text: str
    start: int
    end: int
    lower: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", self.text.lower().replace("’", "'").rstrip("."))


def tokens(text: str) -> list[Token]:
    """Returns the tokens of a sentence; phrases that mean one word are one token."""
    found, at = [], 0
    cut = list(_cut(_uncapitalised(text)))
    while at < len(cut):
        size = _phrase_size(cut, at) if cut[at].lower in OPENING_PHRASES else 1
        if size > 1:
            one = PHRASES[_phrase(cut[at : at + size])]
            found.append(Token("word", one, cut[at].start, cut[at + size - 1].end))
        else:
            found.append(cut[at])
        at += size
    return found


def _uncapitalised(text: str) -> str:
    """Returns a long sentence that is set in capitals throughout in small letters, others as they are."""
    if not text.isupper() or text.count(" ") < CAPITALISED:
        return text
    lower = text.lower()
    return lower if len(lower) == len(text) else text  # tokens tell their places


def _phrase_size(cut: Sequence[Token], at: int) -> int:
    left = len(cut) - at
    return next((n for n in (3, 2) if n <= left and _phrase(cut[at : at + n]) in PHRASES), 1)


def _phrase(cut: Sequence[Token]) -> str:
    return " ".join(token.lower for token in cut)


def _cut(text: str) -> Iterator[Token]:
    for found in TOKEN.finditer(text):
        kind, piece, start, end = str(found.lastgroup), found.group(), found.start(), found.end()
        letter_at_the_end = len(piece) == 2 and end == len(text.rstrip())
        if kind == "word" and piece.endswith(".") and (letter_at_the_end or not ABBREVIATED.fullmatch(piece)):
            piece, end = piece[:-1], end - 1
        if kind == "word" and piece.endswith(("n't", "n’t")):
            if len(piece) > len("n't"):
                yield Token(kind, piece[:-3], start, end - 3)
            yield Token(kind, "not", end - 3, end)
            continue
        yield Token(kind, piece, start, end)


def lower_at(read: Sequence[Token], at: int) -> str:
    """Returns a token's text as it is looked up; "" beyond either end."""
    return read[at].lower if 0 <= at < len(read) else ""


def name_end(read: Sequence[Token], at: int) -> int:
    """Returns where the name that starts at token `at` ends; `at` itself when none does."""
    if not _is_name(read, at):
        return at
    end = at + 1
    while end < len(read) and read[end].kind == "word" and not read[end - 1].lower.endswith("'s"):
        if _is_name(read, end):
            end += 1
        elif _joins(read, end):
            end += 2 if _is_name(read, end + 1) else 3
        else:
            break
    return end


def _joins(read: Sequence[Token], at: int) -> bool:
    """Whether the token joins a name: "University of Michigan", "Bank of the West", but not "Nora and Eliza"."""
    if read[at].lower not in JOINERS or at + 1 >= len(read):
        return False
    return _is_name(read, at + 1) or read[at + 1].lower in {"the", "la"} and _is_name(read, at + 2)


def _is_name(read: Sequence[Token], at: int) -> bool:
    if at >= len(read) or read[at].kind != "word" or not read[at].text[0].isupper():
        return False
    token, lower = read[at], read[at].lower.removesuffix("'s")
    if lower in TITLES:
        return True
    if token.lower in PRONOUNS or token.text != "A" and lower in SMALL:
        return False
    if lower in NUMBERS or token.text.isupper() and is_grouped(lower):
        return False  # "CEO" is a word, "Three times" a number
    starts = at == 0 or read[at - 1].text in {".", ":"}
    if token.text == "A":
        return not starts  # the article is small there
    return not starts or token.text.isupper() and len(lower) > 1 or _starts_with_a_name(read, at)


def _starts_with_a_name(read: Sequence[Token], at: int) -> bool:
    """Whether the sentence's first word is a name, by what comes after it."""
    following = read[at + 1] if at + 1 < len(read) else None
    if following is None or following.kind != "word":
        listed = following is not None and following.text == "," and at + 2 < len(read)
        return listed and read[at + 2].text[0].isupper()
    if read[at].lower.endswith("'s") or following.text[0].isupper():
        return True
    if read[at].lower in NOT_NAMES:
        return False
    if following.lower == "and":
        return at + 2 < len(read) and read[at + 2].text[0].isupper()
    return following.lower in AFTER_A_NAME or following.lower.endswith(("ed", "s"))
