"""Random operations on a collection, against plain dicts; now and then, and at the end, loaded anew."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import count

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from core.agents.roles import ConflictOpinion, MergeOpinion, OpinionSource, Topic
from core.aggregate.aggregate import Tuning
from core.ids import RecordId
from core.long_term.collection import Collection
from core.long_term.kind import COLLECTION
from core.long_term.settings import LongTermSettings
from core.long_term.worth import opinion
from core.model.record import Origin, RecordKind, RecordState
from core.ports.store import Store
from core.usecases.house import House
from core.usecases.long_term.judging.judge_facts import judge_facts
from core.usecases.long_term.sweep import sweep
from core.usecases.long_term.verbs.delete_records import DeleteRecords, delete_records
from core.usecases.long_term.verbs.give_feedback import GiveFeedback, give_feedback
from core.usecases.long_term.verbs.report_outcome import ReportOutcome, report_outcome
from core.usecases.long_term.verbs.retrieve_memories import RetrieveMemories, retrieve_memories
from core.usecases.long_term.verbs.update_record import UpdateRecord, update_record
from service.holding.held import Holding
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import START, TickingClock, open_house, with_settings
from tests.support.long_term import ADA, tell
from tests.support.model_machine import ModelMachine, on_each_store
from tests.support.plain_collection import FIRST, Plain, PlainCollection
from tests.support.scripted_agents import ScriptedAgents

EXAMPLES, STEPS = 18, 60  # in soak over 10,000 operations
EMBEDDER = HashingEmbedder()
TUNING = Tuning(space=EMBEDDER.space.name, dimension=EMBEDDER.space.dimension)
MATTERS = ("ferry", "码头", "printer")
VALUES = ("red", "绿色", "blue")
ORIGINS = tuple(FIRST)
PLACE = st.integers(0, 1_000)


def opinions_on(new: Topic, candidates: Sequence[Topic]) -> list[ConflictOpinion | MergeOpinion]:
    """Of one matter with another value: a contradiction; with the same value in other words: the same."""
    matter, value = new.summary.split()[1], new.summary.split()[3]
    found: list[ConflictOpinion | MergeOpinion] = []
    for other in candidates:
        if other.summary.split()[1] != matter:
            continue
        if other.summary.split()[3] == value:
            found.append(
                MergeOpinion(
                    existing=other.node_id,
                    confidence=0.9,
                    reasoning="same",
                    strategy="one",
                    by=OpinionSource.MODEL,
                )
            )
        else:
            found.append(
                ConflictOpinion(existing=other.node_id, confidence=0.9, reasoning="differ", description="d")
            )
    return found


class AgainstPlainDicts(ModelMachine):
    """The collection under test and its model do the same."""

    def __init__(self) -> None:
        super().__init__()
        self.plain = PlainCollection()
        self.day, self.order = 0, count()
        self.note(0, 0)

    async def opened(self, store: Store) -> House:
        agents = ScriptedAgents()
        agents.judge.first.otherwise = opinions_on
        house = await self.closing.enter_async_context(
            open_house(
                store=store,
                embedder=EMBEDDER,
                agents=agents.roles,
                holding=Holding(tuning=TUNING),
                unasked=False,
            )
        )
        return with_settings(house, long_term=LongTermSettings(judged_against=1_000))

    def at_hand(self) -> Collection:
        async def read() -> Collection:
            async with self.house.collections.reading(ADA) as collection:
                return collection

        return self.run(read())

    def judged(self) -> None:
        """Have the facts judged that wait for it, in the order in which they wait."""
        for key in self.at_hand().unjudged:
            self.plain.judge(key)
        self.run(judge_facts(self.house, ADA))

    def one(self, place: int) -> RecordId | None:
        known = sorted(self.plain.records)
        return RecordId(known[place % len(known)]) if known else None

    def moment(self, day: int) -> datetime:
        """A moment of a day, earlier than any call of it."""
        return START + timedelta(days=day) - timedelta(hours=1)

    # ---- operations ----

    @rule(
        matter=st.integers(0, 2),
        value=st.integers(0, 2),
        indeed=st.booleans(),
        origin=st.integers(0, 3),
        age=st.integers(0, 5),
        ttl=st.sampled_from((None, None, None, 20)),
    )
    def state_a_fact(
        self, matter: int, value: int, indeed: bool, origin: int, age: int, ttl: int | None
    ) -> None:
        text = f"The {MATTERS[matter]} is {VALUES[value]}" + " indeed" * indeed
        came, event = ORIGINS[origin], self.day - age
        forgotten, known = self.plain.forgets(text, came, event), self.plain.known(text)
        added = self.run(
            tell(
                self.house,
                text,
                origin=Origin(came),
                confidence=FIRST[came],
                event_time=self.moment(event),
                ttl=None if ttl is None else timedelta(days=ttl),
            )
        )
        assert added.kept.forgotten is forgotten
        if not forgotten and known:
            assert added.kept.record_ids == (known,)
            self.plain.said_again(known, came, event)
        elif not forgotten:
            self._enter(added.kept.record_ids[0], text, came, event, ttl)
        self.judged()

    @rule(matter=st.integers(0, 2), value=st.integers(0, 2))
    def note(self, matter: int, value: int) -> None:
        text = f"Note {MATTERS[matter]} with {VALUES[value]}"
        added = self.run(
            tell(
                self.house,
                text,
                kind=RecordKind.MEMORY,
                category="strategy",
                origin=Origin.STORED,
                confidence=FIRST["distilled"],
                event_time=self.moment(self.day),
            )
        )
        self._enter(added.kept.record_ids[0], text, "stored", self.day, None)
        record = self.plain.records[added.kept.record_ids[0]]
        record.is_fact, record.confidence = False, FIRST["distilled"]

    def _enter(self, key: str, text: str, origin: str, event: int, ttl: int | None) -> None:
        self.plain.records[key] = Plain(
            text=text,
            origin=origin,
            event=event,
            since=event,
            order=next(self.order),
            made=self.day,
            updated=self.day,
            ttl=ttl,
            confidence=FIRST[origin],
        )

    @rule(place=PLACE, other=PLACE, stars=st.integers(1, 5))
    def rate(self, place: int, other: int, stars: int) -> None:
        chosen = tuple(dict.fromkeys(key for key in (self.one(place), self.one(other)) if key))
        if chosen:
            value = opinion(stars=stars)
            self.run(give_feedback(self.house, GiveFeedback(key=ADA, record_ids=chosen, value=value)))
            self.plain.rate(chosen, stars)

    @rule(place=PLACE, times=st.integers(1, 3), helped=st.booleans())
    def report(self, place: int, times: int, helped: bool) -> None:
        if key := self.one(place):
            for _ in range(times):
                command = ReportOutcome(key=ADA, record_ids=(key,), succeeded=helped)
                self.run(report_outcome(self.house, command))
                self.plain.report(key, helped=helped)

    @rule(place=PLACE, value=st.integers(0, 2))
    def reword(self, place: int, value: int) -> None:
        if key := self.one(place):
            words = self.plain.records[key].text.split()
            text = " ".join((*words[:3], VALUES[value]))
            self.run(update_record(self.house, UpdateRecord(key=ADA, record_id=key, given={"content": text})))
            self.plain.reword(key, text, self.day)
            self.judged()

    @rule(place=PLACE)
    def decide(self, place: int) -> None:
        contested = sorted(key for key, r in self.plain.records.items() if r.state == "contested")
        if contested:
            key = RecordId(contested[place % len(contested)])
            given = {"state": RecordState.ACTIVE}
            self.run(update_record(self.house, UpdateRecord(key=ADA, record_id=key, given=given)))
            self.plain.decide(key, stands=True)
            self.plain.records[key].updated = self.day
            self.judged()

    @rule(place=PLACE, other=PLACE)
    def delete(self, place: int, other: int) -> None:
        chosen = tuple(dict.fromkeys(key for key in (self.one(place), self.one(other)) if key))
        if chosen:
            self.run(delete_records(self.house, DeleteRecords(key=ADA, record_ids=chosen)))
            self.plain.delete(chosen, self.day)
            self.judged()

    @rule(place=PLACE, times=st.integers(1, 3))
    def use(self, place: int, times: int) -> None:
        if key := self.one(place):
            for _ in range(times):
                self.house.uses.count(ADA, [key], self.house.clock.now())
            self.run(self.house.uses.flush(self.house.collections))
            record = self.plain.records[key]
            record.uses, record.last_use = record.uses + times, self.day

    @rule(days=st.integers(1, 16))
    def let_time_pass(self, days: int) -> None:
        assert isinstance(self.house.clock, TickingClock)
        self.house.clock.skip(timedelta(days=days))
        self.day += days
        assert self.run(sweep(self.house, ADA)) == self.plain.sweep(self.day)

    # ---- what always holds ----

    @invariant()
    def every_record_stands_as_the_rules_say(self) -> None:
        collection = self.at_hand()
        assert set(collection.records) == set(self.plain.records)
        assert not collection.unjudged
        for key, expected in self.plain.records.items():
            record, uses = collection.records[RecordId(key)], collection.uses.get(RecordId(key))
            assert (record.content, record.origin.value) == (expected.text, expected.origin)
            assert (record.state.value, record.superseded_by) == (expected.state, expected.by)
            assert set(record.contested_with) == expected.against
            assert (record.valid_until is not None) is (expected.until is not None)
            assert record.event_time == self.moment(expected.event)
            assert record.confidence == pytest.approx(expected.confidence)
            assert record.reward == pytest.approx(expected.reward)
            assert record.needs_revision is expected.needs_revision
            assert (uses.count if uses else 0) == expected.uses

    @invariant()
    def what_was_deleted_left_a_tombstone_and_nothing_else(self) -> None:
        collection = self.at_hand()
        assert set(collection.tombstones) == set(self.plain.stones)
        opinions = sorted(sorted(one.record_ids) for one in collection.feedback.values())
        assert opinions == sorted(map(sorted, self.plain.opinions))
        assert set(collection.uses) <= set(collection.records)

    @rule()
    def what_is_found_stands_and_weighs_what_it_is_worth(self) -> None:
        command = RetrieveMemories(key=ADA, query="ferry 码头 printer red", top_k=1_000)
        found = self.run(retrieve_memories(self.house, command)).found
        self.house.uses._counts.clear()  # looking is no operation of the model
        assert {ranked.record.record_id for ranked, _ in found} <= {
            key for key, record in self.plain.records.items() if record.state != "superseded"
        }
        for ranked, _ in found:
            record = self.plain.records[ranked.record.record_id]
            faded = 1.0 if record.is_fact else 0.5 ** ((self.day - record.updated) / 180)
            assert ranked.weight == pytest.approx(record.confidence * (1 + record.reward) / 2)
            assert ranked.decay == pytest.approx(faded, abs=1e-4)
            assert ranked.score == pytest.approx(ranked.similarity * ranked.weight * ranked.decay)

    @rule()
    def load_anew(self) -> None:
        collection = self.at_hand()
        state = self.run(self.house.store.load(ADA, TUNING.space))
        assert state is not None
        loaded = COLLECTION.load(state, TUNING, None)
        assert loaded.state() == collection.state()
        assert set(loaded.standing) == set(collection.standing)
        elsewhere = loaded.preferences.keys() | loaded.strategies.keys()
        assert (
            loaded.plain_facts.keys() == collection.plain_facts.keys() == loaded.standing.keys() - elsewhere
        )
        assert set(loaded.wanting) == set(collection.wanting)

    def teardown(self) -> None:
        self.load_anew()
        self.close()


TestInMemory, TestOnSqlite = on_each_store(
    AgainstPlainDicts, steps=STEPS, memory_examples=EXAMPLES, sqlite_examples=EXAMPLES // 3
)
