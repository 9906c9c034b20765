"""A file as UploadAttachment answered it, handed back to the verbs that name one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from memorybank.v1.memory_bank_pb2 import UploadAttachmentResponse
from memorybank_client import MemoryBankClient, SyncMemoryBankClient
from memorybank_client.adapters.react import ReActAdapter
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

WORDS = "The pump costs 1,200 euros. 水泵一千二百欧元。"
FORMS: dict[str, Callable[[UploadAttachmentResponse], Any]] = {
    "answer": lambda answer: answer,
    "attachment": lambda answer: answer.attachment,
    "dict of the answer": MessageToDict,
    "dict in Python's names": lambda answer: MessageToDict(
        answer.attachment, preserving_proto_field_name=True
    ),
    "dict of its id": lambda answer: {"attachment_id": answer.attachment.attachment_id},
}


@pytest.mark.parametrize("form", FORMS)
async def test_what_an_upload_answered_is_taken_and_read_back(tmp_path: Path, form: str) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id="b", goal="Buy a pump")
        answer = await client.upload_attachment(WORDS.encode(), bank_id="b", media_type="text/plain")
        file = FORMS[form](answer)
        await client.memorize(bank_id="b", text="The offer is attached.", attachments=[file])

        (kept,) = (await client.list_interactions(bank_id="b")).interactions
        read = [piece.content async for piece in client.read_attachment(bank_id="b", attachment_id=file)]
        (hit,) = (await client.search(bank_id="b", text="offer", top_k=1)).hits
        adapter = ReActAdapter(client, bank_id="b")
        told = await adapter.call_tool("deep_retrieval", {"node_id": hit.node.node_id, "attachment_id": file})

    assert list(kept.attachments) == [answer.attachment]
    assert b"".join(read).decode() == WORDS
    assert told.endswith(WORDS)


def test_what_is_no_attachment_is_a_type_error_that_names_the_field() -> None:
    with SyncMemoryBankClient("127.0.0.1:1") as client:
        with pytest.raises(TypeError, match=r"read_attachment\(\) cannot take attachment_id=5"):
            client.read_attachment(bank_id="b", attachment_id=5)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"unexpected field attachments\[0\]\.attachment_idd"):
            client.memorize(bank_id="b", text="a", attachments=[{"attachment_idd": "a1"}])  # type: ignore[list-item]
