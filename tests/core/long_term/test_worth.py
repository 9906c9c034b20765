"""What records are worth, after whatever was thought of them, and as time passes."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.ids import Collection, RecordId, Tenant, User
from core.keys import CollectionKey
from core.long_term.settings import LongTermSettings
from core.long_term.worth import decay, half_life, opinion, weight, with_feedback, with_outcome
from core.model.collection import CollectionRecord
from core.model.record import Record, RecordKind

NOW = datetime(2024, 5, 1, tzinfo=UTC)
SETTINGS = LongTermSettings()
KEY = CollectionKey(tenant=Tenant("t"), user=User("ada"), collection=Collection(""))
COLLECTION = CollectionRecord(
    key=KEY, uid="u", user="ada", collection="", salt="s", create_time=NOW, update_time=NOW
)


def record(**fields: object) -> Record:
    given = {
        "kind": RecordKind.MEMORY,
        "category": "work",
        "content": "Try the cache first.",
        "confidence": 0.8,
    }
    times = dict.fromkeys(("event_time", "create_time", "update_time", "valid_from"), NOW)
    return Record(record_id=RecordId("r"), **{**times, **given, **fields})  # type: ignore[arg-type]


def test_confidence_and_reward_stay_in_range_whatever_is_thought_in_whatever_order() -> None:
    chance = random.Random(7)
    for _ in range(200):
        judged = record(confidence=chance.random(), reward=chance.uniform(-1, 1))
        for _ in range(50):
            if chance.random() < 0.5:
                judged = with_feedback(judged, chance.uniform(-1, 1), SETTINGS)
            else:
                judged = with_outcome(judged, chance.random() < 0.5, SETTINGS)
            assert 0.0 <= judged.confidence <= 1.0
            assert -1.0 <= judged.reward <= 1.0
            assert 0.0 <= weight(judged) <= 1.0


def test_a_better_opinion_never_leaves_less_worth() -> None:
    chance = random.Random(11)
    for _ in range(500):
        before = record(confidence=chance.random(), reward=chance.uniform(-1, 1))
        worse, better = sorted((chance.uniform(-1, 1), chance.uniform(-1, 1)))
        low, high = with_feedback(before, worse, SETTINGS), with_feedback(before, better, SETTINGS)
        assert low.confidence <= high.confidence
        assert low.reward <= high.reward


def test_a_bad_opinion_asks_for_revision_and_a_good_one_does_not_take_that_back() -> None:
    disliked = with_feedback(record(), opinion(stars=1), SETTINGS)
    liked = with_feedback(disliked, opinion(liked=True), SETTINGS)

    assert disliked.needs_revision
    assert liked.needs_revision
    assert liked.update_time == NOW


@pytest.mark.parametrize(("stars", "value"), [(1, -1.0), (2, -0.5), (3, 0.0), (4, 0.5), (5, 1.0)])
def test_stars_lie_between_the_thumbs(stars: int, value: float) -> None:
    assert opinion(stars=stars) == value


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        ({"kind": RecordKind.FACT, "category": "work"}, 0.0),
        ({"category": "work"}, 90.0),
        ({"category": "emotion"}, 30.0),
        ({"category": "preference"}, 0.0),
        ({"category": "strategy"}, 180.0),
        ({"category": "cooking"}, 180.0),
        ({"kind": RecordKind.EPISODE, "category": "work"}, 180.0),
    ],
)
def test_half_lives_follow_kind_and_category(fields: dict[str, object], days: float) -> None:
    assert half_life(record(**fields), COLLECTION, SETTINGS) == days


def test_a_collection_s_own_half_life_holds_for_its_facts_too() -> None:
    own = replace(COLLECTION, half_life_days={"work": 10.0})

    days = half_life(record(kind=RecordKind.FACT), own, SETTINGS)

    assert decay(record(), NOW + timedelta(days=10), days) == pytest.approx(0.5)
    assert decay(record(), NOW + timedelta(days=30), days) == pytest.approx(0.125)
    assert decay(record(), NOW - timedelta(days=1), days) == 1.0
    assert decay(record(), NOW + timedelta(days=9_999), 0.0) == 1.0
