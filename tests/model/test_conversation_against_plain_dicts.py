"""Random operations on a conversation, against plain dicts; now and then, and at the end, loaded anew."""

from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from core.aggregate.aggregate import Tuning
from core.conversation.conversation import Conversation
from core.conversation.kind import CONVERSATION
from core.conversation.steps import TURNS
from core.errors import TurnNotFound
from core.model.conversation import KeyType, SummaryKind, Tiers
from core.ports.store import Store
from core.usecases.conversation.tiers.count_hits import count_hits
from core.usecases.conversation.verbs.add_key import AddKey, add_key
from core.usecases.conversation.verbs.delete_key import DeleteKey, delete_key
from core.usecases.conversation.verbs.delete_summaries import DeleteSummaries, delete_summaries
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import EndConversation, end_conversation
from core.usecases.conversation.verbs.search_turns import SearchTurns, search_turns
from core.usecases.house import House
from service.holding.held import Holding
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.model_machine import ModelMachine, on_each_store
from tests.support.talking import KEY, said, say, tend

EXAMPLES, STEPS = 36, 30  # in soak over 10,000 operations
EMBEDDER = HashingEmbedder()
TUNING = Tuning(
    space=EMBEDDER.space.name,
    dimension=EMBEDDER.space.dimension,
    tiers=Tiers(
        short_turns=3,
        max_clusters=3,
        cluster_turns=4,
        hit_threshold=2,
        system_keys=2,
        summary_every=4,
        summaries=5,
    ),
)
MATTERS = ("ferry", "backup", "ticket", "数据库", "天气")


@dataclass(slots=True)
class PlainConversation:
    """What must hold, as plain values."""

    turns: dict[int, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)  # words that only deleted turns said
    last_step: int = 0
    promoted: set[str] = field(default_factory=set)
    folded: set[int] = field(default_factory=set)  # turns that were in a cluster, and are in a summary of it
    keys: dict[str, str] = field(default_factory=dict)  # of the user


class AgainstPlainDicts(ModelMachine):
    """The conversation under test and its model do the same."""

    def __init__(self) -> None:
        super().__init__()
        self.plain = PlainConversation()
        self.add(0, 1)

    async def opened(self, store: Store) -> House:
        return await self.closing.enter_async_context(
            open_house(store=store, embedder=EMBEDDER, holding=Holding(tuning=TUNING), unasked=False)
        )

    def at_hand(self) -> Conversation:
        async def read() -> Conversation:
            async with self.house.conversations.reading(KEY) as conversation:
                return conversation

        return self.run(read())

    # ---- operations ----

    @rule(matter=st.integers(0, 4), count=st.integers(1, 4))
    def add(self, matter: int, count: int) -> None:
        first = self.plain.last_step + 1
        words = [f"w{first + n}x {MATTERS[matter]} {first + n}" for n in range(count)]
        added = self.run(say(self.house, *(said(word) for word in words)))
        assert [turn.step for turn in added.turns] == list(range(first, first + count))
        self.plain.last_step += count
        self.plain.turns.update({turn.step: turn.input for turn in added.turns})

    @rule(place=st.integers(0, 1_000), count=st.integers(1, 3))
    def delete(self, place: int, count: int) -> None:
        known = sorted(self.plain.turns)
        steps = tuple(known[place % len(known) :][:count]) if known else (1,)
        try:
            self.run(delete_turns(self.house, DeleteTurns(key=KEY, steps=steps)))
        except TurnNotFound:
            assert not known
            return
        for step in steps:
            self.plain.gone.add(self.plain.turns.pop(step).split()[0])

    @rule()
    def tend_to_it(self) -> None:
        self.run(tend(self.house))

    @rule(place=st.integers(0, 1_000), hits=st.integers(1, 3))
    def hit(self, place: int, hits: int) -> None:
        conversation = self.at_hand()
        names = sorted(conversation.clusters)
        if names:
            counted = {frozenset({names[place % len(names)]}): hits}
            self.run(count_hits(self.house, KEY, conversation.uid, counted, self.house.clock.now()))

    @rule(last=st.integers(1, 40))
    def forget_summaries(self, last: int) -> None:
        self.run(delete_summaries(self.house, DeleteSummaries(key=KEY, last_step=last)))

    @rule(number=st.integers(1, 3))
    def add_a_key(self, number: int) -> None:
        added = self.run(add_key(self.house, AddKey(key=KEY, text=f"note {number}")))
        self.plain.keys[added.key_id] = f"note {number}"

    @rule(place=st.integers(0, 1_000))
    def delete_a_key(self, place: int) -> None:
        known = sorted(self.plain.keys)
        if known:
            key_id = known[place % len(known)]
            self.run(delete_key(self.house, DeleteKey(key=KEY, key_id=key_id)))
            del self.plain.keys[key_id]

    @rule(place=st.integers(0, 1_000))
    def look_for_a_turn(self, place: int) -> None:
        known = sorted(self.plain.turns)
        if known:
            step = known[place % len(known)]
            assert step in self.found(self.plain.turns[step].split()[0])

    @rule(place=st.integers(0, 1_000))
    def look_for_what_was_deleted(self, place: int) -> None:
        gone = sorted(self.plain.gone)
        if gone:
            assert self.found(gone[place % len(gone)]) == []

    def found(self, word: str) -> list[int]:
        """The steps of turns that say a word that no other turn says."""
        found = self.run(search_turns(self.house, SearchTurns(among=KEY, text=word, top_k=3, alpha=1.0)))
        return [one.hit.turn.step for one in found.hits if word in one.hit.turn.input]

    @rule()
    def rest(self) -> None:
        """As after a while in which nobody reads."""
        self.at_hand().rest()

    @rule()
    def end(self) -> None:
        self.run(end_conversation(self.house, EndConversation(key=KEY)))

    # ---- what always holds ----

    @invariant()
    def every_turn_is_there_and_in_one_tier(self) -> None:
        conversation = self.at_hand()
        record = conversation.record
        assert {t.step: t.input for t in conversation.turns.values()} == self.plain.turns
        assert (record.turn_count, record.last_step) == (len(self.plain.turns), self.plain.last_step)
        assert record.text_bytes == sum(len(text.encode()) for text in self.plain.turns.values())
        clustered = [step for cluster in conversation.clusters.values() for step in cluster.steps]
        assert len(clustered) == len(set(clustered))
        assert set(clustered) <= self.plain.turns.keys()
        assert all(step <= record.placed_to for step in clustered)
        short = set(conversation.short_steps)
        assert {step for step in self.plain.turns if step > record.placed_to} <= short
        assert all(cluster.steps for cluster in conversation.clusters.values())
        self.what_is_in_no_cluster_is_in_its_summary(conversation, set(clustered))

    def what_is_in_no_cluster_is_in_its_summary(
        self, conversation: Conversation, clustered: set[int]
    ) -> None:
        placed = {step for step in self.plain.turns if step <= conversation.record.placed_to}
        told = [s for s in conversation.summaries.values() if s.kind is SummaryKind.FOLDED]
        owed = [o for o in conversation.record.owed if o.kind is SummaryKind.FOLDED]
        ranges = [r for s in told for r in s.ranges] + [r for o in owed for r in o.ranges]
        for step in placed - clustered - self.plain.folded:
            is_told = any(r.first_step <= step <= r.last_step for r in ranges)
            assert is_told or len(told) == TUNING.tiers.summaries, step
        self.plain.folded = placed - clustered

    @invariant()
    def no_deleted_word_is_anywhere(self) -> None:
        shown = repr(self.at_hand().state())
        assert not any(word in shown for word in self.plain.gone)

    @invariant()
    def a_cluster_is_promoted_once_and_keys_rest_on_turns_that_are_there(self) -> None:
        conversation = self.at_hand()
        keys = conversation.keys_in_order(KeyType.SYSTEM)
        assert {k.key_id: k.text for k in conversation.keys_in_order(KeyType.USER)} == self.plain.keys
        assert len(keys) <= TUNING.tiers.system_keys
        assert len({key.cluster_id for key in keys}) == len(keys)
        assert all(set(key.from_steps) <= self.plain.turns.keys() for key in keys)
        standing = {c.cluster_id for c in conversation.clusters.values() if c.promoted}
        assert self.plain.promoted & conversation.clusters.keys() <= standing
        self.plain.promoted |= standing

    @rule()
    def load_anew(self) -> None:
        self.loads_as_it_is()

    def loads_as_it_is(self) -> None:
        conversation = self.at_hand()
        state = self.run(self.house.store.load(KEY, TUNING.space))
        assert state is not None
        loaded = CONVERSATION.load(state, TUNING, None)
        assert loaded.state() == conversation.state()
        assert loaded.unembedded == conversation.unembedded
        assert state.vectors.get(TURNS.name, {}).keys() <= loaded.turns.keys()

    def teardown(self) -> None:
        self.loads_as_it_is()
        self.run(tend(self.house))
        settled = self.at_hand()
        assert not settled.verbatim.wanting
        assert not settled.unplaced_count
        assert not settled.record.owed
        self.close()


TestInMemory, TestOnSqlite = on_each_store(
    AgainstPlainDicts, steps=STEPS, memory_examples=EXAMPLES, sqlite_examples=EXAMPLES // 3
)
