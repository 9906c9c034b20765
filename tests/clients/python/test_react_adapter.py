"""A ReAct loop over the adapter, against the real service; what it repeats and refuses, against a script."""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from openai.types.chat import ChatCompletionFunctionToolParam
from pydantic import TypeAdapter

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from memorybank_client import NEVER, MemoryBankClient, SyncMemoryBankClient, Unavailable
from memorybank_client.adapters.react import ReActAdapter, SyncReActAdapter
from service.assembly.server import running
from tests.clients.python.scripted import Refusal, Script, scripted
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

README = Path(__file__).parents[3] / "clients" / "python" / "README.md"
TIMETABLE = "The ferry to Naxos leaves at nine from pier 3.\n\nA ticket costs 42 euro; children pay half."
TOOL = json.dumps({"type": "function", "function": {"name": "deep_retrieval"}})


# ---- the loop ----


async def test_a_loop_goes_on_until_the_task_is_finished(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        adapter = ReActAdapter(client, bank_id="trip")
        prompt = await adapter.enhance("When does the ferry leave?", context=TIMETABLE)
        kinds = []
        while not adapter.finished:
            assert adapter.task is not None
            kinds.append(adapter.task.type)
            assert "deep_retrieval" in prompt
            assert "ferry" in prompt
            prompt = await adapter.intercept(
                f"Thought: step {len(kinds)}.\nAnswer: the ferry leaves at nine."
            )

        insight = (await client.get_insight(bank_id="trip")).insight
    assert kinds == ["SOLVE", "ANSWER"]
    assert prompt == ""
    assert [task.type for task in insight.completed] == kinds


async def test_after_a_finished_task_the_next_question_begins_another(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        adapter = ReActAdapter(client, bank_id="trip", ttl=timedelta(hours=1))
        await adapter.enhance("When does the ferry leave?", context=TIMETABLE)
        while not adapter.finished:
            await adapter.intercept("Answer: the ferry leaves at nine.")
        goes = adapter.purge_time

        prompt = await adapter.enhance("What does a ticket cost?")
        begun = adapter.finished, adapter.purge_time
        while not adapter.finished:
            await adapter.intercept("Answer: a ticket costs 42 euro.")

        record = (await client.get_bank(bank_id="trip")).bank
    assert goes is not None
    assert record.ttl.ToTimedelta() == timedelta(hours=1)
    assert begun == (False, None)
    assert "What does a ticket cost?" in prompt
    assert adapter.insight.earlier_tasks == 2


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (
            "The log says that a crane was hired for 900 euros in May 2024. " * 20,
            "The ticket costs 42 euros.",
        ),
        ("日志记载：2024年5月以九百欧元租用起重机一台。" * 20, "渡轮票价为四十二欧元。"),
    ],
)
async def test_a_step_says_what_the_agent_answered_though_a_long_result_stands_last(
    tmp_path: Path, read: str, said: str
) -> None:
    step = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "fares", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "42"}]},
        {"role": "assistant", "content": [{"type": "text", "text": said}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t2", "name": "log", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": read}]},
    ]
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        adapter = ReActAdapter(client)
        await adapter.enhance("What does a ticket cost? 票价多少？")
        prompt = await adapter.intercept(step)

    (done,) = adapter.insight.completed
    assert done.context == said
    assert f"→ {said}" in prompt
    assert read[:20] in prompt


async def test_a_loop_whose_every_step_fails_comes_to_an_end(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        adapter = ReActAdapter(client, ttl=NEVER)
        await adapter.enhance("When does the ferry leave?", context=TIMETABLE)
        steps = 0
        while not adapter.finished:
            await adapter.intercept("The page cannot be had.", succeeded=False)
            steps += 1

    assert steps == 5
    assert adapter.insight.outcome == types.TASK_OUTCOME_GAVE_UP
    assert adapter.insight.reason
    assert adapter.purge_time is None


async def test_a_step_that_failed_is_planned_again(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        adapter = ReActAdapter(client)
        await adapter.enhance("渡轮几点开？", context="渡轮九点从三号码头开出。")
        first = adapter.task
        await adapter.intercept("网站打不开。", succeeded=False)

    assert first is not None
    assert adapter.task is not None
    assert adapter.task.retry_of == first.task_id
    assert adapter.bank_id != ""
    assert not adapter.finished


async def test_the_tool_brings_the_verbatim_record_and_tells_the_model_what_it_asked_in_vain(
    tmp_path: Path,
) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        adapter = ReActAdapter(client, bank_id="trip")
        await adapter.enhance("What does a ticket cost?", context=TIMETABLE)
        (hit,) = (await client.search(bank_id="trip", text="ticket", top_k=1)).hits

        record = await adapter.call_tool("deep_retrieval", json.dumps({"node_id": hit.node.node_id}))
        segment = f"{hit.node.segments[0].interaction_id}#0"
        same = await adapter.call_tool("deep_retrieval", {"node_id": segment})
        missing = await adapter.call_tool("deep_retrieval", {"node_id": "n-0"})

    assert record.endswith(TIMETABLE)
    assert same == record
    assert missing.startswith("error: NOT_FOUND NODE_NOT_FOUND")
    (tool,) = adapter.tools
    assert tool["function"]["name"] == "deep_retrieval"


async def test_the_tool_is_declared_as_the_models_api_wants_it(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        for_openai = ReActAdapter(client)
        for_anthropic = ReActAdapter(client, tool_format=types.TOOL_FORMAT_ANTHROPIC)
        await for_openai.enhance("What does a ticket cost?")
        prompt = await for_anthropic.enhance("渡轮几点开？")

    (function,) = TypeAdapter(list[ChatCompletionFunctionToolParam]).validate_python(for_openai.tools)
    (tool,) = for_anthropic.tools
    assert set(tool) == {"name", "description", "input_schema"}
    assert (tool["name"], function["function"]["name"]) == ("deep_retrieval", "deep_retrieval")
    assert set(tool["input_schema"]["properties"]) == {"node_id", "query", "start", "end", "attachment_id"}
    assert tool["input_schema"]["required"] == ["node_id"]
    assert tool["description"].startswith("读取")
    assert json.dumps(tool, ensure_ascii=False) not in prompt  # it goes to the API
    assert "deep_retrieval" in prompt


async def test_the_ten_lines_of_the_readme_run(tmp_path: Path) -> None:
    (lines,) = [block for block in _blocks() if "SyncReActAdapter" in block and "langchain" not in block]
    scope: dict[str, Any] = {}
    exec(lines, scope)
    asked: list[str] = []

    def agent(prompt: str, tools: list[Any], call_tool: Callable[[str, str], str]) -> str:
        asked.append(prompt)
        return "Answer: at nine."

    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        answer = await asyncio.to_thread(scope["solve"], agent, "When does the ferry leave?", str(address))

    assert answer == "Answer: at nine."
    assert len(asked) == 3
    assert len(lines.strip().splitlines()) - lines.count("import ") <= 10


async def test_the_other_lines_of_the_readme_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, Any] = {}
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        for block in _blocks():
            if "langchain" in block or "deepagents" in block:  # are run with the examples, where those are
                continue
            exec(block.replace("127.0.0.1:7700", str(address)), scope)
        await scope["main"]()
        async with MemoryBankClient(str(address)) as client:
            for number in range(2):
                await client.add_node(bank_id="trip", node_id=f"n{number}", summary=f"Part {number}.")
            await client.merge_nodes(bank_id="trip", node_ids=["n0", "n1"], summary="The whole.")

            followed = await scope["summary"](client, "n0")

    assert "ferry to Naxos leaves at nine" in capsys.readouterr().out
    assert followed == "The whole."


def _blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


# ---- what it sends ----


async def test_a_step_repeated_after_it_failed_goes_on_under_its_request_id() -> None:
    script = Script()
    script.answers["AdvanceTask"] = [Refusal(code=grpc.StatusCode.UNAVAILABLE, is_final=True)]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip")
        await adapter.enhance("渡轮几点开？")
        with pytest.raises(Unavailable):
            await adapter.intercept("九点。")
        await adapter.intercept("九点。")
        await adapter.intercept("九点。")

    *failed, resumed, following = [asked.request.request_id for asked in script.asked["AdvanceTask"]]
    assert set(failed) == {resumed}
    assert following != resumed


async def test_the_step_that_was_next_is_the_one_reported() -> None:
    script = Script()
    pending = types.PendingTask(task_id="t1", type="CROSS_VALIDATION", description="who is it?")
    script.answers["StartTask"] = [
        memory.StartTaskResponse(
            bank=types.Bank(bank_id="acme"), insight=types.Insight(pending=[pending]), tools=[TOOL]
        )
    ]
    messages = [types.Message(role="assistant", text="It is Bob Li.")]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, token_budget=900)
        await adapter.enhance("Who leads Acme?", context=messages)
        await adapter.enhance("asked again")
        await adapter.intercept(messages)
        await adapter.intercept("", succeeded=False, task=types.TaskReport(type="SEARCH"))

    (start,) = (asked.request for asked in script.asked["StartTask"])
    assert (start.goal, list(start.messages), start.token_budget) == ("Who leads Acme?", messages, 900)
    first, second = (asked.request for asked in script.asked["AdvanceTask"])
    assert first.bank_id == "acme"
    assert list(first.messages) == messages
    assert (first.task.task_id, first.task.type) == ("t1", "CROSS_VALIDATION")
    assert first.task.status == types.TASK_STATUS_SUCCEEDED
    assert second.task.type == "SEARCH"


def page(text: str, token: str = "", **fields: Any) -> deep.GetInteractionResponse:
    record = types.Interaction(interaction_id="i1", text=text, **fields)
    return deep.GetInteractionResponse(interactions=[record], next_page_token=token)


async def test_the_tool_reads_on_to_the_last_page_and_no_further_than_allowed() -> None:
    script = Script()
    script.answers["GetInteraction"] = [
        page("渡轮", "p2"),
        page("九点开", text_offset=2),
        page("长" * 60, "p2"),
    ]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip", tool_characters=70)
        whole = await adapter.call_tool("deep_retrieval", '{"node_id": "n1"}')
        cut = await adapter.call_tool("deep_retrieval", {"node_id": "n1", "attachment_id": None})

    assert whole == "[record i1, 1970-01-01 00:00 UTC]\n渡轮九点开"
    assert cut.endswith("长\n[cut here, after 70 characters]")
    assert [asked.request.page_token for asked in script.asked["GetInteraction"]] == ["", "p2", ""]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"def fare(): ...", "def fare(): ..."),
        (b"\x89PNG\xff", "(not text: it lies at file:///a)"),
        (None, "(not read: it lies at file:///a)"),
    ],
    ids=["text", "picture", "not here"],
)
async def test_the_tool_brings_a_files_text_or_says_where_it_is(content: bytes | None, told: str) -> None:
    script = Script()
    file = types.Attachment(attachment_id="a1", type="code", uri="file:///a", size=15)
    answer = deep.GetInteractionResponse(attachment=file)
    if content is not None:
        answer.content = content
    script.answers["GetInteraction"] = [answer]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip")
        said = await adapter.call_tool("deep_retrieval", {"node_id": "n1", "attachment_id": "a1"})

    assert said == f"[file a1: code, unknown type, 15 bytes]\n{told}"


@pytest.mark.parametrize("form", [types.TOOL_FORMAT_OPENAI, types.TOOL_FORMAT_ANTHROPIC])
@pytest.mark.parametrize("size", [4, 2 * 1024 * 1024], ids=["inline", "streamed"])
async def test_an_image_goes_to_the_model_as_a_part_of_its_own(
    tmp_path: Path, form: types.ToolFormat.ValueType, size: int
) -> None:
    picture = b"\x89PNG" * (size // 4)
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id="trip")
        await client.upload_attachment(
            picture, bank_id="trip", attachment_id="a1", type="image", media_type="image/png"
        )
        kept = await client.memorize(
            bank_id="trip", text="The map is [a1].", attachments=[types.Attachment(attachment_id="a1")]
        )
        adapter = ReActAdapter(client, bank_id="trip", tool_format=form)
        asked = {"node_id": f"{kept.interaction_id}#0", "attachment_id": "a1"}

        said, shown = await adapter.call_tool_parts("deep_retrieval", asked)
        told = await adapter.call_tool("deep_retrieval", asked)

    encoded = b64encode(picture).decode()
    assert said == {"type": "text", "text": f"[file a1: image, image/png, {size} bytes]"}
    if form == types.TOOL_FORMAT_OPENAI:
        assert shown == {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded}"}}
    else:
        assert shown == {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": encoded},
        }
    assert "The map" not in told
    assert encoded not in told


@pytest.mark.parametrize("uri", ["file:///maps/a1.png", "s3://maps/a1.png"])
async def test_an_image_that_the_service_does_not_keep_stays_a_reference(tmp_path: Path, uri: str) -> None:
    file = types.Attachment(attachment_id="a1", type="image", media_type="image/png", uri=uri)
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id="trip")
        kept = await client.memorize(bank_id="trip", text="The map is [a1].", attachments=[file])
        adapter = ReActAdapter(client, bank_id="trip")

        (said,) = await adapter.call_tool_parts(
            "deep_retrieval", {"node_id": f"{kept.interaction_id}#0", "attachment_id": "a1"}
        )

    assert said["text"].endswith(f"(not read: it lies at {uri})")


LONG = [f"Chapter {number} tells of the lighthouse keeper's year {1500 + number}." for number in range(90)]


async def test_the_tool_reaches_the_passage_in_a_long_record(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id="trip")
        kept = await client.memorize(bank_id="trip", messages=[types.Message(text=line) for line in LONG])
        found = await client.search(
            bank_id="trip", text=LONG[51], target=retrieval.SEARCH_TARGET_SEGMENTS, top_k=1
        )
        node_id = found.hits[0].segment.node_ids[0]
        adapter = ReActAdapter(client, bank_id="trip")

        of_node = await adapter.call_tool("deep_retrieval", {"node_id": node_id})
        of_segment = await adapter.call_tool("deep_retrieval", {"node_id": f"{kept.interaction_id}#51"})
        answering = await adapter.call_tool("deep_retrieval", {"node_id": node_id, "query": LONG[77]})
        ranged = await adapter.call_tool("deep_retrieval", {"node_id": node_id, "start": 4, "end": "40"})

    whole = len("\n".join(LONG))
    assert LONG[51] in of_node
    assert [LONG[number] in of_segment for number in (0, 30, 51, 60, 89)] == [False, False, True, True, False]
    assert LONG[77] in answering.split("[record", 2)[1]
    assert f"characters 4 to 40 of {whole}]" in ranged
    assert all(len(said) < whole for said in (of_segment, ranged))


async def test_the_tool_says_what_of_a_record_was_refuted() -> None:
    script = Script()
    wrong = types.Refutation(start=0, end=7, conflict_id="c-1")
    spans = [types.Span(start=0, end=4), types.Span(start=5, end=18, refuted_by="c-1", refuted=[wrong])]
    script.answers["GetInteraction"] = [page("九点开。\n票价38欧元。三号码头。", segments=spans)]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        said = await ReActAdapter(client, bank_id="trip").call_tool("deep_retrieval", {"node_id": "n1"})

    head, refuted, *text = said.splitlines()
    assert head.startswith("[record i1")
    assert refuted == "[refuted by a verdict since: “票价38欧元。”]"
    assert text == ["九点开。", "票价38欧元。三号码头。"]


async def test_a_verdict_goes_out_with_its_type() -> None:
    script = Script()
    script.answers["AdvanceTask"] = [memory.AdvanceTaskResponse()]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip")
        await adapter.intercept("冬季九点，夏季十点。", verdict_type=types.VERDICT_TYPE_DISMISS)

    (sent,) = (asked.request for asked in script.asked["AdvanceTask"])
    assert sent.verdict_type == types.VERDICT_TYPE_DISMISS


@pytest.mark.parametrize(
    "arguments",
    [
        "not json",
        "[]",
        "{}",
        '{"node_id": 3}',
        {"node_id": ""},
        None,
        "[" * 100_000,
        '{"node_id": "\\ud83d"}',
        '{"node_id": "i-1#1", "query": "\\ud83d"}',
        '{"node_id": "n-1", "start": 9999999999}',
        '{"node_id": "n-1", "start": ' + "9" * 5_000 + "}",
    ],
    ids=lambda arguments: str(arguments)[:40],
)
def test_arguments_that_cannot_be_read_are_told_to_the_model(arguments: Any) -> None:
    with SyncMemoryBankClient("127.0.0.1:1") as client:
        said = SyncReActAdapter(client, bank_id="trip").call_tool("deep_retrieval", arguments)

    assert said.startswith("error: ")


def test_a_tool_that_is_not_the_memorys_is_for_the_framework_to_find() -> None:
    with SyncMemoryBankClient("127.0.0.1:1") as client:
        adapter = SyncReActAdapter(client, bank_id="trip")

        with pytest.raises(LookupError, match="web_search"):
            adapter.call_tool("web_search", "{}")
