"""LangChain over the memory: the history of a chat (`BaseChatMessageHistory`), and a retriever of long-term memory.

    history = MemoryBankHistory(client, user="ada", conversation_id="c1")
    retriever = MemoryBankRetriever(client=client, user="ada", k=5)

A message is one turn of the conversation: its words are found by searches and stand in prompts, the message itself
comes back as it was. For `RunnableWithMessageHistory` give `lambda session_id: MemoryBankHistory(client, user,
session_id)`.

`pip install langchain-core` brings what this module imports: 1.1.0 and 1.8.3 were tried.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import ErrorReason, MemoryBankError, SyncMemoryBankClient
from memorybank_client.adapters.turn_items import chosen, items_of, portions, turn_of

FORM = "langchain"


class MemoryBankHistory(BaseChatMessageHistory):
    """One conversation of one user. `collection`: the long-term memory that it belongs to, where it is made here."""

    def __init__(
        self, client: SyncMemoryBankClient, user: str, conversation_id: str, *, collection: str = ""
    ) -> None:
        self._client = client
        self._collection = collection
        self._of: dict[str, Any] = {"user": user, "conversation_id": conversation_id}

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # as LangChain's own ones have it
        """All messages, oldest first."""
        return self.latest(None)

    def latest(self, count: int | None) -> list[BaseMessage]:
        """Returns the newest 1 to 1,000 messages, oldest first; None: all."""
        turns: list[Any] = []
        token = ""
        while True:
            try:
                page = self._client.list_turns(
                    **self._of, **chosen(count), include_metadata=True, page_token=token
                )
            except MemoryBankError as error:
                if error.reason == ErrorReason.ERROR_REASON_CONVERSATION_NOT_FOUND:
                    return []
                raise
            turns = [*turns, *page.turns] if count is None else [*page.turns, *turns]
            token = page.next_page_token
            if not token:
                return messages_from_dict([each for turn in turns for each in items_of(turn, FORM, _message)])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        turns = [turn_of(message_to_dict(each), each.type, FORM, each) for each in messages]
        for some in portions(turns):
            self._client.add_turns(**self._of, collection=self._collection, turns=some)

    def clear(self) -> None:
        """Erases the conversation, and what was learned of it."""
        self._client.delete_conversation(**self._of, allow_missing=True, forget_records=True)


class MemoryBankRetriever(BaseRetriever):
    """What long-term memory holds that bears on a query: records of a user's collection as documents, best first."""

    client: SyncMemoryBankClient
    user: str
    collection: str = ""
    k: int = 4
    """How many at most, 1 to 1,000."""
    filter: pb.RecordFilter | None = None
    """Which records may be found."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  its caller names it
        k: int | None = None,
    ) -> list[Document]:
        found = self.client.retrieve_memories(
            user=self.user,
            collection=self.collection,
            query=query,
            top_k=k or self.k,
            filter=self.filter,
            wait=True,
        )
        return [_document(one) for one in found.memories]


def _message(role: str, said: str) -> dict[str, Any]:
    return message_to_dict(HumanMessage(said) if role == "user" else AIMessage(said))


def _document(one: pb.RankedRecord) -> Document:
    record = one.record
    return Document(
        id=record.record_id,
        page_content=record.content,
        metadata={
            "kind": pb.RecordKind.Name(record.kind).removeprefix("RECORD_KIND_"),
            "category": record.category,
            "source": record.source,
            "event_time": record.event_time.ToJsonString(),
            "state": pb.RecordState.Name(record.state).removeprefix("RECORD_STATE_"),
            "score": one.score,
            "metadata_json": record.metadata_json,
        },
    )
