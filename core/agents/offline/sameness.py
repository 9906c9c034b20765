"""Whether one sentence says what another says: the ground for merging.

Law: pure. Names, numbers, dates and denials must all be there; a single value that differs is
never a paraphrase. The similarity of the sentences may lower how many words must be shared,
and never decides alone.
"""

import re

from core.agents.offline.claims import clock
from core.agents.offline.claims.alignment import (
    Alignment,
    align,
    are_opposites,
    matches,
    prefixed,
    speak_of_one_thing,
    weight,
)
from core.agents.offline.claims.comparison import tells_of_another
from core.agents.offline.claims.order import turned_round
from core.agents.offline.claims.quantity import ALL, quantity
from core.agents.offline.claims.statement import Denial, Kind, Statement, Term

WORDS_SHARED = 0.8  # of the contained sentence's words, by weight
WORDS_SHARED_WHEN_NEAR = 0.7  # the same, for sentences nearer than the embedder's line for sameness
OWNER = re.compile(r"(\w+)['’]s\b")
DENYING_EN = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot)\b|n['’]t\b", re.IGNORECASE
)
NEGATIVE_EN = re.compile(
    r"\b(?:un|im|in|dis|ir|il|non)\w{4,}|\w{3}less\b|\bwithout\b|\bonly\b|\bfail|\black|\bforbid|\bprohibit|\bban",
    re.IGNORECASE,
)
DENYING_ZH = re.compile(r"[不没未无]|禁止")
NEGATIVE_ZH = re.compile(r"[停退错非别晚缺]")
VALUES = (Kind.NUMBER, Kind.DATE, Kind.LABEL)
EXACT = (Kind.NAME, *VALUES)


def contains(whole: Statement, part: Statement, near: bool) -> bool:
    """Whether `whole` says all that `part` says. `near`: the embedder finds them much alike."""
    if part.text == whole.text and part.speaker == whole.speaker:
        return True
    if not part.terms or part.question or whole.question or part.chinese is not whole.chinese:
        return False
    if (
        not (part.proposition and whole.proposition)
        or part.hedged is not whole.hedged
        or part.mood != whole.mood
    ):
        return False
    if not _told_by_one(part, whole) or tells_of_another(part, whole):
        return False
    if not part.chinese and len(part.terms) <= part.subject_end:
        return False  # of all that it says nothing was read: "the shop is doing well"
    if not speak_of_one_thing(part, whole):
        return False
    if turned_round(part, whole) or _counts_apart(part, whole) or _owners_exchanged(part, whole):
        return False
    if _denies_alone(part, whole) or _denies_alone(whole, part):
        return False
    if _denied_alike(part, whole) or _prefixed_alike(part, whole) or _prefixed_alike(whole, part):
        return True
    denied = align(part.denied, whole.denied, part.chinese)
    if denied.only_a or denied.only_b:
        return False
    return any(_held(view, whole, part, near) for view in _views(whole))


def _told_by_one(part: Statement, whole: Statement) -> bool:
    """Whether a pronoun means the same in both; "our flight" may be named behind an opening phrase, too."""
    if part.speaker == whole.speaker and {part.personal, whole.personal} == {"", "my"}:
        return True
    same = part.personal == whole.personal and part.personal != "it"
    return same and (not part.personal or part.speaker == whole.speaker)


def _denied_alike(part: Statement, whole: Statement) -> bool:
    """Whether both deny the same with the same words in another order: "there is no lift in the house", "the house has
    no lift"."""
    if not part.denied or not whole.denied or not matches(part.denied[0], whole.denied[0]):
        return False
    if any(term.denial is Denial.CONTRAST for term in (*part.denied, *whole.denied)):
        return False
    laid = align(part.terms, whole.terms, part.chinese)
    return not (laid.only_a or laid.only_b or any(_roughly(x, y) for x, y in laid.pairs)) and (
        not part.subject_end or not whole.subject_end
    )


def _prefixed_alike(one: Statement, other: Statement) -> bool:
    """Whether one denies what the other denies by a prefix, and all else is the same: "not valid", "invalid"."""
    if not one.denied or other.denied:
        return False
    laid = align(one.terms, other.terms, one.chinese)
    replaced = [*laid.only_a, *laid.only_b]
    return (
        len(laid.only_a) == len(laid.only_b) == 1
        and laid.only_a[0] is one.denied[0]
        and prefixed(*(t.key for t in replaced))
    )


def _views(whole: Statement) -> list[tuple[Term, ...]]:
    """Returns what may hold a sentence: the whole, where one subject has it all; else each clause with its own."""
    named = [clause for clause in range(whole.clauses) if whole.subject_of(clause)]
    if len(named) <= 1:
        return [whole.asserted]
    return [*whole.claims]


def _held(view: tuple[Term, ...], whole: Statement, part: Statement, near: bool) -> bool:
    laid = align(part.asserted, view, part.chinese)
    if any(term.kind in EXACT for term in laid.only_a) or any(_roughly(x, y) for x, y in laid.pairs):
        return False
    if any(are_opposites(x, y, part.chinese) for x in laid.only_a for y in laid.only_b):
        return False
    if not _happens(laid) and laid.only_b and part.state and not whole.state:
        return False  # who resigned as treasurer is none
    if laid.only_a and whole.state and not part.state:
        return False  # nor does who sold a boat have it
    turned = part.passive or whole.passive or not laid.only_b  # "X is the Y of Z": "the Y of Z is X"
    if not turned and not any(x in part.subject and y in whole.subject for x, y in laid.pairs):
        return False
    if not laid.only_a:
        return True
    if not near and laid.only_b or _one_replaced(laid, part, whole):
        return False
    shared = laid.weight(laid.words)
    total = shared + laid.weight(laid.only_a)
    return shared / total >= (WORDS_SHARED_WHEN_NEAR if near else WORDS_SHARED)


def _happens(laid: Alignment) -> bool:
    """Whether one side merely says in a word that it happens: "is at 2 pm", "starts at 2 pm"."""
    own = {"begin", "happen", "开始", "举行"}
    return not laid.only_a and len(laid.only_b) == 1 and laid.only_b[0].key in own


def _counts_apart(part: Statement, whole: Statement) -> bool:
    """Whether they tell of another number of them: some and all, all rooms and Room 4. No word for it may mean all."""
    ours, theirs = part.in_text(quantity), whole.in_text(quantity)
    if ours == theirs:
        return False
    return {ours, theirs} != {ALL, ""} or _single_out(part) != _single_out(whole)


def _owners_exchanged(part: Statement, whole: Statement) -> bool:
    """Whether each belongs to the other: "Nadia's manager is Victor", "Victor's manager is Nadia"."""
    ours, theirs = _owners(part), _owners(whole)
    if not ours or not theirs or ours & theirs:
        return False
    return all(name in whole.text.lower() for name in ours) and all(
        name in part.text.lower() for name in theirs
    )


def _owners(statement: Statement) -> set[str]:
    if statement.chinese:
        joined = (term for term in statement.terms if statement.text[term.end :].startswith("的"))
        return {statement.text[term.start : term.end] for term in joined}
    return {found.lower() for found in OWNER.findall(statement.text)}


def _denies_alone(one: Statement, other: Statement) -> bool:
    """Whether it has a word that denies, and the other has neither such a word nor one that means so much."""
    denying, meaning_so = (DENYING_ZH, NEGATIVE_ZH) if one.chinese else (DENYING_EN, NEGATIVE_EN)
    if denying.search(one.text) is None:
        return False
    return denying.search(other.text) is None and meaning_so.search(other.text) is None


def _single_out(statement: Statement) -> set[str]:
    """Returns the words that identify by number which of them the sentence is about."""
    told_of = statement.terms[: statement.subject_end]
    return {term.key for term in told_of if term.kind in (Kind.NUMBER, Kind.LABEL)}


def _roughly(a: Term, b: Term) -> bool:
    """Whether one figure does not say the other: "over 15" leaves room for 18."""
    if a.kind is not Kind.NUMBER or a.unit == b.unit == clock.UNIT:
        return False  # "at two" may be at 14:00, and that they match was seen
    return (a.value, a.bound) != (b.value, b.bound)


def _one_replaced(laid: Alignment, part: Statement, whole: Statement) -> bool:
    """Whether the sides differ in one run of words each, as where a value is replaced by another."""
    return bool(laid.only_b) and _adjacent(laid.only_a, part) and _adjacent(laid.only_b, whole)


def _adjacent(terms: tuple[Term, ...], statement: Statement) -> bool:
    places = [n for n, term in enumerate(statement.terms) if term in terms]
    return places[-1] - places[0] + 1 == len(places)


def content(statement: Statement) -> float:
    """Returns how informative a sentence is: the number of its terms, names counted more."""
    return weight(statement.terms, statement.chinese)
