"""A set asked of a real house: every message found is a message given."""

import json

from core.ids import BankId, BankKey
from service.evaluation.asking import METHODS, TENANT, ask_set
from service.evaluation.documented import read
from service.evaluation.report import Conditions, markdown, plain
from tests.service.evaluation.test_documented import example
from tests.support.house import open_house

CONDITIONS = Conditions(version="0", embedding_space="hashed", alpha=0.5, seed=1)


async def test_the_evidence_of_a_question_is_found_and_reported_by_every_method() -> None:
    chosen = read(json.dumps(example()))

    async with open_house() as house:
        run = await ask_set(house, chosen, METHODS)
        left = await house.store.heads([BankKey(tenant=TENANT, bank_id=BankId("harbour"))])

    assert not left  # no bank outlives its questions
    words = run.outcomes["words (BM25)"][0]
    assert words.needed == 1
    assert words.ranks
    assert words.in_prompt == (True, True, True)
    shown = markdown(run, METHODS, CONDITIONS, worst=1)
    assert "| hybrid, nodes |" in shown
    assert "harbour q1 (temporal)" in shown
    assert json.loads(json.dumps(plain(run, METHODS, CONDITIONS)))["set"]["messages"] == 3
