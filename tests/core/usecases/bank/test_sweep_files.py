"""Files that no bank names: what a process leaves that dies between a file and the change that names it."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from core.errors import AttachmentNotFound
from core.ids import AttachmentId
from core.usecases.bank.sweep_files import sweep_files
from core.usecases.bank.verbs.upload_attachment import UploadAttachment, upload_attachment
from core.usecases.house import House
from tests.support.house import KEY, TickingClock, make_bank, open_house

YEARS = timedelta(days=3_650)  # files are dated by the machine's clock, which is ahead of the test's


async def chunks(content: bytes = b"x") -> AsyncIterator[bytes]:
    yield content


async def read(house: House, uri: str, uid: str = "") -> bytes:
    async with house.banks.reading(KEY) as bank:
        return b"".join([chunk async for chunk in house.blobs.read(KEY, uid or bank.uid, uri, 0, None)])


async def upload(house: House, attachment_id: str) -> str:
    asked = UploadAttachment(key=KEY, attachment_id=AttachmentId(attachment_id))
    return (await upload_attachment(house, asked, chunks())).result.attachment.uri


async def put_and_die(house: House, attachment_id: str, uid: str = "") -> str:
    async with house.banks.reading(KEY) as bank:
        uri, _ = await house.blobs.put(KEY, uid or bank.uid, attachment_id, chunks())
    return uri


async def a_day_later(house: House) -> int:
    assert isinstance(house.clock, TickingClock)
    house.clock.skip(YEARS)
    return await sweep_files(house)


async def test_a_file_that_was_put_and_never_named_goes_after_a_day() -> None:
    async with open_house() as house:
        await make_bank(house)
        kept = await upload(house, "a1")
        left = await put_and_die(house, "a2")
        of_another = await put_and_die(house, "a1")  # the bank has a file of that name: not this one
        of_one_purged = await put_and_die(house, "a1", uid="u-gone")

        assert await sweep_files(house) == 0  # too young
        assert await a_day_later(house) == 3

        assert await read(house, kept) == b"x"
        for uri, uid in ((left, ""), (of_another, ""), (of_one_purged, "u-gone")):
            with pytest.raises(AttachmentNotFound):
                await read(house, uri, uid)


async def test_a_file_that_its_bank_names_stays_though_it_was_never_claimed() -> None:
    async with open_house() as house:
        await make_bank(house)
        claim, house.blobs.claim = house.blobs.claim, nobody_says_so  # type: ignore[method-assign]
        uri = await upload(house, "a1")
        house.blobs.claim = claim  # type: ignore[method-assign]

        assert await a_day_later(house) == 0

        assert await read(house, uri) == b"x"


async def nobody_says_so(uri: str) -> None:
    """As if the process had died just before."""
