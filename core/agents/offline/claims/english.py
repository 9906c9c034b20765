"""English sentences to statements.

Law: pure; by words and their order. Verbs are told by their look: auxiliaries, endings, or what
follows the names in front.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from core.agents.offline.claims import clock
from core.agents.offline.claims import grammar_en as words
from core.agents.offline.claims.draft import StatementDraft
from core.agents.offline.claims.english_tokens import (
    INSIDE_NAMES,
    PRONOUNS,
    VERBS,
    Token,
    lower_at,
    name_end,
    tokens,
)
from core.agents.offline.claims.figures_en import figure
from core.agents.offline.claims.openings import depends, introduced, is_order
from core.agents.offline.claims.spelled import STARTS, Spelled, spelled_out
from core.agents.offline.claims.statement import Denial, Kind, Statement
from core.agents.offline.claims.vocabulary import english_key, vocabulary

ADDRESS = re.compile(  # "Great, …", but neither "Great Britain" nor "Well-known"
    r"^(?:(?:wow|hey|hi|hello|oh|yeah|yes|(?:no|well|sure|great|nice|cool|awesome)(?=\s*[,!.])|thanks|thank you|so|okay"
    r"|ok|aww?|haha|congrats|totally|absolutely|definitely|btw|by the way"
    r"|(?:please )?note that)\b(?!-)[\s,!.]*)+(?:[A-Z][a-z]+[,!.]\s*)?",
    re.IGNORECASE,
)
ADDRESSED = re.compile(r",\s*[A-Z][a-z]+(?=[.!]*$)")
PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being|be)\s+(?:\w+ly\s+)?\w+(?:ed|en|t|ade|wn|un)\b.*\bby\b", re.IGNORECASE
)
PARTICIPLE = re.compile(r"\w+(?:ed|en|own|ung)")
CLAUSE_OPENERS = frozenset({"while", "whereas", "but", "although", "though", "instead", "however"})
AFTER_COMMA = CLAUSE_OPENERS | {"and", "has", "is", "who", "which"}
LIKING = frozenset({"i", "we", "they", "you", "to", "not", "also", "really", "would", "who"})  # before "like"
NO_NEGATION = frozenset({"only", "just", "merely", "doubt", "matter"})  # after "not" or "no"
MAINLY = frozenset({"primarily", "mainly", "mostly", "best"})
SUPPOSING = frozenset({"if", "whether"})  # what follows up to the next comma is not said to be so
MERELY = frozenset({"imagine", "hope", "wish", "guess"})  # "can only imagine"
DESCRIBING = re.compile(
    r"[^,] (?:that|which|who) (?:is|are|was|were|has|have|do|does|did|can|may) ?$", re.IGNORECASE
)
EXPLETIVE = re.compile(
    r"it (?:is|was) (?:not )?\w+ to \w", re.IGNORECASE
)  # "it is possible to …" tells of no "it"
TRYING = frozenset({"failed", "refused", "refuses", "declined"})
ASIDE = frozenset({"with", "at", "in", "by", "for", "to", "under"})  # "at no charge": beside the matter
POINTING = frozenset({"this", "that", "these", "those"})
OPENING = frozenset(
    {"at", "in", "on", "by", "for", "from", "with", "of", "since", "until", "after", "before"}
)
CONTRACTED = ("'m", "'re", "'ve", "'s")
SUBJECTS = frozenset({"i", "we", "you", "he", "she", "they"})  # behind which a verb stands
BEING = frozenset({"is", "are", "was", "were"})
HELPING = frozenset({"do", "does", "did"})
NOT_EXCLUDING = {"child", "a"} | MERELY | words.NUMBERS.keys()  # "only one chance" leaves nothing else out
BEFORE_NOUNS = frozenset({"of", "the", "a", "an", "for", "in", "with", "from"})
FRAGMENT = re.compile(r"[;,]\s*(?:and|or)?\s*$")  # an item of a sentence that goes on
MAY = "May"  # a month there, no doubt
SAYING_LITTLE = words.FUNCTION | words.NEGATORS - TRYING
STATES_AND_MODALS = words.STATES | words.MODALS | HELPING


def statement(text: str) -> Statement:
    """Reads one sentence; what addresses someone ("Wow, Mel, …") is left out."""
    said = ADDRESSED.sub("", ADDRESS.sub("", text))
    draft, read = StatementDraft(said), tokens(said)
    draft.personal = introduced(said)
    lowered = {token.lower for token in read}
    at = 0
    while at < len(read):
        at = _step(draft, read, at)
    return Statement(
        text=said,
        terms=tuple(draft.terms),
        chinese=False,
        clauses=draft.clause + 1,
        only_at=frozenset(draft.only_at),
        or_at=frozenset(draft.or_at),
        subject_end=draft.verb_at
        if draft.verb_at >= 0
        else draft.leading_names() or min(1, len(draft.terms)),
        state=_tells_state(read),
        passive=PASSIVE.search(said) is not None,
        question=said.rstrip().endswith("?"),
        hedged=any(token.lower in words.HEDGES and token.text != MAY for token in read),
        personal=draft.personal,
        contrasting=bool(lowered & {"while", "whereas"}),
        conditional=depends(said),
        proposition=_says_something(draft, said),
    )


def _says_something(draft: StatementDraft, said: str) -> bool:
    """Whether it has a subject and a verb: headings and orders have not ("File name matching options")."""
    if is_order(said):
        return False
    if FRAGMENT.search(said):
        return False
    if draft.verb_end == len(said.rstrip()) and not draft.personal and not draft.leading_names():
        return draft.last in VERBS  # any plural looks like a verb
    return draft.verb_at > 0 or draft.verb_at == 0 and (bool(draft.personal) or draft.existential)


def _tells_state(read: Sequence[Token]) -> bool:
    """Whether the first verb we know tells a state. "was founded by" is an event, "is a" is not."""
    for token, following in pairwise(read):
        if token.kind != "word" or token.lower in words.ADVERBS:
            continue
        if token.lower in words.PAST or token.lower.endswith("ed"):
            return False
        if token.lower in words.STATES:
            helping = token.lower in {"was", "were", "has", "have"}
            participle = following.lower in words.PAST or PARTICIPLE.fullmatch(following.lower) is not None
            return not (helping and participle)
    return False


def _step(draft: StatementDraft, read: Sequence[Token], at: int) -> int:
    """Adds the token at `at` and those that belong with it; returns the place of the next one."""
    token = read[at]
    if token.text == "(" and draft.terms and draft.terms[-1].kind is Kind.NAME:
        closing = (n + 1 for n in range(at, len(read)) if read[n].text == ")")
        return next(closing, at + 1)  # another form of the name
    if token.kind == "mark":
        _mark(draft, token, lower_at(read, at + 1))
        return at + 1
    before, draft.last = draft.last, token.lower
    if token.lower in STARTS and (one := spelled_out(draft.text, token.start)):
        return _spelled(draft, read, token.start, one)
    if token.kind == "option":
        draft.add(Kind.LABEL, token.text, token.start, token.end)
        return at + 1
    if token.kind == "quoted":
        _name(draft, token.start + 1, token.end - 1)
        return at + 1
    end = name_end(read, at)
    if end > at:
        _name(draft, token.start, read[end - 1].end)
        draft.last = ""
        return end
    spelled = token.lower in words.NUMBERS and before != "the" and lower_at(read, at + 1) != "of"
    if token.kind == "number" or spelled:
        return figure(draft, read, at)
    _word(draft, token, before, lower_at(read, at + 1))
    return at + 1


def _spelled(draft: StatementDraft, read: Sequence[Token], start: int, one: Spelled) -> int:
    """Adds a value that is spelled out; returns the place of the next token."""
    key, draft.bound, draft.last = f"{one.value:g}", 0, ""
    if one.unit == "day":
        draft.add(Kind.DATE, key, start, one.end, unit="day")
    else:
        parts = clock.OPEN if one.left_open else frozenset[str]()
        draft.add(Kind.NUMBER, key, start, one.end, value=one.value, unit=one.unit, parts=parts)
    return next((n for n, token in enumerate(read) if token.start >= one.end), len(read))


def _mark(draft: StatementDraft, token: Token, following: str) -> None:
    draft.supposing = False
    if token.text in ";—–:." or token.text == "," and following in AFTER_COMMA:
        if following not in {"not", "rather"}:
            draft.next_clause()
    elif draft.denial is Denial.CONTRAST or token.text in "()":
        draft.denial = Denial.NONE
    draft.last = token.text


def _word(draft: StatementDraft, token: Token, before: str, following: str) -> None:
    lower = token.lower
    if lower == "like" and before not in LIKING:
        return  # "much like it"
    if (
        lower in PRONOUNS
        and not (draft.terms or draft.personal or lower in POINTING and before in OPENING)
        and not EXPLETIVE.match(draft.text)
    ):
        draft.personal = PRONOUNS[lower]
        if lower.endswith(CONTRACTED):
            _verb(draft)  # "I'm", "we've"
    if lower in {"there", "it"} and not draft.terms and not draft.personal and following in BEING:
        draft.existential, draft.verb_at = True, 0
    if not (lower in words.NEGATORS and DESCRIBING.search(draft.text[: token.start])):
        _connect(draft, lower, before, following)
    _restrict(draft, lower, before, following)
    denied = vocabulary(chinese=False).denying.get(lower)
    if denied:
        _verb(draft)
        draft.denial = Denial.CLAUSE
        draft.add(Kind.WORD, denied, token.start, token.end)
    elif token.text != MAY and lower in SAYING_LITTLE or len(lower) < 2 or _negates(lower, following):
        if lower in STATES_AND_MODALS:
            _verb(draft)
    else:
        _content(draft, token, before)


def _connect(draft: StatementDraft, lower: str, before: str, following: str) -> None:
    """Applies a negation, a conjunction or an "or" to what follows. "or not" leaves both open."""
    of_a_case = lower == "without" and before == "("  # "(without a key: by the side door)"
    draft.supposing = draft.supposing or lower in SUPPOSING or of_a_case
    if _negates(lower, following):
        if before != "or" and not draft.supposing:
            before = before or ("," if not draft.terms else "a name")
            draft.denial = Denial.CONTRAST if _is_aside(lower, before) else Denial.CLAUSE
    elif _opens_a_clause(lower, following) and draft.terms:
        draft.next_clause()
    elif lower in {"or", "nor"} or lower == "and" and draft.denial is Denial.CLAUSE:
        draft.or_at.add(len(draft.terms))


def _restrict(draft: StatementDraft, lower: str, before: str, following: str) -> None:
    """Notes words that restrict what follows: "only", "mainly known", "at least", "more than"."""
    only = lower in words.EXCLUSIVE and before not in {"not", "the"} and following not in NOT_EXCLUDING
    if only or lower in MAINLY and following == "known":
        draft.only_at.add(len(draft.terms))
    if lower in words.AT_LEAST or lower == "than" and before == "more":
        draft.bound = 1
    elif lower in words.AT_MOST or f"{before} {lower}" in {"less than", "fewer than", "up to"}:
        draft.bound = -1


def _negates(lower: str, following: str) -> bool:
    if lower in {"rather", "instead"}:
        return following in {"than", "of"}
    if lower in TRYING:
        return following == "to"  # "failed to come", but "failed the test"
    return lower in words.NEGATORS and following not in NO_NEGATION


def _is_aside(lower: str, before: str) -> bool:
    """Whether a negation reaches what stands beside the matter only: "…, not Y", "without Y", "at no charge"."""
    if lower in {"not", "never"}:
        return before in {",", "and", ";"}
    return lower in {"rather", "instead", "without"} or lower == "no" and before in ASIDE


def _opens_a_clause(lower: str, following: str) -> bool:
    """Whether a clause begins: "while …", or "and" with another verb of the same subject, told by its look."""
    if lower != "and":
        return lower in CLAUSE_OPENERS and following != "of"
    if following in words.STATES or following in {"always", "instead", "only", "does", "did", "then"}:
        return True
    return following.endswith(("ed", "ly"))


def _content(draft: StatementDraft, token: Token, before: str) -> None:
    lower = token.lower
    draft.bound = 0
    day = lower.removesuffix("s")  # "on Mondays"
    calendar = "month" if lower in words.MONTHS else "weekday" if day in words.WEEKDAYS else ""
    if calendar and token.text[0].isupper():
        draft.add(Kind.DATE, lower if calendar == "month" else day, token.start, token.end, unit=calendar)
    else:
        if before in SUBJECTS and not draft.terms:
            _verb(draft)
        elif before not in BEFORE_NOUNS and _looks_a_verb(draft, lower):
            _verb(draft, token.end)
        owner = lower.endswith("'s")
        draft.add(Kind.WORD, english_key(token.text), token.start, token.end, owner=owner)


def _looks_a_verb(draft: StatementDraft, lower: str) -> bool:
    if lower in VERBS or lower.endswith("ed"):
        return True
    if lower.endswith("s") and not lower.endswith("ss"):
        return True
    after_names = bool(draft.terms) and draft.leading_names() == len(draft.terms)
    return after_names and not draft.text[draft.terms[-1].end :].startswith(("'", "’"))


def _verb(draft: StatementDraft, end: int = -1) -> None:
    """Notes the first verb; `end`: where it ends, if only its look tells that it is one."""
    if draft.verb_at < 0 and (draft.terms or draft.personal):
        draft.verb_at, draft.verb_end = len(draft.terms), end


def _name(draft: StatementDraft, start: int, end: int) -> None:
    shown = draft.text[start:end]
    for ending in ("'s", "’s", "'", "’"):
        if shown.endswith(ending):
            shown, end = shown[: -len(ending)], end - len(ending)
    parts = frozenset(re.findall(r"[\w-]+", shown.lower())) - INSIDE_NAMES
    owner = draft.text[end:].startswith(("'s ", "’s ", "' ", "’ "))
    key = " ".join(shown.lower().split())
    draft.add(Kind.NAME, key, start, end, parts=(parts - words.TITLES) or parts, owner=owner)
