"""A memory for a chat agent: earlier turns stand before the model, and each new turn is kept.

    with SyncMemoryBankClient("127.0.0.1:7700") as client:
        memory = ChatMemory(client, user="ada", conversation="c1", system="You plan journeys.")
        while question := input("> "):
            print(memory.ask(question, lambda messages: your_model(messages)))

A turn is kept only after it was answered, under a request id of its own: a repetition adds nothing. Questions and
replies are texts, or messages as any vendor has them: their words are kept (see `memorybank_client.messages`).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from memorybank.v1.conversation_pb2 import Turn
from memorybank.v1.instructions_pb2 import SourceRef
from memorybank.v1.retrieval_pb2 import CONTEXT_FORM_MESSAGES
from memorybank_client.client import MemoryBankClient, SyncMemoryBankClient
from memorybank_client.messages import words
from memorybank_client.runs import AsyncRun, Message, Owner, Run, messages_of

AnyClient = TypeVar("AnyClient", bound=SyncMemoryBankClient | MemoryBankClient)
Reply = TypeVar("Reply")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What every call of a chat memory carries."""

    user: str
    conversation: str
    system: str = ""
    bank: str = ""
    token_budget: int | None = None
    refs: tuple[SourceRef, ...] = ()
    collection: str = ""

    @property
    def owner(self) -> Owner:
        """Whose runs are made here."""
        return Owner(user=self.user, conversation=self.conversation, collection=self.collection)

    def context(self, question: Any) -> dict[str, Any]:
        """Returns the fields of AssembleContextRequest."""
        return {
            "input": words(question),
            "system": self.system,
            "user": self.user,
            "conversation_id": self.conversation,
            "bank_id": self.bank,
            "token_budget": self.token_budget,
            "form": CONTEXT_FORM_MESSAGES,
            "refs": self.refs,
            "collection": self.collection,
        }

    def turn(self, question: Any, reply: Any) -> dict[str, Any]:
        """Returns the fields of AddTurnsRequest."""
        turn = Turn(input=words(question), reply=words(reply))
        return {**self.whose, "collection": self.collection, "turns": [turn]}

    @property
    def whose(self) -> dict[str, Any]:
        return {"user": self.user, "conversation_id": self.conversation}


class _Chat(Generic[AnyClient]):
    """What both forms of a conversation's memory are made of: the client, and what stays the same in all calls."""

    def __init__(
        self,
        client: AnyClient,
        *,
        user: str,
        conversation: str = "",
        system: str = "",
        bank: str = "",
        refs: Sequence[SourceRef] = (),
        collection: str = "",
        token_budget: int | None = None,
    ) -> None:
        self.client: AnyClient = client
        self.setting = Setting(
            user=user,
            conversation=conversation or f"c-{uuid4().hex}",
            system=system,
            bank=bank,
            refs=tuple(refs),
            collection=collection,
            token_budget=token_budget,
        )


class ChatMemory(_Chat[SyncMemoryBankClient]):
    """The memory of one conversation, over a synchronous client. Without `conversation` a new one begins.

    `refs`: instruction documents behind the system's; `bank`: a task's memory that is put before the model too.
    `collection`: the long-term memory that stands before the model, and that learns from what the user says.
    `token_budget`: the most that the messages may take.
    """

    def messages(self, question: Any) -> list[Message]:
        """Returns what to send a chat model for a question: memory and system first, the question last."""
        return messages_of(self.client.assemble_context(**self.setting.context(question)))

    def add(self, question: Any, reply: Any) -> int:
        """Keeps a turn; returns its step."""
        return self.client.add_turns(**self.setting.turn(question, reply)).turns[0].step

    def ask(self, question: Any, answer: Callable[[list[Message]], Reply]) -> Reply:
        """Lets `answer` make a reply of the messages, keeps the turn, and returns the reply."""
        reply = answer(self.messages(question))
        self.add(question, reply)
        return reply

    def run(self, question: Any) -> Run:
        """Begins a run of an agent with tools on a question: `with memory.run(question) as run`, or `async with`.
        Its end keeps the turn."""
        return Run(self.client, self.setting.owner, words(question), self.setting.context(question))

    def keep(self, statement: str) -> str:
        """Puts a statement before the model in every later turn; returns the key's id."""
        return self.client.add_key(**self.setting.whose, text=statement).key.key_id

    def search(self, text: str, top_k: int | None = None) -> Sequence[Turn]:
        """Returns the turns that fit a text best."""
        hits = self.client.search_turns(**self.setting.whose, text=text, top_k=top_k).hits
        return [hit.turn for hit in hits]


class AsyncChatMemory(_Chat[MemoryBankClient]):
    """ChatMemory over an asynchronous client."""

    async def messages(self, question: Any) -> list[Message]:
        """Returns what to send a chat model for a question: memory and system first, the question last."""
        return messages_of(await self.client.assemble_context(**self.setting.context(question)))

    async def add(self, question: Any, reply: Any) -> int:
        """Keeps a turn; returns its step."""
        return (await self.client.add_turns(**self.setting.turn(question, reply))).turns[0].step

    async def ask(self, question: Any, answer: Callable[[list[Message]], Awaitable[Reply]]) -> Reply:
        """Lets `answer` make a reply of the messages, keeps the turn, and returns the reply."""
        reply = await answer(await self.messages(question))
        await self.add(question, reply)
        return reply

    def run(self, question: Any) -> AsyncRun:
        """Begins a run of an agent with tools on a question: `with memory.run(question) as run`, or `async with`.
        Its end keeps the turn."""
        return AsyncRun(self.client, self.setting.owner, words(question), self.setting.context(question))

    async def keep(self, statement: str) -> str:
        """Puts a statement before the model in every later turn; returns the key's id."""
        return (await self.client.add_key(**self.setting.whose, text=statement)).key.key_id

    async def search(self, text: str, top_k: int | None = None) -> Sequence[Turn]:
        """Returns the turns that fit a text best."""
        hits = (await self.client.search_turns(**self.setting.whose, text=text, top_k=top_k)).hits
        return [hit.turn for hit in hits]
