"""A chat agent with a memory, over the real service."""

from pathlib import Path

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank_client import AsyncChatMemory, ChatMemory, MemoryBankClient, SyncMemoryBankClient
from memorybank_client.runs import Message
from memorybank_client.subjects import subjects_of
from service.assembly.server import running
from tests.clients.python.scripted import Script, asking, scripted
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

EARLY = "我妹妹的船叫橘子酱。"


def parrot(messages: list[Message]) -> str:
    """Answers with a line that it was shown and that names the boat, else with nothing much."""
    shown = [line for message in messages[:-1] for line in message["content"].splitlines()]
    return next((line.strip() for line in shown if EARLY in line), "I see.")


async def test_an_early_detail_is_before_the_model_long_after(tmp_path: Path) -> None:
    async def answer(messages: list[Message]) -> str:
        return parrot(messages)

    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        memory = AsyncChatMemory(client, user="ada", system="You are a friend.")
        await memory.keep("Answer in Chinese.")
        await memory.ask(EARLY, answer)
        for number in range(30):
            await memory.add(f"The weather of day {number} was fine.", "I see.")
        messages = await memory.messages("我妹妹的船叫什么名字？")
        reply = await memory.ask("我妹妹的船叫什么名字？", answer)
        found = await memory.search("船叫什么", top_k=1)

    assert messages[0]["role"] == "system"
    assert messages[0]["content"].startswith("You are a friend.")
    assert "Answer in Chinese." in messages[0]["content"]
    assert messages[-1] == {"role": "user", "content": "我妹妹的船叫什么名字？"}
    assert EARLY in reply
    assert found[0].input in (EARLY, "我妹妹的船叫什么名字？")


async def test_what_is_known_of_the_user_is_before_the_model_in_every_conversation(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.store_fact(user="ada", content="Ada is allergic to peanuts.")
        here = await AsyncChatMemory(client, user="ada").messages("What is Ada allergic to?")
        elsewhere = await AsyncChatMemory(client, user="ada", collection="work").messages(
            "What is Ada allergic to?"
        )
        another = await AsyncChatMemory(client, user="bo").messages("What is Ada allergic to?")

    assert "Ada is allergic to peanuts." in here[0]["content"]
    assert [len(messages) for messages in (elsewhere, another)] == [1, 1]


async def test_a_context_of_every_memory_names_what_was_written_before(tmp_path: Path) -> None:
    script = Script()
    async with scripted(script) as target, asking("sync", target) as ask:
        script.answers["AssembleContext"] = [
            retrieval.AssembleContextResponse(revisions={"collection/ada/": 4, "invocation/ada/i1": 2})
        ] * 2
        for _ in range(2):
            await ask("assemble_context", input="Hello", user="ada", collection="", invocation_id="i1")

    (_, later) = (asked.request for asked in script.asked["AssembleContext"])
    assert dict(later.min_revisions) == {"collection/ada/": 4, "invocation/ada/i1": 2}


async def test_the_synchronous_memory_sends_the_same(tmp_path: Path) -> None:
    script = Script()
    script.answers["AssembleContext"] = [
        retrieval.AssembleContextResponse(
            messages=[retrieval.ContextMessage(role="user", text="Hello")],
            revisions={"conversation/ada/c1": 7, "bank/trip": 3},
        )
    ]
    script.answers["AddTurns"] = [talk.AddTurnsResponse(turns=[talk.Turn(step=1)], revision=8)]

    async with scripted(script) as target, asking("sync", target) as ask:
        await ask("assemble_context", input="Hello", user="ada", conversation_id="c1", bank_id="trip")
        await ask("add_turns", user="ada", conversation_id="c1", turns=[talk.Turn(input="Hello")])
        await ask("assemble_context", input="Hello", user="ada", conversation_id="c1", bank_id="trip")

    first, later = (asked.request for asked in script.asked["AssembleContext"])
    assert not first.min_revisions
    assert dict(later.min_revisions) == {"conversation/ada/c1": 8, "bank/trip": 3}
    assert {asked.metadata["x-memory-bank"] for asked in script.asked["AssembleContext"]} == {"trip"}


def test_a_new_memory_has_a_conversation_of_its_own() -> None:
    client = SyncMemoryBankClient("127.0.0.1:1")
    one, other = ChatMemory(client, user="ada"), ChatMemory(client, user="ada")

    assert one.setting.conversation != other.setting.conversation
    assert subjects_of(talk.ListTurnsRequest(user="王明", conversation_id="c1")) == (
        "conversation/%E7%8E%8B%E6%98%8E/c1",
    )


async def test_a_turn_of_a_vendors_messages_is_found_by_the_words_of_its_parts(tmp_path: Path) -> None:
    asked = {"role": "user", "content": [{"type": "text", "text": "去帕罗斯多少钱？"}, {"type": "image"}]}
    told: list[dict[str, object]] = [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "fares", "input": {"to": "Paros"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "38 euros"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "It costs 38 euros."}]},
    ]

    async def answer(messages: list[Message]) -> list[dict[str, object]]:
        assert messages[-1]["content"] == "去帕罗斯多少钱？\n[image]"
        return told

    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        memory = AsyncChatMemory(client, user="ada")
        replied = await memory.ask(asked, answer)
        (found,) = await memory.search("帕罗斯", top_k=1)
        (same,) = await memory.search("38 euros", top_k=1)

    assert replied is told
    assert found.input == "去帕罗斯多少钱？\n[image]"
    assert same.reply == '[tool fares] {"to": "Paros"}\n[result] 38 euros\nIt costs 38 euros.'
