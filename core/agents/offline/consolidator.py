"""The offline Consolidator: one node's texts out of several, by choosing sentences.

Law: extractive and deterministic. A verdict stands first and verbatim; a comparer says which sentences contradict it,
or what it upholds, and where it names no value its evidence says which. Newer sentences win over older ones that they
contradict; what is said already is not said again; nothing is reworded but the line that relates a neighbour to the
merged topic.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.agents.offline import naming, salience
from core.agents.offline.judging.attribution import statement_of
from core.agents.offline.judging.comparing import JudgeThresholds
from core.agents.offline.statements import Statement, composed, statements
from core.agents.offline.structurer import MOST, summary
from core.agents.offline.thinking import think
from core.agents.offline.verdicts import verdict_type
from core.agents.roles import Consolidation, MergeSource, Neighbor, Rewording, Topic
from core.language import Language, language_of
from core.model.conflict import VerdictType
from core.model.lineage import MergeReason
from core.ports.comparer import Comparer, Likelihood
from core.text import analysis
from core.text.quantities import written_alike
from core.text.scripts import display_width

PARTS = re.compile(r"[:：](?=\s|[\u4e00-\u9fff])|[;；]")
KEYWORDS = 10
INHERITED_KEYWORDS = 2  # of the merged node's, added to each neighbour's
REPEATS = 0.85  # of a sentence's terms found in another one that says the same
FAVOUR = 0.5  # more likely to be what a verdict says than the sentence it is at odds with
COMPARED = 0.25  # shared terms below which two sentences are not worth comparing
LINES_APART = 1_000_000  # more than a summary has
COVERED = 0.6  # of a context's terms named by another context already

Texts = tuple[str, str]

FIGURE = re.compile(r"\d[\d,.]*")
DISCREDITS = re.compile(  # what such a statement repeats, it repeats to refute it
    r"\b(?:false|wrong|incorrect|inaccurate|untrue|mistaken|erroneous|outdated|refuted)\b"
    r"|错误|不实|不属实|有误|过时|不正确|不准确|谣言",
    re.IGNORECASE,
)


@dataclass(slots=True, kw_only=True)
class Sentence:
    """A sentence with what comparing it takes, read once: each is compared with many."""

    statement: Statement
    terms: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()


@dataclass(slots=True, kw_only=True)
class SiftedSentences:
    """What became of the absorbed nodes' sentences."""

    kept: list[Sentence] = field(default_factory=list)
    repeated: int = 0
    superseded: list[str] = field(default_factory=list)  # by a newer node's sentence
    refuted: list[str] = field(default_factory=list)  # by the verdict


class OfflineConsolidator:
    """Composes merged nodes of the absorbed nodes' sentences. Raises EmbedderUnavailable."""

    def __init__(self, comparer: Comparer, thresholds: JudgeThresholds | None = None) -> None:
        self._comparer = comparer
        self._lines = thresholds or JudgeThresholds()

    async def consolidate(
        self,
        nodes: Sequence[MergeSource],
        neighbors: Sequence[Neighbor],
        reason: MergeReason,  # noqa: ARG002 - the verdict tells the reasons apart
        verdict: str,
        strategy: str,
        evidence: str = "",
    ) -> Consolidation:
        read = await think(_Material, nodes, verdict, evidence)
        pairs = await think(read.pairs)
        texts = [(alike.a, alike.b) for alike in (written_alike(*map(statement_of, each)) for each in pairs)]
        answers = await self._comparer.compare(texts) if texts else []
        likely = dict(zip(pairs, answers, strict=True))
        return await think(_consolidated, read, likely, self._lines, neighbors, verdict, strategy)

    async def verdict_type(
        self,
        sides: Sequence[Topic],  # noqa: ARG002 - the words decide
        verdict: str,
        evidence: str,  # noqa: ARG002 - likewise
    ) -> VerdictType:
        return verdict_type(verdict)


class _Material:
    """What is put together, read: the nodes, newest first, with their sentences, the verdict's and its evidence's."""

    def __init__(self, nodes: Sequence[MergeSource], verdict: str, evidence: str) -> None:
        self.nodes = sorted(nodes, key=lambda node: node.event_time, reverse=True)
        self.sides = [_read(node, number) for number, node in enumerate(self.nodes, start=1)]
        self.ruling = [_sentence(one) for one in _claims(verdict)]
        self.witnesses = [_sentence(one) for one in statements(evidence)] if evidence else []

    def pairs(self) -> list[Texts]:
        """Returns the texts of all sentences that are worth comparing: of the verdict or its evidence and a side, of a
        side and a newer one."""
        found: dict[Texts, None] = {}
        judges = [*self.ruling, *self.witnesses]
        for n, side in enumerate(self.sides):
            newer = [one for other in self.sides[:n] for one in other]
            own = [one for other in self.sides if other is not side for one in other]
            for one in side:
                for other in (*newer, *(own if judges else ())):
                    if salience.overlap(one.terms, other.terms) >= COMPARED:
                        found[_texts(one, other)] = None
                found |= dict.fromkeys(_texts(one, judge) for judge in judges)
        return list(found)


class _Sifting:
    """Sorts every sentence of the nodes, newest first: kept or sorted out, with the reason."""

    def __init__(
        self, read: _Material, likely: Mapping[Texts, Likelihood | None], lines: JudgeThresholds
    ) -> None:
        self._read = read
        self._all = [one for side in read.sides for one in side]
        self._likely = likely
        self._lines = lines
        self.sifted = SiftedSentences()

    def sift(self) -> SiftedSentences:
        ruling, sifted = self._read.ruling, self.sifted
        silent = all(self._ruled(one, ruling) is None for one in self._all)
        witnesses = self._read.witnesses if silent else []
        # A side's sentence that the verdict upholds, or else its evidence, speaks with the verdict's voice.
        upheld = [one for one in self._all if self._ruled(one, witnesses or ruling) is True]
        upheld += [one for one in self._all if self._favoured(one, [*ruling, *witnesses])]
        for side in self._read.sides:
            newer = [] if ruling else list(sifted.kept)
            for sentence in side:
                ruled = self._ruled(sentence, ruling)
                if ruled is None and self._ruled(sentence, witnesses) is False:
                    ruled = False
                if ruled is False or (ruled is None and self._denied(sentence, upheld, self._lines.likely)):
                    sifted.refuted.append(sentence.statement.text)
                elif ruled is None and self._denied(sentence, newer, self._lines.sure):
                    sifted.superseded.append(sentence.statement.text)
                elif ruled or any(self._covers(other, sentence) for other in sifted.kept):
                    sifted.repeated += 1
                else:
                    self._keep(sentence)
        return sifted

    def _favoured(self, sentence: Sentence, judges: Sequence[Sentence]) -> bool:
        """Whether a verdict speaks for a sentence, and clearly more than for one at odds with it: it need not say
        either in so many words."""
        said = self._support(sentence, judges)
        return said > 0 and any(said - self._support(one, judges) >= FAVOUR for one in self._rivals(sentence))

    def _refutes(self, judge: Sentence, sentence: Sentence) -> bool:
        """Whether a verdict's statement surely contradicts a sentence. If it is nearly as far from one at odds with
        this, which of them it means is open."""
        if not self._denied(sentence, [judge], self._lines.sure):
            return False
        said = self._support(sentence, [judge])
        rivals = (one for one in self._rivals(sentence) if not self._denied(one, [judge], self._lines.sure))
        return all(self._support(one, [judge]) - said >= FAVOUR for one in rivals)

    def _rivals(self, sentence: Sentence) -> list[Sentence]:
        """Returns the sentences of other sides that are at odds with one: those of one side are not compared."""
        return [one for one in self._all if self._denied(one, [sentence], self._lines.likely)]

    def _support(self, sentence: Sentence, judges: Sequence[Sentence]) -> float:
        """Returns how far a verdict speaks for a sentence, -1 to 1."""
        told = [self._likely.get(_texts(sentence, judge)) for judge in judges]
        said = [one.sameness - one.contradiction for one in told if one is not None]
        return max(said, key=abs, default=0.0)

    def _ruled(self, sentence: Sentence, ruling: Sequence[Sentence]) -> bool | None:
        """Whether a verdict upholds a sentence (it says so itself) or refutes it; None where it does neither.

        Of several statements in a verdict the last one counts: it is the conclusion.
        """
        found: bool | None = None
        for one in ruling:
            covered = self._covers(one, sentence) or _covers(one, _undressed(sentence))
            if DISCREDITS.search(one.statement.text):
                found = False if covered else found
            elif self._refutes(one, sentence):
                found = False
            elif covered:
                found = True
        return found

    def _denied(self, sentence: Sentence, others: Iterable[Sentence], line: float) -> bool:
        told = (self._likely.get(_texts(sentence, other)) for other in others)
        return any(one is not None and one.contradiction >= line for one in told)

    def _covers(self, one: Sentence, other: Sentence) -> bool:
        """Whether a sentence says all that another one says."""
        if _covers(one, other):
            return True
        told = self._likely.get(_texts(other, one))
        if told is None or told.sameness < self._lines.same or told.contradiction >= self._lines.not_contrary:
            return False
        alike = written_alike(*(statement_of(each.statement.text) for each in (one, other)))
        return not (alike.left_a and alike.left_b)

    def _keep(self, sentence: Sentence) -> None:
        """Keeps a sentence, in the place of the first one that says less of the same."""
        for index, kept in enumerate(self.sifted.kept):
            if self._covers(sentence, kept):
                self.sifted.kept[index] = sentence
                self.sifted.repeated += 1
                return
        self.sifted.kept.append(sentence)


def _consolidated(
    read: _Material,
    likely: Mapping[Texts, Likelihood | None],
    lines: JudgeThresholds,
    neighbors: Sequence[Neighbor],
    verdict: str,
    strategy: str,
) -> Consolidation:
    nodes, sifted = read.nodes, _Sifting(read, likely, lines).sift()
    text = _summary(verdict, [sentence.statement for sentence in sifted.kept])
    text = text or nodes[0].topic.summary  # marks alone are no sentence
    keywords = _keywords(nodes, text)
    if verdict:
        context = name = naming.context_of([verdict], keywords)
    else:
        context, name = _context(nodes, sifted.superseded)
    return Consolidation(
        summary=text,
        context=context,
        keywords=keywords,
        neighbor_updates={n.node_id: _reworded(n, name, keywords, nodes) for n in neighbors},
        description=_description(nodes, sifted, strategy, language_of(text)),
        refuted=tuple(dict.fromkeys(sifted.refuted)),
    )


def _claims(verdict: str) -> list[Statement]:
    """Returns what a verdict claims: each part of its statements that could stand alone ("it is 11: he erred")."""
    if not verdict:
        return []
    parts = ((one, part.strip()) for one in statements(verdict) for part in PARTS.split(one.text))
    return [replace(one, text=part) for one, part in parts if part]


def _texts(one: Sentence, other: Sentence) -> Texts:
    """Returns the texts of two sentences, always in the same order."""
    ours, theirs = sorted((one.statement.told, other.statement.told))
    return ours, theirs


def _read(node: MergeSource, number: int) -> list[Sentence]:
    """Returns the sentences of a node's summary, on lines that no other node's sentences stand on."""
    stated = statements(node.topic.summary)
    return [_sentence(replace(one, line=number * LINES_APART + one.line)) for one in stated]


def _sentence(statement: Statement) -> Sentence:
    terms = frozenset(analysis.terms(statement.text))
    figures = frozenset(FIGURE.findall(statement.text))
    return Sentence(statement=statement, terms=terms, figures=figures)


def _undressed(sentence: Sentence) -> Sentence:
    """Returns a sentence without what only tells its source or day, which a verdict need not repeat."""
    return _sentence(replace(sentence.statement, text=statement_of(sentence.statement.text)))


def _covers(one: Sentence, other: Sentence) -> bool:
    if not other.terms:
        return one.statement.text == other.statement.text
    return len(one.terms & other.terms) >= REPEATS * len(other.terms) and other.figures <= one.figures


def _summary(verdict: str, kept: Sequence[Statement]) -> str:
    """Returns the verdict and the kept sentences; too many are thinned out as the Structurer would."""
    first = verdict.strip()
    if display_width(first) > MOST:
        first = summary(first)
    texts = [one.text for one in kept]
    room = MOST - display_width(first)
    if display_width("".join(texts)) > room:
        picked = salience.chosen(texts, salience.scores(texts), max(0, room), taken=[first])
        kept = [kept[index] for index in picked]
    return "\n".join(filter(None, (first, composed(kept))))


def _context(nodes: Sequence[MergeSource], superseded: Sequence[str]) -> tuple[str, str]:
    """Returns the context of the most informative node, with what the others add to it, and its name for neighbours.

    A context that quotes a superseded sentence is passed over.
    """
    gone = {naming.plain(text) for text in superseded}
    standing = [node for node in nodes if naming.unrelated(node.topic.context) not in gone] or list(nodes[:1])
    main = max(standing, key=lambda node: display_width(node.topic.summary))
    own = naming.unrelated(main.topic.context)
    named = frozenset(analysis.terms(own))
    added: list[str] = []
    for node in standing:
        other = naming.topic_name(node.topic.context)
        terms = frozenset(analysis.terms(other))
        if node is not main and terms and len(terms & named) < COVERED * len(terms):
            added.append(other)
            named |= terms
    if not added:
        return own, own
    name = naming.topic_name(own)
    phrases = language_of(own).phrases
    listed = naming.clipped(phrases.marks.titles.join(added))
    return phrases.topics.including.format(own, listed), naming.clipped(
        phrases.topics.joined.format(name, listed)
    )


def _keywords(nodes: Sequence[MergeSource], text: str) -> tuple[str, ...]:
    """Returns the nodes' keywords that the merged summary still has: shared ones first, then in turn."""
    shown = text.casefold()
    ranks: dict[str, tuple[int, int]] = {}
    for node in nodes:
        for rank, keyword in enumerate(node.topic.keywords):
            times, best = ranks.get(keyword, (0, rank))
            ranks[keyword] = (times + 1, min(best, rank))
    ordered = sorted(ranks, key=lambda keyword: (-ranks[keyword][0], ranks[keyword][1]))
    spoken = [keyword for keyword in ordered if keyword.casefold() in shown]
    return tuple((spoken or ordered)[:KEYWORDS])


def _reworded(
    neighbor: Neighbor, name: str, keywords: Sequence[str], gone: Sequence[MergeSource]
) -> Rewording:
    """Returns the neighbour's words, in which the merged topic takes the place of those it was made of."""
    own = naming.unrelated(neighbor.context)
    names = [naming.name_beside(own, each.topic.context, each.topic.keywords) for each in gone]
    known = {keyword.casefold() for keyword in neighbor.keywords}
    inherited = [keyword for keyword in keywords if keyword.casefold() not in known][:INHERITED_KEYWORDS]
    return Rewording(
        context=naming.related_to(neighbor.context, name, keywords, names),
        keywords=(*neighbor.keywords, *inherited),
    )


def _description(
    nodes: Sequence[MergeSource], sifted: SiftedSentences, strategy: str, language: Language
) -> str:
    """Returns the tree's note: what was put together, what was left out and why."""
    names = [naming.topic_name(node.topic.context) for node in nodes]
    marks, phrases = language.marks, language.phrases.topics
    note = phrases.put_together.format(len(nodes), marks.parts.join(names))
    note += phrases.kept.format(len(sifted.kept), sifted.repeated)
    if sifted.refuted:
        note += phrases.corrected.format(marks.gap.join(sifted.refuted))
    if sifted.superseded:
        note += phrases.replaced.format(marks.gap.join(sifted.superseded))
    return note + (phrases.strategy.format(strategy) if strategy else "")
