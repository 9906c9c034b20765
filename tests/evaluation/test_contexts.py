"""Contexts of a set: a world told as a bank and as a conversation, and nothing of it left behind."""

import json

from core.ids import BankId, Collection, ConversationId
from core.keys import BankKey, CollectionKey, ConversationKey
from evaluation.asking import TENANT
from evaluation.contexts import ALL, BANK, EVALUATED, LAST, NAMES, TALK, WHOLE, ask_contexts
from evaluation.contexts_report import markdown, plain
from evaluation.documented import read
from evaluation.pacing import Progress
from evaluation.report import Conditions
from tests.evaluation.test_documented import example
from tests.support.house import open_house

CONDITIONS = Conditions(version="0", embedding_space="hashed", alpha=0.5, seed=1)
LONG = {
    "message_id": "m9",
    "speaker": "A",
    "text": "The weather was fine again today, and nothing else happened at all. " * 10,
}


async def test_evidence_stands_in_contexts_of_every_memory_and_is_told() -> None:
    chosen = read(json.dumps(example()))

    async with open_house() as house:
        found = await ask_contexts(house, chosen, Progress())
        left = await house.store.heads(
            [
                BankKey(tenant=TENANT, bank_id=BankId("harbour")),
                ConversationKey(tenant=TENANT, user=EVALUATED, conversation_id=ConversationId("harbour")),
                CollectionKey(tenant=TENANT, user=EVALUATED, collection=Collection("harbour")),
            ]
        )

    assert not left
    for name in (TALK, BANK, ALL):
        assert [outcome.shows_all(4_000) for outcome in found.outcomes[name]] == [1.0]
    shown = markdown(found, CONDITIONS)
    assert all(f"| {name} |" in shown for name in NAMES)
    assert json.loads(json.dumps(plain(found, CONDITIONS)))["contexts"][TALK]["whole"]["4000"] == 1.0


async def test_the_last_turns_alone_do_not_hold_what_was_said_long_before() -> None:
    told = example()
    told["worlds"][0]["interactions"][0]["messages"] += [LONG | {"message_id": f"m{n}"} for n in range(9, 40)]
    chosen = read(json.dumps(told))

    async with open_house() as house:
        found = await ask_contexts(house, chosen, Progress())

    assert [outcome.shows_all(4_000) for outcome in found.outcomes[LAST]] == [0.0]
    assert [outcome.shows_all(4_000) for outcome in found.outcomes[TALK]] == [1.0]


async def test_an_answer_out_of_a_context_is_worth_more_than_one_out_of_the_last_turns() -> None:
    told = example()
    (question, *_) = told["worlds"][0]["questions"]
    (evidence, *_) = question["evidence"]
    said = {m["message_id"]: m["text"] for i in told["worlds"][0]["interactions"] for m in i["messages"]}
    question["answer"] = said[evidence]
    told["worlds"][0]["interactions"][0]["messages"] += [LONG | {"message_id": f"m{n}"} for n in range(9, 40)]

    async with open_house() as house:
        found = await ask_contexts(house, read(json.dumps(told)), Progress())

    answers = {name: told["answers"] for name, told in plain(found, CONDITIONS)["contexts"].items()}
    assert set(answers) == set(NAMES)
    assert answers[LAST][4_000]["f1"] < 0.5 < answers[TALK][4_000]["f1"]
    assert answers[WHOLE][1_000] == answers[WHOLE][4_000]
    assert [outcome.shows_all(1_000) for outcome in found.outcomes[WHOLE]] == [1.0]
