"""What a record keeps of metadata that stands apart."""

import json
from datetime import UTC, datetime

import pytest

from core.errors import InvalidField
from core.ids import RecordId
from core.long_term.metadata import INLINE, head_of, with_metadata_apart
from core.long_term.steps import ProposalPut, RecordMetadataDrop, RecordPut
from core.model.record import Record, RecordKind
from core.model.review import Proposal

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LARGE = json.dumps({"n": 1, "long": "字" * INLINE})


def record(metadata_json: str = "", metadata_bytes: int = 0) -> Record:
    return Record(
        record_id=RecordId("r"),
        kind=RecordKind.MEMORY,
        category="note",
        content="Plums 李子",
        confidence=1.0,
        event_time=NOW,
        create_time=NOW,
        update_time=NOW,
        valid_from=NOW,
        metadata_json=metadata_json,
        metadata_bytes=metadata_bytes,
    )


def test_a_head_has_scalars_and_objects_and_no_list_or_long_text() -> None:
    whole = {"a": None, "b": {"c": "城", "d": [1], "e": "x" * 1_025, "f": "x" * 1_024}, "g": 1.5, "h": True}

    head = json.loads(head_of(json.dumps(whole)))

    assert head == {"a": None, "b": {"c": "城", "f": "x" * 1_024}, "g": 1.5, "h": True}


def test_what_is_large_without_lists_and_long_texts_has_no_head() -> None:
    assert head_of(json.dumps({f"n{number}": number for number in range(10_000)})) == ""


@pytest.mark.parametrize(("bytes_before", "dropped"), [(70_000, 1), (0, 0)])
def test_what_stood_apart_goes_when_small_metadata_takes_its_place(bytes_before: int, dropped: int) -> None:
    before = {RecordId("r"): record("{}", bytes_before)}

    made = with_metadata_apart(before, [RecordPut(record=record('{"n": 1}'))])

    assert sum(isinstance(step, RecordMetadataDrop) for step in made) == dropped


def test_what_waits_for_a_review_has_none() -> None:
    with pytest.raises(InvalidField, match="metadata_json"):
        with_metadata_apart({}, [ProposalPut(proposal=Proposal(record=record(LARGE)))])
