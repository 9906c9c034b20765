"""English sentences to statements.

Law: pure. Names are runs of capitalised words (joined by of, de, the, &), or what stands in quotes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise

import Stemmer

from core.agents.offline import lexicon
from core.agents.offline.statement import Denial, Kind, Statement, Term

TOKEN = re.compile(
    r"(?P<quoted>\"[^\"]{2,80}\"|“[^”]{2,80}”|(?<![A-Za-z])'[A-Z][^']{2,80}'(?![A-Za-z]))"
    r"|(?P<number>[$€£¥]?\d[\d,]*(?:\.\d+)?(?:%|(?:st|nd|rd|th|k|m|bn|s)\b)?)"
    r"|(?P<word>[A-Za-zÀ-ɏ]+(?:[-'’][A-Za-zÀ-ɏ]+)*\.?)"
    r"|(?P<han>[\u3400-\u9fff]+)"
    r"|(?P<mark>[,;:—–()]|\.(?=\s))"
)
ABBREVIATED = re.compile(r"(?:[A-Za-z]\.)+|(?:Mr|Mrs|Ms|Dr|Prof|Jr|Sr|St)\.", re.I)
YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
ADDRESS = re.compile(
    r"^(?:(?:wow|hey|hi|hello|oh|yeah|yes|no|thanks|thank you|well|so|sure|okay|ok|great|nice|cool|awesome|aww?|haha|congrats"
    r"|totally|absolutely|definitely|btw|by the way)\b[\s,!.]*)+(?:[A-Z][a-z]+[,!.]\s*)?",
    re.I,
)
ADDRESSED = re.compile(r",\s*[A-Z][a-z]+(?=[.!]*$)")
PAST = frozenset(
    "won met wrote gave held led made took became began built bought sold spoke taught grew found left lost ran sang went got"
    " had did said came saw knew told kept thought put read paid sent spent set stood fell drew drove broke chose".split()
)
ADVERBS = frozenset("also often recently currently once both first later never always still now just".split())
MODALS = frozenset("will would can could shall should may might must cannot".split())
JOINERS = frozenset({"of", "de", "the", "for", "and", "von", "van", "da", "di", "la"})
BOUNDS = {
    "over": 1,
    "than": 0,
    "least": 1,
    "above": 1,
    "exceeding": 1,
    "under": -1,
    "below": -1,
    "most": -1,
    "almost": -1,
}
CLAUSE_OPENERS = frozenset({"while", "whereas", "but", "although", "though", "instead", "however"})
PERSONAL = {
    "i": "i",
    "my": "i",
    "i'm": "i",
    "i've": "i",
    "i'd": "i",
    "i'll": "i",
    "we're": "we",
    "we've": "we",
    "you're": "you",
    "you've": "you",
    "it's": "it",
    "that's": "it",
    "that": "it",
    "this": "it",
    "these": "it",
    "those": "it",
    "there": "it",
    "he's": "he",
    "she's": "she",
    "they're": "they",
    "let's": "we",
    "we": "we",
    "our": "we",
    "you": "you",
    "your": "you",
    "he": "he",
    "his": "he",
    "she": "she",
    "her": "she",
    "they": "they",
    "their": "they",
    "it": "it",
    "its": "it",
}
PARTICIPLE = re.compile(
    r"\b(?:is|are|was|were|been|being|be)\s+(?:\w+ly\s+)?\w+(?:ed|en|t|ade|wn|un)\b.*\bby\b", re.I
)
MULTIPLIERS = {"k": 1e3, "m": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Snowball stem. A stemmer of one's own for each call: they are not safe to share."""
    return str(Stemmer.Stemmer("english").stemWord(word.lower()))


@cache
def canonical() -> dict[str, str]:
    """Stem to the stem that stands for its group."""
    table: dict[str, str] = {}
    for line in lexicon.SYNONYMS_EN.strip().splitlines():
        group = [stem(word.replace("-", "")) for word in line.split()]
        for key in group:
            table.setdefault(key, group[0])
    return table


@cache
def stems(name: str) -> frozenset[str]:
    """One of the lexicon's word sets, as canonical stems."""
    listed: frozenset[str] = getattr(lexicon, name)
    return frozenset(canonical().get(stem(word), stem(word)) for word in listed)


@cache
def kinds() -> dict[str, frozenset[str]]:
    """A kind's key to the keys of what falls under it."""
    lines = (line.split() for line in lexicon.KINDS_EN.strip().splitlines())
    return {key_of(line[0]): frozenset(key_of(word) for word in line[1:]) for line in lines}


@cache
def opposites() -> frozenset[frozenset[str]]:
    pairs = (line.split() for line in lexicon.OPPOSITES_EN.strip().splitlines())
    return frozenset(frozenset(key_of(word) for word in pair) for pair in pairs)


def key_of(word: str) -> str:
    plain = stem(word.lower().replace("-", "").replace("’", "'").removesuffix("'s"))
    return canonical().get(plain, plain)


@dataclass(slots=True)
class Reading:
    """The state of reading one sentence from left to right."""

    text: str
    terms: list[Term] = field(default_factory=list)
    only_at: set[int] = field(default_factory=set)
    or_at: set[int] = field(default_factory=set)
    clause: int = 0
    denial: Denial = Denial.NONE
    bound: int = 0
    last: str = ""  # the token before, lower case
    verb_at: int = -1  # number of terms before the first verb
    personal: str = ""

    def add(self, term: Term) -> None:
        self.terms.append(term)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower().replace("’", "'").rstrip(".")


def tokens(text: str) -> list[Token]:
    """The tokens of a sentence, phrases that are one word joined."""
    found, at = [], 0
    cut = list(_tokens(text))
    while at < len(cut):
        size = next(
            (n for n in (3, 2) if " ".join(t.lower for t in cut[at : at + n]) in lexicon.PHRASES_EN), 1
        )
        if size > 1:
            one = lexicon.PHRASES_EN[" ".join(t.lower for t in cut[at : at + size])]
            found.append(Token("word", one, cut[at].start, cut[at + size - 1].end))
        else:
            found.append(cut[at])
        at += size
    return found


def _tokens(text: str) -> Iterator[Token]:
    for found in TOKEN.finditer(text):
        kind, piece, start, end = str(found.lastgroup), found.group(), found.start(), found.end()
        if kind == "word" and piece.endswith(".") and not ABBREVIATED.fullmatch(piece):
            piece, end = piece[:-1], end - 1
        if kind == "word" and piece.endswith(("n't", "n’t")):
            yield Token(kind, piece[:-3], start, end - 3)
            yield Token(kind, "not", end - 3, end)
            continue
        yield Token(kind, piece, start, end)


def statement(text: str) -> Statement:
    text = ADDRESSED.sub("", ADDRESS.sub("", text))
    reading, read = Reading(text), tokens(text)
    lowered = {token.lower for token in read}
    at = 0
    while at < len(read):
        at = _step(reading, read, at)
    first_verb = reading.verb_at if reading.verb_at >= 0 else _subject_length(reading.terms)
    return Statement(
        text=text,
        terms=tuple(reading.terms),
        chinese=False,
        clauses=reading.clause + 1,
        only_at=frozenset(reading.only_at),
        or_at=frozenset(reading.or_at),
        subject_end=first_verb,
        state=_tells_state(read),
        passive=PARTICIPLE.search(text) is not None,
        question=text.rstrip().endswith("?"),
        hedged=bool(lowered & lexicon.HEDGES_EN),
        personal=reading.personal,
        contrasting=bool(lowered & {"while", "whereas"}),
        proposition=reading.verb_at >= 0 and (reading.verb_at > 0 or bool(reading.personal)),
    )


def _subject_length(terms: list[Term]) -> int:
    """Names in front; without any, the first term."""
    count = next((n for n, term in enumerate(terms) if term.kind is not Kind.NAME), len(terms))
    return count or min(1, len(terms))


def _tells_state(read: list[Token]) -> bool:
    """Whether the first verb we know tells a state. "was founded by" is an event, "is a" is not."""
    for token, following in pairwise(read):
        if token.kind != "word" or token.lower in ADVERBS:
            continue
        if token.lower in PAST or token.lower.endswith("ed"):
            return False
        if token.lower in lexicon.STATES_EN:
            return not (
                token.lower in {"was", "were", "has", "have"}
                and (following.lower in PAST or re.fullmatch(r"\w+(?:ed|en|own|ung)", following.lower))
            )
    return False


def _step(reading: Reading, read: list[Token], at: int) -> int:
    token = read[at]
    if token.text == "(" and reading.terms and reading.terms[-1].kind is Kind.NAME:
        return next(
            (n + 1 for n in range(at, len(read)) if read[n].text == ")"), at + 1
        )  # another form of the name
    if token.kind == "mark":
        _mark(reading, token, read, at)
        return at + 1
    reading_last, reading.last = reading.last, token.lower
    if token.kind == "quoted":
        _name(reading, token.start + 1, token.end - 1)
        return at + 1
    if token.kind == "number":
        return _number(reading, read, at)
    name_end = _name_run(read, at)
    if name_end > at:
        _name(reading, token.start, read[name_end - 1].end)
        reading.last = ""
        return name_end
    if token.lower in lexicon.NUMBER_WORDS and reading_last != "the":
        return _number(reading, read, at)
    _word(reading, read, at, reading_last)
    return at + 1


def _mark(reading: Reading, token: Token, read: list[Token], at: int) -> None:
    following = read[at + 1].lower if at + 1 < len(read) else ""
    if (
        token.text in ";—–:."
        or token.text == ","
        and following in CLAUSE_OPENERS | {"and", "has", "is", "who", "which"}
    ):
        if following not in {"not", "rather"}:
            _next_clause(reading)
    elif reading.denial is Denial.CONTRAST:
        reading.denial = Denial.NONE
    reading.last = token.text


def _next_clause(reading: Reading) -> None:
    if any(term.clause == reading.clause for term in reading.terms):
        reading.clause += 1
    reading.denial = Denial.NONE


def _word(reading: Reading, read: list[Token], at: int, last: str) -> None:
    token = read[at]
    lower, following = token.lower, read[at + 1].lower if at + 1 < len(read) else ""
    if lower == "like" and last not in {
        "i",
        "we",
        "they",
        "you",
        "to",
        "not",
        "also",
        "really",
        "would",
        "who",
    }:
        return
    if lower in PERSONAL and not reading.terms and not reading.personal:
        reading.personal = PERSONAL[lower]
    if _negates(lower, following):
        contrast = (
            lower in {"rather", "instead"}
            or last in {",", "and", ";", ""}
            and lower in {"not", "rather", "instead", "never"}
            and following not in {"only"}
        )
        reading.denial = Denial.CONTRAST if contrast else Denial.CLAUSE
    elif lower in CLAUSE_OPENERS and following not in {"of"} and reading.terms:
        _next_clause(reading)
    elif lower in {"or", "nor"}:
        reading.or_at.add(len(reading.terms))
    elif lower == "and" and _verb_like(following):
        _next_clause(reading)
    elif lower == "and" and reading.denial is Denial.CLAUSE:
        reading.or_at.add(len(reading.terms))
    if lower in lexicon.EXCLUSIVE_EN and last not in {"not", "the"} and following not in {"child", "a"}:
        reading.only_at.add(len(reading.terms))
    if lower in {"primarily", "mainly", "mostly", "best"} and following == "known":
        reading.only_at.add(len(reading.terms))
    if lower in BOUNDS:
        reading.bound = BOUNDS[lower] or {"more": 1, "less": -1, "fewer": -1}.get(last, 0)
    if lower in lexicon.DENYING_EN:
        _verb(reading)
        reading.denial = Denial.CLAUSE
        reading.add(
            Term(
                kind=Kind.WORD,
                key=key_of(lexicon.DENYING_EN[lower]),
                start=token.start,
                end=token.end,
                clause=reading.clause,
                denial=reading.denial,
            )
        )
        return
    if lower in lexicon.FUNCTION_EN or lower in lexicon.NEGATORS_EN or len(lower) < 2:
        if lower in lexicon.STATES_EN | MODALS:
            _verb(reading)
        return
    if _looks_a_verb(reading, lower):
        _verb(reading)
    reading.bound = reading.bound if lower in {"than", "least", "most"} else 0
    calendar = "month" if lower in lexicon.MONTHS else "weekday" if lower in lexicon.WEEKDAYS else ""
    dated = bool(calendar) and token.text[0].isupper()
    reading.add(
        Term(
            kind=Kind.DATE if dated else Kind.WORD,
            key=lower if dated else key_of(token.text),
            start=token.start,
            end=token.end,
            clause=reading.clause,
            denial=reading.denial,
            unit=calendar if dated else "",
        )
    )


def _looks_a_verb(reading: Reading, lower: str) -> bool:
    if lower in lexicon.STATES_EN | PAST | lexicon.SEVERAL_EN or lower.endswith("ed"):
        return True
    if lower.endswith("s") and not lower.endswith("ss"):
        return True
    after_names = bool(reading.terms) and all(term.kind is Kind.NAME for term in reading.terms)
    return after_names and not reading.text[reading.terms[-1].end :].startswith(("'", "’"))


def _verb(reading: Reading) -> None:
    if reading.verb_at < 0 and (reading.terms or reading.personal):
        reading.verb_at = len(reading.terms)


def _verb_like(word: str) -> bool:
    """Whether what follows "and" goes on with another verb of the same subject, by its look."""
    return word in lexicon.STATES_EN | {"always", "instead", "only", "does", "did", "then"} or word.endswith(
        ("ed", "ly")
    )


def _negates(lower: str, following: str) -> bool:
    if lower in {"rather", "instead"}:
        return following in {"than", "of"}
    return lower in lexicon.NEGATORS_EN and following not in {"only", "just", "merely", "doubt", "matter"}


def _name_run(read: list[Token], at: int) -> int:
    """Where the name that starts at token `at` ends; `at` itself when none does."""
    if not _capital(read, at):
        return at
    end = at + 1
    while end < len(read) and read[end].kind == "word":
        if read[end - 1].lower.endswith("'s"):
            break
        if _capital(read, end) or read[end].lower in lexicon.TITLES_EN and read[end].text[0].isupper():
            end += 1
        elif _joins(read, end):
            end += 2 if _capital(read, end + 1) else 3
        else:
            break
    return end


def _joins(read: list[Token], at: int) -> bool:
    """ "University of Michigan" and "Bank of the West" are one name; "Nora and Eliza" are two."""
    word = read[at].lower
    if word not in JOINERS - {"and", "for", "the"} or at + 1 >= len(read):
        return False
    if _capital(read, at + 1):
        return True
    return read[at + 1].lower in {"the", "la"} and at + 2 < len(read) and _capital(read, at + 2)


def _capital(read: list[Token], at: int) -> bool:
    if at >= len(read) or read[at].kind != "word" or not read[at].text[0].isupper():
        return False
    if read[at].lower in PERSONAL:
        return False
    lower = read[at].lower.removesuffix("'s")
    if lower in lexicon.TITLES_EN:
        return True
    if (
        lower in lexicon.FUNCTION_EN
        or lower in lexicon.MONTHS
        and lower not in {"may", "march"}
        or lower in lexicon.WEEKDAYS
    ):
        return False
    if read[at].text.isupper() and stem(lower) in canonical():
        return False  # "CEO" is a word
    starts = at == 0 or read[at - 1].text in {".", ":"}
    if not starts or read[at].text.isupper() and len(lower) > 1:
        return True
    following = read[at + 1] if at + 1 < len(read) else None
    if following is None or following.kind != "word":
        return (
            following is not None
            and following.text == ","
            and at + 2 < len(read)
            and read[at + 2].text[0].isupper()
        )
    return (
        read[at].lower.endswith("'s")
        or following.text[0].isupper()
        or following.lower in lexicon.STATES_EN | {"and", "will", "can", "does", "did", "never"}
        or following.lower.endswith(("ed", "s"))
    )


def _name(reading: Reading, start: int, end: int) -> None:
    shown = reading.text[start:end]
    for ending in ("'s", "’s", "'", "’"):
        if shown.endswith(ending):
            shown, end = shown[: -len(ending)], end - len(ending)
    parts = frozenset(re.findall(r"[\w-]+", shown.lower())) - JOINERS
    reading.add(
        Term(
            kind=Kind.NAME,
            key=" ".join(shown.lower().split()),
            start=start,
            end=end,
            clause=reading.clause,
            denial=reading.denial,
            parts=(parts - lexicon.TITLES_EN) or parts,
        )
    )


def _number(reading: Reading, read: list[Token], at: int) -> int:
    token, end = read[at], at + 1
    plain = token.lower.replace(",", "")
    digits = re.search(r"\d+(?:\.\d+)?", plain)
    value = float(digits.group()) if digits else float(lexicon.NUMBER_WORDS[plain])
    suffix = re.sub(r"[^a-z%$€£¥]", "", plain) if digits else ""
    following = read[end].lower if end < len(read) else ""
    dated = YEAR.fullmatch(plain) is not None
    month = next(
        (
            read[n].lower
            for n in (at - 1, at + 1, at + 2)
            if 0 <= n < len(read) and read[n].lower in lexicon.MONTHS
        ),
        "",
    )
    if not dated and following in MULTIPLIERS:
        value, end = value * MULTIPLIERS[following], end + 1
    elif suffix.lstrip("$€£¥") in MULTIPLIERS:
        value *= MULTIPLIERS[suffix.lstrip("$€£¥")]
    if dated or month and suffix in {"", "st", "nd", "rd", "th"} and value <= 31:
        key, unit, kind = f"{value:g}", "year" if dated else "day", Kind.DATE
    elif _labels(read, at):
        key, unit, kind = f"{reading.text[read[at - 1].start : token.end].lower()}", "", Kind.LABEL
    else:
        unit = next((mark for mark in "%$€£¥" if mark in suffix), "") or _unit(read, end)
        key, kind = f"{value:g}", Kind.NUMBER
    reading.add(
        Term(
            kind=kind,
            key=key,
            start=token.start,
            end=read[end - 1].end,
            clause=reading.clause,
            denial=reading.denial,
            value=value,
            unit=unit,
            bound=reading.bound,
        )
    )
    reading.bound, reading.last = 0, plain
    return end


def _labels(read: list[Token], at: int) -> bool:
    """ "Phase 2" names a thing; "version 2" gives a value, "for 2 weeks" counts."""
    if at == 0 or read[at - 1].kind != "word" or not read[at].text.isdigit():
        return False
    before = read[at - 1].lower
    if before in lexicon.LABELLED_EN:
        return True
    if _unit(read, at + 1):
        return False
    return before not in lexicon.FUNCTION_EN and key_of(before) not in stems("SINGLE_EN")


def _unit(read: list[Token], at: int) -> str:
    """The stem of the next content word: what is counted."""
    for token in read[at : at + 3]:
        if token.kind != "word":
            break
        if token.lower not in lexicon.FUNCTION_EN:
            return key_of(token.text)
    return ""
