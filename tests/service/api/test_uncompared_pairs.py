"""What a long document's judgements left out, over a real channel: told at once, later, and by another server."""

from pathlib import Path

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from tests.support.server import Service, serving

KITCHEN = {"en": "The kitchen of the house is white.", "zh": "房子的厨房是白的。"}
ROOMS = {
    "en": " ".join(f"Room {n} of the house is red." for n in range(80)),
    "zh": "".join(f"房子的第{n}号房间是红的。" for n in range(80)),
}
LEFT = 80 - 64  # sentences, each of which would have been compared with the kitchen


async def memorized(service: Service, language: str, text: str) -> pb.MemorizeResponse:
    """What becomes of a text; told again, what became of it."""
    asked = pb.MemorizeRequest(
        bank_id=language, text=text, source="house", request_id=f"{language}-{len(text)}"
    )
    return await service.bank.Memorize(asked)


async def of_topics(service: Service, bank_id: str, interaction_id: str) -> list[int]:
    """What was left out of each topic of a record."""
    asked = deep.GetInteractionRequest(bank_id=bank_id, interaction_id=interaction_id)
    (found,) = (await service.deep.GetInteraction(asked)).interactions
    return [work.outcome.uncompared_pairs for work in found.structuring.clusters]


async def copy(service: Service, bank_id: str) -> str:
    """Exports a bank and imports it under another name."""
    exported = [each async for each in service.bank.ExportBank(pb.ExportBankRequest(bank_id=bank_id))]
    target = pb.ImportBankRequest(options=pb.ImportOptions(bank_id=f"{bank_id}-copy"))
    await service.bank.ImportBank(iter([target, *(pb.ImportBankRequest(record=e.record) for e in exported)]))
    return f"{bank_id}-copy"


async def test_a_document_that_is_compared_in_part_says_so_also_later_and_a_short_one_nothing(
    tmp_path: Path,
) -> None:
    async with serving(folder=tmp_path) as service:
        for language in KITCHEN:
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id=language))
        short = [await memorized(service, *each) for each in KITCHEN.items()]
        long = [await memorized(service, *each) for each in ROOMS.items()]

    assert [told.uncompared_pairs for told in short] == [0, 0]
    assert [told.uncompared_pairs for told in long] == [LEFT, LEFT]

    async with serving(folder=tmp_path) as service:
        for language, told in zip(ROOMS, long, strict=True):
            again = await memorized(service, language, ROOMS[language])

            assert (again.replayed, again.uncompared_pairs) == (True, LEFT)
            assert await of_topics(service, language, told.interaction_id) == [LEFT]
            assert await of_topics(service, await copy(service, language), told.interaction_id) == [LEFT]
