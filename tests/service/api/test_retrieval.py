"""Retrieval over a real channel."""

import json

import grpc
import pytest

from core.context.sections import LeftOut, Loss
from core.language.en.headings import TASK as ENGLISH
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from memorybank_client import numbers
from service.api.to_proto.retrieval import left_out
from tests.support.server import Service, refused, serving

FACTS = {
    "ceo": "公司的首席执行官是张三",
    "founding": "The company was founded in 1999 in Hangzhou",
    "product": "它的主要产品是向量数据库",
    "coffee": "The coffee machine on floor three is broken",
}


async def facts(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1", goal="谁是首席执行官"))
    nodes = [graph.NewNode(node_id=name, summary=fact) for name, fact in FACTS.items()]
    nodes[1].related_node_ids.append("ceo")
    await service.graph.BatchAddNodes(graph.BatchAddNodesRequest(bank_id="b1", nodes=nodes))


async def test_a_text_finds_its_node_with_its_neighbourhood(service: Service) -> None:
    await facts(service)

    found = await service.retrieval.Search(pb.SearchRequest(bank_id="b1", text="首席执行官是谁", top_k=1))

    hit = found.hits[0]
    assert hit.node.summary == FACTS["ceo"]
    assert list(hit.neighbor_ids) == ["founding"]
    assert [n.summary for n in found.neighbors] == [FACTS["founding"]]
    assert abs(hit.score - (0.3 * hit.attribute_score + 0.7 * hit.embedding_score)) < 1e-9


async def test_a_node_finds_what_resembles_it_but_not_itself(service: Service) -> None:
    await facts(service)

    found = await service.retrieval.Search(pb.SearchRequest(bank_id="b1", node_id="ceo"))

    assert "ceo" not in {h.node.node_id for h in found.hits}


async def test_where_nothing_fits_nothing_is_found(service: Service) -> None:
    await facts(service)

    found = await service.retrieval.Search(
        pb.SearchRequest(bank_id="b1", text="xylophone", mode=pb.SEARCH_MODE_ATTRIBUTE)
    )
    far = await service.graph.GetNode(
        graph.GetNodeRequest(bank_id="b1", node_id="coffee", include_embedding=True)
    )
    opposite = types_pb2.Vector(values=[-n for n in numbers(far.node.embedding)])
    away = await service.retrieval.Search(pb.SearchRequest(bank_id="b1", embedding=opposite))

    assert list(found.hits) == []
    assert "coffee" not in {hit.node.node_id for hit in away.hits}
    assert list(found.neighbors) == []


async def test_a_configured_floor_holds_where_the_request_names_none() -> None:
    async with serving(retrieval={"min_score": 0.99}) as service:
        await facts(service)
        asked = pb.SearchRequest(bank_id="b1", text="the coffee machine")

        found = await service.retrieval.Search(asked)
        asked.min_score = 0.0
        named = await service.retrieval.Search(asked)

    assert list(found.hits) == []
    assert named.hits[0].node.node_id == "coffee"


async def test_a_prompt_may_leave_the_tools_declaration_to_the_models_api(service: Service) -> None:
    await facts(service)

    whole = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1", query="coffee"))
    apart = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1", query="coffee", tools_apart=True))

    assert whole.tools[0] in whole.prompt
    assert apart.tools == whole.tools
    assert apart.tools[0] not in apart.prompt
    assert apart.tokens < whole.tokens - 100


async def test_a_vector_finds_its_node_and_brings_vectors_when_asked(service: Service) -> None:
    await facts(service)
    seen = await service.graph.GetNode(
        graph.GetNodeRequest(bank_id="b1", node_id="coffee", include_embedding=True)
    )

    found = await service.retrieval.Search(
        pb.SearchRequest(bank_id="b1", embedding=seen.node.embedding, include_embedding=True, top_k=1)
    )

    assert found.hits[0].node == seen.node
    assert found.hits[0].embedding_score == 1.0


async def test_several_searches_are_answered_on_one_revision(service: Service) -> None:
    await facts(service)

    found = await service.retrieval.BatchSearch(
        pb.BatchSearchRequest(
            bank_id="b1",
            searches=[
                pb.SearchRequest(text="coffee machine", top_k=1),
                pb.SearchRequest(keywords=["数据库"], mode=pb.SEARCH_MODE_ATTRIBUTE, top_k=1),
            ],
        )
    )

    assert [r.hits[0].node.node_id for r in found.results] == ["coffee", "product"]
    assert {r.revision for r in found.results} == {found.revision}


async def test_a_side_that_was_not_searched_has_no_score(service: Service) -> None:
    await facts(service)

    by_words = await service.retrieval.Search(
        pb.SearchRequest(bank_id="b1", text="张三", mode=pb.SEARCH_MODE_ATTRIBUTE)
    )
    by_meaning = await service.retrieval.Search(
        pb.SearchRequest(bank_id="b1", text="张三", mode=pb.SEARCH_MODE_EMBEDDING)
    )

    assert by_words.hits[0].HasField("attribute_score")
    assert not by_words.hits[0].HasField("embedding_score")
    assert by_meaning.hits[0].HasField("embedding_score")
    assert not by_meaning.hits[0].HasField("attribute_score")


async def test_segments_are_found_verbatim(service: Service) -> None:
    await facts(service)
    await service.bank.Memorize(
        bank.MemorizeRequest(bank_id="b1", text="会议定在周五下午三点。\n\n地点是杭州。")
    )

    found = await service.retrieval.Search(
        pb.SearchRequest(bank_id="b1", text="会议什么时候", target=pb.SEARCH_TARGET_SEGMENTS, top_k=1)
    )

    assert found.hits[0].segment.text.strip() == "会议定在周五下午三点。"
    assert found.hits[0].segment.node_ids


async def test_a_write_is_seen_by_the_next_read(service: Service) -> None:
    await facts(service)
    added = await service.graph.AddNode(graph.AddNodeRequest(bank_id="b1", summary="量子纠缠的新结果"))

    found = await service.retrieval.Search(
        pb.SearchRequest(bank_id="b1", text="量子纠缠", min_revision=added.revision, top_k=1)
    )

    assert found.hits[0].node.node_id == added.node.node_id


async def test_a_prompt_is_assembled_to_its_budget_and_says_what_it_left_out(service: Service) -> None:
    await facts(service)
    whole = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1"))

    tight = await service.retrieval.Augment(
        pb.AugmentRequest(
            bank_id="b1", token_budget=whole.tokens - 40, tool_format=types_pb2.TOOL_FORMAT_ANTHROPIC
        )
    )

    assert FACTS["ceo"] in whole.prompt
    assert "function" in json.loads(whole.tools[0])
    assert "input_schema" in json.loads(tight.tools[0])
    assert tight.tokens <= whole.tokens - 40
    assert tight.left_out
    assert {item.what for item in tight.left_out} <= {"node", "neighbor", "segment"}


async def test_a_budget_that_cannot_hold_the_insight_is_refused(service: Service) -> None:
    await facts(service)

    refusal = await refused(service.retrieval.Augment(pb.AugmentRequest(bank_id="b1", token_budget=1)))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BUDGET_TOO_SMALL")
    assert refusal.fields == ("token_budget",)


async def talk(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    said = (("Ann", "Where did you keep the boat?"), ("Ben", "Down at the old pier."))
    messages = [types_pb2.Message(speaker=speaker, text=text) for speaker, text in said]
    await service.bank.Memorize(bank.MemorizeRequest(bank_id="b1", messages=messages))


def boat(**changed: object) -> pb.SearchRequest:
    return pb.SearchRequest(
        bank_id="b1",
        text="Where did Ben keep the boat?",
        target=pb.SEARCH_TARGET_SEGMENTS,
        **changed,  # type: ignore[arg-type]
    )


async def test_a_segment_tells_why_it_ranks_where_it_does(service: Service) -> None:
    await talk(service)

    found = await service.retrieval.Search(boat())

    assert {share.component for hit in found.hits for share in hit.why} >= {"plain", "near", "speaker"}
    for hit in found.hits:
        assert abs(hit.score - sum(share.share for share in hit.why)) < 1e-9


async def test_an_empty_structure_is_the_plain_formula(service: Service) -> None:
    await talk(service)

    found = await service.retrieval.Search(boat(structure=pb.Structure()))

    for hit in found.hits:
        assert not hit.why
        assert abs(hit.score - (0.3 * hit.attribute_score + 0.7 * hit.embedding_score)) < 1e-9


async def test_a_prompt_can_be_made_of_the_evidence_itself(service: Service) -> None:
    await talk(service)

    made = await service.retrieval.Augment(
        pb.AugmentRequest(
            bank_id="b1", query="Where did Ben keep the boat?", target=pb.SEARCH_TARGET_SEGMENTS
        )
    )

    assert "Ben: Down at the old pier." in made.prompt
    assert all(hit.HasField("segment") for hit in made.hits)


async def test_a_prompt_of_both_shows_the_evidence_below_the_node_that_it_lifted(service: Service) -> None:
    await talk(service)

    made = await service.retrieval.Augment(
        pb.AugmentRequest(bank_id="b1", query="Down at the old pier.", target=pb.SEARCH_TARGET_BOTH)
    )

    assert any(hit.HasField("best_segment") for hit in made.hits)
    assert "  verbatim: Ben: Down at the old pier." in made.prompt.splitlines()


async def test_a_prompt_shows_by_default_what_was_said_behind_the_handle_of_its_node(
    service: Service,
) -> None:
    await talk(service)

    made = await service.retrieval.Augment(
        pb.AugmentRequest(bank_id="b1", query="Where did Ben keep the boat?")
    )

    hit = made.hits[0]
    (line,) = [line for line in made.prompt.splitlines() if line.endswith("] Ben: Down at the old pier.")]
    handle = line[1:].partition("]")[0]
    read = await service.deep.GetInteraction(deep.GetInteractionRequest(bank_id="b1", node_id=handle))
    assert len(handle) < 8
    assert hit.node.node_id.endswith(handle)
    assert hit.HasField("best_segment")
    assert read.node_id == hit.node.node_id
    assert "Down at the old pier." in read.interactions[0].text
    assert made.prompt.endswith("\n## Now\n  Where did Ben keep the boat?")


async def test_what_is_told_of_a_node_goes_before_anything_that_was_said(service: Service) -> None:
    await talk(service)
    asked = "Where did Ben keep the boat?"
    whole = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1", query=asked))

    tight = await service.retrieval.Augment(
        pb.AugmentRequest(bank_id="b1", query=asked, token_budget=whole.tokens - 1)
    )

    assert whole.hits[0].node.context in whole.prompt
    assert "keywords: " not in tight.prompt.split("## Relevant memories")[1]
    assert "] Ben: Down at the old pier." in tight.prompt
    assert [(item.section, item.reason) for item in tight.left_out] == [
        ("neighbors", types_pb2.LEFT_OUT_REASON_DROPPED)
    ]


async def test_two_that_are_at_odds_stand_together_and_a_section_tells_its_items(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    said = ("The island ferry leaves at 9:00 every day.", "The island ferry leaves at 10:30 every day.")
    for text in said:
        await service.bank.Memorize(bank.MemorizeRequest(bank_id="b1", text=text))

    asked = "When does the island ferry leave?"
    made = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1", query=asked, tools_apart=True))
    (conflict,) = (await service.bank.ListConflicts(bank.ListConflictsRequest(bank_id="b1"))).conflicts

    lines = made.prompt.splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith("- CONTESTED ["))
    assert conflict.conflict_id.endswith(lines[place].partition("[")[2].rstrip("]"))
    assert [line.partition("] ")[2].partition(" 20")[2][3:] for line in lines[place + 1 : place + 3]] == [
        *said[::-1]
    ]
    (memories,) = [section for section in made.sections if section.name == "memories"]
    assert [item.id for item in memories.items] == [conflict.conflict_id]
    assert made.prompt.count("every day.") == 2


async def test_a_task_begins_and_goes_on_with_the_evidence_in_its_prompt(service: Service) -> None:
    text = "The ferry to Brandholm leaves at 7:40 from pier 3."

    begun = await service.bank.StartTask(
        bank.StartTaskRequest(bank_id="b1", goal="When does the ferry to Brandholm leave?", text=text)
    )
    going = await service.bank.AdvanceTask(
        bank.AdvanceTaskRequest(bank_id="b1", text="The fare to Brandholm is 42 kronor.")
    )

    assert f"] {text}" in begun.prompt
    assert f"] {text}" in going.prompt


async def test_a_prompt_ends_with_the_task_to_do_now_in_full_and_to_stop_then(service: Service) -> None:
    asked = "When does the ferry to Brandholm leave,\nand from which pier?"
    begun = await service.bank.StartTask(bank.StartTaskRequest(bank_id="b1", goal=asked))
    task = begun.insight.pending[0]

    now = begun.prompt.split("\n## Now\n")[1]

    assert now.startswith(f"[{task.task_id}] {task.type}\n")
    assert all(f"  {line}" in now for line in task.description.splitlines())
    assert f"  how: {task.how}" in now
    assert now.endswith(ENGLISH.then_stop)
    assert begun.prompt.count("from which pier?") == 2  # the goal's, and now


@pytest.mark.parametrize("asked", ["Which ferry leaves first? " * 600, "哪一班渡船最先开？" * 1_800])
async def test_a_long_task_to_do_now_is_cut_to_what_the_budget_leaves(service: Service, asked: str) -> None:
    begun = await service.bank.StartTask(bank.StartTaskRequest(bank_id="b1", goal=asked, token_budget=1_000))

    made = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1", token_budget=1_000))

    assert f"[{begun.insight.pending[0].task_id}]" in begun.prompt.splitlines()[-4]
    assert made.tokens <= 1_000
    assert "now" in {section.name for section in made.sections}


@pytest.mark.parametrize(
    "page",
    [
        "HTTP 503 Service Unavailable",
        "Thought: open the timetable\nAction: fetch(https://ferry.example)\nObservation: HTTP 503 Service Unavailable",
        "请求失败：HTTP 503 服务不可用，请稍后重试。",
    ],
)
async def test_an_error_page_is_kept_on_record_and_becomes_no_memory(service: Service, page: str) -> None:
    await service.bank.StartTask(bank.StartTaskRequest(bank_id="b1", goal="When does the ferry leave?"))

    failed = await service.bank.AdvanceTask(
        bank.AdvanceTaskRequest(
            bank_id="b1", text=page, task=types_pb2.TaskReport(status=types_pb2.TASK_STATUS_FAILED)
        )
    )

    assert list(failed.node_ids) == []
    nodes = await service.graph.ListNodes(graph.ListNodesRequest(bank_id="b1"))
    assert list(nodes.nodes) == []
    kept = await service.retrieval.Search(
        pb.SearchRequest(bank_id="b1", text=page, target=pb.SEARCH_TARGET_SEGMENTS)
    )
    assert kept.hits[0].segment.text in page


async def test_what_a_failed_step_met_is_marked_and_weighs_less(service: Service) -> None:
    await service.bank.StartTask(
        bank.StartTaskRequest(bank_id="b1", goal="When does the ferry to Naxos leave?")
    )
    tried = "The harbour office said that the ferry to Naxos may leave at six, and hung up."
    found = "The timetable says that the ferry to Naxos leaves at nine from pier 3."

    await service.bank.AdvanceTask(
        bank.AdvanceTaskRequest(
            bank_id="b1", text=tried, task=types_pb2.TaskReport(status=types_pb2.TASK_STATUS_FAILED)
        )
    )
    made = await service.bank.AdvanceTask(bank.AdvanceTaskRequest(bank_id="b1", text=found))
    shown = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1", query=tried))

    lines = made.prompt.splitlines()
    marked = [line for line in lines if "] FAILED ATTEMPT" in line]
    assert [line.endswith(tried) for line in marked if tried in line][:1] == [True]
    assert max(hit.score for hit in shown.hits if tried in hit.node.summary) <= 0.5


def test_what_was_left_out_is_called_by_what_it_is() -> None:
    lost = [
        LeftOut(section=section, item_id=item_id, loss=Loss.DROPPED, tokens=7)
        for section, item_id in (
            ("insight", "c-1"),
            ("memories", "n-1"),
            ("memories", "i-1#3"),
            ("neighbors", "n-2"),
        )
    ]

    rendered = [left_out(one) for one in lost]

    assert [one.what for one in rendered] == ["conflict", "node", "segment", "neighbor"]
