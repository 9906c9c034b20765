"""What every store keeps to of API keys: kept, shortened, revoked for ever, and told to all processes by a number."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.ids import Tenant, User
from core.model.access import ApiKey, Binding, Scope
from core.ports.credentials import Asking
from core.ports.store import Store

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KEY = ApiKey(
    key_id="0a",
    tenant=Tenant("acme"),
    subject="王明's bot",
    digest="d" * 64,
    scopes=(Scope.READ, Scope.WRITE),
    binding=Binding(user=User("王明"), banks=("b1",), collections=(), owners=("agent/planner",)),
    creator="ops",
    create_time=START,
    expire_time=START + 90 * DAY,
)


async def test_nothing_is_asked_before_the_first_key_and_from_then_on_it_is(store: Store) -> None:
    kept = store.credentials
    assert await kept.asking() == Asking(is_on=False, version=0)

    await kept.add(KEY)

    assert await kept.asking() == Asking(is_on=True, version=1)
    assert await kept.find("0a") == KEY
    assert await kept.find("0b") is None


async def test_asking_outlasts_every_key_and_stops_by_order_alone(store: Store) -> None:
    kept = store.credentials
    await kept.add(KEY)
    await kept.revoke("0a", START)
    assert (await kept.asking()).is_on

    await kept.stop_asking()

    assert not (await kept.asking()).is_on
    assert await kept.find("0a") == replace(KEY, revoke_time=START)


async def test_a_key_is_revoked_once_and_for_ever(store: Store) -> None:
    kept = store.credentials
    await kept.add(KEY)

    assert await kept.revoke("0a", START + HOUR)
    assert await kept.revoke("0a", START + DAY)
    assert not await kept.revoke("0b", START)

    revoked = await kept.find("0a")
    assert revoked == replace(KEY, revoke_time=START + HOUR)
    assert revoked is not None
    assert not revoked.is_valid(START + 2 * HOUR)


async def test_a_key_s_time_only_shortens(store: Store) -> None:
    kept = store.credentials
    await kept.add(KEY)

    assert await kept.shorten("0a", START + DAY)
    assert await kept.shorten("0a", START + 900 * DAY)
    assert not await kept.shorten("0b", START)

    assert await kept.find("0a") == replace(KEY, expire_time=START + DAY)


async def test_every_change_is_told_by_a_greater_number(store: Store) -> None:
    kept = store.credentials
    versions = [(await kept.asking()).version]
    for change in (
        kept.add(KEY),
        kept.shorten("0a", START + DAY),
        kept.revoke("0a", START),
        kept.stop_asking(),
        kept.add(replace(KEY, key_id="0b")),
    ):
        await change
        versions.append((await kept.asking()).version)

    assert versions == sorted(set(versions))


async def test_keys_are_listed_oldest_first_with_the_day_of_their_last_use(store: Store) -> None:
    kept = store.credentials
    younger = replace(KEY, key_id="00", create_time=START + HOUR, tenant=Tenant("other"))
    for key in (younger, KEY):
        await kept.add(key)

    await kept.touch(["0a", "gone"], START + DAY)
    await kept.touch(["0a"], START)

    assert list(await kept.listed()) == [replace(KEY, last_used=START + DAY), younger]


@pytest.mark.parametrize("within", [Binding(), Binding(banks=())])
async def test_a_key_s_binding_comes_back_as_it_was(store: Store, within: Binding) -> None:
    await store.credentials.add(replace(KEY, binding=within))

    found = await store.credentials.find("0a")

    assert found is not None
    assert found.binding == within
