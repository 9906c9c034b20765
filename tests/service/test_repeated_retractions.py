"""What was taken back after a backup is taken back again in the restored store, of either kind."""

import asyncio
import json
import subprocess
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from structlog.testing import capture_logs

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2 as types
from service.backups import Gone, gone_by, make_backup, restore_backup
from service.cli.backup import repeat_erasures
from service.config import Settings
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.postgres import cluster, empty_database, programs
from tests.support.server import Service, serving, settings_for

ADA: dict[str, Any] = {"user": "ada"}
IN_TALK: dict[str, Any] = {"conversation_id": "c", **ADA}
SECRET = "My sister is allergic to walnuts."
SOURCE = "中文来源"
SHEETS = (
    ("The ferry to Naxos leaves at nine. 渡轮九点开。", "web"),
    ("The budget is €900.", "mail"),
    ("Plums are cheap in May.", "web"),
)
Restored = tuple[Settings, list[str]]
"""The store, and the options by which a command reaches it."""


async def filled(service: Service) -> list[str]:
    """Returns the ids of the bank's records."""
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b"))
    sheets = [pb.MemorizeRequest(bank_id="b", text=text, source=source) for text, source in SHEETS]
    told = [(await service.bank.Memorize(each)).interaction_id for each in sheets]
    turns = [talk.Turn(input=text) for text in (SECRET, "The weather is fine.", "Good morning.")]
    await service.conversation.AddTurns(talk.AddTurnsRequest(turns=turns, **IN_TALK))
    for text, source in (("Ada likes plums.", SOURCE), ("Ada lives in Naxos.", "")):
        await service.long_term.StoreFact(long_term.StoreFactRequest(content=text, source=source, **ADA))
    return told


async def retracted(service: Service, *interaction_ids: str) -> str:
    asked = pb.RetractInteractionsRequest(bank_id="b", interaction_ids=interaction_ids)
    return (await service.bank.RetractInteractions(asked)).retraction.retraction_id


async def take_back(service: Service, told: list[str], early: str) -> None:
    """Erases the early retraction; takes back a record, a turn for good, another for a while, and a source."""
    await service.bank.EraseInteractions(pb.EraseInteractionsRequest(bank_id="b", retraction_id=early))
    await retracted(service, told[0])
    for step, closing in ((1, "EraseTurns"), (2, "ReleaseTurns")):
        taken = await service.conversation.RetractTurns(talk.RetractTurnsRequest(steps=[step], **IN_TALK))
        close = getattr(talk, f"{closing}Request")(retraction_id=taken.retraction.retraction_id, **IN_TALK)
        await getattr(service.conversation, closing)(close)
    from_there = long_term.RetractionFilter(source=SOURCE)
    await service.long_term.RetractRecords(long_term.RetractRecordsRequest(filter=from_there, **ADA))


async def by_backup(settings: Settings, folder: Path, act: Callable[[], Awaitable[None]]) -> Restored:
    await make_backup(settings, folder / "copy")
    await act()
    restored = settings_for(folder / "restored")
    restore_backup(restored, folder / "copy")
    return restored, ["--data", str(restored.data_dir)]


async def by_dump(settings: Settings, folder: Path, act: Callable[[], Awaitable[None]]) -> Restored:
    dump = ("--format=custom", "--exclude-table-data=claims", f"--file={folder / 'dump'}", settings.store.url)
    await asyncio.to_thread(partial(subprocess.run, [programs() / "pg_dump", *dump], check=True))
    await act()
    url = cluster().database("retractions").url
    restore = ("--dbname", url, str(folder / "dump"))
    await asyncio.to_thread(partial(subprocess.run, [programs() / "pg_restore", *restore], check=True))
    (folder / "memorybank.toml").write_text(f'[store]\nurl = "{url}"\n')
    restored = settings_for(folder / "restored", store={"url": url})
    return restored, ["--data", str(restored.data_dir), "--config", str(folder / "memorybank.toml")]


@pytest.mark.parametrize("restored_by", [by_backup, by_dump])
async def test_what_was_taken_back_since_is_taken_back_again_and_erased_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restored_by: Any
) -> None:
    async def hashing(*_: Any) -> HashingEmbedder:
        return HashingEmbedder()

    monkeypatch.setattr(
        "service.assembly.bootstrap.open_embedder", hashing
    )  # the restored house's; a model takes seconds
    place: dict[str, Any] = {"store": {"url": empty_database().url}} if restored_by is by_dump else {}
    with capture_logs() as events:
        async with serving(folder=tmp_path / "data", **place) as service:
            told = await filled(service)
            early = await retracted(service, told[2])
            restored, words = await restored_by(
                service.settings, tmp_path, lambda: take_back(service, told, early)
            )
    log = tmp_path / "log"
    log.write_text("\n".join(json.dumps(event, default=str) for event in events))

    ended = [
        await asyncio.to_thread(CliRunner().invoke, repeat_erasures, [str(log), *words]) for _ in range(2)
    ]

    assert SECRET not in log.read_text()
    assert SOURCE not in log.read_text()
    count = gone_by([log]).count
    assert f"{count} erasures in the logs, {count} of them made again" in ended[0].output, ended[0].output
    assert f"{count} erasures in the logs, 0 of them made again" in ended[1].output, ended[1].output
    place = {"store": {"url": restored.store.url}} if place else {}
    async with serving(folder=restored.data_dir, **place) as service:
        retractions = await made(service)
        left = (await service.conversation.ListTurns(talk.ListTurnsRequest(**IN_TALK))).turns
        records = (await service.long_term.ListRecords(long_term.ListRecordsRequest(**ADA))).records
        there = await interactions(service)
        release = pb.ReleaseInteractionsRequest(bank_id="b", retraction_id=retractions[told[0]].retraction_id)
        await service.bank.ReleaseInteractions(release)
        back = await interactions(service)
    assert {name: each.state for name, each in retractions.items()} == {
        told[0]: types.RETRACTION_STATE_QUARANTINED,
        told[2]: types.RETRACTION_STATE_ERASED,
    }
    assert (there, back) == ({told[1]}, set(told[:2]))
    assert [turn.step for turn in left] == [2, 3]
    said = {record.content for record in records}
    assert "Ada lives in Naxos." in said
    assert "Ada likes plums." not in said


async def made(service: Service) -> dict[str, pb.InteractionRetraction]:
    """Returns the bank's retractions by the first record of each."""
    listed = await service.bank.ListInteractionRetractions(pb.ListInteractionRetractionsRequest(bank_id="b"))
    return {each.interaction_ids[0]: each for each in listed.retractions}


async def interactions(service: Service) -> set[str]:
    listed = await service.deep.ListInteractions(deep.ListInteractionsRequest(bank_id="b"))
    return {each.interaction_id for each in listed.interactions}


@pytest.mark.parametrize(
    "line", ['{"event": "retracted", "uid": "u"}', '{"event": "retracted", "uid": "u", "state": 7}']
)
def test_a_line_that_is_none_of_the_services_is_passed_over(tmp_path: Path, line: str) -> None:
    (tmp_path / "log").write_text(line)

    assert gone_by([tmp_path / "log"]) == Gone()


@pytest.mark.parametrize("turned", [False, True])
def test_a_retraction_that_was_closed_stays_closed_whatever_line_is_read_last(
    tmp_path: Path, turned: bool
) -> None:
    told = {"event": "retracted", "kind": "bank", "uid": "u", "retraction_id": "x", "ids": ["i1"]}
    lines = [json.dumps({**told, "state": "quarantined"}), json.dumps({**told, "ids": [], "state": "erased"})]
    (tmp_path / "log").write_text("\n".join(reversed(lines) if turned else lines))

    notice = gone_by([tmp_path / "log"]).retracted["u"]["x"]

    assert (notice.ids, notice.state) == (("i1",), "erased")
