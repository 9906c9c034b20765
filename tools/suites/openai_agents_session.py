"""A pytest plugin: the OpenAI Agents SDK's own tests of its sessions run on ours. Each database is another user's.

Runs in an environment that has the SDK; `make suites` starts it.
"""

import asyncio
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import agents
from agents.memory import SessionSettings

from memorybank_client import MemoryBankClient
from memorybank_client.adapters.openai_agents import MemoryBankSession
from tools.suites.address import ADDRESS
from tools.suites.opened import note

CLIENTS: WeakKeyDictionary[asyncio.AbstractEventLoop, MemoryBankClient] = WeakKeyDictionary()
IN_MEMORY = ":memory:"


class Session(MemoryBankSession):
    """Ours, opened as theirs are; it may be used from several loops."""

    def __init__(
        self,
        session_id: str,
        db_path: Any = IN_MEMORY,
        *_: Any,
        session_settings: Any = None,
        **__: Any,
    ) -> None:
        note(self)
        user = f"suite-{uuid4()}" if str(db_path) == IN_MEMORY else str(db_path)[-120:]
        unused: Any = None
        super().__init__(session_id, unused, user, session_settings=session_settings or SessionSettings())

    @property
    def _client(self) -> MemoryBankClient:
        loop = asyncio.get_running_loop()
        return CLIENTS.get(loop) or CLIENTS.setdefault(loop, MemoryBankClient(ADDRESS))

    @_client.setter
    def _client(self, _: Any) -> None: ...

    def close(self) -> None: ...


agents.SQLiteSession = Session
