"""The one reader of messages: those of every vendor, as text for the contract.

OpenAI's (chat and Responses), Anthropic's, Gemini's, LangChain's and LangGraph's, MCP's and AutoGen's are read, as
objects or as dicts, and so are plain dicts, pairs of role and text, and plain strings. The words of all parts are
kept, in order. A call stands as `[tool NAME] ARGUMENTS`; a result is a message of the role `tool` with the tool as its
speaker (`[result] …` where all is one text). What holds no words, such as an image, is named in brackets. Thinking and
what is encrypted are no words of a turn, and are left out; so is a message without words. A part that is not known
raises TypeError, which names it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from memorybank.v1.types_pb2 import Message
from memorybank_client.forms import FORMS, KEYED, UNTYPED, Kind
from memorybank_client.parts import Part, Plain, field_of, parts_of, plain, read

ASSISTANT, TOOL, USER, SYSTEM = "assistant", "tool", "user", "system"
ROLES = {
    **dict.fromkeys(("ai", "model", "AIMessageChunk", "AssistantMessage"), ASSISTANT),
    **dict.fromkeys(("human", "HumanMessageChunk", "UserMessage"), USER),
    **dict.fromkeys(("function", "ToolMessageChunk", "FunctionMessageChunk"), TOOL),
    **dict.fromkeys(("SystemMessageChunk", "SystemMessage"), SYSTEM),
    **{role: role for role in (SYSTEM, TOOL)},
    "FunctionExecutionResultMessage": TOOL,
}
"""The contract's words for roles, and for types of messages that say one."""
EVENTS = {
    **dict.fromkeys(("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage"), ""),
    **dict.fromkeys(("ToolCallSummaryMessage", "ModelClientStreamingChunkEvent", "CodeGenerationEvent"), ""),
    **dict.fromkeys(
        ("ToolCallRequestEvent", "SelectSpeakerEvent", "SelectorEvent", "ThoughtEvent"), ASSISTANT
    ),
    **dict.fromkeys(("ToolCallExecutionEvent", "MemoryQueryEvent", "CodeExecutionEvent"), TOOL),
    "UserInputRequestedEvent": USER,
}
"""The roles of AutoGen's messages; empty: the source says it."""
STRUCTURED = "StructuredMessage"
"""How the type of AutoGen's messages with data begins."""
WITHOUT_ROLE = frozenset({"chat", "ChatMessageChunk", "message"})
"""Types of messages that have a role beside the type."""
HOLDERS = ("content", "parts", "tool_calls", "function_call", "refusal", "audio", "structured_content")
"""The fields of messages that hold words."""
CALLED = re.compile(r"^\[tool [^\]\n]+\]", re.MULTILINE)
ANSWER = re.compile(
    r"^\W*(?:(?:final[ _])?answer|(?:最终)?(?:答案|回答|答复))\W*[:：]", re.IGNORECASE | re.MULTILINE
)
STEP = re.compile(
    r"^\W*(?:thought|action(?:[ _]input)?|observation|思考|行动|行动输入|观察)\s*\d*\W*[:：]",
    re.IGNORECASE | re.MULTILINE,
)


def chat_messages(given: Iterable[Any]) -> list[Any]:
    """Returns messages for the contract. Those that have its form already are returned as they are.

    Raises TypeError for what is no message, and for a part that is not known.
    """
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        raise TypeError(f"messages={given!r:.80}: they are a list")
    made: list[Any] = []
    tools: dict[str, str] = {}
    for place, each in enumerate(given):
        try:
            made += _messages(each, tools)
        except (TypeError, ValueError, AttributeError) as problem:
            told = str(problem).lstrip(".: ")
            raise TypeError(f"messages[{place}], which is no message of a chat API: {told}") from None
    return made


def words(given: Any) -> str:
    """Returns the words of a message, or of a list of them, as one text, each part marked with what it is.

    Raises TypeError as `chat_messages` does."""
    if isinstance(given, str):
        return given
    if isinstance(given, list):
        return "\n".join(filter(None, map(words, given)))
    if isinstance(given, Message):
        return given.text
    message = _opened(given)
    if _is_own(message):
        return Message(**message).text
    return "\n".join(part.marked for part in _read(message)[1])


def answer(context: str | Sequence[Message]) -> str:
    """Returns what the agent answered last: the last message of the assistant that calls no tool, empty where there is
    none; of a transcript what stands under its last "Final Answer:", "Answer:" or 答案：, or all of it."""
    if not isinstance(context, str):
        said = (m.text for m in reversed(context) if m.role == ASSISTANT and not CALLED.search(m.text))
        return next(said, "")
    labels = list(ANSWER.finditer(context))
    if not labels:
        return context
    start = labels[-1].end()
    after = STEP.search(context, start)
    return context[start : after.start() if after else None].strip()


# ---- one message ----


def _messages(given: Any, tools: dict[str, str]) -> Iterator[Any]:
    """Yields what a message says, calls and brings. `tools`: the names of those that were called, by the calls' ids."""
    if isinstance(given, Message):
        yield given
    elif isinstance(given, str):
        yield from [Message(text=given)] if given else ()
    elif _is_own(message := _opened(given)):
        yield message
    else:
        yield from _grouped(message, tools)


def _opened(given: Any) -> Plain:
    """Returns a message as a mapping, taken out of LangChain's wrappers."""
    if isinstance(given, tuple | list) and len(given) == 2 and all(isinstance(each, str) for each in given):
        return {"role": given[0], "content": given[1]}
    message: Any = plain(given)
    if not isinstance(message, Mapping):
        raise TypeError(f"{given!r:.80}, a {type(given).__name__}")
    if message.get("lc") and isinstance(message.get("kwargs"), Mapping):
        return {"type": str(message.get("id", [""])[-1]), **message["kwargs"]}
    if isinstance(message.get("data"), Mapping) and message.get("type") in {*ROLES, *WITHOUT_ROLE}:
        return {"type": message["type"], **message["data"]}
    return message


def _is_own(message: Plain) -> bool:
    """Whether a message has the contract's form, or at least no vendor's."""
    keyed = (name for name in KEYED if name != "text" and field_of(message, name) is not None)
    held = (name for name in HOLDERS if name in message)
    return "type" not in message and next(held, None) is None and next(keyed, None) is None


def _grouped(message: Plain, tools: dict[str, str]) -> Iterator[Message]:
    """Yields what was said and called in one message, but each result in its own, in order."""
    role, parts = _read(message)
    speaker = "" if message.get("type") in FORMS else message.get("name") or message.get("source")
    said: dict[str, Any] = {
        "message_id": str(message.get("id") or ""),
        "role": role or (ASSISTANT if any(part.kind is Kind.CALL for part in parts) else ""),
        "speaker": speaker if isinstance(speaker, str) and role != TOOL else "",
    }
    lines: list[str] = []
    for part in parts:
        if part.kind is not Kind.RESULT:
            lines.append(part.marked)
            tools.update(dict.fromkeys(part.call_ids, part.tool))
            continue
        if lines:
            yield Message(text="\n".join(lines), **said)
            lines = []
        tool = part.tool or next((tools[id_] for id_ in part.call_ids if id_ in tools), "")
        yield Message(text=part.text, **{**said, "role": TOOL, "speaker": tool})
    if lines:
        yield Message(text="\n".join(lines), **said)


def _read(message: Plain) -> tuple[str, list[Part]]:
    """Returns a message's role, in the contract's words, and its parts."""
    type_, role = str(message.get("type") or ""), str(message.get("role") or "")
    if type_ in EVENTS or type_.startswith(STRUCTURED):
        role = EVENTS.get(type_) or (USER if message.get("source") == USER else ASSISTANT)
        parts = _of_event(message, type_)
    elif type_ in FORMS and not (role and "content" in message) or _is_bare(message):
        parts = parts_of(message)
    elif not role and type_ and type_ not in {*ROLES, *WITHOUT_ROLE}:
        raise TypeError(f"a message of type {type_!r} is not known")
    else:
        brought = "isError" in message or "is_error" in message  # by an MCP tool
        role = ROLES.get(role or type_, role or (TOOL if brought else ""))
        parts = _of_message(message)
    told = [part for part in parts if part.is_told]
    return role, list(_of_tool(told, message)) if role == TOOL else told


def _is_bare(message: Plain) -> bool:
    """Whether it is one of Gemini's parts."""
    return (
        "type" not in message and "role" not in message and not any(name in message for name in HOLDERS[:3])
    )


def _of_tool(parts: Sequence[Part], message: Plain) -> Iterator[Part]:
    """Yields what a tool says as one result, with the call that it answers."""
    id_, name = field_of(message, "tool_call_id"), message.get("name")
    for is_said, run in groupby(parts, lambda part: part.kind is Kind.SAID):
        if not is_said:
            yield from run
            continue
        yield Part(
            kind=Kind.RESULT,
            text="\n".join(part.text for part in run),
            tool=str(name or ""),
            call_ids=(id_,) if isinstance(id_, str) else (),
        )


def _of_event(message: Plain, type_: str) -> Iterator[Part]:
    if type_ == "ThoughtEvent":
        return
    content = message.get("result", message.get("content"))
    if type_.startswith(STRUCTURED):
        content = json.dumps(content, ensure_ascii=False, default=str)
    yield from parts_of(content)


def _of_message(message: Plain) -> Iterator[Part]:
    """Yields the parts of a message's content, then those in fields of their own; a call that stands in both comes
    once."""
    held = "parts" if "parts" in message else "content"
    seen: set[str] = set()
    try:
        for part in parts_of(message.get(held)):
            seen.update(part.call_ids if part.kind is Kind.CALL else ())
            yield part
    except TypeError as problem:
        raise TypeError(f"{held}{problem}") from None
    extra = message.get("additional_kwargs") or {}  # LangChain's
    for refusal in filter(None, (message.get("refusal"), extra.get("refusal"))):
        yield from read({"refusal": refusal}, FORMS["refusal"])
    for audio in filter(None, (message.get("audio"), extra.get("audio"))):
        said = audio.get("transcript") if isinstance(audio, Mapping) else ""
        yield Part(kind=Kind.SAID, text=str(said or "[audio]"))
    yield from _structured(message)
    yield from (part for part in _calls(message, extra) if not seen.intersection(part.call_ids))


def _structured(message: Plain) -> Iterator[Part]:
    """Yields what an MCP tool brought as data, unless its content says the same."""
    data = field_of(message, "structured_content")
    if data is not None and not any(_says(part.text, data) for part in parts_of(message.get("content"))):
        yield Part(kind=Kind.SAID, text=json.dumps(data, ensure_ascii=False, default=str))


def _says(text: str, data: Any) -> bool:
    try:
        return bool(json.loads(text) == data)
    except ValueError:
        return isinstance(data, Mapping) and list(data.values()) == [text]


def _calls(message: Plain, extra: Plain) -> Iterator[Part]:
    """Yields the calls that stand beside the content."""
    listed = [*(message.get("tool_calls") or ()), *(message.get("invalid_tool_calls") or ())]
    single = message.get("function_call") or (None if listed else extra.get("function_call"))
    for place, call in enumerate([*listed, *([single] if single else [])]):
        if not isinstance(call, Mapping):
            raise TypeError(f"tool_calls[{place}]: {call!r:.80} is no call")
        name = next((each for each in ("function", "custom") if isinstance(call.get(each), Mapping)), "")
        if name:  # OpenAI's chat
            yield from read({**call[name], "id": call.get("id")}, UNTYPED[name])
        elif "args" in call:
            yield from read(call, FORMS["invalid_tool_call" if call.get("error") else "tool_call"])
        elif "arguments" in call:
            yield from read(call, UNTYPED["function"])
        else:
            raise TypeError(f"tool_calls[{place}]: a call with {', '.join(map(repr, call))} is not known")
