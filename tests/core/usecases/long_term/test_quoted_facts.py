"""Facts that quote somebody: the sentence, its speaker and its dates apart, and as an earlier version stored them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.agents.offline.agents import offline_agents
from core.ids import ConversationId, RecordId
from core.long_term.forgetting import is_forgotten, tombstone
from core.long_term.texts import embedded, fields, identity, quotation, statement, told
from core.model.collection import Tombstone
from core.model.record import Origin, Record
from core.usecases.house import House
from core.usecases.long_term.exchange.files import Contents, files_of
from core.usecases.long_term.exchange.parsing import contents_of
from core.usecases.long_term.verbs.add_record import AddRecord, add_record
from core.usecases.long_term.verbs.delete_records import DeleteRecords, delete_records
from core.usecases.long_term.verbs.update_record import reworded
from tests.support.embedders import local_comparer, local_embedder
from tests.support.house import START, open_house
from tests.support.long_term import ADA, new
from tests.support.long_term import told as told_fact

LEARNED: dict[str, Any] = {"origin": Origin.STATED, "conversation_id": ConversationId("talk"), "steps": (1,)}
PAIRS = [
    ("My dentist is Okafor.", "User", (), "User: My dentist is Okafor."),
    (
        "I moved last week.",
        "Ada",
        ("2026-02-23 – 2026-03-01",),
        "Ada: I moved last week. (2026-02-23 – 2026-03-01)",
    ),
    (
        "我上周搬家了。",
        "用户",
        ("2026-02-23 – 2026-03-01",),
        "用户：我上周搬家了。（2026-02-23 – 2026-03-01）",
    ),
    ("我对核桃过敏。", "用户", (), "用户：我对核桃过敏。"),
]


@pytest.mark.parametrize(("content", "speaker", "dates", "whole"), PAIRS)
def test_both_forms_of_a_fact_say_the_same(
    content: str, speaker: str, dates: tuple[str, ...], whole: str
) -> None:
    apart, joined = new(content, speaker=speaker, said_dates=dates, **LEARNED), new(whole, **LEARNED)

    assert told(apart) == told(joined) == whole
    assert statement(apart) == statement(joined) == content
    assert quotation(apart).speaker == quotation(joined).speaker
    assert identity(apart) == identity(joined)


def test_other_speakers_and_other_days_are_other_facts() -> None:
    said = new("I saw the dentist yesterday.", speaker="Ada", said_dates=("2026-03-01",), **LEARNED)

    others = [
        replace(said, speaker="Bob"),
        replace(said, said_dates=("2026-04-05",)),
        replace(said, content="I do."),
    ]

    assert identity(said) not in {identity(each) for each in others}
    assert identity(replace(said, speaker="User")) == identity(replace(said, speaker="用户"))


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize(("content", "speaker", "dates", "whole"), PAIRS)
async def test_a_deleted_fact_comes_back_in_neither_form(
    content: str, speaker: str, dates: tuple[str, ...], whole: str, old: bool
) -> None:
    apart, joined = new(content, speaker=speaker, said_dates=dates, **LEARNED), new(whole, **LEARNED)
    async with open_house() as house:
        first = await add_record(house, AddRecord(key=ADA, record=joined if old else apart))
        again = [await add_record(house, AddRecord(key=ADA, record=one)) for one in (apart, joined)]
        await delete_records(house, DeleteRecords(key=ADA, record_ids=first.kept.record_ids))
        back = [await add_record(house, AddRecord(key=ADA, record=one)) for one in (apart, joined)]
        later = replace(apart, event_time=house.clock.now())
        anew = await add_record(house, AddRecord(key=ADA, record=later))

    assert all(one.kept.known and one.kept.record_ids == first.kept.record_ids for one in again)
    assert all(one.kept.forgotten for one in back)
    assert not anew.kept.forgotten


def stone_of_then(record: Record, salt: str) -> Tombstone:
    """A tombstone as earlier versions left it: of the content with the speaker and the dates in it."""
    as_it_stood = replace(record, content=told(record), speaker="", said_dates=(), origin=Origin.STORED)
    return tombstone(as_it_stood, salt, START)


def test_of_two_hundred_deleted_by_an_earlier_version_none_comes_back_and_others_do() -> None:
    names = [
        f"{first}{last}"
        for first in ("Bel", "Cor", "Dan", "Fen", "Gal", "Hol", "Jun", "Kor", "Lim", "Mor")
        for last in ("ano", "dis", "eka", "fer", "gan", "hil", "ira", "jos", "kin", "lot")
    ]
    said = [
        new(f"My colleague {name} has a house in {name}stadt.", speaker="User", **LEARNED) for name in names
    ]
    said += [
        new(f"我同事住在{name}市。", speaker="用户", said_dates=("2026-02",), **LEARNED) for name in names
    ]
    stones = [stone_of_then(one, "salt") for one in said]
    others = [new(f"I have {n} pots of the plant {n}.", speaker="User", **LEARNED) for n in range(50)]

    def forgotten(record: Record, time: timedelta = timedelta()) -> bool:
        return is_forgotten((statement(record), told(record)), START + time, stones, "salt")

    assert all(stone.text_hash for stone in stones)
    assert len(stones) == 200
    assert all(forgotten(one) for one in said)
    assert not any(forgotten(one) for one in others)
    assert not any(forgotten(one, timedelta(seconds=1)) for one in said)


def test_speaker_and_dates_go_out_and_in_with_a_collection() -> None:
    record = new(
        "I moved last week.",
        speaker="Ada",
        said_dates=("2026-02-23 – 2026-03-01",),
        record_id=RecordId("r1"),
        **LEARNED,
    )
    contents = Contents(records=(record,), uses={}, reflections=())

    back = contents_of(dict(files_of(contents)), START)

    (one,) = back.records
    assert (one.content, one.speaker, one.said_dates) == (record.content, record.speaker, record.said_dates)


@pytest.mark.parametrize(
    ("before", "content", "speaker", "whole"),
    [
        ("My sister is here.", "She has a cold.", "User", "User: My sister is here. She has a cold."),
        ("我妹妹来了。", "她感冒了。", "用户", "用户：我妹妹来了。她感冒了。"),
    ],
)
async def test_a_fact_is_told_with_the_sentence_it_refers_to_until_it_is_reworded(
    before: str, content: str, speaker: str, whole: str
) -> None:
    record = new(content, speaker=speaker, context=before, **LEARNED)
    (back,) = contents_of(
        dict(
            files_of(Contents(records=(replace(record, record_id=RecordId("r")),), uses={}, reflections=()))
        ),
        START,
    ).records

    assert told(record) == embedded(record) == fields(record)["content"] == whole
    assert statement(record) == content
    assert identity(record) != identity(replace(record, context=""))
    assert back.context == before
    assert told(reworded(record, stated=True)) == content


@pytest.mark.parametrize(("contexts", "contested"), [(("", ""), 2), (("My aunt came.", "Mia came."), 0)])
async def test_she_may_be_another_person_whom_no_fact_is_contested_for(
    contexts: tuple[str, str], contested: int
) -> None:
    said = ("She is allergic to nuts.", "She is not allergic to nuts.")
    async with open_house(agents=offline_agents(local_embedder(), local_comparer())) as house:
        for content, context in zip(said, contexts, strict=True):
            await told_fact(house, content, context=context, speaker="User", **LEARNED)
        found = [one for one in await all_facts(house) if one.contested_with]

    assert len(found) == contested


async def all_facts(house: House) -> list[Record]:
    async with house.collections.reading(ADA) as collection:
        return list(collection.records.values())


def test_a_fact_is_searched_and_embedded_with_its_speaker_and_dates() -> None:
    record = new("I moved last week.", speaker="Ada", said_dates=("2026-03-01",), **LEARNED)

    assert fields(record)["content"] == embedded(record) == "Ada: I moved last week. (2026-03-01)"
