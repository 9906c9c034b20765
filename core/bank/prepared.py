"""What a change of a bank is found to need before it is applied, beside the loop."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.bank.fields import new_fields
from core.bank.steps import InteractionAdd, Step
from core.ids import InteractionId, NodeId, SegmentRef
from core.index.keyword_index import KeywordIndex
from core.index.postings import PreparedDocuments
from core.model.interaction import Interaction
from core.text.data_runs import is_data
from core.verbatim.segment_order import SegmentMarks, marks_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedChange:
    """What `apply` would otherwise spend its time on: the words of new texts, found beforehand.

    `marks`: of the segments of new interactions. `data`: those of them that are no words.
    """

    nodes: PreparedDocuments[NodeId]
    segments: PreparedDocuments[SegmentRef]
    marks: Mapping[InteractionId, SegmentMarks]
    data: Sequence[SegmentRef]


def prepared_change(
    steps: Iterable[Step], node_words: KeywordIndex[NodeId], segment_words: KeywordIndex[SegmentRef]
) -> PreparedChange:
    """Finds the words of the steps' new texts. Pure."""
    steps = list(steps)
    nodes, segments = new_fields(steps)
    added = [step.interaction for step in steps if isinstance(step, InteractionAdd)]
    return PreparedChange(
        nodes=node_words.prepare(nodes),
        segments=segment_words.prepare(segments),
        marks={each.interaction_id: marks_of(each) for each in added},
        data=[ref for each in added for ref in _data_of(each)],
    )


def _data_of(interaction: Interaction) -> Iterator[SegmentRef]:
    """Yields the segments that are no words."""
    for index, span in enumerate(interaction.spans):
        if is_data(interaction.text[span.start : span.end]):
            yield SegmentRef(interaction.interaction_id, index)
