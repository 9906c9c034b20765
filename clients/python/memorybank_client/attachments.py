"""An attachment as a request wants it, however the caller has it: as UploadAttachment answered it, as an `Attachment`,
or as a dict of either, in Python's names or in JSON's."""

import re
from collections.abc import Mapping
from typing import Any

from memorybank.v1.memory_bank_pb2 import UploadAttachmentResponse
from memorybank.v1.types_pb2 import Attachment

CAMEL = re.compile(r"(?<=[a-z])[A-Z]")


def attachment_of(given: Any) -> Any:
    """Returns an answer of UploadAttachment as its attachment; what is none as it is."""
    if isinstance(given, UploadAttachmentResponse):
        return given.attachment
    if not isinstance(given, Mapping):
        return given
    held = given.get("attachment", given)
    if not isinstance(held, Mapping):
        return held
    named = {CAMEL.sub(lambda at: f"_{at[0].lower()}", str(name)): value for name, value in held.items()}
    size = named.get("size")
    if isinstance(size, str) and size.isdecimal():  # JSON has int64 as text
        named["size"] = int(size)
    return named


def attachment_id_of(given: Any) -> Any:
    """Returns the id of an attachment; an id as it is, and so what is neither."""
    held = attachment_of(given)
    if isinstance(held, Attachment):
        return held.attachment_id
    return held.get("attachment_id", given) if isinstance(held, Mapping) else held
