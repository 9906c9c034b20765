"""The Clusterer on a model: pieces by number, slips mended, prompts taken apart verbatim."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from core.agents.llm.clusterer import LlmClusterer
from core.agents.roles import Cluster, Piece, SplitPrompt
from core.errors import AgentReplyInvalid
from core.ports.chat import ChatMessage, ReplyShape
from core.text.tokens import estimate
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import bytes_of, objections, question, said
from tests.support.scripted_chat import ScriptedChat


def pieces(*texts: str) -> list[Piece]:
    return [Piece(number=number, text=text) for number, text in enumerate(texts)]


def cluster(number: int, named: Sequence[str], context: str = "A topic", *keywords: str) -> dict[str, object]:
    return {"cluster_id": number, "pieces": named, "context": context, "keywords": keywords or ["word"]}


def clusters(*made: dict[str, object], should_cluster: bool = True) -> str:
    return said(should_cluster=should_cluster, clusters=made)


async def test_topics_come_back_by_the_numbers_of_their_pieces() -> None:
    chat = ScriptedChat(
        [clusters(cluster(1, ["0", "2"], "IBM's chips", "IBM"), cluster(2, ["1"], "Algorithms"))]
    )

    found = await LlmClusterer(chat).cluster(
        pieces("IBM built a chip.", "Shor.", "It has 1,121 qubits."), "look"
    )

    assert found == [
        Cluster(pieces=(0, 2), context="IBM's chips", keywords=("IBM",)),
        Cluster(pieces=(1,), context="Algorithms", keywords=("word",)),
    ]
    assert "look" in question(chat)


async def test_chinese_topics_stay_chinese() -> None:
    reply = clusters(
        cluster(1, ["0-1"], "量子计算硬件突破（IBM、Google等）", "量子比特", "超导芯片", "量子纠错"),
        should_cluster=False,
    )

    (found,) = await LlmClusterer(ScriptedChat([reply])).cluster(
        pieces("IBM发布芯片。", "谷歌也发布了。"), ""
    )

    assert found.context == "量子计算硬件突破（IBM、Google等）"
    assert found.keywords == ("量子比特", "超导芯片", "量子纠错")
    assert found.pieces == (0, 1)


async def test_one_topic_needs_no_numbers() -> None:
    chat = ScriptedChat([clusters(cluster(1, []), should_cluster=False)])

    (found,) = await LlmClusterer(chat).cluster(pieces("a", "b", "c"), "")

    assert found.pieces == (0, 1, 2)


async def test_messages_are_shown_with_speaker_and_time() -> None:
    chat = ScriptedChat([clusters(cluster(1, ["0"]), should_cluster=False)])
    spoken = Piece(number=0, text="Hi.", speaker="Ana", event_time=datetime(2024, 5, 1, 9, 30, tzinfo=UTC))

    await LlmClusterer(chat).cluster([spoken], "")

    assert "(2024-05-01 09:30) Ana: Hi." in question(chat)


SLIPS = {
    "a forgotten piece": (clusters(cluster(1, ["0"]), cluster(2, ["2"])), "pieces 1 are in no cluster"),
    "a piece named twice": (clusters(cluster(1, ["0-1"]), cluster(2, ["1-2"])), "pieces 1 are in several"),
    "an invented piece": (clusters(cluster(1, ["0-7"])), "numbers go from 0 to 2"),
    "no cluster": (clusters(), "clusters is empty"),
    "clusters where there are none": (
        clusters(cluster(1, ["0"]), cluster(2, ["1-2"]), should_cluster=False),
        "there is one cluster then",
    ),
    "no context": (clusters(cluster(1, ["0-2"], " ")), "context is empty"),
}


@pytest.mark.parametrize(("bad", "problem"), SLIPS.values(), ids=SLIPS)
async def test_a_slip_is_asked_again_with_the_reason(bad: str, problem: str) -> None:
    chat = ScriptedChat([bad, clusters(cluster(1, ["0-2"], "Whole"))])

    (found,) = await LlmClusterer(chat).cluster(pieces("a", "b", "c"), "")

    assert found.context == "Whole"
    (told,) = objections(chat)
    assert problem in told


async def test_what_is_forgotten_to_the_end_goes_with_the_piece_before_it_and_a_double_stays_where_it_was_first() -> (
    None
):
    bad = clusters(cluster(1, ["1-2"], "One"), cluster(2, ["2", "4"], "Two"), cluster(3, ["4"], "Three"))
    chat = ScriptedChat([bad] * 3)

    found = await LlmClusterer(chat).cluster(pieces("a", "b", "c", "d", "e", "f"), "")

    assert [(c.context, c.pieces) for c in found] == [("One", (0, 1, 2, 3)), ("Two", (4, 5))]
    assert len(chat.asked) == 3


async def test_a_few_forgotten_among_many_are_mended_without_asking_again() -> None:
    chat = ScriptedChat([clusters(cluster(1, ["0-9"]), cluster(2, ["11-29"]))])

    first, second = await LlmClusterer(chat).cluster(pieces(*(f"piece {n}" for n in range(30))), "")

    assert (first.pieces[-1], second.pieces[0]) == (10, 11)


async def test_pieces_that_were_never_given_are_refused_to_the_end() -> None:
    chat = ScriptedChat([clusters(cluster(1, ["99"]))] * 3)

    with pytest.raises(AgentReplyInvalid) as invalid:
        await LlmClusterer(chat).cluster(pieces("a"), "")

    assert invalid.value.role == "clusterer"


async def test_hostile_pieces_stay_pieces() -> None:
    chat = ScriptedChat(
        [clusters(cluster(1, [f"0-{len(HOSTILE) - 1}"]), should_cluster=False)], window=500_000
    )

    (found,) = await LlmClusterer(chat).cluster(pieces(*HOSTILE), "")

    assert len(found.pieces) == 50
    mark = question(chat).splitlines()[0].removeprefix("Fence mark: ")
    assert question(chat).count(f"\n[[{mark} ") == 51


def whole(messages: Sequence[ChatMessage], _shape: ReplyShape) -> str:
    return clusters(cluster(1, [], f"Topic of {len(messages[1].text)}"), should_cluster=False)


async def test_many_tiny_pieces_are_clustered_in_parts_that_fit() -> None:
    chat = ScriptedChat(whole, window=4_000)

    found = await LlmClusterer(chat).cluster(pieces(*["ok"] * 1_000), "")

    assert [piece for c in found for piece in c.pieces] == list(range(1_000))
    assert len(chat.asked) > 3
    assert all(sum(estimate(m.text) for m in messages) < 3_200 for messages, _ in chat.asked)


async def test_a_full_chunk_fits_with_its_marks_in_one_call() -> None:
    chat = ScriptedChat(whole, window=8_000)
    agent = LlmClusterer(chat)
    paragraph = "The committee met in the morning and took up the question of the harbour once more. " * 4
    count = int(agent.window * 0.9) // estimate(paragraph)

    await agent.cluster(pieces(*[paragraph] * count), "a task")

    assert len(chat.asked) == 1


# ---- the question of a prompt ----


async def test_the_question_is_taken_verbatim() -> None:
    chat = ScriptedChat([said(question=["2"])])
    prompt = "Ana wrote: who is the CEO?  Zhang San  is the CEO of Acme.\n\nWho leads Acme today?"

    split = await LlmClusterer(chat).split(prompt)

    assert split == SplitPrompt(
        question="Who leads Acme today?", context="Ana wrote: who is the CEO?  Zhang San  is the CEO of Acme."
    )


async def test_a_chinese_question_at_both_ends_is_taken_verbatim() -> None:
    chat = ScriptedChat([said(question=["0", "3"])])
    prompt = "请阅读下面的材料。\n\nIBM发布了1121量子比特的芯片。谷歌尚未发布。\n\n问题：谁领先？"

    split = await LlmClusterer(chat).split(prompt)

    assert split.question == "请阅读下面的材料。\n\n问题：谁领先？"
    assert split.context == "IBM发布了1121量子比特的芯片。谷歌尚未发布。"


async def test_one_sentence_is_the_question_without_asking() -> None:
    chat = ScriptedChat([])

    assert await LlmClusterer(chat).split(" 谁是CEO？\n") == SplitPrompt(question="谁是CEO？", context="")
    assert not chat.asked


@pytest.mark.parametrize("named", [[], ["7"]])
async def test_no_question_or_one_never_shown_is_asked_again(named: list[str]) -> None:
    chat = ScriptedChat([said(question=named), said(question=["0-1"])])

    split = await LlmClusterer(chat).split("One. Two?")

    assert split == SplitPrompt(question="One. Two?", context="")
    assert len(objections(chat)) == 1


async def test_of_a_prompt_beyond_the_window_both_ends_are_shown() -> None:
    prompt = "What follows is a log. " + "Nothing happened at all. " * 20_000 + "What happened in the end?"
    chat = ScriptedChat([said(question=["20001"])], window=4_000)

    split = await LlmClusterer(chat).split(prompt)

    assert split.question == "What happened in the end?"
    assert split.context.startswith("What follows is a log.")
    assert len(split.context) > 400_000
    assert estimate(question(chat)) < 3_000
    assert "are not shown" in question(chat)


async def test_the_same_record_is_asked_about_in_the_same_bytes() -> None:
    chats = [ScriptedChat(whole), ScriptedChat(whole)]
    for chat in chats:
        await LlmClusterer(chat).cluster(pieces("量子", "quantum"), "任务")

    assert bytes_of(chats[0]) == bytes_of(chats[1])
