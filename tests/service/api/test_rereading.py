"""Pages read again and again, over a real channel, by the offline agents and by a model: nothing is doubled."""

import re
from collections.abc import Iterator

import pytest

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1.types_pb2 import Message, TaskReport
from tests.support import chat_endpoint
from tests.support.chat_endpoint import ChatEndpoint
from tests.support.chat_rule import sensible
from tests.support.server import Service, serving

PAGES = {
    "ferries": "# Naxos\n\n## Ferries\n\nThe daily ferry to Naxos leaves at nine from pier 3.\n\n"
    "A single ticket of the second class costs twelve euros, children pay half of it.\n",
    "hotels": "# Naxos\n\n## Hotels\n\nThe old harbour hotel has forty rooms and a garden with lemon trees.\n\n"
    "Breakfast is served from seven to ten on the terrace above the bay.\n",
    "changes": "# News\n\nThe daily ferry to Naxos leaves at ten from pier 3.\n",
    "渡轮": "# 纳克索斯\n\n## 渡轮\n\n渡轮每天早上九点从三号码头出发去纳克索斯岛。\n\n"
    "二等舱的船票每张十二欧元,儿童半价。\n",
    "变更": "# 通知\n\n渡轮每天早上十点从三号码头出发去纳克索斯岛。\n",
}
TARGETS = (retrieval.SEARCH_TARGET_NODES, retrieval.SEARCH_TARGET_SEGMENTS)
NODE = re.compile(r"\bn-\w+")
THOUGHTS = (
    "I open {page} first.",
    "Let me look at {page} once more, to be quite sure about it.",
    "再看一遍{page},确认一下。",
    "So far nothing on the matter. Next is {page}.",
)
QUESTIONS = (
    "When does the ferry leave?",
    "What does a ticket cost?",
    "渡轮几点出发?",
    "breakfast on the terrace",
)


def react(reading: int) -> str:
    """All pages, each as a step of a ReAct transcript."""
    return "\n".join(
        f"Thought: {THOUGHTS[reading % 4].format(page=page)}\nAction: open\nAction Input: {page}\nObservation: {text}"
        for page, text in PAGES.items()
    )


def messages(reading: int) -> list[Message]:
    """All pages, each as a tool's message behind the call."""
    made = []
    for page, text in PAGES.items():
        thought = f"Thought: {THOUGHTS[reading % 4].format(page=page)}\nAction: open\nAction Input: {page}"
        made += [Message(role="assistant", text=thought), Message(role="tool", speaker="open", text=text)]
    return made


async def read(service: Service, bank_id: str, form: str, readings: int) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id=bank_id, goal="When does the ferry leave?"))
    every = range(readings)
    if form == "one transcript":
        requests = [pb.MemorizeRequest(bank_id=bank_id, text="\n".join(map(react, every)))]
    elif form == "transcripts":
        requests = [pb.MemorizeRequest(bank_id=bank_id, text=react(n)) for n in every]
    elif form == "one talk":
        said = [message for n in every for message in messages(n)]
        requests = [pb.MemorizeRequest(bank_id=bank_id, messages=said)]
    else:
        requests = [pb.MemorizeRequest(bank_id=bank_id, messages=messages(n)) for n in every]
    for request in requests:
        await service.bank.Memorize(request)


async def held(service: Service, bank_id: str) -> list[object]:
    """What a bank has come to, without ids: nodes, edges, conflicts, plan, and what searches find, in order."""
    nodes = (await service.graph.ListNodes(graph.ListNodesRequest(bank_id=bank_id))).nodes
    conflicts = (await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id=bank_id))).conflicts
    insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id=bank_id))).insight
    bank = await service.bank.GetBank(pb.GetBankRequest(bank_id=bank_id))
    return [
        sorted((node.summary, node.context, tuple(node.keywords), node.state) for node in nodes),
        bank.counts.edges,
        sorted(tuple(sorted(side.quote for side in conflict.sides)) for conflict in conflicts),
        [NODE.sub("a node", task.description) for task in insight.pending],
        [await hits(service, bank_id, question, target) for question in QUESTIONS for target in TARGETS],
    ]


async def hits(
    service: Service, bank_id: str, question: str, target: "retrieval.SearchTarget.ValueType"
) -> list[str]:
    """What a search finds of the pages: thoughts and calls are found by their own words, and differ."""
    asked = retrieval.SearchRequest(bank_id=bank_id, text=question, top_k=20, target=target)
    found = (await service.retrieval.Search(asked)).hits
    texts = [hit.node.summary or hit.segment.text for hit in found]
    return [
        text
        for text in texts
        if target == retrieval.SEARCH_TARGET_NODES or not text.startswith(("Thought:", "Action"))
    ][:3]


@pytest.mark.parametrize("form", ["one transcript", "transcripts", "one talk", "talks"])
async def test_what_is_read_four_times_is_what_is_read_once(service: Service, form: str) -> None:
    await read(service, "once", form, 1)
    await read(service, "often", form, 4)

    once, often = await held(service, "once"), await held(service, "often")

    assert often == once
    assert once[0]
    assert (
        bool(once[2]) is bool(once[3]) is ("transcript" in form)
    )  # in the talks each topic holds both values


async def test_an_answer_says_what_was_joined_and_the_node_how_often(service: Service) -> None:
    await read(service, "b", "transcripts", 1)
    task = TaskReport(type="SEARCH", description="read it again")

    done = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="b", text=react(1), task=task))

    assert list(done.joined_node_ids) == list(done.node_ids) != []
    assert not any((done.conflict_ids, done.merges, done.related))
    joined = done.joined_node_ids[0]
    seen = await service.graph.GetNode(graph.GetNodeRequest(bank_id="b", node_id=joined))
    assert seen.copies.node_id == joined
    assert seen.copies.count == len(seen.copies.segments) >= 1
    assert {ref.interaction_id for ref in seen.copies.segments} == {done.interaction_id}
    records = await service.deep.GetInteraction(deep.GetInteractionRequest(bank_id="b", node_id=joined))
    assert [each.interaction_id for each in records.interactions][-1] == done.interaction_id
    clusters = records.interactions[-1].structuring.clusters
    assert {cluster.outcome.joined for cluster in clusters} == {True}


async def test_copies_are_watched_exported_and_imported(service: Service) -> None:
    await read(service, "b", "talks", 1)
    revision = await service.revision("b")
    await service.bank.Memorize(pb.MemorizeRequest(bank_id="b", messages=messages(1)))

    watched = service.bank.WatchBank(pb.WatchBankRequest(bank_id="b", from_revision=revision))
    news = []
    async for change in watched:
        news += [event.copies_updated for event in change.events if event.HasField("copies_updated")]
        if change.revision == await service.revision("b"):
            break
    watched.cancel()
    records = [r.record async for r in service.bank.ExportBank(pb.ExportBankRequest(bank_id="b"))]
    exported = [record.copies for record in records if record.HasField("copies")]
    options = pb.ImportBankRequest(options=pb.ImportOptions(bank_id="c"))
    await service.bank.ImportBank(
        iter([options, *(pb.ImportBankRequest(record=record) for record in records)])
    )

    again = [r.record async for r in service.bank.ExportBank(pb.ExportBankRequest(bank_id="c"))]
    assert sorted(news, key=lambda copies: copies.node_id) == exported != []
    assert again[1:-1] == records[1:-1]


@pytest.fixture
def endpoint() -> Iterator[ChatEndpoint]:
    with chat_endpoint.serving(sensible) as served:
        yield served


@pytest.mark.parametrize("form", ["transcripts", "talks"])
async def test_a_model_is_not_asked_about_what_is_read_again(endpoint: ChatEndpoint, form: str) -> None:
    model = {"base_url": endpoint.url, "api_key": "k", "model": "m", "retries": 0}
    async with serving(llm=model) as service:
        await read(service, "once", form, 1)
        asked = len(endpoint.requests)
        await read(service, "often", form, 4)

        assert len(endpoint.requests) == 2 * asked
        assert await held(service, "often") == await held(service, "once")
