"""Two sentences about to be compared: whether they have the subject, the event, the time in common.

Law: pure; says what two sentences share, never whether they contradict.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.offline.claims.alignment import NAME_WEIGHT, Alignment, align, matches
from core.agents.offline.claims.lexicon_en import INSTITUTION
from core.agents.offline.claims.statement import Kind, Statement, Term
from core.agents.offline.claims.vocabulary import Vocabulary, english_key, vocabulary

FIRST = frozenset({"first", "首次", "初次"})  # happens once
NEW = frozenset({"new", "新", "新任"})
IDENTIFYING = (" is", " are", " was", " were", " by", "是", "为", "由")  # before a name: no other will do
BEFORE_PLACES = re.compile(r"\b(?:in|into|at|from|to|near|across)\s+(?:the\s+)?[\"'“]?$", re.IGNORECASE)
DESCRIBES = re.compile(
    r"\b(?:of|to|for|in|on|at|with|without|from|by|about|than|otherwise|that|which|who|whose|between|under|over|or|and)\b|[,(]",
    re.IGNORECASE,
)  # what stands before what is told of a noun behind it
ANOTHER = re.compile(r"(?:an|the )?others?\b|另一|另外|其他|别的", re.IGNORECASE)
SWAP_WEIGHT = 3.0  # without the subject in common, the shared words must be this telling


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Parts of two sentences laid side by side. `same_matter`: known from elsewhere to speak of one thing."""

    left: Statement
    right: Statement
    laid: Alignment
    same_matter: bool = False

    @property
    def words(self) -> Vocabulary:
        return vocabulary(self.laid.chinese)

    @property
    def same_subject(self) -> bool:
        """Whether a term they share is the subject of both; names in the subjects must not all differ.

        In the passive the subject stands elsewhere, so a shared name will do there.
        """
        if self.left.personal and self.left.personal == self.right.personal:
            return True
        if (self.left.passive or self.right.passive) and self.laid.names:
            named = [(x, y) for x, y in self.laid.pairs if x.kind is Kind.NAME]
            return any(x in self.left.subject or y in self.right.subject for x, y in named)
        if self.owned_apart:
            return False
        meeting = [x for x, y in self.laid.pairs if x in self.left.subject and y in self.right.subject]
        if any(x.kind is Kind.NAME for x in meeting):
            return True
        sides = ((self.laid.only_a, self.left), (self.laid.only_b, self.right))
        if all(any(t.kind is Kind.NAME and t in side.subject for t in only) for only, side in sides):
            return False
        return bool(meeting) or bool(self.laid.names) and self.mutual

    @property
    def subjects_meet(self) -> bool:
        return bool(self.left.personal) or any(
            matches(x, y) for x in self.left.subject for y in self.right.subject
        )

    @property
    def owned_apart(self) -> bool:
        """Whether one tells of somebody and the other of what is theirs: "Liam is …", "Liam's sister is …"."""
        return any(
            belongs_apart(self.left, x, self.right) or belongs_apart(self.right, y, self.left)
            for x, y in self.laid.pairs
            if x.owner is not y.owner
        )

    @property
    def headed_apart(self) -> bool:
        """Whether things without a name are told of, and not of the same: "activities other than copying", "any attempt
        to copy"."""
        heads = [head(side) for side in (self.left, self.right)]
        return None not in heads and not matches(*filter(None, heads))

    @property
    def mutual(self) -> bool:
        """Whether the relation holds both ways, so that the order of the names does not matter."""
        return any(term.key in self.words.mutual for term in self.laid.words)

    @property
    def same_event(self) -> bool:
        """Whether so many words are shared that it is one event, with other names in it.

        Words alone tell of a kind of event, which happens to many people; what makes it one is who else
        is in it, or a time at which only one can have done it.
        """
        told = [x for x, _ in self.laid.pairs if x.kind in (Kind.WORD, Kind.DATE)]
        if self.left.state or self.right.state or self.laid.weight(told) < SWAP_WEIGHT:
            return False
        if any(term.key in self.words.open_to_all for term in self.laid.words):
            return False
        dated = any(term.kind is Kind.DATE for term in told)
        return self.party_in_common or dated and any(t.key in self.words.one_doer for t in self.laid.words)

    @property
    def party_in_common(self) -> bool:
        """Whether both sentences have a name in common, in any clause, that is not just where it happened."""
        return any(
            matches(x, y) and _is_party(self.left, x) and _is_party(self.right, y)
            for x in self.left.terms
            if x.kind is Kind.NAME
            for y in self.right.terms
            if y.kind is Kind.NAME
        )

    @property
    def once_together(self) -> bool:
        """Whether both tell what two people do once together: they met, married or founded something."""
        names = [x for x, y in self.laid.pairs if x.kind is Kind.NAME]
        pair = [
            x for x, y in self.laid.pairs if x in names and x in self.left.subject and y in self.right.subject
        ]
        once = self.words.once_together
        return len(pair) >= 2 and any(
            x.key in once and _first_word(self.left, x) and _first_word(self.right, y)
            for x, y in self.laid.pairs
        )

    @property
    def single(self) -> bool:
        """Whether the relation they share allows one value only."""
        if any(term.key in FIRST for term in (*self.laid.only_a, *self.laid.only_b)):
            return True
        return any(term.key in self.words.single for term in self.laid.words)

    @property
    def renewed(self) -> bool:
        """Whether one side tells of "the new …" and the other of that alone: there is one at a time."""
        sides = ((self.laid.only_a, self.left), (self.laid.only_b, self.right))
        return any(t.key in NEW and t in side.terms[: side.subject_end] for only, side in sides for t in only)

    def is_identity(self, ours: Sequence[Term], theirs: Sequence[Term]) -> bool:
        """Whether both identify, and nothing else differs: "the X is A", "the X is B"; "done by A", "done by B"."""
        if (
            not self.all_but_one
            or self.laid.covered(Kind.WORD)[0] < 1
            or self.laid.weight(self.laid.words) < 1
        ):
            return False
        return all(
            side.text[: terms[0].start].rstrip().lower().endswith(IDENTIFYING)
            for side, terms in ((self.left, ours), (self.right, theirs))
        )

    def one_named(self, ours: Sequence[Term], theirs: Sequence[Term]) -> bool:
        """Whether the relation allows one name: "works at A", "works at B"; "attended the University of A", "of B"."""
        if any(term.key in self.words.one_named for term in self.laid.words):
            return True
        institutions = all(any(t.parts & INSTITUTION for t in side) for side in (ours, theirs))
        return institutions and any(term.key == english_key("attend") for term in self.laid.words)

    @property
    def frame(self) -> float:
        """Returns the weight of what is shared beyond one subject."""
        return self.laid.weight(self.laid.shared()) - (NAME_WEIGHT if self.laid.names else 1.0)

    @property
    def told_apart(self) -> bool:
        """Whether both subjects have words that the other has not: "the timeout of reads", "the timeout of writes"."""
        sides = ((self.laid.only_a, self.left), (self.laid.only_b, self.right))
        return all(
            any(t.kind is Kind.WORD and t in side.terms[: side.subject_end] for t in only)
            for only, side in sides
        )

    @property
    def all_but_one(self) -> bool:
        """Whether each side has exactly one term that the other has not."""
        return len(self.laid.only_a) == len(self.laid.only_b) == 1

    @property
    def grown(self) -> bool:
        """Whether one tells what was so at a time and the other what is so: "had 300 in 2010", "has 1,200"."""
        return any(self.laid.left(Kind.DATE)) and self.left.state is not self.right.state

    @property
    def scoped_apart(self) -> bool:
        """Whether the sentences name different times: the values may both have been true."""
        return all(self.laid.left(Kind.DATE))


def compare(
    left: Statement, a: Sequence[Term], right: Statement, b: Sequence[Term], same_matter: bool = False
) -> Comparison:
    """Returns the comparison of `a` and `b`, terms of the left and of the right sentence."""
    return Comparison(left=left, right=right, laid=align(a, b, left.chinese), same_matter=same_matter)


def head(statement: Statement) -> Term | None:
    """Returns the head noun of an English subject without a name: the last word before what describes it."""
    subject = statement.terms[: statement.subject_end]
    if statement.chinese or statement.personal or any(t.kind is not Kind.WORD for t in subject):
        return None
    ends = next(
        (
            n
            for n in range(1, len(subject))
            if DESCRIBES.search(statement.text[subject[n - 1].end : subject[n].start])
        ),
        len(subject),
    )
    return subject[ends - 1] if subject else None


def _first_word(statement: Statement, term: Term) -> bool:
    """Whether `term` is the first word of its clause after the names."""
    words = (t for t in statement.of_clause(term.clause) if t.kind is Kind.WORD and t.key not in FIRST)
    return next(words, None) is term


def tells_of_another(one: Statement, other: Statement) -> bool:
    """Whether one begins with what it calls another, and the other does not: "one critic", "another critic"."""
    return bool(ANOTHER.match(one.text)) is not bool(ANOTHER.match(other.text))


def belongs_apart(one: Statement, owner: Term, other: Statement) -> bool:
    """Whether what belongs to `owner` is what the sentence is about, and the other does not mention it."""
    if not owner.owner or owner not in one.terms[: one.subject_end]:
        return False
    held = next((t for t in one.terms if t.start >= owner.end and t.kind in (Kind.WORD, Kind.NAME)), None)
    return held is not None and not any(matches(held, t) for t in other.terms)


def _is_party(statement: Statement, name: Term) -> bool:
    """Whether a name takes part: it stands neither where places do, nor in front of a noun ("a French novel").

    Much that the Chinese tagger takes for names are none (花生, 慈善): there only who it is about takes part.
    """
    if statement.chinese:
        return name in statement.subject
    if BEFORE_PLACES.search(statement.text[: name.start]):
        return False
    before_noun = any(t.start == name.end + 1 and t.kind is Kind.WORD for t in statement.terms)
    return len(name.parts) > 1 or not before_noun
