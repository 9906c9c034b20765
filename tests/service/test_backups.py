"""Backups of a SQLite store: what is in one, which ones are refused, and what is erased again after a restore."""

import asyncio
import json
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import structlog
from click.testing import CliRunner
from structlog.testing import capture_logs

from core.index.giving_way import at_once
from core.keys import BankKey
from core.usecases.verify import VerifyProgress
from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from service.adapters.store import sqlite_backup
from service.adapters.store.named import migrations
from service.adapters.store.postgres_store import PostgresStore
from service.adapters.store.sqlite_store import SqliteStore
from service.assembly.minting import credentials_of
from service.assembly.stores import DATABASE, RESTORING, open_store, verified
from service.backups import (
    MANIFEST,
    BackupRefused,
    Gone,
    checked,
    gone_by,
    make_backup,
    repeat,
    restore_backup,
)
from service.cli.backup import backup, repeat_erasures, restore
from service.config import ConfigurationError, Settings
from tests.support import changes as a
from tests.support.api_keys import key_for
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.postgres import cluster, empty_database, programs
from tests.support.server import serving, settings_for

SECRET = "My sister is allergic to walnuts."
LETTER = "a file 一个文件 ".encode() * 1_000


async def put_file(service: Any, bank_id: str) -> None:
    async def parts() -> Any:
        yield pb.UploadAttachmentRequest(header=pb.UploadAttachmentHeader(bank_id=bank_id))
        yield pb.UploadAttachmentRequest(chunk=LETTER)

    await service.bank.UploadAttachment(parts())


async def filled(data: Path) -> Settings:
    """A data folder with two banks, each with a file."""
    async with serving(folder=data) as service:
        for bank_id in ("one", "two"):
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id=bank_id, goal="目标 goal"))
            await put_file(service, bank_id)
    return settings_for(data)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, Path]:
    """A data folder, and a backup of it. To be read only."""
    folder = tmp_path_factory.mktemp("backups")
    settings = asyncio.run(filled(folder / "data"))
    asyncio.run(make_backup(settings, folder / "copy"))
    return settings, folder / "copy"


def copy_of(backup_: Path, target: Path) -> Path:
    for path in backup_.rglob("*"):
        if path.is_file():
            (target / path.relative_to(backup_)).parent.mkdir(parents=True, exist_ok=True)
            (target / path.relative_to(backup_)).write_bytes(path.read_bytes())
    return target


async def damages(settings: Settings) -> list[str]:
    return [damage.what async for damage in verified(settings, VerifyProgress())]


async def uid_of(settings: Settings, key: BankKey) -> str:
    store = await open_store(settings, at_once)
    uid = (await store.heads([key]))[key].uid
    await store.close()
    return uid


async def test_a_backup_tells_what_it_holds_and_restores_to_the_same(
    made: tuple[Settings, Path], tmp_path: Path
) -> None:
    _, copy = made
    restored = settings_for(tmp_path / "restored")

    manifest = restore_backup(restored, copy)

    assert manifest == checked(copy)
    assert manifest.memories == {"bank": 2}
    assert len(manifest.files) == 3
    assert manifest.schema_ == len(migrations("sqlite"))
    assert await damages(restored) == []
    async with serving(folder=restored.data_dir) as service:
        assert await service.bank_ids() == ["one", "two"]


def test_every_table_is_copied_or_left_out_by_name_and_nothing_of_those_left_out_is_in_a_backup(
    made: tuple[Settings, Path],
) -> None:
    with closing(sqlite3.connect(made[1] / DATABASE)) as database:
        names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        tables = {table for (table,) in database.execute(names)}
        rows = [
            database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in sqlite_backup.LEFT_OUT
        ]

    assert tables == sqlite_backup.COPIED | sqlite_backup.LEFT_OUT
    assert not sqlite_backup.COPIED & sqlite_backup.LEFT_OUT
    assert rows == [0] * len(rows)


async def test_a_backup_holds_no_api_key_and_what_is_restored_asks_for_a_new_one(tmp_path: Path) -> None:
    """A key that was revoked after the backup does not come back."""
    settings = await filled(tmp_path / "data")
    async with credentials_of(settings) as credentials:
        key, _ = await key_for(credentials, subject="revoked-soon")

    await make_backup(settings, tmp_path / "copy")
    restored = settings_for(tmp_path / "restored")
    restore_backup(restored, tmp_path / "copy")

    async with credentials_of(restored) as credentials:
        assert (await credentials.asking()).is_on
        assert await credentials.listed() == []
    assert key.key_id.encode() not in (tmp_path / "copy" / DATABASE).read_bytes()


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _file(copy: Path) -> Path:
    return next(path for path in (copy / "files").rglob("*") if path.is_file())


def _told(copy: Path, change: Callable[[dict[str, Any]], None]) -> None:
    manifest = json.loads((copy / MANIFEST).read_text())
    change(manifest)
    (copy / MANIFEST).write_text(json.dumps(manifest))


SPOILED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a bit of the database": (
        lambda copy: _flip(copy / DATABASE),
        f"damaged: {DATABASE} is not what was written",
    ),
    "a bit of a file": (lambda copy: _flip(_file(copy)), "is not what was written"),
    "a file gone": (lambda copy: _file(copy).unlink(), "is missing"),
    "half a manifest": (lambda copy: (copy / MANIFEST).write_text('{"format":'), "cannot be read"),
    "cut short": (lambda copy: (copy / MANIFEST).unlink(), "no backup, or one that was cut short"),
    "another program's": (lambda copy: _told(copy, lambda m: m.update(format="x")), "of another form"),
    "a path elsewhere": (
        lambda copy: _told(copy, lambda m: m["files"].update({"../x": {"sha256": "", "bytes": 0}})),
        "names '../x'",
    ),
    "a newer version's": (lambda copy: _told(copy, lambda m: m.update(schema=999)), "has schema 999"),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_damaged_or_foreign_backup_is_refused_by_what_is_wrong_and_nothing_is_written(
    made: tuple[Settings, Path], tmp_path: Path, spoiled: str
) -> None:
    spoil, problem = SPOILED[spoiled]
    copy = copy_of(made[1], tmp_path / "copy")
    spoil(copy)

    ended = CliRunner().invoke(restore, [str(copy), "--data", str(tmp_path / "restored")])

    assert ended.exit_code == 1
    assert problem in ended.output
    assert not (tmp_path / "restored").exists()


def test_neither_a_backup_nor_a_restore_writes_into_a_folder_that_is_not_empty(
    made: tuple[Settings, Path], tmp_path: Path
) -> None:
    settings, copy = made
    (tmp_path / "mine").write_text("mine")

    ended = [
        CliRunner().invoke(command, [str(folder), "--data", str(data)])
        for command, folder, data in ((backup, tmp_path, settings.data_dir), (restore, copy, tmp_path))
    ]

    assert [each.exit_code for each in ended] == [1, 1]
    assert all("is not empty" in each.output for each in ended)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_volume_with_nothing_but_its_own_folder_is_empty(
    made: tuple[Settings, Path], tmp_path: Path
) -> None:
    (tmp_path / "lost+found").mkdir()

    restore_backup(settings_for(tmp_path), made[1])

    assert (tmp_path / DATABASE).exists()


async def test_no_server_starts_on_a_folder_whose_restore_was_cut_short(tmp_path: Path) -> None:
    (tmp_path / RESTORING).touch()

    with pytest.raises(ConfigurationError, match="not restored as a whole"):
        await open_store(settings_for(tmp_path), at_once)


@pytest.mark.parametrize("command", [backup, restore])
def test_of_a_database_the_page_with_the_steps_is_named(
    made: tuple[Settings, Path], tmp_path: Path, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYBANK_STORE__URL", "postgresql://ada@localhost/bank")

    ended = CliRunner().invoke(command, [str(made[1]), "--data", str(tmp_path / "restored")])

    assert ended.exit_code == 1
    assert "docs/backup.md" in ended.output


def test_a_backup_of_nothing_says_so(tmp_path: Path) -> None:
    ended = CliRunner().invoke(backup, [str(tmp_path / "copy"), "--data", str(tmp_path / "none")])

    assert ended.exit_code == 1
    assert "there is no database" in ended.output


async def test_what_is_purged_while_files_are_copied_is_not_in_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = await filled(tmp_path / "data")
    copied = sqlite_backup.copy_database

    def copied_and_purged(source: Path, target: Path) -> None:
        copied(source, target)
        uid = asyncio.run(uid_of(settings, a.key("one", "default")))
        asyncio.run(repeat(settings, Gone(uids={uid})))

    monkeypatch.setattr(sqlite_backup, "copy_database", copied_and_purged)
    made = await make_backup(settings, tmp_path / "copy")

    assert made.missing == []
    assert made.manifest.memories == {"bank": 1}
    restore_backup(settings_for(tmp_path / "restored"), tmp_path / "copy")
    assert await damages(settings_for(tmp_path / "restored")) == []


async def test_a_file_that_was_damaged_before_is_told_and_the_backup_made(tmp_path: Path) -> None:
    settings = await filled(tmp_path / "data")
    _flip(_file(settings.data_dir))

    ended = await asyncio.to_thread(
        CliRunner().invoke, backup, [str(tmp_path / "copy"), "--data", str(settings.data_dir)]
    )

    assert ended.exit_code == 1
    assert "damaged before" in ended.output
    assert len(checked(tmp_path / "copy").files) == 2


async def test_an_erasure_is_repeated_by_uid_and_spares_what_was_made_anew_under_the_name(
    made: tuple[Settings, Path], tmp_path: Path
) -> None:
    restored = settings_for(tmp_path / "restored")
    restore_backup(restored, made[1])
    gone, stays = a.key("one", "default"), a.key("two", "default")
    lines = [
        json.dumps({"event": "erased", "kind": "bank", "uid": await uid_of(restored, gone)}),
        json.dumps({"event": "erased", "kind": "bank", "uid": "u-of-an-earlier-two"}),
        json.dumps({"event": "listening", "uid": await uid_of(restored, stays)}),
        "no JSON",
        "",
    ]
    (tmp_path / "log").write_text("\n".join(lines))

    words = [str(tmp_path / "log"), "--data", str(restored.data_dir)]
    ended = await asyncio.to_thread(CliRunner().invoke, repeat_erasures, words)

    assert ended.exit_code == 0, ended.output
    assert "2 erasures in the logs, 1 of them made again" in ended.output
    async with serving(folder=restored.data_dir) as service:
        assert await service.bank_ids() == ["two"]
    assert len(list((restored.data_dir / "files").rglob("*-*"))) == 1


async def test_turns_facts_keys_and_nodes_that_were_deleted_since_are_deleted_again_with_what_rests_on_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hashing(*_: Any) -> HashingEmbedder:
        return HashingEmbedder()

    monkeypatch.setattr(
        "service.assembly.bootstrap.open_embedder", hashing
    )  # the restored house's; a model takes seconds
    ada: dict[str, Any] = {"user": "ada"}
    with capture_logs() as events:
        async with serving(folder=tmp_path / "data") as service:
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b"))
            for node_id in ("n1", "n2"):
                await service.graph.AddNode(
                    graph.AddNodeRequest(bank_id="b", node_id=node_id, summary=f"The boat {node_id}")
                )
            turns = [talk.Turn(input=SECRET), talk.Turn(input="Good morning.")]
            await service.conversation.AddTurns(talk.AddTurnsRequest(conversation_id="c", turns=turns, **ada))
            adding = talk.AddKeyRequest(conversation_id="c", text="Ada sails.", **ada)
            key_id = (await service.conversation.AddKey(adding)).key.key_id
            facts = [
                (await service.long_term.StoreFact(long_term.StoreFactRequest(content=text, **ada))).record
                for text in ("Ada likes plums.", "Ada lives in Naxos.")
            ]
            await make_backup(service.settings, tmp_path / "copy")

            await service.graph.DeleteNode(graph.DeleteNodeRequest(bank_id="b", node_id="n1"))
            await service.conversation.DeleteTurns(
                talk.DeleteTurnsRequest(conversation_id="c", steps=[1], **ada)
            )
            await service.conversation.DeleteKey(
                talk.DeleteKeyRequest(conversation_id="c", key_id=key_id, **ada)
            )
            await service.long_term.DeleteRecords(
                long_term.DeleteRecordsRequest(record_ids=[facts[0].record_id], **ada)
            )
    log = tmp_path / "log"
    log.write_text("\n".join(json.dumps(event, default=str) for event in events))
    told = log.read_text()

    words = [str(tmp_path / "copy"), "--data", str(tmp_path / "restored"), "--erasures", str(log)]
    ended = await asyncio.to_thread(CliRunner().invoke, restore, words)

    assert ended.exit_code == 0, ended.output
    assert "4 erasures in the logs, 4 of them made again" in ended.output
    assert SECRET not in told
    async with serving(folder=tmp_path / "restored") as service:
        nodes = (await service.graph.ListNodes(graph.ListNodesRequest(bank_id="b"))).nodes
        left = (await service.conversation.ListTurns(talk.ListTurnsRequest(conversation_id="c", **ada))).turns
        keys = (await service.conversation.ListKeys(talk.ListKeysRequest(conversation_id="c", **ada))).keys
        records = (await service.long_term.ListRecords(long_term.ListRecordsRequest(**ada))).records
    assert [node.node_id for node in nodes] == ["n2"]
    assert [turn.step for turn in left] == [2]
    assert [key.key_id for key in keys if key.key_id == key_id] == []
    assert [record.record_id for record in records] == [facts[1].record_id]


async def test_a_purge_is_told_in_the_log_by_its_uid_and_by_no_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    structlog.reset_defaults()  # a command before it sent the log elsewhere
    store = await SqliteStore.open(tmp_path / "bank.db")
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story(a.KEY))])

    await store.delete(a.KEY)

    said = capsys.readouterr().out
    assert "erased" in said
    assert "u1" in said
    assert a.KEY.bank_id not in said
    await store.close()


async def test_a_database_is_dumped_restored_verified_and_its_erasures_are_repeated(tmp_path: Path) -> None:
    server = empty_database()
    store = await PostgresStore.open(server)
    for key, uid in ((a.KEY, "u1"), (a.key("bank-2"), "u2")):
        await store.append(key, uid, [a.founding_with_two_nodes(a.Story(key, uid=uid))])
    await store.claim("work", "a process", 60)
    before = await store.load(a.key("bank-2"))
    await asyncio.to_thread(_run, "pg_dump", *DUMP, f"--file={tmp_path / 'dump'}", server.url)
    await store.delete(a.KEY)
    await store.close()
    other = cluster().database("restored")
    await asyncio.to_thread(_run, "pg_restore", "--dbname", other.url, str(tmp_path / "dump"))
    settings = settings_for(tmp_path, store={"url": other.url})

    found = await damages(settings)
    erased = await repeat(settings, Gone(uids={"u1", "of none"}))

    store = await PostgresStore.open(other)
    assert (found, erased) == ([], 1)
    assert await store.keys(None, 9) == [a.key("bank-2")]
    assert a.same(await store.load(a.key("bank-2")), before)
    assert await store.claim("work", "another process", 60)
    await store.close()


DUMP = ("--format=custom", "--exclude-table-data=claims", "--exclude-table-data=api_keys")


def _run(program: str, *words: str) -> None:
    subprocess.run([programs() / program, *words], check=True)


def test_a_log_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(BackupRefused, match="no log"):
        gone_by([tmp_path / "log"])
