"""Anthropic's memory tool over the memory: `python -m examples.quickstarts.claude_memory_tool HOST:PORT`.

What Claude would send is sent here by hand; with a key it is `client.beta.messages.run_tools(..., tools=[memory])`.
"""

import sys

from memorybank.v1.instructions_pb2 import Owner
from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.anthropic_memory import MemoryBankMemoryTool

with SyncMemoryBankClient(sys.argv[1]) as client:
    memory = MemoryBankMemoryTool(client, Owner(user="ada"))
    memory.call(
        {"command": "create", "path": "/memories/trips.md", "file_text": "- Ferry at nine. 渡轮九点开。\n"}
    )
    memory.call(
        {"command": "str_replace", "path": "/memories/trips.md", "old_str": "at nine", "new_str": "at ten"}
    )
    print(memory.call({"command": "view", "path": "/memories/trips.md"}))
