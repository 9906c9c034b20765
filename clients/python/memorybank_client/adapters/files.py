"""An attachment as a model gets to see it: a text's words, an image where these can be taken, of others where they lie.

A file that the service does not keep stays a reference.
"""

from base64 import b64encode
from typing import Any, NamedTuple

from memorybank.v1.types_pb2 import TOOL_FORMAT_ANTHROPIC, Attachment, ToolFormat

IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What models take as images."""
LARGEST_IMAGE = 5 * 1024 * 1024
"""Bytes of an image that is read; models refuse larger ones."""

Part = dict[str, Any]
"""A part of a message's content, in the form of a model's API."""


class Image(NamedTuple):
    """An image's bytes, and what they are."""

    media_type: str
    content: bytes

    def part(self, form: ToolFormat.ValueType) -> Part:
        """Returns the file as Anthropic's API takes it, or else OpenAI's."""
        encoded = b64encode(self.content).decode()
        if form == TOOL_FORMAT_ANTHROPIC:
            source = {"type": "base64", "media_type": self.media_type, "data": encoded}
            return {"type": "image", "source": source}
        return {"type": "image_url", "image_url": {"url": f"data:{self.media_type};base64,{encoded}"}}


def is_image(file: Attachment) -> bool:
    """Whether the service keeps it, as an image that models take, no larger than they do."""
    return file.stored and file.media_type in IMAGES and file.size <= LARGEST_IMAGE


def told(file: Attachment, content: bytes | None) -> str:
    """Returns a text file's text; of any other, its place."""
    head = headed(file)
    if content is None:
        return f"{head}\n(not read: it lies at {file.uri})"
    try:
        return f"{head}\n{content.decode()}"
    except UnicodeDecodeError:
        return f"{head}\n(not text: it lies at {file.uri})"


def headed(file: Attachment) -> str:
    return f"[file {file.attachment_id}: {file.type}, {file.media_type or 'unknown type'}, {file.size} bytes]"
