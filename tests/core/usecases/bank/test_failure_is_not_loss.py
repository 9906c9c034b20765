"""Every role × every way to fail × the moments at which it is asked.

In the check each moment meets each failure once, and goes on in each way; in soak after each failure in every way.

A call whose agent fails never says OK. The bank then stands where the same call without a failure
passes through as well, between two whole changes; what was handed over is durable and searchable; and
once the agent answers again, whoever goes on comes to where the call without a failure came to.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from core.agents.roles import (
    Agents,
    Cluster,
    ConflictOpinion,
    Consolidation,
    MergeOpinion,
    Piece,
    Plan,
    PlannedTask,
    RelatedOpinion,
    SplitPrompt,
    Topic,
)
from core.bank.query import Target
from core.errors import BudgetSpent, MemoryBankError, StructuringFailed
from core.model.conflict import VerdictType
from core.model.structuring import StructuringState
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.leftovers import take_up_leftovers
from core.usecases.bank.verbs.get_bank import GetBank, get_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.restructure import Restructure, restructure
from core.usecases.bank.verbs.search import Ask, Searches, run_searches
from core.usecases.house import House
from tests.support.acts import Act, advancing, memorizing, merging, resolving, starting
from tests.support.failing_agents import Snare, failures, snared
from tests.support.house import KEY, TickingClock, make_bank, open_house, work_done
from tests.support.passing import Look, WitnessStore, look
from tests.support.scale import scaled
from tests.support.scripted_agents import ScriptedAgents, joined

# ---- the agents' script: what texts say decides, so that every run comes to the same ----


def by_topic(pieces: Sequence[Piece], _task: str) -> Sequence[Cluster]:
    """A piece a topic, named by itself."""
    return [Cluster(pieces=(p.number,), context=p.text, keywords=("topic",)) for p in pieces]


def conflicts_and_merges(new: Topic, candidates: Sequence[Topic]) -> list[ConflictOpinion | MergeOpinion]:
    found: list[ConflictOpinion | MergeOpinion] = []
    for old in candidates:
        about = {"existing": old.node_id, "confidence": 0.9, "reasoning": "it says so"}
        if "again" in new.summary and "harbour" in old.summary and "again" not in old.summary:
            found.append(MergeOpinion(**about, strategy="keep both"))  # type: ignore[arg-type]
        if "not true" in new.summary and "harbour" in old.summary and "VERDICT" not in new.summary:
            found.append(ConflictOpinion(**about, description="when the harbour opens"))  # type: ignore[arg-type]
    return found


def related(new: Topic, candidates: Sequence[Topic]) -> list[RelatedOpinion]:
    return [
        RelatedOpinion(
            existing=old.node_id,
            confidence=0.8,
            reasoning="both by the water",
            context_new=f"{new.context} (by the water)",
            context_existing=f"{old.context} (by the water)",
            keywords_new=("water",),
            keywords_existing=("water",),
        )
        for old in candidates
        if "pier" in old.summary
    ]


def together(*question: Any) -> Consolidation:
    return replace(joined(*question), context="both together")  # vectors are made of it: no id may be in it


def scripted() -> Agents:
    agents = ScriptedAgents()
    agents.clusterer.clusters.otherwise = by_topic
    agents.clusterer.splits.otherwise = lambda prompt: SplitPrompt(question="When?", context=prompt)
    agents.judge.first.otherwise = conflicts_and_merges
    agents.judge.second.otherwise = related
    agents.consolidator.consolidations.otherwise = together
    agents.planner.plans.otherwise = lambda insight, _progress: Plan(
        completed_context="it was done",
        pending=(PlannedTask(type="SEARCH", description=f"step {len(insight.completed) + 1}"),),
    )
    return agents.roles


# ---- the scene, and the calls ----


KNOWN = ("the mill grinds corn", "the pier is long", "the harbour opens at six")


async def set_the_scene(house: House) -> None:
    """Related nodes, one apart, and a conflict."""
    await make_bank(house)
    for text in (*KNOWN, "not true: the harbour opens at nine"):
        await memorize(house, Memorize(key=KEY, context=Context(text=text)))


async def set_no_conflict(house: House) -> None:
    await make_bank(house)
    for text in KNOWN:
        await memorize(house, Memorize(key=KEY, context=Context(text=text)))


async def set_nothing(house: House) -> None:
    """No bank yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where the snare lies: at the nth question of that kind that the call asks. `said` is what must be found
    afterwards; empty where nothing was handed over, or where the failure comes before it can be stored.
    `changes`: how often the call has changed more than the records by then."""

    name: str
    question: str
    act: Act
    said: str = ""
    nth: int = 1
    changes: int = 0
    scene: Act = set_no_conflict

    @property
    def role(self) -> str:
        return self.question.partition(".")[0]


VERDICT = "VERDICT: it opens at nine, not true is what the old sign says"
TWO = "the market closes early\n\nthe ferry sails at noon"
FIRST, SECOND = "judge.conflicts_and_merges", "judge.related"

MOMENTS = (
    Moment(name="write: cluster", question="clusterer.cluster", act=memorizing("the sea"), said="sea"),
    Moment(name="write: structure", question="structurer.structure", act=memorizing("the sea"), said="sea"),
    Moment(
        name="write: second topic",
        changes=1,
        question="structurer.structure",
        nth=2,
        act=memorizing(TWO),
        said="ferry",
    ),
    Moment(name="write: judge", question=FIRST, act=memorizing("the sea"), said="sea"),
    Moment(name="write: relate", question=SECOND, act=memorizing("the sea"), said="sea"),
    Moment(
        name="merge: consolidate",
        question="consolidator.consolidate",
        act=memorizing("once again the harbour"),
        said="again",
    ),
    Moment(
        name="merge: judge again",
        question=FIRST,
        nth=2,
        act=memorizing("once again the harbour"),
        said="again",
    ),
    Moment(
        name="merge: by hand",
        question="consolidator.consolidate",
        act=merging,
    ),
    Moment(
        name="resolve: consolidate",
        question="consolidator.consolidate",
        act=resolving(verdict=VERDICT),
        said="VERDICT",
        scene=set_the_scene,
    ),
    Moment(
        name="resolve: judge",
        question=FIRST,
        act=resolving(verdict=VERDICT),
        said="VERDICT",
        scene=set_the_scene,
    ),
    Moment(
        name="resolve: plan",
        changes=1,
        question="planner.plan",
        act=resolving(verdict=VERDICT),
        said="VERDICT",
        scene=set_the_scene,
    ),
    Moment(
        name="dismiss: judge", question=FIRST, act=resolving(type=VerdictType.DISMISS), scene=set_the_scene
    ),
    Moment(
        name="dismiss: plan",
        question="planner.plan",
        act=resolving(type=VerdictType.DISMISS),
        scene=set_the_scene,
    ),
    Moment(name="advance: cluster", question="clusterer.cluster", act=advancing(), said="tides"),
    Moment(name="advance: plan", changes=1, question="planner.plan", act=advancing(), said="tides"),
    Moment(
        name="start: split", question="clusterer.split", act=starting(prompt="the quay"), scene=set_nothing
    ),
    Moment(
        name="start: structure",
        changes=1,
        question="structurer.structure",
        act=starting(goal="When?", context=Context(text="the quay")),
        said="quay",
        scene=set_nothing,
    ),
    Moment(
        name="start: plan",
        changes=2,
        question="planner.plan",
        act=starting(prompt="the quay"),
        said="quay",
        scene=set_nothing,
    ),
    Moment(
        name="start: plan, no context",
        changes=1,
        question="planner.plan",
        act=starting(goal="When?"),
        scene=set_nothing,
    ),
)
FAILURES = tuple(failures("any"))


# ---- going on ----


async def same_request(house: House, moment: Moment) -> None:
    await moment.act(house)


async def restructuring(house: House, moment: Moment) -> None:
    await restructure(house, Restructure(key=KEY))


async def background(house: House, moment: Moment) -> None:
    clock = house.clock
    assert isinstance(clock, TickingClock)
    clock.skip(timedelta(hours=2))
    if not await take_up_leftovers(house, timedelta(0)):
        await restructuring(house, moment)  # a budget that broke is left alone until somebody asks
        return
    await work_done(house)


WAYS_ON = {"same request": same_request, "Restructure": restructuring, "background": background}


def ways_on(moment: Moment, turn: int) -> Sequence[str]:
    """All ways in soak, else one by turns. Where nothing is stored that waits, only the call itself goes on."""
    ways = tuple(WAYS_ON) if moment.said else ("same request",)
    return ways if scaled(1) > 1 else (ways[turn % len(ways)],)


RUNS = [
    (moment, way_on, failure)
    for number, moment in enumerate(MOMENTS)
    for turn, failure in enumerate(FAILURES, start=number)
    for way_on in ways_on(moment, turn)
]
CASES = [
    pytest.param(moment, way_on, failure, id=f"{moment.name}-{way_on}-{failure}")
    for moment, way_on, failure in RUNS
]


@pytest.fixture(scope="module")
def figures() -> Iterator[Counter[tuple[str, str]]]:
    """Counts by moment and claim; printed in the end."""
    counted: Counter[tuple[str, str]] = Counter()
    yield counted
    claims = ("runs", "refused", "unchanged", "changed", "durable", "found", "waiting", "same end")
    print(f"\n{'moment':26}" + "".join(f"{claim:>11}" for claim in claims))
    for moment in dict.fromkeys(name for name, _ in counted):
        print(f"{moment:26}" + "".join(f"{counted[moment, claim]:>11}" for claim in claims))


@pytest.fixture(scope="module")
def known_runs() -> dict[str, list[Look]]:
    """What `unfailing` found, by moment: it is the same every time."""
    return {}


async def unfailing(moment: Moment) -> list[Look]:
    """How the bank looks from before the call until its end, when nothing fails."""
    store = WitnessStore()
    async with open_house(store=store, agents=scripted()) as house:
        await moment.scene(house)
        before = await look(store, KEY)
        store.seen.clear()
        await moment.act(house)
        return [before, *store.seen]


async def failing(house: House, moment: Moment, snare: Snare) -> BaseException:
    """How the call ends whose agent fails; one that hangs is cancelled, and the process stops its work."""
    call = asyncio.ensure_future(moment.act(house))
    sprung = asyncio.ensure_future(snare.sprung.wait())
    await asyncio.wait((call, sprung), return_when=asyncio.FIRST_COMPLETED)
    sprung.cancel()
    assert snare.sprung.is_set(), f"the call ended without such a question: {call}"
    if snare.failure is None:
        call.cancel()
    ended: object = (await asyncio.gather(call, return_exceptions=True))[0]
    if snare.failure is None:
        await house.workshop.close()
    assert isinstance(ended, BaseException), f"the call said OK: {ended}"
    return ended


@pytest.mark.parametrize(("moment", "way_on", "failure"), CASES)
async def test_a_failure_leaves_the_bank_between_whole_changes_and_loses_nothing(
    moment: Moment,
    way_on: str,
    failure: str,
    figures: Counter[tuple[str, str]],
    known_runs: dict[str, list[Look]],
) -> None:
    passed = known_runs.get(moment.name) or await unfailing(moment)
    known_runs[moment.name] = passed
    store, snare = WitnessStore(), Snare()
    async with open_house(store=store, agents=snared(scripted(), snare)) as house:
        await moment.scene(house)
        snare.set(moment.question, moment.nth, failures(moment.role)[failure])

        ended = await failing(house, moment, snare)

        counted = Counter({"runs": 1, "refused": 1})
        stands = await look(store, KEY)
        assert stands in passed
        reached = _states(passed).index(stands.memory)
        # What hangs is cancelled, and with it what goes on beside: the topic before may not have come to its end.
        assert reached <= moment.changes if snare.failure is None else reached == moment.changes
        counted["changed" if moment.changes else "unchanged"] += 1
        _claim_refusal(ended, snare, stored=bool(moment.said))
        if moment.said:
            await _claim_durable_and_found(house, store, moment, failure)
            counted.update(("durable", "found", "waiting"))

        snare.take_up()
        await WAYS_ON[way_on](house, moment)

        assert await look(store, KEY) == passed[-1]
        counted["same end"] += 1
        assert (await get_bank(house, GetBank(key=KEY))).counts.unstructured_interactions == 0
    for claim, number in counted.items():
        figures[moment.name, claim] += number


def _states(passed: Sequence[Look]) -> list[str]:
    """What memory was like, one whole change after the other."""
    return list(dict.fromkeys(seen.memory for seen in passed))


def _claim_refusal(ended: BaseException, snare: Snare, *, stored: bool) -> None:
    """The failure, or that structuring failed by it: what a caller must know to go on."""
    if snare.failure is None:
        assert isinstance(ended, asyncio.CancelledError)
    elif stored:
        assert isinstance(ended, StructuringFailed)
        assert ended.cause is snare.failure
    else:
        assert ended is snare.failure


async def _claim_durable_and_found(house: House, store: WitnessStore, moment: Moment, failure: str) -> None:
    state = await store.load(KEY)
    assert state is not None
    (kept,) = [i for i in state.interactions if moment.said in i.text]
    (work,) = [s for s in state.structurings if s.interaction_id == kept.interaction_id]
    hung = failure == "hangs"
    assert work.state is (StructuringState.PENDING if hung else StructuringState.FAILED)
    assert bool(work.problem) is not hung
    assert (await get_bank(house, GetBank(key=KEY))).counts.unstructured_interactions == 1
    ask = Ask(text=moment.said, target=Target.SEGMENTS)
    (answer,) = (await run_searches(house, Searches(key=KEY, asks=(ask,)))).answers
    assert kept.interaction_id in {h.segment.ref.interaction_id for h in answer.found.hits if h.segment}


def test_each_moment_meets_each_failure_and_goes_on_in_each_way() -> None:
    assert {(moment, failure) for moment, _, failure in RUNS} == {(m, f) for m in MOMENTS for f in FAILURES}
    assert {(moment, way) for moment, way, _ in RUNS if moment.said} == {
        (moment, way) for moment in MOMENTS if moment.said for way in WAYS_ON
    }
    assert {(way, failure) for _, way, failure in RUNS} == {(way, f) for way in WAYS_ON for f in FAILURES}


def test_every_role_is_failed_in_every_way() -> None:
    roles = {moment.role for moment in MOMENTS}

    assert roles == {"clusterer", "structurer", "judge", "consolidator", "planner"}
    assert all(
        isinstance(failure, MemoryBankError | None) for role in roles for failure in failures(role).values()
    )
    assert any(isinstance(failure, BudgetSpent) for failure in failures("judge").values())
