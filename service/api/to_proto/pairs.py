"""The answer of ExplainPair."""

from collections.abc import Mapping, Sequence

from core.agents.offline.judging.pair import SentencePair
from core.agents.offline.judging.sentences import Sentence
from core.agents.roles import ConflictOpinion
from core.model.record import SupersededReason
from core.usecases.context.explain_pair import NotCompared, PairExplained
from memorybank.v1 import long_term_pb2, types_pb2
from memorybank.v1 import retrieval_pb2 as pb
from service.api.enums import (
    MERGE_REASONS,
    PAIR_REASONS,
    PAIRS_NOT_COMPARED,
    SENTENCE_BARS,
    SUPERSEDED_REASONS,
    numbers,
)
from service.api.to_proto.values import conflict

SENTENCES = 20
CONFLICTS = 20
GLIMPSE = 1_000  # code points of a sentence

_REASONS = numbers(PAIR_REASONS)
_BARS = numbers(SENTENCE_BARS)
_MERGES = numbers(MERGE_REASONS)
_NOT_COMPARED: Mapping[NotCompared | None, pb.PairNotCompared.ValueType] = {**numbers(PAIRS_NOT_COMPARED)}
_SUPERSEDED: Mapping[SupersededReason | None, long_term_pb2.SupersededReason.ValueType] = {
    **numbers(SUPERSEDED_REASONS)
}


def explain_pair(made: PairExplained) -> pb.ExplainPairResponse:
    told, between = made.judged, made.between
    return pb.ExplainPairResponse(
        verdict=_verdict(made),
        reason=_REASONS[told.reason],
        reasoning=told.opinion.reasoning if told.opinion else "",
        confidence=told.opinion.confidence if told.opinion else 0.0,
        sentences=[_compared(pair, made.is_first_newer) for pair in _likeliest(told.sentences)],
        sentence_pairs=len(told.sentences),
        model=made.model,
        sure_line=made.sure_line,
        suspected_line=told.lines.likely,
        same_line=told.lines.same,
        rank=between.rank,
        compared_with=between.compared_with,
        not_compared=_NOT_COMPARED.get(between.not_compared, pb.PAIR_NOT_COMPARED_UNSPECIFIED),
        contested=between.contested,
        superseded_id=between.gave_way,
        superseded_reason=_SUPERSEDED.get(
            between.superseded_reason, long_term_pb2.SUPERSEDED_REASON_UNSPECIFIED
        ),
        conflicts=map(conflict, between.conflicts[-CONFLICTS:]),
        merged_into=between.merge.into if between.merge else "",
        merge_reason=_MERGES[between.merge.reason] if between.merge else types_pb2.MERGE_REASON_UNSPECIFIED,
        merge_description=between.merge.description if between.merge else "",
        revision=made.revision,
    )


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
