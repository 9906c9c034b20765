"""The prompt of a task's step, in one assembly with a user's memories, over a real channel."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as facts
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import retrieval_pb2 as rt
from memorybank.v1.types_pb2 import TASK_STATUS_FAILED, TaskReport
from tests.support.server import Service, refused, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a user's memories and a bank hold on one goal, and words that stand in the prompt of each."""

    name: str
    goal: str
    key: str
    fact: str
    turn: str
    read: str
    seen: str
    titles: tuple[str, ...]
    now: str


TOLD = (
    Told(
        name="en",
        goal="Which ferry to Naxos shall Ada take?",
        key="The budget is 500 euros.",
        fact="Ada gets seasick on small ferries to Naxos.",
        turn="My sister joins the ferry to Naxos at Paros.",
        read="The Blue Star is the largest ferry to Naxos.",
        seen="The ferry office of Naxos opens at seven.",
        titles=("Always keep in mind", "Task state", "What is known of the user", "Relevant memories"),
        now="Now",
    ),
    Told(
        name="zh",
        goal="艾达应乘哪班渡轮去纳克索斯？",
        key="预算为五百欧元。",
        fact="艾达乘小渡轮去纳克索斯会晕船。",
        turn="我妹妹在帕罗斯上去纳克索斯的渡轮。",
        read="蓝星号是去纳克索斯最大的渡轮。",
        seen="纳克索斯的渡轮售票处七点开门。",
        titles=("关键记忆", "任务状态", "关于用户的已知事实", "相关记忆"),
        now="现在要做",
    ),
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service() -> AsyncIterator[Service]:
    async with serving() as running:
        yield running


async def remember(service: Service, told: Told) -> str:
    """Fills the memories of a user named as the language; returns the id of an invocation with working memory."""
    user, conversation = told.name, "c1"
    await service.conversation.AddKey(
        talk.AddKeyRequest(user=user, conversation_id=conversation, text=told.key)
    )
    await service.conversation.AddTurns(
        talk.AddTurnsRequest(
            user=user, conversation_id=conversation, turns=[talk.Turn(input=told.turn, reply="…")]
        )
    )
    await service.long_term.StoreFact(facts.StoreFactRequest(user=user, content=told.fact, wait=True))
    begun = await service.conversation.StartInvocation(
        talk.StartInvocationRequest(
            user=user, conversation_id=conversation, query=told.goal, enable_memory=True
        )
    )
    await service.conversation.AddWorkingItems(
        talk.AddWorkingItemsRequest(
            user=user,
            invocation_id=begun.invocation_id,
            items=[talk.Item(type=talk.ITEM_TYPE_OBSERVATION, content=told.seen)],
        )
    )
    return begun.invocation_id


def of(user: str, invocation: str = "") -> dict[str, Any]:
    return {"user": user, "conversation_id": "c1", "collection": "", "invocation_id": invocation}


def missing(answer: pb.StartTaskResponse | pb.AdvanceTaskResponse) -> dict[int, str]:
    return {each.part: each.reason for each in answer.missing}


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told.name)
async def test_the_prompts_of_a_task_are_one_assembly_of_all_memories(service: Service, told: Told) -> None:
    invocation = await remember(service, told)
    bank = f"one-{told.name}"

    started = await service.bank.StartTask(
        pb.StartTaskRequest(bank_id=bank, goal=told.goal, text=told.read, **of(told.name, invocation))
    )
    step = started.insight.pending[0]
    advanced = await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(
            bank_id=bank,
            task=TaskReport(
                task_id=step.task_id,
                type=step.type,
                description=step.description,
                status=TASK_STATUS_FAILED,
            ),
            token_budget=2_000,
            **of(told.name, invocation),
        )
    )

    for answer in (started, advanced):
        headings = [line.removeprefix("## ") for line in answer.prompt.splitlines() if line.startswith("## ")]
        places = [headings.index(title) for title in told.titles]
        assert places == sorted(places)
        assert len(headings) == len(set(headings))
        assert headings[-1] == told.now
        assert all(text in answer.prompt for text in (told.key, told.fact, told.turn, told.read, told.seen))
        assert [section.name for section in answer.sections].count("recorded") == 1
        assert not answer.missing
        assert {name.split("/")[0] for name in answer.revisions} == {
            "conversation",
            "collection",
            "invocation",
        }
    assert sum(section.tokens for section in advanced.sections) <= 2_000


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told.name)
async def test_nothing_of_another_user_stands_in_a_prompt(service: Service, told: Told) -> None:
    await remember(service, told)

    started = await service.bank.StartTask(
        pb.StartTaskRequest(bank_id=f"other-{told.name}", goal=told.goal, **of("bob"))
    )

    assert not any(text in started.prompt for text in (told.key, told.fact, told.turn))
    assert missing(started) == {
        rt.CONTEXT_PART_CONVERSATION: "CONVERSATION_NOT_FOUND",
        rt.CONTEXT_PART_LONG_TERM: "COLLECTION_NOT_FOUND",
    }


async def test_what_a_user_has_switched_off_is_missing(service: Service) -> None:
    told = TOLD[0]
    invocation = await remember(service, told)
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="off"))
    switch = facts.UpdateUserRequest(user=facts.User(user="en"), update_mask=FieldMask(paths=["enabled"]))
    await service.long_term.UpdateUser(switch)

    started = await service.bank.StartTask(
        pb.StartTaskRequest(bank_id="off", goal=told.goal, text=told.read, **of("en", invocation))
    )
    switch.user.enabled = True
    await service.long_term.UpdateUser(switch)

    assert not any(text in started.prompt for text in (told.key, told.fact, told.turn, told.seen))
    assert told.read in started.prompt
    assert set(missing(started).values()) == {"MEMORY_OFF"}
    assert len(started.missing) == 3


async def test_a_revision_that_is_not_there_fails_the_call_or_is_missing(service: Service) -> None:
    told = TOLD[0]
    await remember(service, told)
    asked = pb.StartTaskRequest(
        bank_id="ahead",
        goal=told.goal,
        request_id="r1",
        min_revisions={"conversation/en/c1": 10_000},
        **of("en"),
    )

    failed = await refused(service.bank.StartTask(asked))
    del asked.min_revisions["conversation/en/c1"]
    again = await service.bank.StartTask(asked)
    asked.min_revisions["conversation/en/c1"] = 10_000
    asked.request_id, asked.allow_partial = "r2", True
    partial = await service.bank.StartTask(asked)

    assert failed.reason == "REVISION_NOT_REACHED"
    assert again.replayed
    assert told.key in again.prompt
    assert missing(partial) == {rt.CONTEXT_PART_CONVERSATION: "REVISION_NOT_REACHED"}
    assert told.fact in partial.prompt


async def test_a_budget_that_the_keys_of_the_user_do_not_leave_room_in_is_refused_before_anything_is_written(
    service: Service,
) -> None:
    for number in range(4):
        text = f"Rule {number}: " + "never travel on a Sunday. " * 12
        await service.conversation.AddKey(
            talk.AddKeyRequest(user="carl", conversation_id="c1", text=text.strip())
        )
    asked = pb.StartTaskRequest(bank_id="small", goal=TOLD[0].goal, token_budget=700, **of("carl"))

    small = await refused(service.bank.StartTask(asked))
    banks = await service.bank_ids()
    asked.token_budget = int(small.metadata["needed"])
    enough = await service.bank.StartTask(asked)

    assert small.reason == "BUDGET_TOO_SMALL"
    assert "small" not in banks
    assert sum(section.tokens for section in enough.sections) <= asked.token_budget


async def test_the_tool_is_declared_in_the_prompt_unless_the_caller_hands_it_over(service: Service) -> None:
    asked = pb.StartTaskRequest(bank_id="tools", goal=TOLD[0].goal, **of("bob"))
    within = await service.bank.StartTask(asked)
    asked.tools_apart = True
    apart = await service.bank.StartTask(asked)

    assert within.tools == apart.tools
    assert within.tools[0] in within.prompt
    assert apart.tools[0] not in apart.prompt
    assert "deep_retrieval" in apart.prompt
