"""The deep retrieval tool as a model uses it: from its arguments to the text it gets to read."""

import json
from collections.abc import Mapping
from typing import Any

from memorybank.v1.deep_retrieval_pb2 import GetInteractionResponse
from memorybank.v1.types_pb2 import Interaction

TOOL_NAME = "deep_retrieval"
"""As the service declares it."""

QUOTED = 200  # code points of a refuted passage


class Misasked(Exception):
    """The model's arguments cannot be read."""


class Reading:
    """One use of the tool: page after page of verbatim records, up to a number of code points."""

    def __init__(self, bank_id: str, name: str, most: int) -> None:
        if name != TOOL_NAME:
            raise LookupError(f"no tool {name!r} here: only {TOOL_NAME!r}")
        self.fields: dict[str, Any] = {"bank_id": bank_id}
        self.goes_on = True
        self._most = most
        self._parts: list[str] = []

    def ask(self, arguments: str | Mapping[str, Any]) -> None:
        """Take the arguments, JSON as models give them or decoded. Raises Misasked."""
        asked = _decoded(arguments)
        wanted, attachment_id = asked.get("node_id"), asked.get("attachment_id") or ""
        if not isinstance(wanted, str) or not wanted or not isinstance(attachment_id, str):
            raise Misasked(
                "give `node_id`, as it stands in brackets, and `attachment_id` if a file is wanted"
            )
        interaction_id, mark, _ = wanted.partition("#")  # a segment stands in prompts as INTERACTION_ID#INDEX
        self.fields["interaction_id" if mark else "node_id"] = interaction_id
        self.fields["attachment_id"] = attachment_id

    def add(self, response: GetInteractionResponse) -> None:
        """A page of what was found."""
        if response.HasField("attachment") and not self._parts:
            self._parts.append(_file(response))
        self._parts += [_record(interaction) for interaction in response.interactions]
        self.fields["page_token"] = response.next_page_token
        self.goes_on = bool(response.next_page_token) and len(self._joined()) <= self._most

    @property
    def text(self) -> str:
        joined = self._joined()
        if len(joined) <= self._most:
            return joined
        return f"{joined[: self._most]}\n[cut here, after {self._most} characters]"

    def _joined(self) -> str:
        return "".join(self._parts).lstrip("\n")


def declared(tool: str) -> dict[str, Any]:
    """A tool's declaration, of the JSON that the service sends."""
    made: dict[str, Any] = json.loads(tool)
    return made


def _record(interaction: Interaction) -> str:
    """A record under its head, verbatim; a text that goes on from the page before comes without a head.

    The head says what of the text was refuted since.
    """
    if interaction.text_offset:
        return interaction.text
    moment = interaction.event_time.ToDatetime()
    files = "".join(
        f"\n[file {file.attachment_id}: {file.type}, {file.media_type or 'unknown type'}, {file.uri}]"
        for file in interaction.attachments
    )
    head = f"\n\n[record {interaction.interaction_id}, {moment:%Y-%m-%d %H:%M} UTC]{files}"
    return f"{head}{_refuted(interaction)}\n{interaction.text}"


def _refuted(interaction: Interaction) -> str:
    """A line for each passage that a verdict speaks against, quoting how it begins."""
    told = [
        interaction.text[span.start + words.start : span.start + words.end]
        for span in interaction.segments
        for words in span.refuted
    ]
    return "".join(f"\n[refuted by a verdict since: “{' '.join(text.split())[:QUOTED]}”]" for text in told)


def _file(response: GetInteractionResponse) -> str:
    """A text file's text; of any other, where it is."""
    file = response.attachment
    head = f"[file {file.attachment_id}: {file.type}, {file.media_type or 'unknown type'}, {file.size} bytes]"
    if not response.HasField("content"):
        return f"{head}\n(not read: it lies at {file.uri})"
    try:
        return f"{head}\n{response.content.decode()}"
    except UnicodeDecodeError:
        return f"{head}\n(not text: it lies at {file.uri})"


def _decoded(arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        return arguments
    try:
        decoded = json.loads(arguments)
    except json.JSONDecodeError as error:
        raise Misasked(f"the arguments are not JSON: {error}") from None
    if not isinstance(decoded, dict):
        raise Misasked("the arguments are not a JSON object")
    return decoded
