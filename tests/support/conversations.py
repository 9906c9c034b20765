"""A conversation for tests, changed without a store: what a holder does, in memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change
from core.conversation.conversation import Conversation
from core.conversation.kind import CONVERSATION
from core.conversation.steps import ConversationChange, ConversationPut, Step, TurnAdd
from core.conversation.telling import id_of
from core.conversation.turn_vectors import joined
from core.ids import ChangeId, Collection, ConversationId, Tenant, User
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, ConversationSettings, Tiers, Turn
from core.model.vector import Vector
from tests.support.changes import START
from tests.support.hashing_embedder import HashingEmbedder

KEY = ConversationKey(tenant=Tenant("acme"), user=User("王明"), conversation_id=ConversationId("c1"))
EMBEDDER = HashingEmbedder()
SPACE = EMBEDDER.space


def record(of: ConversationKey = KEY, **changed: Any) -> ConversationRecord:
    fields: dict[str, Any] = {
        "user": of.user,
        "collection": Collection(""),
        "create_time": START,
        "update_time": START,
    }
    return ConversationRecord(key=of, uid="u1", **(fields | changed))


def turn(step: int, input_: str, reply: str = "", at: datetime | None = None, **changed: Any) -> Turn:
    said = at or START + timedelta(minutes=step)
    return Turn(step=step, input=input_, reply=reply, event_time=said, create_time=said, **changed)


class Talk:
    """A conversation that is changed step by step; every change is as if it had been stored."""

    def __init__(self, tiers: Tiers | None = None, settings: ConversationSettings | None = None) -> None:
        self.tuning = Tuning(dimension=SPACE.dimension, space=SPACE.name, tiers=tiers or Tiers())
        first = record(settings=settings or ConversationSettings())
        change: ConversationChange = Change(
            change_id=ChangeId("g1"),
            parent=None,
            revision=1,
            time=START,
            steps=(ConversationPut(record=first),),
        )
        self.conversation: Conversation = CONVERSATION.found(change, "u1", self.tuning)

    def change(self, *steps: Step) -> None:
        head = self.conversation.head
        revision = head.revision + 1
        self.conversation.apply(
            Change(
                change_id=ChangeId(f"g{revision}"),
                parent=head.change_id,
                revision=revision,
                time=START + timedelta(seconds=revision),
                steps=steps,
            )
        )

    def say(self, *turns: Turn) -> None:
        self.change(*(TurnAdd(turn=each) for each in turns))

    def embed(self) -> None:
        """Make the vectors that are wanting."""
        for item in list(self.conversation.unembedded):
            lines = self.conversation.lines(self.conversation.turns[item])
            made = joined([EMBEDDER.vector(line) for line in lines.values()])
            self.conversation.put_vectors("turns", {item: made})

    def loaded(self) -> Conversation:
        """The conversation that a store would load."""
        at_hand = self.conversation
        vectors: dict[str, Vector] = {}
        for each in at_hand.turns.values():
            made = [v for ref in at_hand.refs(each) if (v := at_hand.verbatim.vectors.get(ref)) is not None]
            if made:
                vectors[id_of(each.step)] = joined(made)
        return CONVERSATION.load(replace(at_hand.state(), vectors={"turns": vectors}), self.tuning, None)


def numbers(turns: Sequence[Turn]) -> list[int]:
    return [each.step for each in turns]
