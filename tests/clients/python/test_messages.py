"""The reader of messages: whatever vendor's they are, the words that go in are found."""

import dataclasses
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from mcp_types import CallToolResult, PromptMessage, TextContent
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import ResponseFunctionToolCall

from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1.types_pb2 import WAIT_STORED, Message
from memorybank_client import MemoryBankClient, chat_messages
from memorybank_client.forms import FORMS as KNOWN
from memorybank_client.forms import KEYED
from memorybank_client.messages import EVENTS, ROLES, answer, words
from service.assembly.server import running
from tests.clients.python.message_forms import FORMS
from tests.clients.python.message_forms.writing import ASK, ASKED, Read
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[3]
PYTHONS = [ROOT / ".venv" / "bin" / "python", ROOT / ".venv" / "examples" / "bin" / "python"]
ABOUT = {
    "media_processing",
    "media_resolution",
    "part_metadata",
    "speech_metadata",
    "thought",
    "thought_signature",
    "video_metadata",
}
"""Gemini's fields that say something of a part, and hold none."""


def read(*given: Any) -> list[Read]:
    return [(each.role, each.speaker, each.text) for each in chat_messages(given)]


def as_object(given: Any) -> Any:
    """The same as an SDK's objects have it: attributes in the place of keys."""
    if isinstance(given, list):
        return [as_object(each) for each in given]
    if not isinstance(given, Mapping):
        return given
    return SimpleNamespace(**{name: as_object(value) for name, value in given.items()})


# ---- every form ----


@pytest.mark.parametrize("form", FORMS)
def test_the_words_of_every_vendors_parts_are_read_in_order(form: str) -> None:
    given, expected = FORMS[form]

    assert read(given) == expected
    assert read(as_object(given)) == expected


@pytest.mark.parametrize("form", FORMS)
def test_as_one_text_calls_and_results_are_marked(form: str) -> None:
    given, expected = FORMS[form]

    text = words(given)

    marked = [f"[result] {said}" if role == "tool" else said for role, _, said in expected]
    assert text == "\n".join(marked)


@pytest.mark.slow
async def test_what_went_in_as_messages_is_found_by_search(tmp_path: Path) -> None:
    lines = [line for _, expected in FORMS.values() for *_, text in expected for line in text.split("\n")]
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id="trip", goal="Reach Naxos")
        given = [message for message, _ in FORMS.values()]
        await client.memorize(bank_id="trip", messages=given, wait=WAIT_STORED)

        for line in filter(str.strip, lines):
            found = await client.search(
                bank_id="trip", text=line, top_k=10, target=retrieval.SEARCH_TARGET_SEGMENTS
            )
            assert any(line in hit.segment.text for hit in found.hits), line


# ---- objects of the SDKs ----


def test_objects_of_the_sdks_are_read_as_their_dicts_are() -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "ferry_prices", "arguments": json.dumps(ASK)},
    }
    chat = ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [call]})
    item = ResponseFunctionToolCall(
        type="function_call", call_id="c1", name="ferry_prices", arguments=json.dumps(ASK)
    )
    spoken = AIMessage("", tool_calls=[{"name": "ferry_prices", "args": ASK, "id": "c1"}])
    brought = ToolMessage("42 euros", tool_call_id="c1")
    result = CallToolResult(content=[TextContent(type="text", text="42 euros")])
    prompt = PromptMessage(role="user", content=TextContent(type="text", text="How much?"))

    assert read(chat) == read(item) == read(spoken) == [("assistant", "", ASKED)]
    assert read(spoken, brought)[1:] == [("tool", "ferry_prices", "42 euros")]
    assert read(result) == [("tool", "", "42 euros")]
    assert read(prompt) == read(HumanMessage("How much?")) == [("user", "", "How much?")]


def test_a_dataclass_of_an_sdk_is_read() -> None:
    @dataclasses.dataclass
    class FunctionCall:
        id: str
        arguments: str
        name: str

    called = FunctionCall(id="a1", arguments=json.dumps(ASK), name="ferry_prices")

    given = {"type": "ToolCallRequestEvent", "source": "mate", "content": [called]}

    assert read(given) == [("assistant", "mate", ASKED)]


# ---- what is not known ----


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "hologram", "data": "x"}]},
            r"messages\[1\], .*: content\[1\]: a part of type 'hologram' is not known",
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "scent"}]}]},
            r"content\[0\]\.content\[0\]: a part of type 'scent' is not known",
        ),
        (
            {"role": "model", "parts": [{"smell": {"of": "tar"}}]},
            r"parts\[0\]: a part with 'smell' is not known",
        ),
        ({"role": "user", "content": [b"bytes"]}, r"content\[0\]: b'bytes' is no part of a message"),
        (
            {"role": "assistant", "tool_calls": [{"id": "c1"}]},
            r"tool_calls\[0\]: a call with 'id' is not known",
        ),
        ({"type": "telegram", "content": "stop"}, r"a message of type 'telegram' is not known"),
        (5, r"messages\[1\], .*: 5, a int"),
    ],
)
def test_what_is_not_known_is_a_type_error_that_names_it(given: Any, named: str) -> None:
    with pytest.raises(TypeError, match=named):
        chat_messages(["first", given])


@pytest.mark.parametrize("given", ["a text", {"role": "user", "content": "a"}, b"bytes", None])
def test_messages_are_a_list(given: Any) -> None:
    with pytest.raises(TypeError, match="they are a list"):
        chat_messages(given)


# ---- the SDKs' own lists ----


def committed() -> dict[str, list[str]]:
    parts: dict[str, list[str]] = json.loads((HERE / "sdk_parts.json").read_text(encoding="utf-8"))
    return parts


def unread(parts: list[str]) -> set[str]:
    return set(parts) - {*KNOWN, *KEYED, *EVENTS, *ROLES, *ABOUT, "message"}


@pytest.mark.parametrize("sdk", committed())
def test_every_part_that_an_sdk_lists_is_read(sdk: str) -> None:
    assert committed()[sdk]
    assert unread(committed()[sdk]) == set()


@pytest.mark.parametrize(
    "python",
    [pytest.param(PYTHONS[0], id="own"), pytest.param(PYTHONS[1], id="examples", marks=pytest.mark.slow)],
)
def test_every_part_of_an_sdk_that_is_installed_is_read(python: Path) -> None:
    if not python.exists():
        pytest.skip("`make examples` sets it up")
    printed = subprocess.run(
        [python, "-I", HERE / "sdk_parts.py"], capture_output=True, text=True, check=True
    ).stdout
    walked: dict[str, list[str]] = json.loads(printed)

    assert walked
    assert {sdk: unread(parts) for sdk, parts in walked.items() if unread(parts)} == {}
    listed = {sdk.split()[0] for sdk in committed()}
    assert {sdk.split()[0] for sdk in walked} <= listed


# ---- what the agent answered ----


def test_the_answer_is_the_last_message_of_the_assistant_that_calls_no_tool() -> None:
    said = [
        Message(role="assistant", text="It costs 42 euros."),
        Message(role="assistant", text=f"Let me see.\n{ASKED}"),
        Message(role="tool", speaker="ferry_prices", text="A long page."),
    ]

    assert answer(said) == "It costs 42 euros."
    assert answer(said[1:]) == ""


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("Thought: done.\nFinal Answer: 42 euros.\nObservation: a long page", "42 euros."),
        ("思考：可以了。\n最终答案：四十二欧元。\n观察：很长的网页", "四十二欧元。"),
        ("**Answer:** 42 euros,\none way.", "42 euros,\none way."),
        ("It costs 42 euros.", "It costs 42 euros."),
    ],
)
def test_the_answer_of_a_transcript_stands_under_its_label(text: str, answered: str) -> None:
    assert answer(text).lstrip("* ") == answered
