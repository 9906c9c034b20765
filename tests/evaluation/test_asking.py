"""A set asked of a real house: every message found is a message given."""

import json

from core.ids import BankId
from core.keys import BankKey
from evaluation import pairs
from evaluation.asking import TENANT, ask_set
from evaluation.documented import read
from evaluation.figures import Standing
from evaluation.methods import METHODS, sweep
from evaluation.pacing import Progress
from evaluation.report import Conditions, markdown, plain
from tests.evaluation.test_documented import example
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
    assert words.prompts == (Standing(shown=1.0, reachable=1.0),) * 3
    shown = markdown(run, METHODS, CONDITIONS, worst=1)
    assert "| hybrid, nodes |" in shown
    assert "| structured nodes only |" in shown
    assert "**Held out**" in shown
    assert "harbour q1 (temporal)" in shown
    assert json.loads(json.dumps(plain(run, METHODS, CONDITIONS)))["set"]["messages"] == 3


async def test_questions_apart_are_asked_without_prompts() -> None:
    form = example()
    form["worlds"][0]["questions"][0]["apart"] = True

    async with open_house() as house:
        run = await ask_set(house, read(json.dumps(form)), METHODS)

    assert run.outcomes["hybrid"][0].ranks
    assert run.outcomes["hybrid"][0].prompts == ()
    assert "| hybrid |" in markdown(run, METHODS, CONDITIONS)


async def test_a_sweep_asks_with_every_alpha() -> None:
    chosen = read(json.dumps(example()))

    async with open_house() as house:
        run = await ask_set(house, chosen, methods := sweep(0.3), prompts=False)

    assert len(run.outcomes) == 24
    shown = markdown(run, methods, CONDITIONS)
    assert "| hybrid, α = 0.3 (configured) |" in shown
    assert "| hybrid + structure, α = 1 |" in shown


async def test_the_same_questions_in_two_languages_are_paired() -> None:
    english = example()
    english["name"] = "harbour-en"
    english["worlds"][0]["interactions"][0]["messages"][0]["text"] = (
        "We moved the first ferry to half past six."
    )

    async with open_house() as house:
        chinese = await ask_set(house, read(json.dumps(example())), METHODS, prompts=False)
        other = await ask_set(house, read(json.dumps(english)), METHODS, prompts=False)
    english["worlds"][0]["questions"][0]["question_id"] = "q2"
    async with open_house() as house:
        stranger = await ask_set(house, read(json.dumps(english)), METHODS, prompts=False)

    assert pairs.is_pair(chinese, other)
    assert not pairs.is_pair(chinese, stranger)
    assert "| R@10 | harbour-zh | harbour-en | difference, points |" in pairs.markdown(chinese, other, seed=1)
    told = json.loads(json.dumps(pairs.plain(chinese, chinese, seed=1)))
    assert told["recall_10"]["hybrid"]["difference_interval"] == [0.0, 0.0]


async def test_progress_tells_what_began() -> None:
    said: list[str] = []

    async with open_house() as house:
        await ask_set(house, read(json.dumps(example())), METHODS, progress=Progress(said.append))

    assert said == [
        "harbour-zh: memorizing harbour (3 messages)",
        "harbour-zh: asking harbour (1 questions)",
    ]
