"""A session of the OpenAI Agents SDK (`agents.memory.Session`): a conversation of the memory.

    session = MemoryBankSession("c1", client, user="ada")
    await Runner.run(agent, "Which ferry goes to Naxos?", session=session)

An item is one turn: its words are found by searches and stand in prompts, the item itself comes back as it was. What
the user says teaches long-term memory, as of any conversation. `clear_session` and `pop_item` erase, also what was
learned of what goes.

`pip install openai-agents` brings what this module imports: 0.20.0 and 0.24.0 were tried.
"""

from typing import Any

from agents.memory.session import SessionABC

try:
    from agents.memory.session_settings import coerce_session_settings as coerced
except ImportError:  # an older one takes no dict
    from agents.memory.session_settings import SessionSettings

    def coerced(value: dict[str, Any]) -> Any:
        return SessionSettings(**value)


from memorybank_client import ErrorReason, MemoryBankClient, MemoryBankError
from memorybank_client.adapters.turn_items import MOST_LISTED, chosen, items_of, portions, turn_of

MISSING = (ErrorReason.ERROR_REASON_CONVERSATION_NOT_FOUND, ErrorReason.ERROR_REASON_TURN_NOT_FOUND)
FORM = "openai"
POPS = 10  # times that an item is popped anew while others pop the same


class MemoryBankSession(SessionABC):  # type: ignore[misc]  # typed where the SDK is installed
    """One conversation of one user. `collection`: the long-term memory that it belongs to, where it is made here."""

    def __init__(
        self,
        session_id: str,
        client: MemoryBankClient,
        user: str,
        *,
        collection: str = "",
        session_settings: Any = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = (
            coerced(session_settings) if isinstance(session_settings, dict) else session_settings
        )
        self._client = client
        self._collection = collection
        self._of: dict[str, Any] = {"user": user, "conversation_id": session_id}

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Returns all items, or the latest `limit`, oldest first."""
        most = getattr(self.session_settings, "limit", None) if limit is None else limit
        if most is not None and most <= 0:
            return []
        pages: list[Any] = []
        token = ""
        while not pages or token:
            try:
                page = await self._client.list_turns(
                    **self._of, **chosen(most), include_metadata=True, page_token=token
                )
            except MemoryBankError as error:
                if error.reason in MISSING:
                    break
                raise
            pages.insert(0 if most is not None and most <= MOST_LISTED else len(pages), page.turns)
            token = page.next_page_token
        items = [item for page in pages for turn in page for item in items_of(turn, FORM, _message)]
        return items if most is None else items[-most:]

    async def add_items(self, items: list[Any]) -> None:
        turns = [turn_of(item, str(item.get("role") or ""), FORM) for item in items]
        for some in portions(turns):
            await self._client.add_turns(**self._of, collection=self._collection, turns=some)

    async def pop_item(self) -> Any | None:
        """Erases the latest item and returns it; None where there is none."""
        for _ in range(POPS):
            try:
                page = await self._client.list_turns(**self._of, last=1, include_metadata=True)
                if not page.turns:
                    return None
                (turn,) = page.turns
                await self._client.delete_turns(**self._of, steps=[turn.step])
            except MemoryBankError as error:
                if error.reason == ErrorReason.ERROR_REASON_CONVERSATION_NOT_FOUND:
                    return None
                if error.reason not in MISSING:  # another was quicker
                    raise
            else:
                return items_of(turn, FORM, _message)[-1]
        return None

    async def clear_session(self) -> None:
        await self._client.delete_conversation(**self._of, allow_missing=True, forget_records=True)


def _message(role: str, said: str) -> dict[str, str]:
    return {"role": role, "content": said}
