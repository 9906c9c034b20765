"""How much of a question's evidence stands in an assembled context of so many tokens, by the memories it is made of.

Law: the contexts are the ones that AssembleContext answers with. A world is told twice: to a bank, interaction by
interaction, and to a conversation, a message a turn, whose tiers and facts are up to date when the questions come. All
settings are the default ones: every question is asked once before, as in a long use, so that clusters are recalled and
become keys; then it is only looked at. Evidence counts if its whole message stands in the context word for word. Beside
them stand the last turns that the same budget holds, which an agent without a memory sees, as many turns by chance,
all turns, which no budget bounds, and what the bank's search finds first, a line each. Where a set tells the answers,
one reader answers out of each (`answers`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from core.bank.query import Target
from core.context.lines import one_line
from core.context.turns import turn_item
from core.conversation.due import END, due
from core.errors import BudgetTooSmall
from core.ids import Collection, ConversationId, User
from core.keys import CollectionKey, ConversationKey
from core.language import language_of
from core.text.tokens import estimate
from core.usecases.bank.verbs.search import Ask, Searches, run_searches
from core.usecases.context.asked import AssembleContext
from core.usecases.context.assemble_context import assemble_context
from core.usecases.conversation.tiers.count_hits import write_hits
from core.usecases.conversation.verbs.add_turns import AddTurns, NewTurn, add_turns
from core.usecases.conversation.verbs.create_conversation import CreateConversation, create_conversation
from core.usecases.conversation.verbs.delete_conversation import DeleteConversation, delete_conversation
from core.usecases.house import House
from core.usecases.long_term.verbs.delete_collection import DeleteCollection, delete_collection
from evaluation.answers import worth_of
from evaluation.asking import TENANT, memorized
from evaluation.figures import BUDGETS, Outcome, Standing
from evaluation.pacing import Progress, Stopwatch, Took
from evaluation.prompts import MemorizedWorld
from evaluation.sets import EvaluationSet, Question, World

AT_ONCE = 50  # turns of a call
EVALUATED = User("evaluation")
FIRST_HITS = 200
"""Segments of which as many stand as plain lines as a budget holds: no context should hold less."""
CONTEXT_BUDGETS = (*BUDGETS, 8_000, 16_000)
"""Of contexts, which have more beside evidence than other prompts: up to the configured one."""
TIMED = BUDGETS[-1]
"""The budget of which times, intervals and answers are told."""
LAST, RANDOM, WHOLE, HITS, TALK, TAUGHT, BANK, ALL = (
    "the last turns alone",
    "turns by chance",
    "all turns, without a budget",
    "first hits of the bank, as plain lines",
    "conversation",
    "conversation and its facts",
    "bank",
    "conversation, its facts and bank",
)
NAMES = (LAST, RANDOM, WHOLE, HITS, TALK, TAUGHT, BANK, ALL)
ASSEMBLED = NAMES[4:]
SEED = 7
LAST_HEADING = "\n## "


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """By name of what a context is made of: the outcomes, in the order of the set's questions, and how long the largest
    context took; nothing of the last turns."""

    chosen: EvaluationSet
    outcomes: Mapping[str, Sequence[Outcome]]
    took: Mapping[str, Sequence[Took]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _WorldMemory:
    """A world told: its bank, its conversation, its collection, and its messages as turns, newest first."""

    asked: MemorizedWorld
    talk: ConversationKey
    facts: CollectionKey
    newest: Sequence[str]

    def sources(self, name: str) -> dict[str, Any]:
        """Returns the fields of AssembleContext."""
        talk = {"conversation": self.talk} if name in (TALK, TAUGHT, ALL) else {}
        facts = {"collection": self.facts} if name in (TAUGHT, ALL) else {}
        return {**talk, **facts, **({"bank": self.asked.key} if name in (BANK, ALL) else {})}


@dataclass(slots=True)
class _Notes:
    outcomes: dict[str, list[Outcome]] = field(default_factory=lambda: {name: [] for name in NAMES})
    took: dict[str, list[Took]] = field(default_factory=lambda: {name: [] for name in ASSEMBLED})


async def ask_contexts(house: House, chosen: EvaluationSet, progress: Progress) -> Contexts:
    """Tells each world of a set, and asks its questions."""
    notes = _Notes()
    for world in chosen.worlds:
        progress.began(f"{chosen.name}: telling {world.world_id} ({world.message_count} messages)")
        chat = await _told(house, world, progress)
        await _used(house, chat, world.questions)
        for number, question in enumerate(world.questions):
            progress.so_far(f"{chosen.name}: asked of {world.world_id}", number, len(world.questions))
            await _ask(house, chat, question, notes)
        await _forget(house, chat)
    return Contexts(chosen=chosen, outcomes=notes.outcomes, took=notes.took)


async def _told(house: House, world: World, progress: Progress) -> _WorldMemory:
    asked = await memorized(house, world, progress)
    key = ConversationKey(
        tenant=TENANT, user=EVALUATED, conversation_id=ConversationId(str(asked.key.bank_id))
    )
    facts = CollectionKey(tenant=TENANT, user=EVALUATED, collection=Collection(str(asked.key.bank_id)))
    turns = [
        NewTurn(
            input=message.text,
            reply="",
            input_speaker=message.speaker,
            event_time=message.event_time or context.event_time,
        )
        for context in world.contexts
        for message in context.messages
    ]
    await create_conversation(
        house,
        CreateConversation(
            tenant=TENANT,
            user=EVALUATED,
            conversation_id=key.conversation_id,
            collection=facts.collection,
        ),
    )
    for start in range(0, len(turns), AT_ONCE):
        progress.so_far(f"told {world.world_id}", start, len(turns))
        some = tuple(turns[start : start + AT_ONCE])
        await add_turns(house, AddTurns(key=key, collection=facts.collection, turns=some))
        await _settled(house, key)
    async with house.conversations.reading(key) as talk:
        newest = [
            turn_item(turn, language_of(turn.input).headings).full
            for turn in reversed(talk.newest(len(turns)))
        ]
    return _WorldMemory(asked=asked, talk=key, facts=facts, newest=newest)


async def _used(house: House, chat: _WorldMemory, questions: Sequence[Question]) -> None:
    """Asks everything once, counted: what was recalled often becomes keys."""
    for question in questions:
        await assemble_context(house, AssembleContext(input=question.text, conversation=chat.talk))
    await write_hits(house)
    await _settled(house, chat.talk)


async def _forget(house: House, chat: _WorldMemory) -> None:
    await house.banks.delete(chat.asked.key)
    await delete_conversation(house, DeleteConversation(key=chat.talk))
    await delete_collection(house, DeleteCollection(key=chat.facts, allow_missing=True))


async def _settled(house: House, key: ConversationKey) -> None:
    """Waits until the conversation asks for no more work."""
    while True:
        async with house.conversations.reading(key) as talk:
            waiting = [chore.name for chore in due(talk, house.clock.now()) if chore is not END]
            house.chores.look(talk)
        if not waiting:
            return
        for name in waiting:
            await house.chores.finished(key, name)


async def _ask(house: House, chat: _WorldMemory, question: Question, notes: _Notes) -> None:
    await house.embedder.embed_queries([question.text])
    by_chance = Random(f"{SEED} {question.question_id}").sample(chat.newest, len(chat.newest))
    plain = {LAST: chat.newest, RANDOM: by_chance, HITS: await _first_hits(house, chat, question)}
    for name, texts in plain.items():
        notes.outcomes[name].append(
            _outcome(
                question, [_standing(chat, question, _filled(texts, budget)) for budget in CONTEXT_BUDGETS]
            )
        )
    whole = _standing(chat, question, "\n".join(reversed(chat.newest)))
    notes.outcomes[WHOLE].append(_outcome(question, [whole] * len(CONTEXT_BUDGETS)))
    for name in ASSEMBLED:
        stands = []
        for budget in CONTEXT_BUDGETS:
            watch = Stopwatch()
            prompt = await _prompt(house, chat, name, question, budget)
            if budget == TIMED:
                notes.took[name].append(watch.took())
            stands.append(None if prompt is None else _standing(chat, question, prompt))
        notes.outcomes[name].append(_outcome(question, stands))


async def _first_hits(house: House, chat: _WorldMemory, question: Question) -> list[str]:
    """Returns what the bank's search finds first, a line each."""
    ask = Ask(text=question.text, top_k=FIRST_HITS, target=Target.SEGMENTS, hops=0)
    found = await run_searches(house, Searches(key=chat.asked.key, asks=(ask,)))
    segments = [hit.segment for hit in found.answers[0].found.hits if hit.segment]
    return [f"{each.event_time.date()} {each.speaker}: {each.text}" for each in segments]


def _filled(texts: Sequence[str], budget: int) -> str:
    """Returns as many of the texts as a budget holds."""
    held: list[str] = []
    for text in texts:
        budget -= estimate(f"{text}\n")
        if budget < 0:
            break
        held.append(text)
    return "\n".join(held)


async def _prompt(house: House, chat: _WorldMemory, name: str, question: Question, budget: int) -> str | None:
    command = AssembleContext(input=question.text, token_budget=budget, observe=True, **chat.sources(name))
    try:
        prompt = (await assemble_context(house, command)).prompt
        return prompt.rpartition(LAST_HEADING)[0] or prompt  # the question itself is no answer to it
    except BudgetTooSmall:
        return None


def _standing(chat: _WorldMemory, question: Question, prompt: str) -> Standing:
    line = one_line(prompt)
    share = sum(chat.asked.lines[message] in line for message in question.evidence) / len(question.evidence)
    worth = worth_of(question.text, prompt, question.answer) if question.answer else None
    return Standing(shown=share, reachable=share, worth=worth)


def _outcome(question: Question, stands: Sequence[Standing | None]) -> Outcome:
    return Outcome(ranks=(), needed=len(question.evidence), prompts=tuple(stands))
