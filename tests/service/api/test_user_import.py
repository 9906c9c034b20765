"""A user brought over the wire: everything comes back as it was written, or nothing of it stays."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any

import grpc
import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest
import pytest_asyncio

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as pb
from service.cli.bundle_schema import schema
from tests.service.api.test_user_export import a_full_memory, files_of
from tests.support import states_of_users
from tests.support.server import Refused, Service, held_open, refused, serving

ADA = "王明/ada"
Files = dict[str, str]

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[Service]:
    async with serving() as service:
        yield service


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def files(server: Service) -> Files:
    """What is written out of a user who has something of every kind, and is gone."""
    await a_full_memory(server, ADA)
    written = await settled(server, ADA)
    await purged(server)
    return written


@pytest_asyncio.fixture(loop_scope="module")
async def service(server: Service) -> AsyncIterator[Service]:
    """The server without any of the users."""
    yield server
    for user in (ADA, "eve"):
        await purged(server, user)


def requests(files: Files, user: str = ADA, **options: Any) -> Iterator[pb.ImportUserRequest]:
    """An import of these files, each in two parts, cut amid a character as it may be."""
    yield pb.ImportUserRequest(options=pb.ImportUserOptions(user=user, **options))
    for path, text in files.items():
        content = text.encode()
        middle = len(content) // 2 + 1
        for part in (content[:middle], content[middle:]):
            yield pb.ImportUserRequest(file=pb.ExportUserResponse(path=path, content=part))


async def brought(service: Service, files: Files, user: str = ADA, **options: Any) -> pb.ImportUserResponse:
    done: pb.ImportUserResponse = await service.long_term.ImportUser(requests(files, user, **options))
    return done


async def purged(service: Service, user: str = ADA) -> None:
    await service.long_term.PurgeUser(pb.PurgeUserRequest(user=user, include_banks=True))


async def is_gone(service: Service, user: str = ADA) -> bool:
    gone = await refused(service.long_term.GetUser(pb.GetUserRequest(user=user)))
    with suppress(grpc.aio.AioRpcError):
        await files_of(service, user=user)
        return False
    return gone.reason == "USER_NOT_FOUND"


def without_revisions(files: Files) -> dict[str, Any]:
    """Files as values; without what names a moment of the server, and not of the memory."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items() if k not in ("revision", "uid", "counts", "sha256")}
        return [plain(each) for each in value] if isinstance(value, list) else value

    def read(path: str, text: str) -> Any:
        if path.endswith(".jsonl"):
            lines = [plain(json.loads(line)) for line in text.splitlines()]
            return [line for line in lines if "header" not in line]
        return plain(json.loads(text)) if path.endswith(".json") else text

    return {path: read(path, text) for path, text in files.items()}


async def test_what_was_written_out_comes_back_equal(service: Service, files: Files) -> None:
    done = await brought(service, files)

    assert without_revisions(await files_of(service)) == without_revisions(files)
    assert done.aggregates == {
        "instructions": 1,
        "collection": 2,
        "conversation": 1,
        "invocation": 1,
        "bank": 1,
    }
    assert (done.rows["versions"], done.rows["turns"], done.rows["keys"], done.rows["items"]) == (2, 1, 1, 1)
    assert (done.rows["records"], done.rows["feedback"], done.rows["interactions"]) == (2, 1, 1)


async def test_every_line_fits_the_schema_that_lies_in_a_bundle(service: Service, files: Files) -> None:
    described = schema()
    kinds = described.pop("files")
    jsonschema.Draft202012Validator.check_schema(described | {"oneOf": list(kinds.values())})
    lines = {each: jsonschema.Draft202012Validator(described | kind) for each, kind in kinds.items()}
    checked = set()
    for path, text in files.items():
        pattern = next((each for each in kinds if re.search(each, path)), None)
        for line in text.splitlines() if path.endswith(".jsonl") else [text]:
            if pattern is not None:
                lines[pattern].validate(json.loads(line))
                checked.add(pattern)

    assert len(checked) == len(kinds) - 1  # nothing was deleted: there are no tombstones
    of_talk = next(lines[each] for each in kinds if re.search(each, TALK))
    with pytest.raises(jsonschema.ValidationError):
        of_talk.validate({"turn": {"step": "1", "inputs": "x"}})


@pytest.mark.parametrize("state", ["ended", "worked", "knows", "off"])
async def test_a_user_in_whatever_state_comes_back_equal(service: Service, state: str) -> None:
    user = f"{state}-again"
    await states_of_users.STATES[state](service, user)
    files = await settled(service, user)
    await purged(service, user)

    await brought(service, files, user)

    assert without_revisions(await files_of(service, user=user)) == without_revisions(files)


async def settled(service: Service, user: str) -> Files:
    """The files of a user whose background work has come to rest."""
    files: Files = {}
    for _ in range(200):
        before, files = files, await files_of(service, user=user)
        if without_revisions(before) == without_revisions(files):
            return files
        await asyncio.sleep(0.05)
    raise AssertionError("it never comes to rest")


async def test_what_was_deleted_is_not_learned_again_after_an_import(service: Service) -> None:
    of: dict[str, Any] = {"user": ADA, "collection": "work"}
    told = pb.Record(content="Berta likes tea.", kind=pb.RECORD_KIND_FACT, origin=pb.RECORD_ORIGIN_OBSERVED)
    added = await service.long_term.AddRecord(pb.AddRecordRequest(record=told, **of))
    await service.long_term.DeleteRecords(pb.DeleteRecordsRequest(record_ids=[added.record.record_id], **of))
    files = await files_of(service)
    await purged(service)
    await brought(service, files)

    told.event_time.FromJsonString("2020-01-01T00:00:00Z")
    again = await service.long_term.AddRecord(pb.AddRecordRequest(record=told, **of))

    assert again.forgotten


async def test_a_user_comes_under_another_name_and_lives_on(service: Service, files: Files) -> None:
    files = {path: text for path, text in files.items() if "banks/" not in path}

    await brought(service, files, "eve")

    copy = await files_of(service, user="eve")
    assert ADA not in "".join(copy.values())
    assert copy["collections/1/memory.json"] == files["collections/1/memory.json"]
    turns = [talk.Turn(input="And now?", reply="Now it goes on.")]
    added = await service.conversation.AddTurns(
        talk.AddTurnsRequest(user="eve", conversation_id="c1", turns=turns)
    )
    assert [turn.step for turn in added.turns] == [2]
    found = await service.conversation.SearchTurns(
        talk.SearchTurnsRequest(user="eve", conversation_id="c1", text="PostgreSQL", top_k=1)
    )
    assert [hit.turn.step for hit in found.hits] == [1]


async def test_a_dry_run_says_what_would_come_and_stores_nothing(service: Service, files: Files) -> None:
    told = await brought(service, files, dry_run=True)
    gone = await is_gone(service)
    done = await brought(service, files)

    assert gone
    assert (told.revision, told.aggregates, told.rows) == (0, done.aggregates, done.rows)


async def test_a_repeated_import_answers_the_same_and_one_of_other_files_is_refused(
    service: Service, files: Files
) -> None:
    first = await brought(service, files, request_id="r1")

    again = await brought(service, files, request_id="r1")

    assert (again.replayed, again.aggregates, again.revision) == (True, first.aggregates, first.revision)
    fewer = {path: text for path, text in files.items() if path != "instructions.jsonl"}
    error = await refused(service.long_term.ImportUser(requests(fewer, request_id="r1")))
    assert "request_id" in error.fields


async def test_a_user_who_is_there_is_not_imported_over(service: Service, files: Files) -> None:
    await brought(service, files)

    error = await refused(service.long_term.ImportUser(requests(files)))
    bank = await refused(service.long_term.ImportUser(requests(files, "eve")))

    assert (error.code, error.reason) == (grpc.StatusCode.ALREADY_EXISTS, "USER_EXISTS")
    assert bank.reason == "BANK_EXISTS"
    assert without_revisions(await settled(service, ADA)) == without_revisions(files)
    assert await is_gone(service, "eve")


def changed(path: str, old: str, new: str) -> Callable[[Files], Files]:
    def edit(files: Files) -> Files:
        assert old in files[path]
        return {**files, path: files[path].replace(old, new, 1)}

    return edit


def with_file(path: str, text: str) -> Callable[[Files], Files]:
    return lambda files: {**files, path: text}


TALK = "conversations/c1.jsonl"
NO_TURN = '{"cluster": {"cluster_id": "k1", "steps": ["9"]}}\n'
STRAY = '{"turn": {"step": 7, "input": "x"}}\n'


async def claim_nothing_of_it(service: Service, error: Refused, said: str, line: str) -> None:
    assert error.reason == "IMPORT_INVALID", error
    assert said in error.metadata["problem"]
    assert line in ("", error.metadata["line"])
    assert await is_gone(service)
    assert not [bank for bank in await service.bank_ids() if bank.startswith("trip")]


@pytest.mark.parametrize(
    ("path", "old", "new", "line", "said"),
    [
        (TALK, '{"turn"', '{"tern"', "3", f"{TALK}: must hold one field"),
        (TALK, '"step": "1"', '"step": "0"', "3", f"{TALK}: turn.step must be 1 to"),
        (TALK, '"step": "1"', '"stop": "1"', "3", '"stop"'),
        (TALK, '"event_time": "2', '"event_time": "x2', "3", "event_time"),
        (TALK, '{"turn"', '{"turn', "3", "is no JSON"),
        ("collections/2/feedback.jsonl", '"value": 1.0', '"value": 2.0', "1", "feedback.value"),
        ("banks/trip-6.jsonl", "nine", "five", "", "banks/trip-6.jsonl: the digest"),
        (
            "banks/trip-6.jsonl",
            '{"trailer"',
            '{"edge": {"node_id": "n"}}\n{"trailer"',
            "",
            "banks/trip-6.jsonl: ",
        ),
    ],
)
async def test_a_line_that_cannot_be_read_is_named_with_its_field_and_leaves_nothing(
    service: Service, files: Files, path: str, old: str, new: str, line: str, said: str
) -> None:
    assert old in files[path]
    spoilt = pb.ExportUserResponse(path=path, content=files[path].replace(old, new, 1).encode())
    files = {name: text for name, text in files.items() if name != path}

    stream = [*requests(files), pb.ImportUserRequest(file=spoilt)]
    error = await refused(service.long_term.ImportUser(held_open(stream)))

    await claim_nothing_of_it(service, error, said, line)


@pytest.mark.parametrize(
    ("spoil", "line", "said"),
    [
        (lambda files: {}, "0", "there is nothing of a user"),
        (
            changed(TALK, '{"conversation"', STRAY + '{"conversation"'),
            "4",
            "turns come in the order of their steps",
        ),
        (lambda files: {**files, TALK: files[TALK] + NO_TURN}, "5", "cluster.steps"),
        (lambda files: {**files, TALK: files[TALK] * 2}, "5", "there must be one conversation, not 2"),
        (
            with_file("conversations/c2.jsonl", '{"progress": {}}'),
            "0",
            "there must be one conversation, not 0",
        ),
        (changed("collections/2/memory.json", '"content"', '"contents"'), "1", "collections/2"),
        (changed("collections/2/collection.json", "../工作", ""), "0", "there are two of the collection"),
    ],
)
async def test_files_that_do_not_fit_together_leave_nothing(
    service: Service, files: Files, spoil: Callable[[Files], Files], line: str, said: str
) -> None:
    error = await refused(service.long_term.ImportUser(requests(spoil(files))))

    await claim_nothing_of_it(service, error, said, line)


@pytest.mark.parametrize("path", ["../etc/passwd", "collections/1/../../x.jsonl", "banks/a/b.jsonl", ""])
async def test_a_path_outside_is_refused(service: Service, path: str) -> None:
    stream = [
        pb.ImportUserRequest(options=pb.ImportUserOptions(user=ADA)),
        pb.ImportUserRequest(file=pb.ExportUserResponse(path=path, content=b"{}\n")),
    ]

    error = await refused(service.long_term.ImportUser(held_open(stream)))

    await claim_nothing_of_it(service, error, "is no file of an export", "0")
