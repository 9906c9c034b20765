"""An input without a need brings no evidence, however much is remembered; a request in disguise does."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from core.ids import BankId, Collection
from core.keys import BankKey, CollectionKey
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.augment import Augment, augment
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, Wait, memorize
from core.usecases.context.asked import AssembleContext
from core.usecases.context.assemble_context import assemble_context
from core.usecases.conversation.verbs.add_key import AddKey, add_key
from core.usecases.house import House
from tests.support.house import open_house
from tests.support.long_term import tell
from tests.support.scale import scaled
from tests.support.talking import KEY, said, say, tend

pytestmark = pytest.mark.asyncio(loop_scope="module")

BANK = BankKey(tenant=KEY.tenant, bank_id=BankId("large"))
FACTS = CollectionKey(tenant=KEY.tenant, user=KEY.user, collection=Collection(""))
CHARACTERS = scaled(50_000)
TURNS = scaled(100)
MOST = 3_000
"""Characters of a prompt that nothing has to be found for."""
NEEDLESS = (
    "Thanks!",
    "Thank you so much!",
    "Many thanks for your help.",
    "ok",
    "OK great",
    "Hello",
    "Hi there!",
    "Hey, good morning",
    "Good night everyone",
    "How are you?",
    "You're welcome",
    "Sounds good, thanks",
    "Understood.",
    "Got it, will do!",
    "See you tomorrow",
    "Bye bye",
    "Perfect!",
    "谢谢！",
    "非常感谢",
    "好的，谢谢！",
    "你好",
    "您好！",
    "早上好",
    "晚安",
    "收到，明天见",
    "太好了，辛苦了！",
    "没问题",
    "嗯嗯",
    "明白了",
    "再见",
)
DISGUISED = {
    "I'm thinking of baking for my sister": "My sister is allergic to walnuts.",
    "ferry price Naxos": "The price of the ferry to Naxos is 42 euros.",
    "ok, back to the harbour tax": "The harbour tax is paid by the agent before the tenth of the month.",
    "Great, and the mooring permit?": "The mooring permit for berth 12 runs out on 30 June.",
    "Thanks! One more thing: the diesel pump": "The diesel pump at the fuel quay takes no cards after six.",
    "Hi, it's about Captain Laskaris again": "Captain Laskaris wants every manifest in Greek.",
    "Perfect, now the insurance for the barge": "The insurance for the barge is with Poseidon Mutual.",
    "Good morning! Off to the customs office": "The customs office is closed on Wednesdays in winter.",
    "so, the anchor chain": "The anchor chain was measured: three links are worn.",
    "my brother visits at Easter": "My brother sleeps badly near the engine room.",
    "想给我妹妹烤点东西": "我妹妹对核桃过敏，不能烤核桃糕。",
    "去帕罗斯要多少钱": "去帕罗斯的船票卖三十八欧元。",
    "好的，那引水员呢": "引水员要提前两天预约，电话打给港务局。",
    "谢谢，再说说冷藏柜": "冷藏柜的温度不能高过零下十八度。",
    "早上好！今天要去领航海图": "航海图放在二楼资料室，要带工作证去领。",
    "收到，备用锚的事": "备用锚借给了拖船，月底归还。",
    "没问题，先看缆绳": "缆绳上个月换成了尼龙的，保修三年。",
    "我爸下周来码头": "我爸膝盖不好，不能走舷梯。",
    "太好了，然后是加水": "加水只能在三号泊位，每吨两欧元。",
    "你好，关于船员体检": "船员体检安排在十月，由海员医院做。",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house() -> AsyncIterator[House]:
    async with open_house(unasked=False) as opened:
        await create_bank(opened, CreateBank(tenant=BANK.tenant, bank_id=BANK.bank_id, goal="Keep the log"))
        for start in range(0, CHARACTERS // len(entry(0)), 100):
            text = "\n\n".join(entry(n) for n in range(start, start + 100))
            await memorize(opened, Memorize(key=BANK, context=Context(text=text), wait=Wait.STORED))
        for told in DISGUISED.values():
            await memorize(opened, Memorize(key=BANK, context=Context(text=told), wait=Wait.STORED))
        turns = [
            said(
                f"Where did crate {n} go on the way from the old pier? 第{n}箱去哪儿了？",
                f"Crate {n} went on board at noon and was signed for by the mate. 第{n}箱已经上船。",
            )
            for n in range(TURNS)
        ]
        for start in range(0, TURNS, 50):
            await say(opened, *turns[start : start + 50])
        await tend(opened)
        await add_key(opened, AddKey(key=KEY, text="Answer in one line."))
        for n in range(50):
            await tell(opened, f"Ada signed for crate {n} herself.", FACTS)
        yield opened


def entry(n: int) -> str:
    """A line of some 250 characters."""
    crates = ", ".join(f"crate {n * 7 % 97 + k} of {n * 31 % 1009} to pier {k}" for k in range(7))
    return (
        f"Entry {n} of the log says what went where on a day of rain: {crates}. 第{n}天的货都已经送到码头。"
    )


def command(input_: str) -> AssembleContext:
    return AssembleContext(input=input_, bank=BANK, conversation=KEY, collection=FACTS, tools=True)


@pytest.mark.parametrize("text", NEEDLESS)
async def test_a_prompt_that_nothing_has_to_be_found_for_is_short(house: House, text: str) -> None:
    context = await assemble_context(house, command(text))
    alone = await augment(house, Augment(key=BANK, query=text))

    assert len(context.prompt) <= MOST
    assert len(alone.prompt) <= MOST
    assert text in context.prompt
    assert "Answer in one line." in context.prompt
    assert f"Crate {TURNS - 1} went on board" in context.prompt


@pytest.mark.parametrize("asked", DISGUISED)
async def test_a_request_in_disguise_finds_its_evidence(house: House, asked: str) -> None:
    context = await assemble_context(house, command(asked))
    alone = await augment(house, Augment(key=BANK, query=asked))

    assert DISGUISED[asked] in context.prompt
    assert DISGUISED[asked] in alone.prompt
