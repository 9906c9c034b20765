"""What the Judge makes of two memories, and what decides it, over a real channel with the comparer of the package.

What an explanation names is changed as the contract says, and both memories are memorized again: then the outcome is
another.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
import pytest_asyncio

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2 as types
from tests.support.scale import scaled
from tests.support.server import Service, refused, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

OF: dict[str, Any] = {"user": "ada", "collection": "work"}
PLACES = ("Naxos", "Paros", "Delos", "Samos", "Leros", "Tinos", "Andros", "Milos", "Sifnos", "Kea")
TOWNS = ("青岛", "大连", "厦门", "宁波", "烟台", "珠海", "三亚", "威海", "舟山", "汕头")
ROUNDS = 1  # of each kind, twenty in soak
HEADED = re.compile(r"\A## .*\n\n")


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two memories. `role`: who says the second. `nearer`: what is remembered between them, unjudged."""

    first: str
    second: str
    role: str = ""
    nearer: Sequence[str] = ()
    settings: dict[str, Any]


def pair(first: str, second: str, settings: dict[str, Any] | None = None, **more: Any) -> Pair:
    return Pair(first=first, second=second, settings=settings or {}, **more)


def high(n: int, metres: int) -> str:
    if n % 2:
        return f"{TOWNS[n % 10]}的灯塔高{metres}米。"
    return f"The lighthouse of {PLACES[n % 10]} is {metres} metres high."


def contradictory(n: int) -> Pair:
    return pair(high(n, 40 + n), high(n, 70 + n))


def reworded(n: int) -> Pair:
    if n % 2:
        return pair(f"{TOWNS[n % 10]}的这栋楼没有电梯。", f"{TOWNS[n % 10]}的这栋楼里没装电梯。")
    place = PLACES[n % 10]
    return pair(f"Our flight to {place} was cancelled because of fog.",
                f"Because of fog, they cancelled our flight to {place}.")  # fmt: skip


def in_notations(n: int) -> Pair:
    return pair(f"The parcel to {PLACES[n % 10]} weighs {n + 1}.5 kg.",
                f"The parcel to {PLACES[n % 10]} weighs {n + 1}500 grams.")  # fmt: skip


def of_two_entries(n: int) -> Pair:
    if n % 2:
        return pair(f"## 甲型\n\n电池续航{10 + n}小时。", f"## 乙型\n\n电池续航{40 + n}小时。")
    return pair(
        f"## Model A\n\nThe battery lasts {10 + n} hours.", f"## Model B\n\nThe battery lasts {40 + n} hours."
    )


def of_two_matters(n: int) -> Pair:
    if n % 2:
        said = f"下雨的时候，第{n}号屋顶会漏水。"
        return pair(f"## 东厅\n\n{said}", f"## 西厅\n\n{said}")
    said = f"The roof number {n} leaks when it rains."
    return pair(f"## East hall\n\n{said}", f"## West hall\n\n{said}")


def by_an_assistant(n: int) -> Pair:
    return replace(contradictory(n), role="assistant")


def beyond_the_rank(n: int) -> Pair:
    if n % 2:
        town = TOWNS[n % 10]
        first = f"{town}的灯塔是很久以前由城里的人在北边的岬角上建的，高{40 + n}米。"
        nearer = [f"{k}号游客问：{town}的灯塔高{70 + n}米吗？" for k in range(7)]
    else:
        place = PLACES[n % 10]
        first = f"Built of white stone, the lighthouse of {place} is {40 + n} metres high."
        nearer = [f"Is the lighthouse of {place} {70 + n} metres high, asks visitor {k}?" for k in range(7)]
    return pair(first, high(n, 70 + n), {"top_k": 1}, nearer=nearer)


def behind_the_nearest(n: int) -> Pair:
    place = PLACES[n % 10]
    said = ("painted", "rusty", "closed", "famous", "insured", "listed")
    others = " ".join(
        f"The old red steel crane and the grey iron gate of {place} harbour are {each}." for each in said
    )
    return pair(
        f"Olives ripen late. {others} {place} has {40 + n} berths in its harbour.",
        f"The harbour of {place}, with its old red steel crane and grey iron gate, has {5 + n} berths.",
    )


def asked(n: int) -> Pair:
    return pair(
        high(n, 40 + n), "灯塔有多高？" if n % 2 else f"How high is the lighthouse of {PLACES[n % 10]}?"
    )


def said_partly(n: int) -> Pair:
    if n % 2:
        return pair(f"第{n}号楼没有电梯。钥匙在门垫下面。", f"第{n}号楼里没装电梯。邻居的狗很老。")
    return pair(
        f"Flight {n} was cancelled because of fog. The key lies under the mat.",
        f"Because of fog, they cancelled flight {n}. Our neighbour's dog is old.",
    )


KINDS: Sequence[Callable[[int], Pair]] = (
    contradictory,
    reworded,
    in_notations,
    of_two_entries,
    of_two_matters,
    by_an_assistant,
    beyond_the_rank,
    behind_the_nearest,
    asked,
    said_partly,
)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def service() -> AsyncIterator[Service]:
    async with serving() as running:
        yield running


async def explained(service: Service, first: str, second: str, **of: Any) -> pb.ExplainPairResponse:
    return await service.retrieval.ExplainPair(pb.ExplainPairRequest(first=first, second=second, **of))


async def remembered(service: Service, bank_id: str, told: Pair) -> list[str]:
    """Memorizes both; returns the first node of each."""
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id=bank_id, **told.settings))
    nodes = []
    for text, role, skips in (
        (told.first, "", False),
        *((each, "", True) for each in told.nearer),
        (told.second, told.role, False),
    ):
        content: dict[str, Any] = {"text": text}
        if role:
            content = {"messages": [types.Message(role=role, text=text)]}
        request = bank.MemorizeRequest(bank_id=bank_id, skip_judging=skips, **content)
        made = await service.bank.Memorize(request)
        nodes.append((made.node_ids or made.joined_node_ids)[0])
    return [nodes[0], nodes[-1]]


async def outcome(service: Service, bank_id: str, nodes: Sequence[str]) -> pb.PairVerdict.ValueType:
    """What became of the two, by the bank alone."""
    heirs = [
        (await service.deep.GetLineage(deep.GetLineageRequest(bank_id=bank_id, node_id=node))).node_id
        for node in nodes
    ]
    if heirs[0] == heirs[1]:
        return pb.PAIR_VERDICT_SAME
    listed = await service.bank.ListConflicts(
        bank.ListConflictsRequest(
            bank_id=bank_id, statuses=[types.CONFLICT_STATUS_OPEN, types.CONFLICT_STATUS_SUSPECTED]
        )
    )
    for conflict in listed.conflicts:
        if {side.node_id for side in conflict.sides} >= set(nodes):
            is_open = conflict.status == types.CONFLICT_STATUS_OPEN
            return pb.PAIR_VERDICT_CONTRADICTION if is_open else pb.PAIR_VERDICT_SUSPECTED
    return pb.PAIR_VERDICT_APART


def changed(told: Pair, said: pb.ExplainPairResponse) -> Pair:
    """The pair with the part changed that an explanation names; by the contract alone."""
    likeliest = said.sentences[0] if said.sentences else pb.ComparedSentences()
    if said.not_compared == pb.PAIR_NOT_COMPARED_RANK:
        return replace(told, settings={**told.settings, "top_k": said.rank})
    match said.reason:
        case pb.PAIR_REASON_ENTRIES | pb.PAIR_REASON_OTHER_MATTER:
            heading = HEADED.match(told.first)
            assert heading is not None
            assert likeliest.first_context != likeliest.second_context
            return replace(told, second=HEADED.sub(heading[0], told.second))
        case pb.PAIR_REASON_GENERATED:
            return replace(told, settings={**told.settings, "judge_assistants": True})
        case pb.PAIR_REASON_NOT_NEAREST:
            apart = next(each for each in said.sentences if pb.SENTENCE_BAR_NOT_NEAREST in each.bars)
            return replace(told, first=apart.first)
        case pb.PAIR_REASON_PARTLY:
            return replace(told, first=likeliest.first, second=likeliest.second)
        case pb.PAIR_REASON_QUANTITY | pb.PAIR_REASON_CONTRADICTION | pb.PAIR_REASON_NOTHING_SAID:
            return replace(told, second=told.first)
        case pb.PAIR_REASON_SAME:
            return replace(told, second="The quay is long and made of grey stone.")
    return told


async def test_what_an_explanation_names_turns_the_outcome(service: Service) -> None:
    reasons: Counter[str] = Counter()
    held: list[Any] = []
    for number in range(ROUNDS if scaled(1) == 1 else 20):
        for kind in KINDS:
            told, bank_id = kind(number), f"{kind.__name__}-{number}"
            nodes = await remembered(service, bank_id, told)
            before = await outcome(service, bank_id, nodes)
            said = await explained(service, *nodes, bank_id=bank_id)

            name = pb.PairReason.Name(said.reason).removeprefix("PAIR_REASON_")
            if said.not_compared == pb.PAIR_NOT_COMPARED_RANK:
                name = "RANK" if said.verdict != pb.PAIR_VERDICT_APART else "BELOW_LINE"
                assert before == pb.PAIR_VERDICT_APART
            else:
                assert said.verdict == before, (told, said)
            reasons[name] += 1
            if name == "BELOW_LINE":
                continue
            other = changed(told, said)
            nodes = await remembered(service, f"{bank_id}-changed", other)
            after = await outcome(service, f"{bank_id}-changed", nodes)
            held += [(told, other, said)] if after == before else []

    print(f"explained: {dict(reasons)}; not turned: {held}")
    assert len(held) <= reasons.total() // 10
    assert reasons.keys() >= {
        "CONTRADICTION", "SAME", "ENTRIES", "OTHER_MATTER", "GENERATED", "RANK", "NOT_NEAREST", "NOTHING_SAID", "PARTLY"
    }  # fmt: skip


async def test_amounts_are_compared_in_one_notation(service: Service) -> None:
    nodes = await remembered(
        service, "weights", pair("The crate weighs 2 kg.", "The crate weighs 3,500 grams.")
    )

    said = await explained(service, *nodes, bank_id="weights")
    turned = await explained(service, *reversed(nodes), bank_id="weights")

    (sentences,) = said.sentences
    assert (sentences.first, sentences.second) == ("The crate weighs 2 kg.", "The crate weighs 3,500 grams.")
    assert sentences.second_compared == "The crate weighs 3500 grams."
    assert list(sentences.bars) == [pb.SENTENCE_BAR_QUANTITY]
    assert (turned.verdict, turned.sentences[0].first) == (said.verdict, sentences.second)
    assert (said.sure_line, said.suspected_line, said.same_line) == (0.9, 0.6, 0.75)


async def test_what_was_stored_comes_with_the_name_of_what_compared(service: Service) -> None:
    nodes = await remembered(service, "stored", contradictory(0))
    told = types.CONFLICT_STATUS_RESOLVED

    said = await explained(service, *nodes, bank_id="stored")
    resolving = bank.ResolveConflictRequest(
        bank_id="stored", conflict_id=said.conflicts[0].conflict_id, verdict="It is 70 metres high."
    )
    await service.bank.ResolveConflict(resolving)
    settled = await explained(service, *nodes, bank_id="stored")

    assert said.contested
    assert said.conflicts[0].reasoning == f"likelihood {said.confidence:.2f} by {said.model}"
    assert (settled.contested, settled.conflicts[0].status) == (False, told)
    assert settled.merged_into not in ("", *nodes)
    assert settled.merge_reason == types.MERGE_REASON_CONFLICT
    assert settled.not_compared == pb.PAIR_NOT_COMPARED_GONE


async def test_a_banks_own_floor_makes_a_suspicion_sure(service: Service) -> None:
    oil = pair("The tank holds 40 litres of oil.", "The tank holds 55 litres of oil and the pump is red.")
    nodes = await remembered(service, "plain", oil)
    low = await remembered(service, "low", replace(oil, settings={"validation_floor": 0.6}))

    suspected = await explained(service, *nodes, bank_id="plain")
    sure = await explained(service, *low, bank_id="low")

    assert (suspected.verdict, suspected.sure_line) == (pb.PAIR_VERDICT_SUSPECTED, 0.9)
    assert (sure.verdict, sure.sure_line) == (pb.PAIR_VERDICT_CONTRADICTION, 0.6)


async def test_a_callers_nodes_were_never_judged(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="callers"))
    for name, summary in (("n1", high(0, 40)), ("n2", high(0, 70))):
        await service.graph.AddNode(graph.AddNodeRequest(bank_id="callers", node_id=name, summary=summary))

    said = await explained(service, "n1", "n2", bank_id="callers")

    assert said.verdict == pb.PAIR_VERDICT_CONTRADICTION
    assert said.not_compared == pb.PAIR_NOT_COMPARED_UNJUDGED
    assert not said.contested


async def stored(service: Service, content: str, **more: Any) -> str:
    request = long_term.StoreFactRequest(content=content, wait=True, **more, **OF)
    return (await service.long_term.StoreFact(request)).record.record_id


async def test_facts_tell_who_gave_way_and_what_keeps_them_apart(service: Service) -> None:
    old = await stored(service, "The project's database is MySQL.")
    new = await stored(service, "The project's database is PostgreSQL.")
    lift = await stored(service, "这栋楼没有电梯。")
    also = await stored(service, "楼里没装电梯。")
    contested = await explained(service, old, new, **OF)
    last = await stored(service, "It is SQLite now, the project's database.", supersedes=[old, new])

    superseded = await explained(service, old, last, **OF)
    apart = await explained(service, lift, also, **OF)

    assert contested.verdict == pb.PAIR_VERDICT_CONTRADICTION
    assert (contested.contested, contested.rank, contested.superseded_id) == (True, 1, "")
    assert (superseded.superseded_id, superseded.not_compared) == (old, pb.PAIR_NOT_COMPARED_GONE)
    assert superseded.superseded_reason == long_term.SUPERSEDED_REASON_CALLER
    assert (apart.verdict, apart.reason) == (pb.PAIR_VERDICT_APART, pb.PAIR_REASON_WORDS_LOST)


async def test_what_is_no_pair_is_refused(service: Service) -> None:
    episode = long_term.StoreEpisodeRequest(goal="Book a ferry", **OF)
    tried = (await service.long_term.StoreEpisode(episode)).record.record_id
    known = await stored(service, "The lamp is red.")

    none = await refused(explained(service, known, "r-nowhere", **OF))
    no_fact = await refused(explained(service, known, tried, **OF))
    nowhere = await refused(explained(service, known, tried))
    both = await refused(explained(service, known, tried, bank_id="callers", **OF))
    no_node = await refused(explained(service, "n1", "n9", bank_id="callers"))

    assert none.reason == "RECORD_NOT_FOUND"
    assert no_fact.fields == ("second",)
    assert (nowhere.fields, both.fields) == (("bank_id",), ("bank_id",))
    assert no_node.reason == "NODE_NOT_FOUND"
