"""What the offline agents make of prompts and transcripts, over a real channel."""

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
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
