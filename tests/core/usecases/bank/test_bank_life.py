"""Banks: created, read, listed, changed, purged."""

from datetime import timedelta

import pytest

from core.errors import (
    BankExists,
    BankNotFound,
    EmbeddingSpaceMismatch,
    InvalidField,
    RequestIdReused,
    StaleRevision,
)
from core.ids import BankId, Tenant
from core.keys import BankKey
from core.model.bank import EmbeddingSpace, RetrievalSettings, SpaceSource
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.delete_bank import DeleteBank, delete_bank
from core.usecases.bank.verbs.get_bank import GetBank, get_bank
from core.usecases.bank.verbs.get_insight import GetInsight, get_insight
from core.usecases.bank.verbs.list_banks import ListBanks, list_banks
from core.usecases.bank.verbs.update_bank import UpdateBank, update_bank
from tests.support.house import CLIENT_SPACE, KEY, make_bank, open_house, request

ACME = Tenant("acme")


async def test_a_new_bank_is_as_asked_for_and_empty() -> None:
    async with open_house() as house:
        settings = RetrievalSettings(top_k=3, alpha=0.2)
        command = CreateBank(
            tenant=ACME, bank_id=BankId("b"), goal="找出首席执行官", user="u", settings=settings
        )

        made = await create_bank(house, command)

        seen = await get_bank(house, GetBank(key=made.result.key))
        assert (made.revision, made.replayed) == (1, False)
        assert seen.record == made.result
        assert (seen.record.goal, seen.record.settings, seen.record.space) == (
            "找出首席执行官",
            settings,
            house.embedder.space,
        )
        assert seen.counts.nodes == seen.counts.interactions == seen.counts.edges == 0


async def test_a_bank_is_created_once() -> None:
    async with open_house() as house:
        await make_bank(house)

        with pytest.raises(BankExists):
            await make_bank(house)


async def test_a_repeated_creation_finds_the_unnamed_bank_it_made() -> None:
    async with open_house() as house:
        first = await create_bank(house, CreateBank(tenant=ACME, request=request("r1")))

        again = await create_bank(house, CreateBank(tenant=ACME, request=request("r1")))

        assert again.replayed
        assert again.result == first.result
        with pytest.raises(RequestIdReused):
            await create_bank(house, CreateBank(tenant=ACME, request=request("r1", digest="other")))


async def test_a_space_the_embedder_does_not_make_is_refused() -> None:
    async with open_house() as house:
        space = EmbeddingSpace(name="other", dimension=3)

        with pytest.raises(EmbeddingSpaceMismatch):
            await create_bank(house, CreateBank(tenant=ACME, space=space))

        unnamed = EmbeddingSpace(name="", dimension=0, source=SpaceSource.SERVER)
        made = await create_bank(house, CreateBank(tenant=ACME, space=unnamed))
        assert made.result.space == house.embedder.space


async def test_banks_are_listed_by_id_page_after_page() -> None:
    async with open_house() as house:
        for name in ("c", "a", "b"):
            await make_bank(house, BankKey(tenant=ACME, bank_id=BankId(name)))
        await make_bank(house, BankKey(tenant=Tenant("other"), bank_id=BankId("d")))

        first = await list_banks(house, ListBanks(tenant=ACME, page_size=2))
        rest = await list_banks(house, ListBanks(tenant=ACME, page_size=2, page_token=first.next_page_token))

        assert [record.key.bank_id for record, _ in first.banks] == ["a", "b"]
        assert [(record.key.bank_id, revision) for record, revision in rest.banks] == [("c", 1)]
        assert rest.next_page_token == ""


async def test_a_token_goes_only_with_the_list_it_came_from() -> None:
    async with open_house() as house:
        for name in ("a", "b"):
            await make_bank(house, BankKey(tenant=ACME, bank_id=BankId(name)))
        token = (await list_banks(house, ListBanks(tenant=ACME, page_size=1))).next_page_token

        for other in (
            ListBanks(tenant=ACME, user="u", page_token=token),
            ListBanks(tenant=ACME, page_token="?"),
        ):
            with pytest.raises(InvalidField, match="page_token"):
                await list_banks(house, other)


async def test_only_named_fields_of_a_bank_change() -> None:
    async with open_house() as house:
        settings = RetrievalSettings(top_k=3, alpha=0.2)
        made = await create_bank(house, CreateBank(tenant=ACME, goal="g", settings=settings))

        command = UpdateBank(
            key=made.result.key, fields={"alpha", "ttl", "goal"}, goal="h", ttl=timedelta(hours=1)
        )
        changed = await update_bank(house, command)

        assert changed.result.settings == RetrievalSettings(top_k=3, alpha=None)
        assert (changed.result.goal, changed.result.ttl, changed.revision) == ("h", timedelta(hours=1), 2)
        assert (await get_insight(house, GetInsight(key=made.result.key))).insight.goal == "h"


async def test_a_record_changed_since_it_was_read_is_not_overwritten() -> None:
    async with open_house() as house:
        key = await make_bank(house)
        await add_nodes(house, AddNodes(key=key, nodes=(NewNode(summary="s"),)))
        fine = UpdateBank(key=key, fields={"labels"}, labels={"a": "1"}, if_revision=1)

        changed = await update_bank(house, fine)  # the node is no change of the record

        assert changed.result.labels == {"a": "1"}
        with pytest.raises(StaleRevision) as stale:
            await update_bank(house, fine)
        assert (stale.value.expected, stale.value.actual) == (1, 3)


async def test_a_purge_counts_what_it_removes_and_leaves_nothing() -> None:
    async with open_house() as house:
        key = await make_bank(house)
        await add_nodes(house, AddNodes(key=key, nodes=(NewNode(summary="s", verbatim="一段原文。"),)))

        purged = await delete_bank(house, DeleteBank(key=key))

        assert (purged.revision, purged.counts.nodes, purged.counts.interactions) == (3, 1, 1)
        with pytest.raises(BankNotFound):
            await get_bank(house, GetBank(key=key))
        with pytest.raises(BankNotFound):
            await delete_bank(house, DeleteBank(key=key))
        assert (await delete_bank(house, DeleteBank(key=key, allow_missing=True))).revision == 0


async def test_a_bank_that_went_on_is_not_purged_by_an_old_look_at_it() -> None:
    async with open_house() as house:
        key = await make_bank(house)
        await add_nodes(house, AddNodes(key=key, nodes=(NewNode(summary="s"),)))

        with pytest.raises(StaleRevision):
            await delete_bank(house, DeleteBank(key=key, if_revision=1))

        assert (await get_bank(house, GetBank(key=key))).counts.nodes == 1


async def test_a_bank_of_client_vectors_keeps_its_own_space() -> None:
    async with open_house() as house:
        await make_bank(house, space=CLIENT_SPACE)

        seen = await get_bank(house, GetBank(key=KEY))

        assert seen.record.space == CLIENT_SPACE
