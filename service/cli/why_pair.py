"""What the offline Judge makes of two memories, drawn for the terminal."""

from collections.abc import Iterator
from typing import Any, Final

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2 as types
from service.cli import drawing
from service.cli.errand import CommandContext

INDENT = (0, 0, 0, 2)
SHOWN = 3  # pairs of sentences
VERDICTS: Final = {
    pb.PAIR_VERDICT_APART: "both may hold",
    pb.PAIR_VERDICT_CONTRADICTION: "they contradict each other",
    pb.PAIR_VERDICT_SUSPECTED: "they may contradict each other",
    pb.PAIR_VERDICT_SAME: "they say the same",
}
REASONS: Final = {
    pb.PAIR_REASON_GENERATED: "what only an assistant says is no evidence",
    pb.PAIR_REASON_ENTRIES: "they are entries of one form under other headings or dates, and not compared",
    pb.PAIR_REASON_NOT_NEAREST: "other sentences share more rare words, so these are not compared",
    pb.PAIR_REASON_OTHER_MATTER: "the headings or labels above them name other things",
    pb.PAIR_REASON_QUANTITY: "each has an amount, time or date that the other has not",
    pb.PAIR_REASON_TOO_LONG: "a sentence is too long to be compared whole",
    pb.PAIR_REASON_NOTHING_SAID: "one of them has no sentence that tells anything",
    pb.PAIR_REASON_NOTHING_COMPARES: "nothing compares them (judging.model)",
    pb.PAIR_REASON_PARTLY: "neither holds all that the other says",
    pb.PAIR_REASON_BELOW_LINE: "no likelihood reaches a line",
    pb.PAIR_REASON_ESSENTIALS: "amounts, names, dates or denials differ",
    pb.PAIR_REASON_WORDS_LOST: "each has words that the other has not",
}
NOT_COMPARED: Final = {
    pb.PAIR_NOT_COMPARED_RANK: "others are more like the newer one, and only so many are compared",
    pb.PAIR_NOT_COMPARED_UNJUDGED: "the newer one came without being judged",
    pb.PAIR_NOT_COMPARED_SETTLED: "a verdict has settled it",
    pb.PAIR_NOT_COMPARED_SPEAKER: "two persons say it",
    pb.PAIR_NOT_COMPARED_GONE: "one of them gave way, or was merged",
}


def told_between(errand: CommandContext, first: str, second: str, **of: Any) -> None:
    """Answers with what is found between two memories."""
    told = errand.client.explain_pair(first=first, second=second, **of)
    title = Text(f"{first}, {second}  ", drawing.STRONG)
    title.append(VERDICTS.get(told.verdict, "?"))
    if told.reason in REASONS:
        title.append(f": {REASONS[told.reason]}")
    lines = [*_sentences(told), *_between(told)]
    errand.answer(told, Group(title, *(Padding(drawing.words(line), INDENT) for line in lines)))


def _sentences(told: pb.ExplainPairResponse) -> Iterator[str]:
    for pair in told.sentences[:SHOWN]:
        yield f"“{pair.first}” – “{pair.second}”"
        if (pair.first, pair.second) != (pair.first_compared, pair.second_compared):
            yield f"  compared as “{pair.first_compared}” – “{pair.second_compared}”"
        if pair.first_context or pair.second_context:
            yield f"  under {' › '.join(pair.first_context) or '–'} | {' › '.join(pair.second_context) or '–'}"
        if pair.HasField("contradiction"):
            yield f"  contradiction {pair.contradiction:.2f}, the same {pair.sameness:.2f}"
        names = [pb.SentenceBar.Name(bar).removeprefix("SENTENCE_BAR_").lower() for bar in pair.bars]
        if names:
            yield f"  kept apart: {', '.join(names).replace('_', ' ')}"
    if told.sentences and told.model != "none":
        contrary = f"sure from {told.sure_line:g}, suspected from {told.suspected_line:g}"
        yield f"{told.model}: {contrary}, the same from {told.same_line:g}"


def _between(told: pb.ExplainPairResponse) -> Iterator[str]:
    if told.not_compared:
        yield f"not compared if the newer came now: {NOT_COMPARED.get(told.not_compared, '?')}"
    if told.rank:
        yield f"rank {told.rank} among those most like the newer one; {told.compared_with} are compared"
    if told.contested:
        yield "contested with each other"
    for conflict in told.conflicts:
        status = types.ConflictStatus.Name(conflict.status).removeprefix("CONFLICT_STATUS_").lower()
        yield f"conflict {conflict.conflict_id} ({status}): {conflict.reasoning}"
    if told.superseded_id:
        reason = long_term.SupersededReason.Name(told.superseded_reason).removeprefix("SUPERSEDED_REASON_")
        yield f"{told.superseded_id} gave way to the other ({reason})"
    if told.merged_into:
        yield f"both became {told.merged_into}: {told.merge_description}"
