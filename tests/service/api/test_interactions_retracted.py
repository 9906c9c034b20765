"""Taking records of a bank back, over a real channel: quarantined, released, erased."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from tests.e2e.test_purge_killed import files_with
from tests.service.api.test_retractions import STORES, kept_in
from tests.support.server import Service, refused

MARK = "zorkmid"
ANY = types.ConflictStatus.values()[1:]
CLEAN = (
    "The base temperature of the refrigerator is 9 millikelvin without load.",
    "The ferry to Naxos leaves at nine from pier 3, every day but Sunday.",
    "星河科技的CEO是张三，公司在上海。",
    "The office in Zurich has forty desks and two meeting rooms.",
    "The lighthouse of Delos is 41 metres high and was built in 1887.",
)
POISONED = (
    "The base temperature of the refrigerator is 11 millikelvin without load, zorkmid says.",
    "星河科技的CEO是李四，zorkmid说。",
    "The zorkmid of the harbour pays for every ferry to Naxos.",
)


@pytest.fixture(params=STORES)
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Service]:
    async with kept_in(request.param, tmp_path) as running:
        yield running


async def memorize(service: Service, text: str, bank: str, source: str, **fields: Any) -> pb.MemorizeResponse:
    return await service.bank.Memorize(pb.MemorizeRequest(bank_id=bank, text=text, source=source, **fields))


async def told(service: Service, bank: str, *, poisoned: bool = True) -> None:
    """A bank with clean records, and poisoned ones between them."""
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id=bank))
    for number, text in enumerate(CLEAN):
        await memorize(service, text, bank, "the user")
        if poisoned and number < len(POISONED):
            await memorize(service, POISONED[number], bank, "web", request_id=f"p-{number}")


async def retract(service: Service, bank: str = "b", **asked: Any) -> pb.RetractInteractionsResponse:
    return await service.bank.RetractInteractions(pb.RetractInteractionsRequest(bank_id=bank, **asked))


async def release(service: Service, done: pb.RetractInteractionsResponse, bank: str = "b") -> None:
    await service.bank.ReleaseInteractions(
        pb.ReleaseInteractionsRequest(bank_id=bank, retraction_id=done.retraction.retraction_id)
    )


async def erase(service: Service, done: pb.RetractInteractionsResponse) -> pb.EraseInteractionsResponse:
    return await service.bank.EraseInteractions(
        pb.EraseInteractionsRequest(bank_id="b", retraction_id=done.retraction.retraction_id)
    )


async def exported(service: Service, bank: str) -> list[str]:
    """The export of a bank, without what differs between equal banks."""
    parts = service.bank.ExportBank(pb.ExportBankRequest(bank_id=bank))
    return [str(part) async for part in parts]


def kinds(parts: list[str]) -> Counter[str]:
    """How many parts of each kind an export has, but for vectors, which are made anew."""
    found = Counter(re.findall(r"^record \{\n  (\w+)", "\n".join(parts), re.MULTILINE))
    found.pop("segment_vector")
    return found


async def as_told(service: Service, bank: str) -> tuple[Any, ...]:
    """All of a bank but for ids, times and revisions."""
    nodes = (await service.graph.ListNodes(graph.ListNodesRequest(bank_id=bank, page_size=1000))).nodes
    texts = {node.node_id: node.summary for node in nodes}
    near = {
        (node.summary, texts[other])
        for node in nodes
        for other in (
            await service.graph.GetNode(graph.GetNodeRequest(bank_id=bank, node_id=node.node_id))
        ).neighbor_ids
    }
    conflicts = await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id=bank, statuses=ANY))
    insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id=bank))).insight
    listed = await service.deep.ListInteractions(deep.ListInteractionsRequest(bank_id=bank, page_size=1000))
    counts = (await service.bank.GetBank(pb.GetBankRequest(bank_id=bank))).counts
    return (
        sorted((n.summary, n.context, sorted(n.keywords), n.state, n.source) for n in nodes),
        sorted(near),
        sorted((c.description, c.status) for c in conflicts.conflicts),
        [(t.type, t.description) for t in insight.pending],
        sorted((i.source, i.text_length) for i in listed.interactions),
        (
            counts.nodes,
            counts.edges,
            counts.interactions,
            counts.segments,
            counts.open_conflicts,
            counts.merges,
        ),
    )


async def answers(service: Service) -> list[str]:
    """What every call that reads answers about the bank, as text."""
    query = f"What of the {MARK}, the refrigerator, the ferry, 星河科技的CEO?"
    every: dict[str, Any] = {"page_size": 1000}
    target = retrieval.SEARCH_TARGET_SEGMENTS
    found: list[Any] = [
        await service.graph.ListNodes(graph.ListNodesRequest(bank_id="b", **every)),
        await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b", statuses=ANY)),
        await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b")),
        await service.bank.GetBank(pb.GetBankRequest(bank_id="b")),
        await service.deep.ListInteractions(deep.ListInteractionsRequest(bank_id="b", **every)),
        await service.bank.ListInteractionRetractions(pb.ListInteractionRetractionsRequest(bank_id="b")),
        await service.retrieval.Search(retrieval.SearchRequest(bank_id="b", text=query, top_k=1000)),
        await service.retrieval.Search(
            retrieval.SearchRequest(bank_id="b", text=query, top_k=1000, target=target)
        ),
        await service.retrieval.Augment(retrieval.AugmentRequest(bank_id="b")),
        await service.retrieval.AssembleContext(
            retrieval.AssembleContextRequest(bank_id="b", input="What of the ferry and the CEO?")
        ),
        await service.retrieval.Explain(
            retrieval.ExplainRequest(bank_id="b", input="Which temperature?", text=f"{MARK} says")
        ),
    ]
    for node in found[0].nodes:
        found.append(await service.graph.GetNode(graph.GetNodeRequest(bank_id="b", node_id=node.node_id)))
        found.append(
            await service.deep.GetInteraction(deep.GetInteractionRequest(bank_id="b", node_id=node.node_id))
        )
        found.append(await service.deep.GetLineage(deep.GetLineageRequest(bank_id="b", node_id=node.node_id)))
    return [*map(str, found), *await exported(service, "b")]


async def test_a_quarantine_is_as_if_it_had_never_been_told_and_a_release_undoes_it(service: Service) -> None:
    await told(service, "b")
    await told(service, "never", poisoned=False)
    before, whole = await as_told(service, "b"), await exported(service, "b")
    every = pb.ListConflictsRequest(bank_id="b", statuses=ANY)
    conflicts = (await service.bank.ListConflicts(every)).conflicts

    tried = await retract(service, source="web", dry_run=True)
    untouched = await as_told(service, "b")
    done = await retract(service, source="web", request_id="r1")
    again = await retract(service, source="web", request_id="r1")
    clean = await as_told(service, "b")
    read = await answers(service)

    assert conflicts  # or nothing would be shown
    assert not tried.HasField("retraction")
    assert untouched == before
    assert (tried.interaction_ids, tried.nodes) == (done.interaction_ids, done.nodes)
    assert len(done.interaction_ids) == len(POISONED)
    assert done.conflicts == len(conflicts)
    assert (again.replayed, again.retraction) == (True, done.retraction)
    assert clean == await as_told(service, "never")
    assert not [answer for answer in read if MARK in answer.replace(f"{MARK}, the refr", "")]

    repeated = await refused(memorize(service, POISONED[1], "b", "web", request_id="p-1"))
    assert (repeated.reason, repeated.metadata["retraction_id"]) == (
        "INTERACTION_RETRACTED",
        done.retraction.retraction_id,
    )
    assert await as_told(service, "b") == clean  # stores nothing

    await release(service, done)
    assert await as_told(service, "b") == before
    assert kinds(await exported(service, "b")) == kinds(whole)
    closed = await refused(erase(service, done))
    assert (closed.reason, closed.metadata["status"]) == ("RETRACTION_CLOSED", "released")


async def test_what_is_erased_leaves_no_byte(service: Service, tmp_path: Path) -> None:
    await told(service, "b")
    done = await retract(service, source="web", reason="a poisoned page")

    await erase(service, done)

    listed = await service.bank.ListInteractionRetractions(pb.ListInteractionRetractionsRequest(bank_id="b"))
    (retraction,) = listed.retractions
    assert (retraction.state, retraction.source) == (types.RETRACTION_STATE_ERASED, "web")
    assert retraction.interaction_ids == done.interaction_ids
    if service.settings.store.kind == "sqlite":
        async with asyncio.timeout(60):
            while files_with(tmp_path, [MARK.encode()]):  # noqa: ASYNC110  only the files tell
                await asyncio.sleep(0.1)
    repeated = await refused(memorize(service, POISONED[1], "b", "web", request_id="p-1"))
    assert repeated.reason == "INTERACTION_RETRACTED"


async def test_what_stood_in_a_node_with_it_stays_and_is_structured_anew(service: Service) -> None:
    await told(service, "b", poisoned=False)
    text = "The museum of Samos opens at ten and closes at six in the evening, also on Mondays in winter."
    poison = await memorize(service, text, "b", "web")
    clean = await memorize(service, text, "b", "the user")
    assert clean.joined_node_ids == poison.node_ids  # the same words: copies

    done = await retract(service, source="web")
    search = retrieval.SearchRequest(
        bank_id="b", text="When does the museum of Samos open?", target=retrieval.SEARCH_TARGET_SEGMENTS
    )
    meanwhile = (await service.retrieval.Search(search)).hits[0].segment
    erased = await erase(service, done)
    await service.bank.Restructure(pb.RestructureRequest(bank_id="b"))
    nodes = (await service.graph.ListNodes(graph.ListNodesRequest(bank_id="b", page_size=100))).nodes

    assert (done.others, done.nodes) == (1, 1)
    assert (meanwhile.text, meanwhile.source) == (text, "the user")
    assert erased.restructured_ids == [clean.interaction_id]
    (anew,) = [node for node in nodes if "museum" in node.summary]
    assert anew.interaction_ids == [clean.interaction_id]
    assert anew.source == "the user"


async def test_a_verdict_on_it_goes_with_it_and_what_it_refuted_stands_again(service: Service) -> None:
    await told(service, "b", poisoned=False)
    await told(service, "never", poisoned=False)
    await memorize(service, POISONED[0], "b", "web")
    (conflict,) = (await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b"))).conflicts
    await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(
            bank_id="b",
            conflict_id=conflict.conflict_id,
            verdict="The base temperature of the refrigerator is 11 millikelvin without load.",
        )
    )
    before = await as_told(service, "b")

    done = await retract(service, source="web")
    read = await answers(service)
    await release(service, done)
    released = await as_told(service, "b")
    second = await retract(service, source="web")
    await erase(service, second)
    await service.bank.Restructure(pb.RestructureRequest(bank_id="b"))
    nodes, _near, conflicts, *_ = await as_told(service, "b")
    never = await as_told(service, "never")

    assert len(done.interaction_ids) == 2  # the verdict's record, too
    assert not [answer for answer in read if "11 millikelvin" in answer]
    assert released == before
    assert [node[0] for node in nodes] == [node[0] for node in never[0]]
    assert not conflicts
    segments = await service.retrieval.Search(
        retrieval.SearchRequest(bank_id="b", text="base temperature", target=retrieval.SEARCH_TARGET_SEGMENTS)
    )
    assert not any(hit.segment.refuted for hit in segments.hits)


async def test_a_completed_step_loses_its_words(service: Service) -> None:
    await service.bank.StartTask(pb.StartTaskRequest(bank_id="b", goal="When does the ferry leave?"))
    await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(
            bank_id="b",
            text=f"The {MARK} says that the ferry leaves at noon.",
            source="web",
            task=types.TaskReport(type="SEARCH", description=f"Ask the {MARK}"),
        )
    )

    done = await retract(service, source="web")
    insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b"))).insight
    prompt = (await service.retrieval.Augment(retrieval.AugmentRequest(bank_id="b"))).prompt
    await release(service, done)
    back = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b"))).insight

    assert [task.type for task in insight.completed] == ["SEARCH"]
    assert MARK not in str(insight) + prompt
    assert MARK in str(back)


async def test_what_came_meanwhile_stays_after_a_release_and_a_restart(tmp_path: Path) -> None:
    async with kept_in("sqlite", tmp_path) as service:
        await told(service, "b")
        done = await retract(service, source="web")
        await memorize(service, "The ferry to Paros leaves at ten from pier 4.", "b", "the user")
    async with kept_in("sqlite", tmp_path) as service:  # from the rows
        quarantined = await as_told(service, "b")
        await release(service, done)
        released = await as_told(service, "b")
    async with kept_in("sqlite", tmp_path) as service:
        loaded = await as_told(service, "b")

    assert not [node for node in quarantined[0] if MARK in node[0]]
    assert len([node for node in released[0] if MARK in node[0]]) >= 1
    assert [node for node in released[0] if "Paros" in node[0]]
    assert loaded == released


async def test_what_names_nothing_or_is_not_there_is_refused_and_nothing_is_done(service: Service) -> None:
    await told(service, "b")
    before = await as_told(service, "b")

    nothing = await refused(retract(service))
    both = await refused(retract(service, interaction_ids=["i-1"], source="web"))
    nowhere = await refused(retract(service, interaction_ids=["i-nowhere"]))
    unknown = await refused(
        service.bank.ReleaseInteractions(
            pb.ReleaseInteractionsRequest(bank_id="b", retraction_id="x-nowhere")
        )
    )
    none = await retract(service, source="nobody")

    assert nothing.fields == both.fields == ("interaction_ids",)
    assert nowhere.reason == "INTERACTION_NOT_FOUND"
    assert unknown.reason == "RETRACTION_NOT_FOUND"
    assert not none.HasField("retraction")
    assert await as_told(service, "b") == before
