"""Turns come, are found, and go."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from core.conversation.turn_rows import TurnRows
from core.errors import ConversationNotFound, LimitReached, MemoryOff, RequestIdReused, TurnNotFound
from core.ids import Collection, ConversationId, User
from core.model.conversation import Turn
from core.usecases.conversation.verbs.create_conversation import CreateConversation, create_conversation
from core.usecases.conversation.verbs.delete_conversation import DeleteConversation, delete_conversation
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.get_conversation import GetConversation, get_conversation
from core.usecases.conversation.verbs.list_conversations import ListConversations, list_conversations
from core.usecases.conversation.verbs.list_turns import ListTurns, list_turns
from core.usecases.conversation.verbs.search_turns import SearchTurns, search_turns
from core.usecases.house import House
from core.usecases.limits import Limits
from service.adapters.store.sqlite_store import SqliteStore
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.talking import KEY, once, said, say, talked, tend


async def test_turns_get_steps_in_their_order_and_make_their_conversation() -> None:
    async with open_house() as house:
        first = await say(house, said("Hello", "Hi"), said("你好", "你好！"))
        second = await say(house, said("Again"))

        listed = await list_turns(house, ListTurns(key=KEY))
        seen = await get_conversation(house, GetConversation(key=KEY))

    assert [turn.step for turn in (*first.turns, *second.turns)] == [1, 2, 3]
    assert [each.turn.input for each in listed.turns] == ["Hello", "你好", "Again"]
    assert (seen.record.turn_count, seen.record.last_step) == (3, 3)


async def test_no_vector_is_made_on_the_way_of_a_turn() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder) as house:
        await say(house, said("The ferry leaves at nine."))

        assert embedder.texts_embedded == 0


async def test_a_repeated_request_adds_nothing_and_answers_with_the_same_turns() -> None:
    async with open_house() as house:
        first = await say(house, said("Hello", "Hi"), request=once())
        again = await say(house, said("Hello", "Hi"), request=once())
        with pytest.raises(RequestIdReused):
            await say(house, said("Other"), request=once(digest="other"))

        await delete_turns(house, DeleteTurns(key=KEY, steps=(1,)))
        gone = await say(house, said("Hello", "Hi"), request=once())

    assert (again.turns, again.replayed, first.replayed) == (first.turns, True, False)
    assert [(turn.step, turn.input) for turn in gone.turns] == [(1, "")]


async def test_steps_are_never_given_again() -> None:
    async with open_house() as house:
        await say(house, said("one"), said("two"))
        await delete_turns(house, DeleteTurns(key=KEY, steps=(2,)))

        added = await say(house, said("three"))

    assert [turn.step for turn in added.turns] == [3]


async def test_limits_refuse_a_call_as_a_whole() -> None:
    async with open_house(limits=Limits(turns_per_conversation=2, conversation_bytes=20)) as house:
        await say(house, said("one"))
        with pytest.raises(LimitReached, match="turns_per_conversation"):
            await say(house, said("two"), said("three"))
        with pytest.raises(LimitReached, match="conversation_bytes"):
            await say(house, said("二" * 7))

        assert len((await list_turns(house, ListTurns(key=KEY))).turns) == 1


async def listed_steps(house: House, command: ListTurns) -> list[list[int]]:
    """The steps of each page."""
    pages, token = list[list[int]](), ""
    while token or not pages:
        page = await list_turns(house, replace(command, page_token=token))
        pages.append([each.turn.step for each in page.turns])
        token = page.next_page_token
    return pages


async def test_a_page_of_turns_is_made_of_its_own_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_house() as house:
        await say(house, *(replace(said(f"turn {n}"), writer="ann" if n % 3 else "bob") for n in range(30)))
        made, at = list[int](), TurnRows._at

        def noted(rows: TurnRows, row: int) -> Turn:
            made.append(row)
            return at(rows, row)

        monkeypatch.setattr(TurnRows, "_at", noted)

        page = await list_turns(house, ListTurns(key=KEY, page_size=4, first_step=3))
        await list_turns(
            house, ListTurns(key=KEY, page_size=4, first_step=3, page_token=page.next_page_token)
        )
        await list_turns(house, ListTurns(key=KEY, newest=2))
        await list_turns(house, ListTurns(key=KEY, newest=2, writer="bob"))

    assert {24, 27, 28, 29} <= set(made)
    assert not {20, 21, 22, 23, 25, 26} & set(made), "no page holds them"


async def test_pages_of_turns_hold_each_once_whoever_wrote_them() -> None:
    async with open_house() as house:
        await say(house, *(replace(said(f"turn {n}"), writer="ann" if n % 3 else "bob") for n in range(10)))
        all_pages = await listed_steps(house, ListTurns(key=KEY, page_size=4, last_step=9))
        of_bob = await listed_steps(house, ListTurns(key=KEY, page_size=2, writer="bob"))
        of_nobody = await listed_steps(house, ListTurns(key=KEY, writer="eve"))
        newest = await listed_steps(house, ListTurns(key=KEY, newest=3, writer="ann"))

    assert all_pages == [[1, 2, 3, 4], [5, 6, 7, 8], [9]]
    assert of_bob == [[1, 4], [7, 10]]
    assert of_nobody == [[]]
    assert newest == [[6, 8, 9]]


async def test_a_user_has_so_many_conversations_and_no_more() -> None:
    async with open_house(limits=Limits(conversations_per_user=1)) as house:
        await say(house, said("one"))
        with pytest.raises(LimitReached, match="conversations_per_user"):
            await say(house, said("two"), key=replace(KEY, conversation_id=ConversationId("c2")))


async def test_a_conversation_that_is_off_takes_no_turns_and_still_lists_them() -> None:
    async with open_house() as house:
        await create_conversation(
            house,
            CreateConversation(
                tenant=KEY.tenant,
                user=KEY.user,
                conversation_id=KEY.conversation_id,
                collection=Collection(""),
                enabled=False,
            ),
        )
        with pytest.raises(MemoryOff, match="conversation"):
            await say(house, said("one"))

        assert (await list_turns(house, ListTurns(key=KEY))).turns == ()


async def test_turns_of_every_tier_are_found() -> None:
    async with open_house() as house:
        await talked(house, 40)
        await tend(house)

        found = await search_turns(house, SearchTurns(among=KEY, text="When does ferry 3 leave?", top_k=3))
        chinese = await search_turns(house, SearchTurns(among=KEY, text="第4次备份", top_k=1))

    assert found.hits[0].hit.turn.input == "When does ferry 3 leave?"
    assert chinese.hits[0].hit.turn.step == 5


async def test_another_users_conversation_is_not_there() -> None:
    async with open_house() as house:
        await say(house, said("one"))
        with pytest.raises(ConversationNotFound):
            await list_turns(house, ListTurns(key=replace(KEY, user=User("eve"))))

        listed = await list_conversations(house, ListConversations(tenant=KEY.tenant, user=User("eve")))

    assert listed.conversations == ()


async def test_a_purged_conversation_is_gone_and_may_be_made_anew() -> None:
    async with open_house() as house:
        await talked(house, 5)
        purged = await delete_conversation(house, DeleteConversation(key=KEY))
        with pytest.raises(ConversationNotFound):
            await delete_conversation(house, DeleteConversation(key=KEY))
        again = await delete_conversation(house, DeleteConversation(key=KEY, allow_missing=True))
        added = await say(house, said("anew"))

    assert purged.counts.items["turns"] == 5
    assert again.revision == 0
    assert added.turns[0].step == 1


async def test_deleting_a_turn_that_is_not_there_deletes_nothing() -> None:
    async with open_house() as house:
        await talked(house, 3)
        with pytest.raises(TurnNotFound):
            await delete_turns(house, DeleteTurns(key=KEY, steps=(1, 9)))
        with pytest.raises(TurnNotFound):
            await delete_turns(house, DeleteTurns(key=KEY, first_step=7, last_step=9))

        assert len((await list_turns(house, ListTurns(key=KEY))).turns) == 3


async def test_words_of_deleted_turns_are_gone_from_the_files_with_the_next_scrub(tmp_path: Path) -> None:
    secret = "marmalade 橘子酱"
    store = await SqliteStore.open(tmp_path / "memory.sqlite")
    async with open_house(store=store) as house:
        await say(house, said(f"The word is {secret}."), request=once())
        await talked(house, 30)
        await tend(house)
        before = await asyncio.to_thread(all_bytes, tmp_path)
        await delete_turns(house, DeleteTurns(key=KEY, steps=(1,)))
        await tend(house)
        await store.scrub()
        after = await asyncio.to_thread(all_bytes, tmp_path)
    await store.close()

    assert all(word.encode() in before for word in secret.split())
    assert not any(word.encode() in after for word in secret.split())


def all_bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
