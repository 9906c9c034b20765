"""A floor under what is found, over a real channel: what weighs less does not stand, and is told and counted."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as facts
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import retrieval_pb2 as rt
from memorybank.v1.types_pb2 import LEFT_OUT_REASON_BELOW_FLOOR, LeftOut
from tests.support.server import Service, refused, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASKED = {"en": "When does the ferry to Naxos leave?", "zh": "去纳克索斯的渡轮几点开？"}
SAID = {"en": "The ferry to Naxos leaves at nine.", "zh": "去纳克索斯的渡轮九点开。"}
LIKES = {"en": "Ada likes the ferry to Naxos.", "zh": "艾达喜欢去纳克索斯的渡轮。"}
BESIDE = {"en": "Case {} of walnuts was sold to a bakery.", "zh": "第{}箱核桃卖给了面包店。"}
LANGUAGES = ("en", "zh")
CASES = 30


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service() -> AsyncIterator[Service]:
    async with serving() as running:
        for language in LANGUAGES:
            await fill(running, language)
        yield running


async def fill(service: Service, language: str) -> None:
    cases = "\n\n".join(BESIDE[language].format(number) for number in range(CASES))
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id=language))
    for text in (SAID[language], cases):
        await service.bank.Memorize(pb.MemorizeRequest(bank_id=language, text=text))
    await service.long_term.StoreFact(
        facts.StoreFactRequest(user=language, content=LIKES[language], wait=True)
    )
    turns = [talk.Turn(input=BESIDE[language].format(number), reply="…") for number in range(50, 60)]
    await service.conversation.AddTurns(
        talk.AddTurnsRequest(user=language, conversation_id="c1", turns=turns)
    )


def below(left_out: object) -> list[LeftOut]:
    return [each for each in left_out if each.reason == LEFT_OUT_REASON_BELOW_FLOOR]  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_weighs_less_than_the_floor_is_told_and_counted(service: Service, language: str) -> None:
    asked = rt.AugmentRequest(bank_id=language, query=ASKED[language])
    whole = await service.retrieval.Augment(asked)
    asked.min_score = 0.3
    floored = await service.retrieval.Augment(asked)

    assert (whole.below_floor, below(whole.left_out)) == (0, [])
    assert SAID[language] in floored.prompt
    assert BESIDE[language].format(3) in whole.prompt
    assert BESIDE[language].format(3) not in floored.prompt
    assert floored.below_floor == CASES
    told = below(floored.left_out)
    assert len(told) == 20
    assert {(each.what, each.section, each.tokens) for each in told} == {("segment", "memories", 0)}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_context_of_all_memories_has_one_floor(service: Service, language: str) -> None:
    asked = rt.AssembleContextRequest(
        input=ASKED[language], bank_id=language, user=language, conversation_id="c1", collection=""
    )
    asked.min_score = 0.3
    floored = await service.retrieval.AssembleContext(asked)
    asked.min_score = 1.0
    nothing = await service.retrieval.AssembleContext(asked)

    assert SAID[language] in floored.prompt
    assert LIKES[language] in floored.prompt
    assert floored.below_floor >= CASES
    names = [section.name for section in nothing.sections]
    assert not {"memories", "neighbors", "facts", "mid", "recall"} & set(names)
    assert "short" in names  # what was said last stands whatever is asked
    assert {each.what for each in below(nothing.left_out)} >= {"segment", "record"}
    assert nothing.below_floor > len(below(nothing.left_out)) == 20


async def test_a_floor_goes_without_a_target(service: Service) -> None:
    asked = rt.AugmentRequest(bank_id="en", query=ASKED["en"], min_score=0.3, target=rt.SEARCH_TARGET_NODES)

    refusal = await refused(service.retrieval.Augment(asked))

    assert (refusal.reason, refusal.fields) == ("INVALID_FIELD", ("min_score",))
