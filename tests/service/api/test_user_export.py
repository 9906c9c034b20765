"""Everything of a user written out over the wire: every kind is there, nothing of others, and it can be read back."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.json_format import Parse

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1.instructions_pb2_grpc import InstructionsStub
from tests.support.server import Service, refusal

ADA = "王明/ada"
FACT = "项目的数据库是PostgreSQL。"


async def files_of(service: Service, **asked: Any) -> dict[str, str]:
    """An export's files by path, in the order they came."""
    files: dict[str, bytes] = defaultdict(bytes)
    async for part in service.long_term.ExportUser(pb.ExportUserRequest(**({"user": ADA} | asked))):
        assert len(part.content) <= 1_048_576
        files[part.path] += part.content
    return {path: content.decode() for path, content in files.items()}


def lines(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.splitlines()]


async def a_full_memory(service: Service, user: str) -> None:
    """Something of every kind that a user can have."""
    owner = instructions.Owner(user=user)
    for text in ("Answer briefly.", "Answer in full sentences."):
        await InstructionsStub(service.channel).PutSource(
            instructions.PutSourceRequest(owner=owner, path="~/AGENTS.md", text=text)
        )
    turns = [talk.Turn(input="数据库定了，用PostgreSQL。", reply="记下了。")]
    await service.conversation.AddTurns(talk.AddTurnsRequest(user=user, conversation_id="c1", turns=turns))
    await service.conversation.AddKey(
        talk.AddKeyRequest(user=user, conversation_id="c1", text="Speak Chinese.")
    )
    started = await service.conversation.StartInvocation(
        talk.StartInvocationRequest(user=user, query="Where is it?", enable_memory=True)
    )
    item = talk.Item(type=talk.ITEM_TYPE_ACTION, tool="search", content="looking", step=1)
    await service.conversation.AddWorkingItems(
        talk.AddWorkingItemsRequest(user=user, invocation_id=started.invocation_id, items=[item])
    )
    for collection in ("", "../工作"):
        stored = await service.long_term.StoreFact(
            pb.StoreFactRequest(user=user, collection=collection, content=FACT)
        )
    await service.long_term.GiveFeedback(
        pb.GiveFeedbackRequest(
            user=user,
            collection="../工作",
            record_ids=[stored.record.record_id],
            thumb=pb.THUMB_UP,
            reason="right",
        )
    )
    bank_id = f"trip-{len(user)}"
    await service.bank.CreateBank(memory.CreateBankRequest(bank_id=bank_id, goal="A trip", user=user))
    await service.bank.Memorize(memory.MemorizeRequest(bank_id=bank_id, text="The ferry leaves at nine."))


async def test_an_export_holds_every_kind_of_memory_and_nothing_of_others(service: Service) -> None:
    await a_full_memory(service, ADA)
    await a_full_memory(service, "bob")

    files = await files_of(service)

    assert "bob" not in "".join(files.values())
    assert json.loads(files["user.json"])["user"]["user"] == ADA
    assert [each["source"]["text"] for each in lines(files["instructions.jsonl"])] == [
        "Answer briefly.",
        "Answer in full sentences.",
    ]
    told = lines(files["conversations/c1.jsonl"])
    assert [next(iter(line)) for line in told] == ["conversation", "progress", "turn", "key"]
    assert told[2]["turn"]["input"] == "数据库定了，用PostgreSQL。"
    (running,) = (file for path, file in files.items() if path.startswith("invocations/"))
    assert [next(iter(line)) for line in lines(running)] == ["invocation", "running", "item"]
    names = [json.loads(files[f"collections/{n}/collection.json"]).get("collection", "") for n in (1, 2)]
    assert names == ["", "../工作"]
    assert [FACT in files[f"collections/{n}/memory.json"] for n in (1, 2)] == [True, True]
    (feedback,) = lines(files["collections/2/feedback.jsonl"])
    assert (feedback["feedback"]["value"], feedback["feedback"]["reason"]) == (1.0, "right")
    assert "The ferry leaves at nine." in files[f"banks/trip-{len(ADA)}.jsonl"]
    assert not any(path.startswith("banks/") for path in await files_of(service, omit_banks=True))


async def test_collections_and_banks_of_an_export_can_be_imported(service: Service) -> None:
    await a_full_memory(service, ADA)
    files = await files_of(service)

    async def records() -> AsyncIterator[pb.ImportCollectionRequest]:
        yield pb.ImportCollectionRequest(options=pb.ImportCollectionOptions(user="eve", collection="copy"))
        content = files["collections/2/memory.json"].encode()
        yield pb.ImportCollectionRequest(
            file=pb.ExportCollectionResponse(path="memory.json", content=content)
        )

    async def bank() -> AsyncIterator[memory.ImportBankRequest]:
        (written,) = (file for path, file in files.items() if path.startswith("banks/"))
        yield memory.ImportBankRequest(options=memory.ImportOptions(bank_id="copy"))
        for line in written.splitlines():
            yield memory.ImportBankRequest(record=Parse(line, memory.ExportRecord()))

    await service.long_term.ImportCollection(records())
    made = await service.bank.ImportBank(bank())

    assert (await files_of(service, user="eve"))["collections/1/memory.json"] == files[
        "collections/2/memory.json"
    ]
    assert made.counts.interactions == 1


async def test_an_export_works_where_memory_is_off(service: Service) -> None:
    await a_full_memory(service, ADA)
    off = pb.User(user=ADA, enabled=False)
    await service.long_term.UpdateUser(
        pb.UpdateUserRequest(user=off, update_mask=FieldMask(paths=["enabled"]))
    )

    files = await files_of(service)

    assert FACT in files["collections/1/memory.json"]


async def test_long_files_come_in_parts(service: Service) -> None:
    text = "长" * 90_000
    for _ in range(2):
        turns = [talk.Turn(input=text, reply=text) for _ in range(3)]
        await service.conversation.AddTurns(talk.AddTurnsRequest(user=ADA, conversation_id="c1", turns=turns))

    files = await files_of(service)

    told = lines(files["conversations/c1.jsonl"])
    assert [line["turn"]["reply"] == text for line in told if "turn" in line] == [True] * 6


async def test_nothing_is_written_out_of_a_user_who_is_not_there(service: Service) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await files_of(service, user="nobody")

    assert refusal(caught.value).reason == "USER_NOT_FOUND"
