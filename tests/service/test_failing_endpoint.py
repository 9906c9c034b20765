"""Every role × every way in which an endpoint fails, through real sockets; in soak × the moments at which it is asked.

A scripted HTTP server, the real `openai` client, the real adapter and agents. What passes is waited out, and
the call ends as if nothing had been; what lasts makes the call fail, with the bank between two whole changes,
and when the endpoint answers again, whoever goes on comes to the same end.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
import pytest_asyncio

from core.agents.llm.agents import llm_agents
from core.agents.roles import Agents
from core.errors import AgentReplyInvalid, AgentUnavailable, MemoryBankError, StructuringFailed
from core.model.conflict import VerdictType
from core.ports.chat import ChatMessage, ChatReply, ReplyShape
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.restructure import Restructure, restructure
from core.usecases.house import House
from service.adapters.openai_chat import Endpoint, OpenAIChat
from service.adapters.store.memory_store import MemoryStore
from service.assembly.agents import ROLES
from tests.core.agents.llm.rule_model import by_rule
from tests.support import chat_endpoint
from tests.support.acts import Act, advancing, memorizing, resolving, starting
from tests.support.chat_endpoint import ChatEndpoint, Reply, completion, failing
from tests.support.house import KEY, make_bank, open_house
from tests.support.passing import Look, WitnessStore, look
from tests.support.scale import scaled
from tests.support.scripted_chat import ScriptedChat

# ---- what the endpoint answers ----


def ruled(messages: Sequence[ChatMessage], shape: ReplyShape) -> str:
    return json.dumps({"question": ["0"]}) if shape.name == "question" else by_rule(messages, shape)


def good(body: Mapping[str, Any]) -> Reply:
    """The rule's reply."""
    messages = [ChatMessage(role=said["role"], text=said["content"]) for said in body["messages"]]
    shape = ReplyShape(name=kind_of(body), schema={})
    return completion(ruled(messages, shape))


def kind_of(body: Mapping[str, Any]) -> str:
    return str(body["response_format"]["json_schema"]["name"])


INVENTED: Mapping[str, Mapping[str, Any]] = {  # a summary names nothing that could be invented
    "clusters": {"should_cluster": True, "clusters": [{"pieces": ["99"], "context": "c", "keywords": []}]},
    "question": {"question": ["99"]},
    "conflicts_and_merges": {"relations": [{"existing_node": "node_99", "relationship": "merge"}]},
    "relations": {"relations": [{"existing_node": "node_99", "relationship": "related"}]},
    "consolidation": {
        "summary": "s",
        "context": "c",
        "keywords": [],
        "neighbor_updates": [{"node_id": "neighbor_99", "context": "c", "keywords": []}],
        "interaction_tree_description": "d",
        "refuted": ["node_9.9"],
    },
    "plan": {
        "task_goal": "g",
        "completed_context": "c",
        "pending_tasks": [{"type": "SEARCH", "description": "d", "how": "", "retry_of": "task_99"}],
    },
}


def invented(body: Mapping[str, Any]) -> Reply:
    return completion(json.dumps(INVENTED[kind_of(body)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What comes in place of good replies: `times` of them, then good ones again; None: until it is mended."""

    reply: Callable[[Mapping[str, Any]], Reply]
    becomes: type[MemoryBankError] = AgentUnavailable
    times: int | None = None


FAILURES: Mapping[str, Failure] = {
    "malformed, once": Failure(reply=lambda _: completion("nonsense {"), times=1),
    "malformed": Failure(reply=lambda _: completion("nonsense {"), becomes=AgentReplyInvalid),
    "invented ids": Failure(reply=invented, becomes=AgentReplyInvalid),
    "cut off, once": Failure(reply=lambda body: completion('{"summary": "hal', end="length"), times=1),
    "cut off": Failure(
        reply=lambda body: completion('{"summary": "hal', end="length"),
        becomes=AgentReplyInvalid,
    ),
    "429, soon again": Failure(reply=lambda _: failing(429), times=1),
    "429, in an hour": Failure(
        reply=lambda _: Reply(status=429, headers={"retry-after": "3600"}, body=b"{}")
    ),
    "500, once": Failure(reply=lambda _: failing(500), times=1),
    "500": Failure(reply=lambda _: failing(500)),
    "hangs": Failure(reply=lambda _: Reply(hangs=True)),
    "stream cut, once": Failure(reply=lambda body: replace(good(body), cut=True), times=1),
    "stream cut": Failure(reply=lambda body: replace(good(body), cut=True)),
}


@dataclass(slots=True)
class Trap:
    """Answers well until the `nth` question of a kind, and from then on as the failure says."""

    kind: str = ""
    nth: int = 1
    failure: Failure | None = None
    sprung: int = 0

    def set(self, kind: str, nth: int, failure: Failure | None) -> None:
        self.kind, self.nth, self.failure, self.sprung = kind, nth, failure, 0

    def answer(self, body: Mapping[str, Any]) -> Reply:
        if self.failure is None or kind_of(body) != self.kind:
            return good(body)
        self.nth -= 1
        if self.nth > 0 or self.sprung == self.failure.times:
            return good(body)
        self.sprung += 1
        return self.failure.reply(body)


@pytest.fixture(scope="module")
def trap() -> Trap:
    return Trap()


@pytest.fixture(scope="module")
def endpoint(trap: Trap) -> Iterator[ChatEndpoint]:
    with chat_endpoint.serving(trap.answer) as served:
        yield served


@asynccontextmanager
async def asking(url: str, seconds: float) -> AsyncIterator[Agents]:
    """The five agents on the endpoint, each question tried twice."""
    model = OpenAIChat(
        Endpoint(
            model="m",
            base_url=url,
            api_key="k",
            timeout_seconds=seconds,
            deadline_seconds=30.0,
            retries=1,
            backoff_seconds=0.001,
        )
    )
    try:
        yield llm_agents(dict.fromkeys(ROLES, model))
    finally:
        await model.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def asked(endpoint: ChatEndpoint) -> AsyncIterator[Mapping[bool, Agents]]:
    """The agents by whether the endpoint hangs, made once: a client reads the system's certificates."""
    async with asking(endpoint.url, 0.5) as hasty, asking(endpoint.url, 20.0) as patient:
        yield {True: hasty, False: patient}


# ---- the scene, and the calls ----

KNOWN = (
    "In 2020 quantum computing came to 65 qubits.",
    "Quantum entanglement links particles.",
    "The CEO of Acme is Ann Lee.",
)
VERDICT = "The CEO of Acme is Ann Lee, says the register."


async def no_bank(_house: House) -> None:
    """StartTask makes it."""


async def known(house: House) -> None:
    await make_bank(house)
    for text in KNOWN:
        await memorize(house, Memorize(key=KEY, context=Context(text=text)))


async def contested(house: House) -> None:
    await known(house)
    told = await memorize(house, Memorize(key=KEY, context=Context(text="The CEO of Acme is Bob Ray.")))
    assert told.conflict_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """At the nth question of a kind that the call asks. `is_stored`: what the call brought is safe by then;
    `changes`: how often memory has changed by then."""

    name: str
    role: str
    kind: str
    act: Act
    nth: int = 1
    changes: int = 0
    is_stored: bool = True
    scene: Act = known


WRITE = memorizing("A quantum sensor measures fields.")
MERGE = memorizing("In 2023 quantum computing came to 1,121 qubits.")
RESOLVE = resolving(verdict=VERDICT)
START = starting(prompt="When does it open? It opens at six.")
FIRST, SECOND = "conflicts_and_merges", "relations"

MOMENTS = (
    Moment(name="write", role="clusterer", kind="clusters", act=WRITE),
    Moment(name="write", role="structurer", kind="summary", act=WRITE),
    Moment(name="write: conflict or merge", role="judge", kind=FIRST, act=WRITE),
    Moment(name="write: related", role="judge", kind=SECOND, act=WRITE),
    Moment(name="write", role="planner", kind="plan", act=advancing(), changes=1),
    Moment(name="merge", role="clusterer", kind="clusters", act=MERGE),
    Moment(name="merge", role="structurer", kind="summary", act=MERGE),
    Moment(name="merge: found", role="judge", kind=FIRST, act=MERGE),
    Moment(name="merge", role="consolidator", kind="consolidation", act=MERGE),
    Moment(name="merge: round again", role="judge", kind=FIRST, nth=2, act=MERGE),
    Moment(name="resolve", role="consolidator", kind="consolidation", act=RESOLVE, scene=contested),
    Moment(name="resolve: round again", role="judge", kind=FIRST, act=RESOLVE, scene=contested),
    Moment(name="resolve", role="planner", kind="plan", act=RESOLVE, scene=contested, changes=1),
    Moment(
        name="dismiss",
        role="judge",
        kind=FIRST,
        act=resolving(type=VerdictType.DISMISS),
        scene=contested,
        is_stored=False,
    ),
    Moment(name="start", role="clusterer", kind="question", act=START, scene=no_bank, is_stored=False),
    Moment(name="start", role="planner", kind="plan", act=START, scene=no_bank, changes=2),
)


def is_its_turn(moment: Moment, number: int) -> bool:
    """In soak always; else the moments of a role take turns with its failures."""
    of_role = [each for each in MOMENTS if each.role == moment.role]
    return scaled(1) > 1 or number % len(of_role) == of_role.index(moment)


MET = [
    (moment, failure)
    for moment in MOMENTS
    for number, failure in enumerate(FAILURES)
    if is_its_turn(moment, number) and (failure != "invented ids" or moment.kind in INVENTED)
]
CASES = [
    pytest.param(moment, failure, id=f"{moment.name}-{moment.role}-{failure}") for moment, failure in MET
]
CLAIMS = ("runs", "waited out", "refused", "unchanged", "changed", "same end")


@pytest.fixture(scope="module")
def figures() -> Iterator[Counter[tuple[str, str]]]:
    """Counts by failure and claim; printed in the end."""
    counted: Counter[tuple[str, str]] = Counter()
    yield counted
    print(f"\n{'failure':18}" + "".join(f"{claim:>12}" for claim in CLAIMS))
    for failure in FAILURES:
        print(f"{failure:18}" + "".join(f"{counted[failure, claim]:>12}" for claim in CLAIMS))


@pytest.fixture(scope="module")
def known_runs() -> dict[Moment, list[Look]]:
    """What `unfailing` found: it is the same every time."""
    return {}


@pytest.fixture(autouse=True)
def restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bank rests while it is looked at: what it still owes of vectors is no matter here."""
    monkeypatch.setattr("core.usecases.bank.structuring.reworded.REST_SECONDS", 3_600)


async def in_scene(house: House, moment: Moment, agents: Agents) -> House:
    """The house with these agents, the scene set by agents that ask nobody."""
    at_home = llm_agents(dict.fromkeys(ROLES, ScriptedChat(silently)))
    await moment.scene(replace(house, agents=at_home))
    return replace(house, agents=agents)


def silently(messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
    return ChatReply(text=ruled(messages, shape))


async def unfailing(moment: Moment, agents: Agents) -> list[Look]:
    """How the bank looks from before the call until its end, when nothing fails."""
    store = WitnessStore()
    async with open_house(store=store) as opened:
        house = await in_scene(opened, moment, agents)
        before = await look(store, KEY)
        store.seen.clear()
        await moment.act(house)
        return [before, *store.seen]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("moment", "failure"), CASES)
async def test_what_passes_is_waited_out_and_what_lasts_loses_nothing(
    moment: Moment,
    failure: str,
    asked: Mapping[bool, Agents],
    trap: Trap,
    figures: Counter[tuple[str, str]],
    known_runs: dict[Moment, list[Look]],
) -> None:
    lies, store, agents = FAILURES[failure], MemoryStore(), asked[failure == "hangs"]
    async with open_house(store=store) as opened:
        trap.set("", 1, None)
        passed = known_runs.get(moment) or await unfailing(moment, agents)
        known_runs[moment] = passed
        house = await in_scene(opened, moment, agents)
        trap.set(moment.kind, moment.nth, lies)

        ended = await ending(moment.act, house)

        assert trap.sprung > 0
        counted = Counter({"runs": 1})
        if lies.times is not None:
            assert ended is None
            counted["waited out"] += 1
        else:
            claim_refusal(ended, moment, lies)
            stands = await look(store, KEY)
            assert stands in passed
            assert [*dict.fromkeys(seen.memory for seen in passed)].index(stands.memory) == moment.changes
            counted.update(("refused", "changed" if moment.changes else "unchanged"))
            trap.set("", 1, None)
            await go_on(moment, house)

        assert await look(store, KEY) == passed[-1]
        counted["same end"] += 1
    for claim, number in counted.items():
        figures[failure, claim] += number


async def ending(act: Act, house: House) -> MemoryBankError | None:
    try:
        await act(house)
    except MemoryBankError as failed:
        return failed
    return None


def claim_refusal(ended: MemoryBankError | None, moment: Moment, failure: Failure) -> None:
    """The call said which role failed, and how; and where its record waits, if it has one."""
    assert isinstance(ended, StructuringFailed) is moment.is_stored
    cause = ended.cause if isinstance(ended, StructuringFailed) else ended
    assert isinstance(cause, AgentUnavailable | AgentReplyInvalid)
    assert (type(cause), cause.role) == (failure.becomes, moment.role)


async def go_on(moment: Moment, house: House) -> None:
    if moment.is_stored:
        await restructure(house, Restructure(key=KEY))
    await moment.act(house)


def test_every_role_meets_every_failure_and_every_moment_some() -> None:
    assert {(moment.role, failure) for moment, failure in MET} == {
        (role, failure) for role in ROLES for failure in FAILURES
    } - {("structurer", "invented ids")}
    assert {moment for moment, _ in MET} == set(MOMENTS)
