"""Three variables in the environment, and the real server works on a language model, another process."""

from pathlib import Path

import pytest

from memorybank.v1.types_pb2 import TASK_STATUS_SUCCEEDED, Message, TaskReport
from memorybank_client import MemoryBankClient
from memorybank_client.errors import Unavailable
from tests.support.process import model_process, served_process

KEY = "sk-of-the-test"
PROMPT = "When does the launch take place? The board met on Monday. 董事会周一开了会。"
FOUND = "The launch moved to 14 March because the payment tests failed.\n\n上线日期推迟到三月十四日。"
MORE = "The board moved the launch to 14 March: the payment tests had failed."


def on_the_model(url: str, **more: str) -> dict[str, str]:
    return {"llm.base_url": url, "llm.api_key": KEY, "llm.model": "any", "embedder.kind": "local", **more}


async def whole_task(client: MemoryBankClient) -> set[str]:
    """A task from its prompt to its end; the roles that a model was paid for."""
    started = await client.start_task(bank_id="b", prompt=PROMPT)
    (step,) = started.insight.pending
    report = TaskReport(
        type=step.type, description=step.description, task_id=step.task_id, status=TASK_STATUS_SUCCEEDED
    )
    ended = await client.advance_task(bank_id="b", task=report, text=FOUND)
    assert ended.insight.finished
    more = await client.memorize(bank_id="b", text=MORE)
    by_user = [Message(role="user", text=MORE)]  # another voice: the same again would join without a question
    again = await client.memorize(bank_id="b", messages=by_user)
    assert again.merges
    usages = (started.usage, ended.usage, more.usage, again.usage)
    return {role.role for usage in usages for role in usage.roles if role.output_tokens}


async def summaries(client: MemoryBankClient) -> set[str]:
    return {node.summary for node in (await client.list_nodes(bank_id="b")).nodes}


@pytest.mark.slow
async def test_a_whole_task_runs_on_the_model_that_three_variables_name(tmp_path: Path) -> None:
    async with (
        model_process() as url,
        served_process(tmp_path, on_the_model(url)) as server,
        server.client() as client,
    ):
        roles = await whole_task(client)
        remembered = await summaries(client)
        stopped = await server.stop()

    assert roles == {"clusterer", "structurer", "judge", "consolidator", "planner"}
    assert MORE in remembered
    assert any("上线日期推迟到三月十四日" in summary for summary in remembered)
    assert stopped == 0
    log = (tmp_path / "log").read_text()
    assert '"api_key": "**********"' in log
    assert not any(text in log for text in (KEY, MORE, "上线日期"))


@pytest.mark.slow
async def test_a_run_is_recorded_and_replayed_where_there_is_no_model(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with model_process() as url:
        recording = on_the_model(url, **{"llm.record": str(record)})
        async with served_process(tmp_path / "first", recording) as server, server.client() as client:
            roles = await whole_task(client)
            remembered = await summaries(client)

    replaying = {"llm.replay": str(record)}
    async with served_process(tmp_path / "again", replaying) as server, server.client() as client:
        again = await whole_task(client)
        remembered_again = await summaries(client)

    assert (again, remembered_again) == (roles, remembered)
    assert KEY not in record.read_text()


@pytest.mark.slow
async def test_what_came_while_the_model_was_away_is_safe_and_found(tmp_path: Path) -> None:
    async with model_process() as url:
        gone = on_the_model(url, **{"llm.retries": "0"})
    async with served_process(tmp_path, gone) as server, server.client(retries=False) as client:
        await client.create_bank(bank_id="b", goal="when?")

        with pytest.raises(Unavailable, match="STRUCTURING_FAILED"):
            await client.memorize(bank_id="b", text=MORE)

        found = await client.search(bank_id="b", text="payment tests")

    assert [hit.segment.text for hit in found.hits] == [MORE]
    assert found.hits[0].unstructured
