"""What takes a fact out of answers: a caller, a model that quotes both, the user who takes it back. Nothing else."""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any

import pytest

from core.agents.offline.agents import offline_agents
from core.agents.roles import ConflictOpinion, Grade, MergeOpinion, OpinionSource
from core.ids import ConversationId, NodeId
from core.model.record import Origin, Record, RecordState, Rival, SupersededReason
from core.usecases.house import House
from core.usecases.long_term.judging.judge_facts import judge_facts
from core.usecases.long_term.verbs.update_record import UpdateRecord, update_record
from tests.support.embedders import local_comparer
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.long_term import ADA, OBSERVED, STATED, TOLD, facts, stored, told
from tests.support.scripted_agents import ScriptedAgents

TALK = ConversationId("talk")
MYSQL = "The database of the project is MySQL."


async def older_after(
    opinion: type[ConflictOpinion] | type[MergeOpinion],
    older: str = "Ann lives in York.",
    newer: str = "Ann lives in Graz.",
    *,
    older_origin: Origin = STATED,
    newer_origin: Origin = STATED,
    newer_fields: Mapping[str, Any] = MappingProxyType({}),
    **more: Any,
) -> Record:
    """Returns the older of two facts, as an agent's opinion of the newer one leaves it."""
    roles = ScriptedAgents()
    async with open_house(agents=roles.roles) as house:
        first = await told(house, older, origin=older_origin)
        told_of = {"reasoning": "", **more}
        if opinion is ConflictOpinion:
            told_of |= {"description": "other towns"}
        else:
            told_of |= {"strategy": ""}
        roles.judge.first.then([opinion(existing=NodeId(first), confidence=0.99, **told_of)])
        await told(house, newer, origin=newer_origin, event_time=TOLD + timedelta(days=1), **newer_fields)
        return await stored(house, first)


async def test_a_rule_s_opinion_contests_and_supersedes_nothing() -> None:
    record = await older_after(ConflictOpinion)

    assert (record.state, record.superseded_reason) == (RecordState.CONTESTED, None)


async def test_a_model_that_quotes_both_supersedes_the_older() -> None:
    record = await older_after(ConflictOpinion, by=OpinionSource.MODEL, verbatim=True)

    assert (record.state, record.superseded_reason) == (RecordState.SUPERSEDED, SupersededReason.MODEL)


@pytest.mark.parametrize(
    ("older", "newer", "speaker"),
    [("I live in York.", "I live in Graz.", "Ann"), ("我住在上海。", "我住在苏州。", "小红")],
)
async def test_a_model_supersedes_no_fact_of_another_person(older: str, newer: str, speaker: str) -> None:
    record = await older_after(
        ConflictOpinion,
        older,
        newer,
        by=OpinionSource.MODEL,
        verbatim=True,
        newer_fields={"speaker": speaker},
    )

    assert record.state is RecordState.CONTESTED


async def test_a_model_supersedes_no_fact_that_refers_to_something_else() -> None:
    record = await older_after(
        ConflictOpinion,
        "She lives in York.",
        "She lives in Graz.",
        by=OpinionSource.MODEL,
        verbatim=True,
        newer_fields={"context": "My aunt called."},
    )

    assert record.state is RecordState.ACTIVE


async def test_a_model_that_does_not_quote_both_contests() -> None:
    record = await older_after(ConflictOpinion, by=OpinionSource.MODEL, verbatim=False)

    assert record.state is RecordState.CONTESTED


async def test_a_model_supersedes_nothing_of_a_stronger_origin() -> None:
    record = await older_after(ConflictOpinion, by=OpinionSource.MODEL, verbatim=True, newer_origin=OBSERVED)

    assert record.state is RecordState.CONTESTED


@pytest.mark.parametrize(
    ("older", "newer", "asked"),
    [
        ("Ann lives in York.", "Ann has a room in Graz.", "Ann lives in York."),
        ("小明住在上海。", "小明在北京有一间房。", "小明住在上海。"),
    ],
)
async def test_what_is_only_likely_contests_nothing_but_the_newer_is_told_first(
    older: str, newer: str, asked: str
) -> None:
    roles = ScriptedAgents()
    async with open_house(agents=roles.roles) as house:
        first = await told(house, older)
        likely = ConflictOpinion(
            existing=NodeId(first), confidence=0.7, reasoning="", description="", grade=Grade.LIKELY
        )
        before = await facts(house, asked)
        roles.judge.first.then([likely])
        second = await told(house, newer, event_time=TOLD + timedelta(days=1))
        records = [await stored(house, each) for each in (first, second)]

        assert before == [older]
        assert [record.state for record in records] == [RecordState.ACTIVE, RecordState.ACTIVE]
        assert [record.rivals for record in records] == [(), (Rival(first, 0.7),)]
        assert await facts(house, asked) == [newer, older]

        await update_record(
            house, UpdateRecord(key=ADA, record_id=second, given={"content": f"{newer} It is let."})
        )
        await judge_facts(house, ADA)
        assert (await stored(house, second)).rivals == ()


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The rent is 900 euros.", "The rent is 1,100 euros."),
        ("Ann lives in York.", "Bob lives in York."),
        ("小明住在上海。", "小红住在上海。"),
        ("We deploy on Fridays.", "We never deploy on Fridays."),
        ("我喜欢喝茶。", "我不喜欢喝茶。"),
    ],
)
async def test_what_is_called_the_same_stays_where_amounts_names_or_denials_differ(
    older: str, newer: str
) -> None:
    assert (await older_after(MergeOpinion, older, newer)).state is RecordState.ACTIVE


@pytest.mark.parametrize("by", OpinionSource)
async def test_a_merge_that_would_lose_words_takes_a_model(by: OpinionSource) -> None:
    record = await older_after(
        MergeOpinion, "We went to a museum.", "We looked at paintings all day long.", by=by
    )

    assert (record.state is RecordState.SUPERSEDED) is (by is OpinionSource.MODEL)


async def test_what_says_the_same_is_merged_and_says_so() -> None:
    record = await older_after(
        MergeOpinion, "Ann lives in York.", "It is in York that Ann lives, with her cat."
    )

    assert (record.state, record.superseded_reason) == (RecordState.SUPERSEDED, SupersededReason.SAME)


async def test_a_fact_that_was_superseded_before_reasons_were_says_so_and_comes_back_contested() -> None:
    async with open_house() as house:
        new = await told(house, "Ann lives in Graz.")
        old = await told(
            house, "Ann lives in York.", state=RecordState.SUPERSEDED, superseded_by=new, valid_until=TOLD
        )
        assert (await stored(house, old)).superseded_reason is SupersededReason.EARLIER

        await update_record(
            house, UpdateRecord(key=ADA, record_id=old, given={"state": RecordState.CONTESTED})
        )

        back = await stored(house, old)
        assert (back.state, back.contested_with, back.valid_until) == (RecordState.CONTESTED, (new,), None)
        assert len(await facts(house, "Where does Ann live?")) == 2


async def corrected(house: House, said: str, correction: str, *, turns_later: int = 1) -> Record:
    """Returns what the user said first, as it stands after the correction."""
    first = await told(house, f"User: {said}", origin=STATED, conversation_id=TALK, steps=(1,))
    await told(
        house,
        f"User: {correction}",
        origin=STATED,
        conversation_id=TALK,
        steps=(1 + turns_later,),
        event_time=TOLD + timedelta(days=1),
    )
    return await stored(house, first)


@pytest.mark.parametrize(
    ("said", "correction", "turns_later"),
    [
        (MYSQL, "Correction: the database of the project is Redis, not MySQL.", 9),
        (MYSQL, "Correction: the database of the project is Redis.", 3),
        ("项目的数据库是MySQL。", "说错了，项目的数据库是Redis。", 1),
        ("I work at Bosch.", "Small correction: I work at Siemens, not at Bosch.", 9),
        ("I was born in Leeds.", "Sorry, wrong city: I was born in York.", 1),
        ("我出生在杭州。", "抱歉，城市写错了，我出生在苏州。", 1),
    ],
)
async def test_what_the_user_takes_back_is_superseded(said: str, correction: str, turns_later: int) -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        record = await corrected(house, said, correction, turns_later=turns_later)

    assert (record.state, record.superseded_reason) == (RecordState.SUPERSEDED, SupersededReason.CORRECTION)


@pytest.mark.parametrize(
    ("said", "correction", "turns_later", "state"),
    [
        (
            "The oven technician comes on Thursday at 9.",
            "No, not Thursday, make that Friday.",
            1,
            "contested",
        ),
        ("修烤箱的师傅周四九点来。", "不对，不是周四，改成周五了。", 1, "contested"),
        ("The oven technician comes on Thursday at 9.", "No, not Thursday, make that Friday.", 9, "active"),
        ("The oven technician comes on Thursday at 9.", "I do not work on Thursday.", 1, "active"),
    ],
)
async def test_a_denial_of_what_was_just_said_is_told_beside_it_though_it_says_little(
    said: str, correction: str, turns_later: int, state: str
) -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        record = await corrected(house, said, correction, turns_later=turns_later)

    assert record.state == RecordState(state)


async def test_a_change_that_takes_nothing_back_only_contests() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        record = await corrected(house, MYSQL, "The database of the project is Redis.")

    assert record.state is RecordState.CONTESTED


async def test_an_opening_reaches_back_only_a_few_turns() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        record = await corrected(
            house, MYSQL, "Correction: the database of the project is Redis.", turns_later=9
        )

    assert record.state is not RecordState.SUPERSEDED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User: I moved to Graz. (2025-11-14)", "User: I moved to Graz. (2025-11-07)"),
        ("Jon: I live in York.", "Gina: I live in Graz."),
        ("用户：我搬到了格拉茨。（2025-11-14）", "用户：我搬到了格拉茨。（2025-11-07）"),
    ],
)
async def test_speakers_and_dates_that_the_service_put_to_a_fact_are_not_judged(one: str, other: str) -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        first = await told(house, one, origin=STATED, conversation_id=TALK, steps=(1,))
        second = await told(house, other, origin=STATED, conversation_id=TALK, steps=(2,))
        states = {(await stored(house, record_id)).state for record_id in (first, second)}

    assert RecordState.CONTESTED not in states
