"""The answer of ExplainPair."""

from collections.abc import Sequence

from core.agents.offline.judging.pair import SentencePair
from core.agents.offline.judging.sentences import Sentence
from core.agents.roles import ConflictOpinion
from core.usecases.context.explain_pair import PairExplained
from memorybank.v1 import retrieval_pb2 as pb
from service.api.enums import SENTENCE_BARS, numbers
from service.api.mapping.rendering import rendering
from service.api.to_proto.values import conflict

SENTENCES = 20
CONFLICTS = 20
GLIMPSE = 1_000  # code points of a sentence

_BARS = numbers(SENTENCE_BARS)


def _verdict(made: PairExplained) -> pb.PairVerdict.ValueType:
    told = made.judged
    if isinstance(told.opinion, ConflictOpinion):
        return pb.PAIR_VERDICT_CONTRADICTION if made.is_sure else pb.PAIR_VERDICT_SUSPECTED
    return pb.PAIR_VERDICT_SAME if made.are_one else pb.PAIR_VERDICT_APART


def _likeliest(pairs: Sequence[SentencePair]) -> list[SentencePair]:
    def likelihood(one: SentencePair) -> float:
        likely = one.likelihood
        return max(likely.contradiction, likely.sameness) if likely else 0.0

    return sorted(pairs, key=lambda one: (-likelihood(one), one.pair))[:SENTENCES]


def _compared(one: SentencePair, is_first_newer: bool) -> pb.ComparedSentences:
    sides = ((one.first, one.texts[0]), (one.second, one.texts[1]))
    (first, as_first), (second, as_second) = sides if is_first_newer else sides[::-1]
    return pb.ComparedSentences(
        first=first.quote[:GLIMPSE],
        second=second.quote[:GLIMPSE],
        first_compared=as_first[:GLIMPSE],
        second_compared=as_second[:GLIMPSE],
        first_context=_context(first),
        second_context=_context(second),
        bars=sorted(_BARS[bar] for bar in one.bars),
        contradiction=one.likelihood.contradiction if one.likelihood else None,
        sameness=one.likelihood.sameness if one.likelihood else None,
    )


def _context(sentence: Sentence) -> list[str]:
    parts = (*sentence.headings, *sentence.times, sentence.label, " ".join(sentence.before))
    return [part[:GLIMPSE] for part in parts if part]


explain_pair = rendering(
    PairExplained,
    pb.ExplainPairResponse,
    verdict=_verdict,
    reason="judged.reason",
    reasoning=lambda made: made.judged.opinion and made.judged.opinion.reasoning,
    confidence=lambda made: made.judged.opinion and made.judged.opinion.confidence,
    sentences=lambda made: [
        _compared(pair, made.is_first_newer) for pair in _likeliest(made.judged.sentences)
    ],
    sentence_pairs=lambda made: len(made.judged.sentences),
    suspected_line="judged.lines.likely",
    same_line="judged.lines.same",
    superseded_id="between.gave_way",
    conflicts=lambda made: map(conflict, made.between.conflicts[-CONFLICTS:]),
    merged_into="between.merge.into",
    merge_reason="between.merge.reason",
    merge_description="between.merge.description",
)
