"""Google's ADK with a memory service that stays: `python -m examples.quickstarts.google_adk_memory HOST:PORT`."""

import asyncio
import sys

from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from memorybank_client import MemoryBankClient
from memorybank_client.adapters.google_adk import MemoryBankMemoryService


async def main(address: str) -> None:
    async with MemoryBankClient(address) as client:
        memory = MemoryBankMemoryService(client)
        said = Content(role="user", parts=[Part(text="I take the ferry to Naxos. 我坐渡轮去纳克索斯。")])
        session = Session(
            id="s1", app_name="trips", user_id="ada", events=[Event(author="user", content=said)]
        )
        await memory.add_session_to_memory(session)
        found = await memory.search_memory(app_name="trips", user_id="ada", query="渡轮 ferry")
        print(found.memories[0].content.parts[0].text)


asyncio.run(main(sys.argv[1]))
