"""The codec: what is written reads back equal, and what is unknown is treated as the law says."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.aggregate.change import Head
from core.aggregate.codec import (
    StepCodec,
    decode,
    encode,
    instant,
    micros,
    vector_bytes,
    vector_of,
)
from core.bank.state import BankState
from core.bank.steps import (
    STEPS,
    AttachmentPut,
    BankPut,
    ClusterPut,
    ConflictPut,
    CopiesPut,
    EdgeDrop,
    EdgePut,
    InsightPut,
    InteractionAdd,
    MergeAdd,
    NodeDrop,
    NodePut,
    PairForget,
    PairSettle,
    RecordsDrop,
    RetractionPut,
    SegmentRefute,
    Step,
    StructuringPut,
)
from core.errors import StepUnknown
from core.ids import AttachmentId, ChangeId, ConflictId, InteractionId, NodeId, SegmentRef, TaskId
from core.model.bank import BankRecord, RetrievalSettings
from core.model.insight import CompletedTask, Insight, PendingTask
from core.model.interaction import Interaction, Span, TaskReport, TaskStatus
from core.model.interaction_retraction import InteractionRetraction
from core.model.lineage import MergeReason, MergeRecord
from core.model.node import Node, NodeState
from core.model.request import RequestRecord
from core.model.retraction import RetractionState
from core.model.structuring import MergeMade, Outcome, StructuringState
from tests.support import changes as a

N1, N2, C1 = NodeId("n1"), NodeId("n2"), ConflictId("c1")

INSIGHT = Insight(
    goal="目标",
    completed=(
        CompletedTask(
            task_id=TaskId("t1"), type="SEARCH", description="查", status=TaskStatus.FAILED, retry_of="t0"
        ),
    ),
    pending=(PendingTask(task_id=TaskId("t2"), type="自由", description="do", conflict_id="c1"),),
)

EVERY_STEP: tuple[Step, ...] = (
    BankPut(
        record=a.record(
            labels={"队": "甲"},
            settings=RetrievalSettings(top_k=3, alpha=0.1),
            ttl=timedelta(seconds=1, microseconds=7),
            finish_time=a.at(5),
        )
    ),
    InsightPut(insight=INSIGHT),
    InteractionAdd(
        interaction=a.interaction(
            "i1",
            "第一段。\n",
            'second "part"',
            task=TaskReport(type="SEARCH"),
            attachments=(a.attachment("x", "s3://x"),),
        )
    ),
    AttachmentPut(attachment=a.attachment("y", "blob:y", stored=True)),
    StructuringPut(structuring=a.structuring("i1", StructuringState.FAILED)),
    ClusterPut(
        cluster=a.cluster(
            "i1",
            0,
            outcome=Outcome(
                node_id=N1, merges=(MergeMade(into_node_id=N1, absorbed_node_ids=(N2,)),), related=((N1, N2),)
            ),
        )
    ),
    NodePut(node=a.node("n1", state=NodeState.CONTESTED, segments=(a.ref("i1", 1),), revision=4)),
    CopiesPut(copies=a.copies("n1", a.ref("i1", 1), count=7)),
    NodeDrop(node_id=N1),
    EdgePut(node_id=N1, other_node_id=N2),
    EdgeDrop(node_id=N1, other_node_id=N2),
    MergeAdd(
        record=MergeRecord(
            into=N1,
            absorbed=(a.node("n2"),),
            reason=MergeReason.CONFLICT,
            description="",
            time=a.at(1),
            conflict_id=C1,
        )
    ),
    ConflictPut(conflict=a.conflict("c1", "n1", "n2")),
    PairSettle(node_id=N1, other_node_id=N2),
    PairForget(node_id=N1),
    SegmentRefute(ref=a.ref("i1", 0), conflict_id=C1),
    RecordsDrop(
        interaction_ids=(InteractionId("i1"),),
        merged=(N1,),
        conflict_ids=(C1,),
        attachment_ids=(AttachmentId("x"),),
    ),
    RetractionPut(
        retraction=InteractionRetraction(
            retraction_id="r1",
            state=RetractionState.QUARANTINED,
            create_time=a.at(3),
            interaction_ids=(InteractionId("i1"),),
            nodes=1,
            conflicts=0,
            source="邮件",
            held='[{"step": "…"}]',
        )
    ),
)


def test_every_step_but_a_vectors_reads_back_equal() -> None:
    assert {type(step).__name__ for step in EVERY_STEP} == {step.__name__ for step in Step.__subclasses__()}

    back = STEPS.steps(STEPS.text(EVERY_STEP))

    assert [step for step in back if not isinstance(step, NodePut)] == [
        step for step in EVERY_STEP if not isinstance(step, NodePut)
    ]
    assert [step.node for step in back if isinstance(step, NodePut)] == [
        step.node for step in EVERY_STEP if isinstance(step, NodePut)
    ]


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_a_vector_reads_back_bit_for_bit(values: list[float]) -> None:
    vector = np.array(values, dtype=np.float32)

    (back,) = STEPS.steps(STEPS.text([NodePut(node=a.node("n1"), vector=vector)]))

    assert isinstance(back, NodePut)
    assert back.vector is not None
    assert back.vector.dtype == np.float32
    assert back.vector.tobytes() == vector.tobytes()


@given(st.text(), st.dictionaries(st.text(), st.text()), st.lists(st.text()))
def test_any_text_reads_back_as_it_was(text: str, labels: dict[str, str], keywords: list[str]) -> None:
    node = a.node("n1", summary=text, labels=labels, keywords=tuple(keywords))

    assert decode(Node, encode(node)) == node


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_reads_back_to_the_microsecond(time: datetime) -> None:
    assert instant(micros(time)) == time


def test_a_time_of_another_zone_reads_back_as_the_same_moment_in_utc() -> None:
    beijing = datetime(2024, 5, 1, 8, tzinfo=timezone(timedelta(hours=8)))

    back = instant(micros(beijing))

    assert back == beijing
    assert back.tzinfo is UTC


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(TypeError):
        encode(a.node("n1", event_time=datetime(2024, 5, 1)))  # noqa: DTZ001 - the fault under test


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_exactly(number: float) -> None:
    conflict = a.conflict("c1", "n1", "n2", confidence=number)

    (back,) = STEPS.steps(STEPS.text([ConflictPut(conflict=conflict)]))

    assert back == ConflictPut(conflict=conflict)


def test_a_number_that_json_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        encode(a.conflict("c1", "n1", "n2", confidence=float("nan")))


def test_bytes_read_back() -> None:
    answered = a.request("r1", answer=bytes(range(256)), revision=7)

    assert decode(RequestRecord, encode(answered)) == answered


def test_a_whole_state_reads_back_with_its_segment_vectors() -> None:
    state = BankState(
        head=Head(uid="u", revision=3, change_id=ChangeId("c")),
        record=a.record(),
        insight=INSIGHT,
        nodes=(a.node_put("n1"),),
        edges=((N1, N2),),
        interactions=(a.interaction("i1", "文"),),
        refuted=(SegmentRefute(ref=a.ref("i1", 0), conflict_id=C1, end=1),),
        segment_vectors={a.ref("i1", 0): a.vector(9)},
    )

    back = decode(BankState, encode(state))

    assert a.same(back, state)
    assert back.refuted == state.refuted
    assert isinstance(back.refuted[0].ref, SegmentRef)
    assert a.bits(back.segment_vectors) == {a.ref("i1", 0): a.vector(9).tobytes()}


@given(st.text(), st.dictionaries(st.text(), st.text()), st.lists(st.text()))
def test_what_is_written_is_what_the_json_module_writes(
    text: str, labels: dict[str, str], keywords: list[str]
) -> None:
    node = a.node("n1", summary=text, labels=labels, keywords=tuple(keywords), segments=(a.ref("i1", 0),))

    written = encode(node).decode()

    assert written == json.dumps(json.loads(written), ensure_ascii=False, separators=(",", ":"))


def test_chinese_is_written_as_itself() -> None:
    assert "摘要" in encode(a.node("n1", summary="摘要")).decode()


def test_a_field_it_does_not_know_is_ignored() -> None:
    plain = json.loads(encode(a.node("n1")))
    plain["colour"] = "red"

    assert decode(Node, json.dumps(plain)) == a.node("n1")


def test_a_missing_field_takes_its_default() -> None:
    plain = json.loads(encode(a.node("n1", revision=9, labels={"a": "b"})))
    del plain["revision"], plain["labels"]

    assert decode(Node, json.dumps(plain)) == a.node("n1")


def test_a_missing_field_without_default_is_an_error() -> None:
    plain = json.loads(encode(a.node("n1")))
    del plain["summary"]

    with pytest.raises(TypeError, match="summary"):
        decode(Node, json.dumps(plain))


def test_a_step_of_a_newer_program_is_refused_by_name() -> None:
    with pytest.raises(StepUnknown) as refused:
        STEPS.steps('[{"NodeDrop":{"node_id":"n1"}},{"NodePaint":{"colour":"red"}}]')

    assert refused.value.step == "NodePaint"


class Marking:
    """The steps of a kind that has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkAdd(Marking):
    STORED_NAME: ClassVar[str] = "Mark"

    colour: str


def test_a_step_stands_in_the_feed_under_its_stored_name_whatever_its_class_is_called() -> None:
    steps = StepCodec[Marking](Marking)

    written = steps.text([MarkAdd(colour="红")])

    assert written == '[{"Mark":{"colour":"红"}}]'
    assert steps.steps(written) == (MarkAdd(colour="红"),)


def test_copies_are_stored_under_a_name_of_their_own() -> None:
    (stored,) = json.loads(STEPS.text([CopiesPut(copies=a.copies("n1", a.ref("i1", 1)))]))

    assert list(stored) == ["CopiesPut"]
    assert stored["CopiesPut"]["copies"]["refs"] == [["i1", 1]]


def test_an_outcome_from_before_has_joined_none_and_left_out_none() -> None:
    before = (
        '[{"ClusterPut":{"cluster":{"interaction_id":"i1","number":0,"segments":[0],"context":"c","keywords":[],'
        '"outcome":{"node_id":"n1","merges":[],"related":[],"conflict_id":null}}}}]'
    )

    (step,) = STEPS.steps(before)

    assert isinstance(step, ClusterPut)
    assert step.cluster.outcome == Outcome(node_id=N1, joined=False, uncompared_pairs=0)


def test_what_is_no_step_is_not_written() -> None:
    with pytest.raises(StepUnknown):
        STEPS.text([a.node("n1")])  # type: ignore[list-item]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A use case's result: nested values, fixed pairs, options."""

    node: Node | None
    pairs: tuple[tuple[str, int], ...] = ()
    best: tuple[str, float] | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    record: BankRecord | None = None
    span: Span | Interaction | None = None


def test_any_frozen_value_can_be_kept_as_an_answer() -> None:
    answer = Answer(
        node=a.node("n1"),
        pairs=(("a", 1), ("b", 2)),
        best=("a", 0.5),
        counts={"x": 1},
        span=Span(start=0, end=2),
    )

    assert decode(Answer, encode(answer)) == answer
    assert decode(Answer, encode(Answer(node=None))) == Answer(node=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Formless:
    thing: object


def test_a_type_without_a_form_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="no JSON form"):
        encode(Formless(thing=1))


def test_the_bytes_of_a_vector_are_little_endian_float32() -> None:
    assert vector_bytes(np.array([1.0], dtype=np.float32)) == b"\x00\x00\x80\x3f"
    assert vector_of(b"\x00\x00\x80\x3f").tolist() == [1.0]


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((1, 3), dtype=np.float32)])
def test_what_is_no_vector_is_refused(wrong: np.ndarray) -> None:
    with pytest.raises(TypeError):
        vector_bytes(wrong)
