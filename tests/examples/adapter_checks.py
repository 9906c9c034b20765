"""What frameworks ask of a session, a history, a memory service and a memory tool, asked of ours over a real server.

Runs as a program in the environment of the examples, which has the frameworks and no pytest: HOST:PORT is the argument.
Prints the name of each check that held; a framework that is not there is left out.
"""

import asyncio
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

from memorybank.v1.conversation_pb2 import Turn
from memorybank.v1.instructions_pb2 import Owner
from memorybank_client import MemoryBankClient, SyncMemoryBankClient

CALL = {"type": "function_call", "call_id": "c1", "name": "ferry_prices", "arguments": '{"to": "纳克索斯"}'}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "40 €"}
THOUGHT = {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "AAAA"}
ITEMS: list[Any] = [{"role": "user", "content": "What is the fare?"}, CALL, RESULT, THOUGHT]


def the_items_of_a_session_come_back_as_they_were(address: str) -> None:
    from memorybank_client.adapters.openai_agents import MemoryBankSession

    async def ask() -> None:
        async with MemoryBankClient(address) as client:
            user = f"u{uuid4()}"
            session = MemoryBankSession("s1", client, user)
            assert await session.get_items() == []
            assert await session.pop_item() is None
            await session.add_items(ITEMS)
            await session.add_items([{"role": "user", "content": f"{n} 号"} for n in range(150)])

            every = await session.get_items()
            assert every[:4] == ITEMS
            assert len(every) == 154
            assert await session.get_items(limit=2) == every[-2:]
            assert await session.get_items(limit=0) == []
            found = await client.search_turns(user=user, conversation_id="s1", text="纳克索斯", top_k=1)
            assert found.hits[0].turn.step == 2
            assert await session.pop_item() == every[-1]
            assert await session.get_items() == every[:-1]

            await session.clear_session()
            assert await session.get_items() == []

            plain = Turn(input="Hello 你好", reply="Yes?", metadata_json='{"mine": 1}')
            await client.add_turns(user=user, conversation_id="s1", turns=[plain])
            told = [{"role": "user", "content": "Hello 你好"}, {"role": "assistant", "content": "Yes?"}]
            assert await session.get_items() == told

    asyncio.run(ask())


def the_messages_of_a_history_come_back_as_they_were(address: str) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    from memorybank_client.adapters.langchain import MemoryBankHistory

    said = [
        HumanMessage("What is the fare? 票价？"),
        AIMessage("", tool_calls=[{"name": "fares", "args": {"to": "Naxos"}, "id": "c1"}]),
        ToolMessage("40 €", tool_call_id="c1"),
    ]
    with SyncMemoryBankClient(address) as client:
        history = MemoryBankHistory(client, f"u{uuid4()}", "c1")
        assert history.messages == []
        history.add_messages(said)

        assert history.messages == said
        assert history.latest(2) == said[1:]
        assert asyncio.run(history.aget_messages()) == said
        history.clear()
        assert history.messages == []
        client.add_turns(**history._of, turns=[Turn(input="Hello 你好", metadata_json='{"openai": {}}')])
        assert [(each.type, each.content) for each in history.messages] == [("human", "Hello 你好")]


def a_retriever_brings_the_nearest_records_as_documents(address: str) -> None:
    from memorybank_client.adapters.langchain import MemoryBankRetriever

    with SyncMemoryBankClient(address) as client:
        user = f"u{uuid4()}"
        for content in (
            "The ferry leaves at nine. 渡轮九点开。",
            "Ada likes noodles. 艾达爱吃面。",
            "Bo sails.",
        ):
            client.store_fact(user=user, content=content, source="chat")
        retriever = MemoryBankRetriever(client=client, user=user, k=2)

        found = retriever.invoke("When does the ferry leave?")
        assert found[0].page_content == "The ferry leaves at nine. 渡轮九点开。"
        assert len(found) == 2
        assert (found[0].metadata["kind"], found[0].metadata["source"]) == ("FACT", "chat")
        assert len(retriever.invoke("面", k=1)) == 1
        assert len(asyncio.run(retriever.ainvoke("面"))) == 2


def a_memory_service_adds_events_once_and_finds_them_in_their_app_alone(address: str) -> None:
    from google.adk.events.event import Event
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai.types import Content, Part

    from memorybank_client.adapters.google_adk import MemoryBankMemoryService

    def event(author: str, text: str) -> Event:
        return Event(author=author, content=Content(role=None, parts=[Part(text=text)]), id=Event.new_id())

    async def ask() -> None:
        async with MemoryBankClient(address) as client:
            user = f"u{uuid4()}"
            memory = MemoryBankMemoryService(client)
            session = Session(
                id="s/1", app_name="trips", user_id=user, events=[event("user", "渡轮 to Naxos")]
            )
            await memory.add_session_to_memory(session)
            session.events.append(event("guide", "The ferry leaves at nine."))
            await memory.add_session_to_memory(session)
            of: dict[str, Any] = {"app_name": "trips", "user_id": user}
            told = Content(parts=[Part(text="Ada drinks tea. 茶")])
            tea = MemoryEntry(content=told, timestamp="2026-03-01T09:00:00-05:00")
            for _ in range(2):
                await memory.add_memory(**of, memories=[tea])

            async def texts(query: str, **named: str) -> list[str | None]:
                found = await memory.search_memory(**{**of, **named}, query=query)
                return [one.content.parts[0].text for one in found.memories]

            assert (await texts("渡轮")).count("渡轮 to Naxos") == 1
            assert "The ferry leaves at nine." in await texts("When does the ferry leave?")
            assert (await texts("茶")).count("Ada drinks tea. 茶") == 1
            assert await texts("渡轮 茶", app_name="other") == []
            found = await memory.search_memory(**of, query="渡轮 茶")
            assert "2026-03-01T14:00:00Z" in [one.timestamp for one in found.memories]
            for one in found.memories:
                await memory.delete_memory(**of, memory_id=one.id)
            assert "渡轮 to Naxos" not in await texts("渡轮")
            assert "Ada drinks tea. 茶" not in await texts("茶")

    asyncio.run(ask())


def a_memory_tool_keeps_files_and_says_what_is_wrong(address: str) -> None:
    from anthropic.lib.tools import ToolError

    from memorybank_client.adapters.anthropic_memory import MemoryBankMemoryTool

    with SyncMemoryBankClient(address) as client:
        memory = MemoryBankMemoryTool(client, Owner(user=f"u{uuid4()}"))

        def call(command: str, **fields: Any) -> str:
            try:
                return str(memory.call({"command": command, **fields}))
            except ToolError as error:
                return f"error: {error}"

        tea, trips = "/memories/tea.md", "/memories/trips/naxos.md"
        assert "error" not in call("view", path="/memories")
        call("create", path=tea, file_text="one\ntwo 二\n")
        call("create", path=trips, file_text="ferry")
        assert "exists already" in call("create", path=tea, file_text="x")
        call("insert", path=tea, insert_line=1, insert_text="between\n")
        call("str_replace", path=tea, old_str="two 二", new_str="three")
        assert "0 times" in call("str_replace", path=tea, old_str="two", new_str="x")
        shown = call("view", path=tea, view_range=[2, 3])
        assert [line.split("\t")[1] for line in shown.splitlines()[1:]] == ["between", "three"]
        call("rename", old_path="/memories/trips", new_path="/memories/journeys")
        assert "/memories/journeys/naxos.md" in call("view", path="/memories")
        assert "does not exist" in call("view", path=trips)
        call("delete", path="/memories/journeys")
        assert "does not exist" in call("delete", path="/memories/journeys")
        assert "below /memories" in call("view", path="/memories/../etc")


CHECKS: tuple[tuple[str, Callable[[str], None]], ...] = (
    ("agents", the_items_of_a_session_come_back_as_they_were),
    ("langchain_core", the_messages_of_a_history_come_back_as_they_were),
    ("langchain_core", a_retriever_brings_the_nearest_records_as_documents),
    ("google.adk", a_memory_service_adds_events_once_and_finds_them_in_their_app_alone),
    ("anthropic", a_memory_tool_keeps_files_and_says_what_is_wrong),
)


def there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


if __name__ == "__main__":
    for package, check in CHECKS:
        if there(package):
            check(sys.argv[1])
            print(check.__name__)
