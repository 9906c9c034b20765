"""A server killed between the steps that follow one another over several aggregates: the end of an invocation, the end
of a conversation, the deletion of turns, the purge of a user. The next process ends them: nothing is there twice,
nothing is lost, and what was to go is gone.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from memorybank.v1 import conversation_pb2 as pb
from memorybank_client import ErrorReason, MemoryBankClient, MemoryBankError, NotFound
from tests.support.killing import killed_when, read_only
from tests.support.process import modelless_process
from tests.support.scale import scaled

QUICK = {"banks.resume_after_seconds": "0.1", "banks.upkeep_seconds": "0.1"}
QUERY = "My sister Anna lives in Lyon. When does her ferry leave?"
ITEMS = (
    pb.Item(type=pb.ITEM_TYPE_ACTION, tool="ferry", arguments_json='{"day": "5 May"}'),
    pb.Item(
        type=pb.ITEM_TYPE_OBSERVATION,
        tool="ferry",
        content="the day must be YYYY-MM-DD",
        failed=True,
        error_type="ValueError",
    ),
    pb.Item(type=pb.ITEM_TYPE_ACTION, tool="ferry", arguments_json='{"day": "2024-05-05"}'),
    pb.Item(type=pb.ITEM_TYPE_ACTION, tool="pier"),
    pb.Item(type=pb.ITEM_TYPE_OBSERVATION, tool="pier", content="Ferry 7 leaves at 9:00."),
)
TAUGHT = [
    "My sister Anna lives in Lyon.",
    "Ferry 7 leaves at 9:00.",
    QUERY,  # the episode
    f"For “{QUERY}”: ferry → pier",
    "ferry failed with ValueError: recovered by changing day",
]
GOAL = "Plan Anna's move"
SAID = ("My sister Anna lives in Lyon.", "My brother Tom moved to Rome.", "我妹妹李娜住在里昂。")
FACTS = [
    "My sister Anna lives in Lyon.",
    "My brother Tom moved to Rome.",
    "我妹妹李娜住在里昂。",
]

Act = Callable[[MemoryBankClient, str], Awaitable[Any]]
KEPT = "SELECT 1 FROM requests WHERE kind = ? AND name = ? AND request_id LIKE ?"
STATE = "SELECT 1 FROM aggregates WHERE kind = ? AND name = ? AND state = ?"
OWED = "SELECT 1 FROM aggregates WHERE kind = 'conversation' AND name = ?"
EPISODE = (
    "SELECT 1 FROM items WHERE kind = 'collection' AND name = ? AND json_extract(value, '$.kind') = 'episode'"
)
EMPTY = STATE + " AND NOT EXISTS (SELECT 1 FROM aggregates AS own WHERE own.kind <> 'user' AND own.user = ?)"


# ---- the end of an invocation ----


async def run(client: MemoryBankClient, user: str) -> None:
    talk: dict[str, Any] = {"user": user, "conversation_id": "c1"}
    await client.start_invocation(**talk, invocation_id="i1", query=QUERY, enable_memory=True)
    await client.add_working_items(user=user, invocation_id="i1", items=ITEMS)


async def end_run(client: MemoryBankClient, user: str) -> pb.EndInvocationResponse:
    return await client.end_invocation(
        user=user, invocation_id="i1", result="At nine.", succeeded=True, wait=True, request_id="e1"
    )


async def run_ended_once(client: MemoryBankClient, user: str, folder: Path) -> None:
    ended = await end_run(client, user)
    turns = await client.list_turns(user=user, conversation_id="c1")
    summaries = await client.list_invocations(user=user, conversation_id="c1")

    assert [(turn.input, turn.reply) for turn in turns.turns] == [(QUERY, "At nine.")]
    assert list(summaries.invocations) == [ended.summary]
    assert await contents(client, user) == sorted(TAUGHT)
    assert (len(ended.fact_ids), len(ended.strategy_ids)) == (2, 2)
    with pytest.raises(MemoryBankError) as gone:
        await client.get_working_memory(user=user, invocation_id="i1")
    assert gone.value.reason == ErrorReason.ERROR_REASON_INVOCATION_NOT_FOUND
    assert rows_of(folder, "invocation", f"{user}/i1") == 0


# ---- the end of a conversation ----


async def talk(client: MemoryBankClient, user: str) -> None:
    await client.create_conversation(user=user, conversation_id="c1", goal=GOAL)
    turns = [pb.Turn(input=said, reply="Noted.") for said in SAID]
    await client.add_turns(user=user, conversation_id="c1", turns=turns)


async def end_talk(client: MemoryBankClient, user: str) -> pb.EndConversationResponse:
    return await client.end_conversation(user=user, conversation_id="c1", wait=True)


async def talk_ended_once(client: MemoryBankClient, user: str, folder: Path) -> None:
    del folder
    ended = await end_talk(client, user)

    assert ended.conversation.state == pb.CONVERSATION_STATE_ENDED
    assert await contents(client, user) == sorted([*FACTS, GOAL])
    summaries = await client.list_summaries(user=user, conversation_id="c1")
    assert len(summaries.summaries) == 1


# ---- the deletion of turns ----


async def talk_and_learn(client: MemoryBankClient, user: str) -> None:
    await talk(client, user)
    await end_talk(client, user)


async def delete(client: MemoryBankClient, user: str) -> None:
    await client.delete_turns(user=user, conversation_id="c1", steps=[1, 3], request_id="d1")


async def deleted_once(client: MemoryBankClient, user: str, folder: Path) -> None:
    await delete(client, user)
    turns = await client.list_turns(user=user, conversation_id="c1")

    assert [turn.step for turn in turns.turns] == [2]
    assert await contents(client, user) == [FACTS[1]]
    assert not query(folder, f"{OWED} AND json_array_length(record, '$.forgetting') > 0", f"{user}/c1")


# ---- the purge of a user ----


async def purge(client: MemoryBankClient, user: str) -> None:
    await client.purge_user(user=user)


async def purged(client: MemoryBankClient, user: str, folder: Path) -> None:
    await purge(client, user)

    async with asyncio.timeout(60):
        while (
            True
        ):  # where the next process was at it already, the call may be answered a moment before its end
            try:
                await client.get_user(user=user)
            except NotFound:
                break
            await asyncio.sleep(0.02)
    assert all(rows_of(folder, kind, f"{user}%") == 0 for kind in ("user", "conversation", "collection"))


Moment = tuple[str, Callable[[str], tuple[str, list[str]]]]
"""Its name, and the query that finds a row once it has come."""

SORTS: dict[str, tuple[Act, Act, Callable[[MemoryBankClient, str, Path], Awaitable[None]], list[Moment]]] = {
    "the end of a run": (
        run,
        end_run,
        run_ended_once,
        [
            ("the end is stored", lambda user: (STATE, ["invocation", f"{user}/i1", "ending"])),
            ("the conversation is told", lambda user: (KEPT, ["conversation", f"{user}/c1", "turn-%"])),
            ("what it teaches is there", lambda user: (KEPT, ["collection", f"{user}/", "learned-%"])),
            ("the answer is kept", lambda user: (KEPT, ["user", user, "e1"])),
        ],
    ),
    "the end of a conversation": (
        talk,
        end_talk,
        talk_ended_once,
        [
            ("the end is stored", lambda user: (STATE, ["conversation", f"{user}/c1", "ending"])),
            ("facts are there", lambda user: (KEPT, ["collection", f"{user}/", "extract-%"])),
            ("the episode is there", lambda user: (EPISODE, [f"{user}/"])),
        ],
    ),
    "the deletion of turns": (
        talk_and_learn,
        delete,
        deleted_once,
        [
            ("the turns are gone", lambda user: (KEPT, ["conversation", f"{user}/c1", "d1"])),
            ("what they taught is gone", lambda user: (KEPT, ["collection", f"{user}/", "forget-%"])),
            (
                "nothing is owed",
                lambda user: (
                    f"{OWED} AND json_array_length(record, '$.forgetting') = 0 AND EXISTS ({KEPT})",
                    [f"{user}/c1", "collection", f"{user}/", "forget-%"],
                ),
            ),
        ],
    ),
    "the purge of a user": (
        talk_and_learn,
        purge,
        purged,
        [
            ("it has begun", lambda user: (STATE, ["user", user, "purging"])),
            ("only the user is left", lambda user: (EMPTY, ["user", user, "purging", user])),
        ],
    ),
}
BOUNDARIES = [(sort, number) for sort, told in SORTS.items() for number in range(len(told[3]))]
KILLS = 20
ROUNDS = (
    {sort: [each for each in BOUNDARIES if each[0] == sort] * KILLS for sort in SORTS}
    if scaled(1) > 1
    else {"one of each": [(sort, min(1, number)) for number, sort in enumerate(SORTS)]}
)


async def contents(client: MemoryBankClient, user: str) -> list[str]:
    return sorted(record.content for record in (await client.list_records(user=user, page_size=100)).records)


def query(folder: Path, text: str, *given: str) -> list[Any]:
    with contextlib.closing(read_only(folder)) as database:
        return database.execute(text, given).fetchall()


def rows_of(folder: Path, kind: str, name: str) -> int:
    """Rows that are left of what bears this name, its feed and its requests included."""
    tables = ("aggregates", "items", "changes", "requests", "vectors")
    return sum(
        len(query(folder, f"SELECT 1 FROM {table} WHERE kind = ? AND name LIKE ?", kind, name))
        for table in tables
    )


@pytest.mark.slow
@pytest.mark.parametrize("rounds", ROUNDS.values(), ids=ROUNDS.keys())
async def test_what_was_cut_short_is_ended_once_by_the_next_process(
    tmp_path: Path, rounds: list[tuple[str, int]]
) -> None:
    struck, last = Counter[str](), None
    for count, (sort, number) in enumerate(rounds):
        begin, act, _, moments = SORTS[sort]
        user, (name, shows) = f"u{count:03}", moments[number]
        async with modelless_process(tmp_path, QUICK) as server, server.client(retries=False) as client:
            if last is not None:
                await last(client, tmp_path)
            await begin(client, user)
            with killed_when(server.pid, tmp_path, *shows(user)) as killed:
                with contextlib.suppress(Exception):  # the process may die amid the call
                    await act(client, user)
                struck[f"{sort}: {name}"] += await asyncio.to_thread(killed.wait, 1)
            if server.process.returncode is None:
                server.process.kill()  # the moment had passed before it was seen
            await server.process.wait()
        last = _claim(sort, user)
    async with modelless_process(tmp_path, QUICK) as server, server.client() as client:
        assert last is not None
        await last(client, tmp_path)
    assert struck.total() * 2 > len(rounds)
    print(f"{len(rounds)} kills, of which at their moment: {dict(struck)}")


def _claim(sort: str, user: str) -> Callable[[MemoryBankClient, Path], Awaitable[None]]:
    return lambda client, folder: SORTS[sort][2](client, user, folder)
