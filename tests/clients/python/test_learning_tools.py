"""Tools that learn, while memory cannot be asked or told."""

import asyncio
from typing import Any

import grpc
import pytest

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.retry import Fix, LearningTools
from tests.clients.python.scripted import Refusal, Script, scripted

AWAY = Refusal(code=grpc.StatusCode.UNAVAILABLE, message="away", is_final=True)
KNOWN = pb.FindRecoveriesResponse(
    recoveries=[
        pb.FoundRecovery(
            record=pb.Record(
                record_id="r1",
                recovery=pb.Recovery(original_json='{"day": "5 May"}', fixed_json='{"day": "2024-05-05"}'),
            ),
            match=1.0,
        )
    ]
)


async def booked(script: Script, fix: Fix = lambda _: None) -> tuple[list[str], Any]:
    """Returns on which days a booking was tried, and how the call of the tool ended."""
    tried: list[str] = []

    def book(day: str) -> str:
        tried.append(day)
        if "-" not in day:
            raise ValueError("the day must be YYYY-MM-DD")
        return f"booked {day}"

    def call(target: str) -> Any:
        with SyncMemoryBankClient(target) as client:
            return LearningTools(client, "ada", {"book": book}, fix=fix).call("book", {"day": "5 May"})

    async with scripted(script) as target:
        ended: Any
        (ended,) = await asyncio.gather(asyncio.to_thread(call, target), return_exceptions=True)
    return tried, ended


@pytest.mark.parametrize("kept_from", ["ReportOutcome", "RecordRecovery"])
async def test_what_a_mended_call_brought_is_returned_though_memory_cannot_be_told(kept_from: str) -> None:
    script = Script()
    script.answers[kept_from] = [AWAY]
    script.answers["FindRecoveries"] = [
        KNOWN if kept_from == "ReportOutcome" else pb.FindRecoveriesResponse()
    ]

    tried, ended = await booked(script, lambda _: {"day": "2024-05-05"})

    assert (tried, ended) == (["5 May", "2024-05-05"], "booked 2024-05-05")
    assert len(script.asked[kept_from]) == 1


async def test_a_tools_own_error_is_raised_though_memory_cannot_be_asked() -> None:
    script = Script()
    script.answers["FindRecoveries"] = [AWAY]

    tried, ended = await booked(script)

    assert tried == ["5 May"]
    assert isinstance(ended, ValueError)
    assert "away" in ended.__notes__[0]
