"""The OpenAI Agents SDK with a session that stays: `python -m examples.quickstarts.openai_agents_session HOST:PORT`."""

import asyncio
import sys

from agents import Agent, Runner, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message

from memorybank_client import MemoryBankClient
from memorybank_client.adapters.openai_agents import MemoryBankSession

set_tracing_disabled(True)
MODEL = ScriptedModel(
    [[assistant_message("At nine, from pier 3.")], [assistant_message("You asked for the ferry.")]]
)


async def main(address: str) -> None:
    async with MemoryBankClient(address) as client:
        session = MemoryBankSession("c1", client, user="ada")
        agent = Agent(name="guide", model=MODEL)
        await Runner.run(agent, "When does the ferry to Naxos leave? 渡轮几点开？", session=session)
        done = await Runner.run(agent, "What did I ask?", session=session)
        print(done.final_output, len(await session.get_items()))


asyncio.run(main(sys.argv[1]))
