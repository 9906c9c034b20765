"""A long chat: an early detail, long out of the window, is asked for and answered with the turn it was said in."""

import time
from dataclasses import dataclass

from memorybank.v1 import conversation_pb2 as talk
from memorybank_client import ChatMemory, SyncMemoryBankClient
from service.cli import drawing
from service.cli.demo.tour import Tour

USER = "ada"
BATCH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """One chat: its early detail, what a question asks of it, and the small talk between."""

    conversation: str
    early: str
    reply: str
    question: str
    answer: str
    chatter: tuple[tuple[str, str], ...]


CHATS = (
    Chat(
        conversation="journey",
        early="Before I forget: my sister is allergic to walnuts, so no walnut cake for her.",
        reply="Noted: no walnuts for your sister.",
        question="What should I not bake for my sister?",
        answer="walnut",
        chatter=(
            ("Which ferry is the {}th today?", "Ferry {} leaves from pier 3."),
            ("How is the weather on day {}?", "Day {} is said to be sunny."),
            ("What does room {} cost?", "Room {} costs 80 euros a night."),
        ),
    ),
    Chat(
        conversation="xiangmu",
        early="先说一件事：数据库定了，用PostgreSQL，不用MySQL。",
        reply="好的，记下了：用PostgreSQL。",
        question="我们定下的数据库是哪一个？",
        answer="PostgreSQL",
        chatter=(
            ("第{}号接口测试了吗？", "第{}号接口已经测试通过。"),
            ("第{}次站会几点开？", "第{}次站会上午十点开。"),
            ("第{}份周报交了吗？", "第{}份周报还没有交。"),
        ),
    ),
)
TURNS = 60
LOOKS, PAUSE = 300, 0.05  # how often, and after how many seconds, the background is looked at


def long_chat(tour: Tour) -> None:
    """Plays both chats, each in its language."""
    tour.bank_id = ""
    for chat in CHATS:
        with tour.step(
            f"A chat of {TURNS + 1} turns ({chat.conversation}): what was said at its beginning"
        ) as facts:
            facts["conversation"] = chat.conversation
            memory = ChatMemory(tour.client, user=USER, conversation=chat.conversation)
            first = memory.add(chat.early, chat.reply)
            _talk(tour.client, memory, chat)
            messages = memory.messages(chat.question)
            window = [message["content"] for message in messages[1:-1]]
            shown = messages[0]["content"]
            found = memory.search(chat.question, top_k=1)
            tour.show(drawing.words(f"[{first}] {chat.early}"))
            tour.show(drawing.words(f"… {TURNS} turns later: {chat.question}"))
            tour.show(drawing.words(f"→ turn {found[0].step}: {found[0].input}"))
            tour.claim(
                f"{chat.conversation}: the detail is out of the window, and before the model with its turn",
                not any(chat.early in text for text in window)
                and f"[{first}]" in shown
                and chat.early in shown,
            )
            tour.claim(
                f"{chat.conversation}: a search finds the turn it was said in",
                found[0].step == first and chat.answer in found[0].input,
            )


def _talk(client: SyncMemoryBankClient, memory: ChatMemory, chat: Chat) -> None:
    """Makes so many turns of small talk."""
    turns = [
        talk.Turn(input=asked.format(number), reply=reply.format(number))
        for number, (asked, reply) in ((n, chat.chatter[n % len(chat.chatter)]) for n in range(1, TURNS + 1))
    ]
    for start in range(0, TURNS, BATCH):
        client.add_turns(**memory.setting.whose, turns=turns[start : start + BATCH])
    for _ in range(LOOKS):  # the background brings older turns out of the window
        if not client.get_conversation(**memory.setting.whose).counts.unplaced_turns:
            return
        time.sleep(PAUSE)
