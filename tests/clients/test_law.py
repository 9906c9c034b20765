"""What the clients of four languages send, against a real gRPC server that answers by a script: clients/README.md."""

import asyncio
import json
import uuid
from pathlib import Path
from typing import Any

import grpc
import pytest

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from tests.clients.players.running import LANGUAGES, ROOT, Json, command, environment, is_built, played
from tests.clients.python.scripted import METHOD, NEVER, Asked, Refusal, Script, error_info, scripted

KEY = "mb_of_the_test"
DOWN = Refusal(code=grpc.StatusCode.UNAVAILABLE)
GONE = Refusal(code=grpc.StatusCode.NOT_FOUND, details=(error_info("BANK_NOT_FOUND", bank_id="trip"),))
TRIP = {"bankId": "trip"}
WEB = {"owner": {"project": "web"}, "path": "a.md"}
TURNS = {"user": "王明", "conversationId": "c1"}
ASSEMBLED = {**TURNS, **TRIP, "collection": "work", "input": "x"}

Sent = tuple[str, str, float | None, Any]
"""A call as it arrives: its method, what it names to a proxy, its seconds, and the least revision that it asks for."""

STEPS: list[tuple[str, Json, list[Any], Sent]] = [
    (
        "MemoryBank/CreateBank",
        TRIP,
        [memory.CreateBankResponse(revision=3)],
        ("CreateBank", "trip", 30, None),
    ),
    ("Retrieval/Search", {**TRIP, "text": "x"}, [], ("Search", "trip", 10, 3)),
    ("Retrieval/Search", {**TRIP, "text": "x", "minRevision": "1"}, [], ("Search", "trip", 10, 1)),
    ("Retrieval/Search", {**TRIP, "text": "x" * 800_000}, [], ("Search", "trip", 58, 3)),
    ("QueryGraph/GetNode", {"bankId": "other", "nodeId": "n"}, [], ("GetNode", "other", 10, None)),
    (
        "MemoryBank/Memorize",
        {**TRIP, "text": "x"},
        [memory.MemorizeResponse(revision=7)],
        ("Memorize", "trip", 300, None),
    ),
    ("MemoryBank/GetInsight", TRIP, [GONE], ("GetInsight", "trip", 10, 7)),
    ("MemoryBank/GetInsight", TRIP, [], ("GetInsight", "trip", 10, None)),
    (
        "MemoryBank/StartTask",
        {"goal": "x"},
        [memory.StartTaskResponse(bank=types.Bank(bank_id="made"), revision=9)],
        ("StartTask", "", 300, {}),
    ),
    ("MemoryBank/GetBank", {"bankId": "made"}, [], ("GetBank", "made", 10, 9)),
    (
        "LongTerm/StoreFact",
        {"user": "王明", "collection": "work", "content": "x"},
        [long_term.StoreFactResponse(revision=4)],
        ("StoreFact", "user/%E7%8E%8B%E6%98%8E", 30, None),
    ),
    (
        "LongTerm/RetrieveFacts",
        {"user": "王明", "collection": "work", "query": "x"},
        [],
        ("RetrieveFacts", "user/%E7%8E%8B%E6%98%8E", 10, 4),
    ),
    (
        "Conversation/AddTurns",
        TURNS,
        [talk.AddTurnsResponse(revision=5)],
        ("AddTurns", "user/%E7%8E%8B%E6%98%8E", 30, None),
    ),
    ("Conversation/ListTurns", TURNS, [], ("ListTurns", "user/%E7%8E%8B%E6%98%8E", 10, 5)),
    ("LongTerm/UpdateUser", {"user": {"user": "a b"}}, [], ("UpdateUser", "user/a%20b", 30, None)),
    (
        "LongTerm/UpdateCollection",
        {"collection": {"user": "ada", "collection": "work"}},
        [],
        ("UpdateCollection", "user/ada", 30, None),
    ),
    (
        "Instructions/PutSource",
        WEB,
        [instructions.PutSourceResponse(revision=2)],
        ("PutSource", "project/web", 30, None),
    ),
    (
        "Instructions/LoadSources",
        {"refs": [WEB], "user": "ada", "runId": "r1"},
        [instructions.LoadSourcesResponse(revisions={"run/ada/r1": 6})],
        ("LoadSources", "user/ada", 10, {"instructions/project/web": 2}),
    ),
    (
        "Retrieval/AssembleContext",
        {**ASSEMBLED, "refs": [WEB], "runId": "r1"},
        [retrieval.AssembleContextResponse(revisions={"bank/trip": 11})],
        (
            "AssembleContext",
            "trip",
            30,
            {
                "conversation/%E7%8E%8B%E6%98%8E/c1": 5,
                "collection/%E7%8E%8B%E6%98%8E/work": 4,
                "instructions/project/web": 2,
            },
        ),
    ),
    ("MemoryBank/ExportBank", TRIP, [], ("ExportBank", "trip", 3600, 11)),
]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_client_keeps_the_law(language: str, tmp_path: Path) -> None:
    if not is_built(language):
        pytest.skip(f"`make languages` has not built the player in {language}: its toolchain is missing")
    script = Script()
    for call, _, answers, _ in STEPS:
        name = call.partition("/")[2]
        script.answers[name] += answers or [METHOD[f"/memorybank.v1.{call}"].response()]
    steps: list[Json] = [{"step": call, "call": call, "request": request} for call, request, _, _ in STEPS]
    header: Json = {"header": {**TRIP, "source": "notes.md"}}
    steps += [
        {"step": "streamed", "call": "MemoryBank/MemorizeStream", "requests": [header, {"text": "x"}]},
        {"step": "not repeated", "call": "MemoryBank/DeleteBank", "request": TRIP},
        {"step": "repeated", "call": "QueryGraph/AddNode", "request": {**TRIP, "summary": "x"}},
        {"step": "slow", "call": "Retrieval/BatchSearch", "request": TRIP, "timeout": 0.3},
        {"step": "left", "call": "MemoryBank/WatchBank", "request": TRIP, "take": 1},
    ]
    script.answers["DeleteBank"] = [DOWN]
    script.answers["AddNode"] = [DOWN]
    script.answers["BatchSearch"] = [NEVER]
    script.answers["WatchBank"] = [memory.WatchBankResponse(revision=12), NEVER]

    told = await told_by(language, script, steps, tmp_path)

    for *_, wanted in STEPS:
        assert sent(script.asked[wanted[0]].pop(0), wanted) == wanted
    assert [each["step"] for each in told if "error" in each] == [
        "MemoryBank/GetInsight",
        "not repeated",
        "slow",
    ]
    (streamed,) = script.asked["MemorizeStream"]
    assert (streamed.metadata["x-memory-bank"], given(streamed.seconds, 3600)) == ("trip", 3600)
    assert uuid.UUID(streamed.request.header.request_id).version == 4
    assert len(script.asked["DeleteBank"]) == 1
    one, other = (asked.request.request_id for asked in script.asked["AddNode"])
    assert uuid.UUID(one).version == 4
    assert one == other
    (watched,) = script.asked["WatchBank"]
    assert watched.seconds is None
    assert watched.metadata["authorization"] == f"Bearer {KEY}"
    await asyncio.wait_for(script.cancelled.wait(), 180)


def sent(asked: Asked, wanted: Sent) -> Sent:
    request = asked.request
    fields = request.DESCRIPTOR.fields_by_name
    least: Any = None
    if "min_revisions" in fields:
        least = dict(request.min_revisions)
    elif "min_revision" in fields and request.HasField("min_revision"):
        least = request.min_revision
    affinity = str(asked.metadata.get("x-memory-bank", ""))
    return wanted[0], affinity, given(asked.seconds, wanted[2]), least


def given(left: float | None, seconds: float | None) -> float | None:
    """Returns the seconds that a call was given, where those left as it arrives can be what is left of them."""
    if left is None or seconds is None:
        return left
    return seconds if seconds / 2 < left < seconds * 1.01 + 1 else left  # gRPC rounds up


async def told_by(language: str, script: Script, steps: list[Json], folder: Path) -> list[Json]:
    (folder / "law.json").write_text(json.dumps(steps), encoding="utf-8")
    key = folder / "key"
    key.touch(mode=0o600)
    key.write_text(KEY, encoding="ascii")

    async def turn(_: str) -> None:
        raise AssertionError("the law takes no turns")

    async with scripted(script) as address:
        settings = {"MEMORYBANK_API_KEY_FILE": str(key)}
        return await played(language, address, folder / "law.json", {}, turn, settings)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_key_stays_on_this_machine_and_with_its_owner(language: str, tmp_path: Path) -> None:
    if not is_built(language):
        pytest.skip(f"`make languages` has not built the player in {language}: its toolchain is missing")
    (tmp_path / "none.json").write_text("[]", encoding="utf-8")

    async def refused(address: str, mode: int) -> str:
        key = tmp_path / f"{mode:o}"
        key.write_text(KEY, encoding="ascii")
        key.chmod(mode)
        ended = await asyncio.create_subprocess_exec(
            *(*command(language), address, str(tmp_path / "none.json"), "{}"),
            cwd=ROOT,
            env=environment({"MEMORYBANK_API_KEY_FILE": str(key)}),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await ended.communicate()
        assert ended.returncode != 0
        return said.decode()

    sent, shared = await asyncio.gather(
        refused("memory.example:7700", 0o600), refused("127.0.0.1:7700", 0o644)
    )

    assert "the API key would reach memory.example:7700 unencrypted" in sent
    assert "others can read it: chmod 600" in shared
    assert KEY not in sent + shared
