"""What the offline agents make of prompts and transcripts, over a real channel."""

from pathlib import Path

import pytest

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1.types_pb2 import Message, Node
from tests.support.server import Service


async def test_a_prompt_in_which_no_question_is_found_is_memorized_and_its_last_sentence_is_the_goal(
    service: Service,
) -> None:
    prompt = "The ferry sails at nine from pier 3. A ticket costs 42 euro. The ferry, in a word."

    started = await service.bank.StartTask(pb.StartTaskRequest(bank_id="t1", prompt=prompt))

    assert started.insight.goal == "The ferry, in a word."
    named = deep.GetInteractionRequest(bank_id="t1", interaction_id=started.interaction_id)
    assert [one.text for one in (await service.deep.GetInteraction(named)).interactions] == [prompt]


async def test_the_question_behind_a_context_is_the_goal_and_the_context_is_memorized(
    service: Service,
) -> None:
    prompt = "港口出租两台起重机。甲机每小时三百一十元，乙机每小时一百九十元。我想知道哪一台更划算"

    started = await service.bank.StartTask(pb.StartTaskRequest(bank_id="t1", prompt=prompt))

    assert started.insight.goal == "我想知道哪一台更划算"
    assert started.node_ids


FOLDER = Path(__file__).parents[2] / "core" / "text" / "transcripts"
SHAPES = {f"{path.parent.name}-{path.stem}": path.read_text() for path in sorted(FOLDER.glob("*/*.txt"))}


@pytest.mark.parametrize("shape", SHAPES)
async def test_what_a_transcript_found_is_remembered_and_its_thoughts_and_calls_are_not(
    service: Service, shape: str
) -> None:
    await service.bank.StartTask(
        pb.StartTaskRequest(bank_id="t1", goal="What does the pump cost? 水泵多少钱？")
    )

    advanced = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="t1", text=SHAPES[shape]))

    (done,) = advanced.insight.completed
    nodes = [await _node(service, node_id) for node_id in advanced.node_ids]
    assert "42,000" in done.context or "42000" in done.context
    for text in (done.context, *(f"{n.summary} {n.context} {' '.join(n.keywords)}" for n in nodes)):
        thought_or_called = ("be 1 SEK", "是1元", "firm_register", "Thought", "Action", "查询", "思考")
        assert not any(words in text for words in thought_or_called)


@pytest.mark.parametrize("cut", [r"\ud83d", r"\u0000"])
async def test_half_an_emoji_in_a_list_of_messages_is_remembered_as_a_replacement_character(
    service: Service, cut: str
) -> None:
    said = '[{"role": "user", "content": "When?"}, {"role": "assistant", "content": "The ferry leaves at nine CUT"}]'
    text = said.replace("CUT", cut)
    await service.bank.StartTask(pb.StartTaskRequest(bank_id="t1", goal="When does the ferry leave?"))

    await service.bank.Memorize(pb.MemorizeRequest(bank_id="t1", text=text))
    advanced = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="t1", text=text))
    again = await service.bank.StartTask(pb.StartTaskRequest(bank_id="t2", prompt=text))

    node = await _node(service, advanced.node_ids[0])
    assert node.summary.endswith("The ferry leaves at nine \ufffd")
    assert again.prompt


async def _node(service: Service, node_id: str) -> Node:
    return (await service.graph.GetNode(graph.GetNodeRequest(bank_id="t1", node_id=node_id))).node


async def test_messages_of_tools_are_findings_and_what_an_assistant_says_before_a_call_is_not(
    service: Service,
) -> None:
    await service.bank.StartTask(pb.StartTaskRequest(bank_id="t1", goal="水泵多少钱？"))
    said = [
        Message(role="assistant", text='我先查一下，可能是1元。\nsearch {"q": "供应商"}'),
        Message(role="tool", speaker="search", text="恒光电力的水泵报价为42000元，交货期6周。"),
        Message(role="assistant", text="恒光电力的水泵价格是42000元。"),
    ]

    advanced = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="t1", messages=said))

    (done,) = advanced.insight.completed
    nodes = [await _node(service, node_id) for node_id in advanced.node_ids]
    for text in (done.context, *(node.summary for node in nodes), *(node.context for node in nodes)):
        assert "42000元" in text
        assert not any(words in text for words in ("可能是1元", "search", "tool", "assistant"))


async def test_a_prompt_shows_of_a_transcript_what_it_found(service: Service) -> None:
    await service.bank.StartTask(pb.StartTaskRequest(bank_id="t1", goal="What does the pump cost?"))

    for shape in ("en-react", "en-openai"):
        advanced = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="t1", text=SHAPES[shape]))

        assert "Firm A asks 42,000 SEK for the pump and delivers in 6 weeks." in advanced.prompt
        assert not any(words in advanced.prompt for words in ("be 1 SEK", "firm_register", "tool_call_id"))
