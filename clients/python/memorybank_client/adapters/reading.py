"""The deep retrieval tool as a model uses it: from its arguments to the text it gets to read."""

import json
from collections.abc import Mapping
from typing import Any

from memorybank.v1.deep_retrieval_pb2 import GetInteractionResponse, Passages
from memorybank.v1.types_pb2 import Attachment, Interaction, ToolFormat
from memorybank_client.adapters.files import Image, Part, headed, is_image, told
from memorybank_client.attachments import attachment_id_of

TOOL_NAME = "deep_retrieval"
"""As the service declares it."""

QUOTED = 200  # code points of a refuted passage
DIGITS = 9  # of a number that the contract's fields hold


class ArgumentsInvalid(Exception):
    """The model's arguments cannot be read."""


class Reading:
    """One use of the tool: page after page of verbatim records, up to a number of code points; or one file.

    `images`: whether the model takes images, which otherwise are told of.
    """

    def __init__(self, bank_id: str, name: str, most: int, *, images: bool = False) -> None:
        if name != TOOL_NAME:
            raise LookupError(f"no tool {name!r} here: only {TOOL_NAME!r}")
        self.fields: dict[str, Any] = {"bank_id": bank_id}
        self.goes_on = True
        self.larger: dict[str, Any] | None = None
        """ReadAttachment's fields, where an image is too large to come with the record."""
        self._most = most
        self._images = images
        self._parts: list[str] = []
        self._image: Image | None = None
        self._file = Attachment()
        self._read = ("", 0)  # the record that stands last, and up to where

    def ask(self, arguments: str | Mapping[str, Any]) -> None:
        """Takes the arguments, JSON as models give them or decoded. Raises ArgumentsInvalid."""
        asked = _decoded(arguments)
        asked = {**asked, "attachment_id": attachment_id_of(asked.get("attachment_id"))}
        wanted, attachment_id, query = (_text(asked, name) for name in ("node_id", "attachment_id", "query"))
        if not wanted:
            raise ArgumentsInvalid("give `node_id`, as it stands in brackets")
        record, mark, number = wanted.partition("#")  # a segment stands in prompts as INTERACTION_ID#INDEX
        self.fields["interaction_id" if mark else "node_id"] = record
        start, end = _number(asked, "start"), _number(asked, "end")
        if attachment_id:
            self.fields["attachment_id"] = attachment_id
        elif start is not None or end is not None:
            self.fields |= {"start": start, "end": end}
        else:
            segment = int(number) if _is_number(number) and not query else None
            self.fields["passages"] = Passages(query=query, segment=segment)

    def add(self, response: GetInteractionResponse) -> None:
        """Adds a page of what was found."""
        if response.HasField("attachment") and not self._parts:
            self._add_file(response)
        self._parts += [self._record(interaction) for interaction in response.interactions]
        self.fields["page_token"] = response.next_page_token
        self.goes_on = bool(response.next_page_token) and len(self._joined()) <= self._most

    def add_image(self, content: bytes) -> None:
        """Adds the bytes of the image that `larger` asks for."""
        self._image = Image(self._file.media_type, content)

    @property
    def text(self) -> str:
        joined = self._joined()
        if len(joined) <= self._most:
            return joined
        return f"{joined[: self._most]}\n[cut here, after {self._most} characters]"

    def parts(self, form: ToolFormat.ValueType) -> list[Part]:
        """Returns the same as parts of a message, an image as one of its own."""
        shown = [] if self._image is None else [self._image.part(form)]
        return [{"type": "text", "text": self.text}, *shown]

    def _joined(self) -> str:
        return "".join(self._parts).lstrip("\n")

    def _add_file(self, response: GetInteractionResponse) -> None:
        file = self._file = response.attachment
        content = response.content if response.HasField("content") else None
        if not (self._images and is_image(file)):
            self._parts.append(told(file, content))
            return
        self._parts.append(headed(file))
        if content is None:
            self.larger = {"bank_id": self.fields["bank_id"], "attachment_id": file.attachment_id}
        else:
            self.add_image(content)

    def _record(self, interaction: Interaction) -> str:
        """Returns a record, or a piece of one, under its head, verbatim; what goes on from the page before has none.

        The head says what of the text was refuted since.
        """
        start, end = interaction.text_offset, interaction.text_offset + len(interaction.text)
        goes_on = start > 0 and self._read == (interaction.interaction_id, start)
        self._read = (interaction.interaction_id, end)
        if goes_on:
            return interaction.text
        moment = interaction.event_time.ToDatetime()
        files = "".join(
            f"\n[file {file.attachment_id}: {file.type}, {file.media_type or 'unknown type'}, {file.uri}]"
            for file in interaction.attachments
        )
        head = f"\n\n[record {_named(interaction)}, {moment:%Y-%m-%d %H:%M} UTC{_place(interaction)}]{files}"
        return f"{head}{_refuted(interaction)}\n{interaction.text}"


def declared(tool: str) -> dict[str, Any]:
    """Returns a tool's declaration, from the JSON that the service sends."""
    made: dict[str, Any] = json.loads(tool)
    return made


def _named(interaction: Interaction) -> str:
    """Returns its name: that of the first segment that is there, by which the tool finds it again."""
    number = f"#{interaction.segments[0].index}" if interaction.segments else ""
    return interaction.interaction_id + number


def _place(interaction: Interaction) -> str:
    """Returns where a piece stands in the whole, which can be asked for by `start` and `end`."""
    start, end = interaction.text_offset, interaction.text_offset + len(interaction.text)
    if end - start >= interaction.text_length:
        return ""
    return f", characters {start} to {end} of {interaction.text_length}"


def _refuted(interaction: Interaction) -> str:
    """Returns a line for each passage that a verdict refutes, quoting its beginning."""
    lines = [
        interaction.text[span.start + words.start : span.start + words.end]
        for span in interaction.segments
        for words in span.refuted
    ]
    return "".join(f"\n[refuted by a verdict since: “{' '.join(text.split())[:QUOTED]}”]" for text in lines)


def _text(asked: Mapping[str, Any], name: str) -> str:
    given = asked.get(name) or ""
    if not isinstance(given, str):
        raise ArgumentsInvalid(f"`{name}` is a string")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ArgumentsInvalid(f"`{name}` holds half a character") from None
    return given


def _number(asked: Mapping[str, Any], name: str) -> int | None:
    given = asked.get(name)
    if given is None or given == "":
        return None
    if isinstance(given, bool) or not _is_number(str(given)):
        raise ArgumentsInvalid(f"`{name}` is a whole number of characters")
    return int(given)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= DIGITS


def _decoded(arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        decoded = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError) as error:  # the latter of what is nested without end
        raise ArgumentsInvalid(f"the arguments are not JSON: {error}") from None
    if not isinstance(decoded, Mapping):
        raise ArgumentsInvalid("the arguments are not a JSON object")
    return decoded
