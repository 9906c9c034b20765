"""Instructions over the wire: documents, exact edits, versions, and what a run of an agent sees."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from memorybank.v1 import instructions_pb2 as pb
from memorybank.v1.instructions_pb2_grpc import InstructionsStub
from tests.support.server import Service, refused, serving

ADA, WEB = pb.Owner(user="ada"), pb.Owner(project="web")
CODER, ALL = pb.Owner(agent="coder"), pb.Owner(tenant=True)
PATH = "~/.agents/AGENTS.md"

Instructions = Any  # InstructionsAsyncStub


@pytest.fixture
def instructions(service: Service) -> Instructions:
    return InstructionsStub(service.channel)


async def put(stub: Instructions, owner: pb.Owner, path: str, text: str, **more: Any) -> pb.PutSourceResponse:
    answer: pb.PutSourceResponse = await stub.PutSource(
        pb.PutSourceRequest(owner=owner, path=path, text=text, **more)
    )
    return answer


async def edit(stub: Instructions, old: str, new: str, **more: Any) -> pb.EditSourceResponse:
    answer: pb.EditSourceResponse = await stub.EditSource(
        pb.EditSourceRequest(owner=ADA, path=PATH, old_text=old, new_text=new, **more)
    )
    return answer


async def load(stub: Instructions, *refs: tuple[pb.Owner, str], **more: Any) -> pb.LoadSourcesResponse:
    named = [pb.SourceRef(owner=owner, path=path) for owner, path in refs]
    answer: pb.LoadSourcesResponse = await stub.LoadSources(pb.LoadSourcesRequest(refs=named, **more))
    return answer


async def text_of(stub: Instructions, owner: pb.Owner, path: str, version: int | None = None) -> str:
    request = pb.GetSourceRequest(owner=owner, path=path, version=version)
    return str((await stub.GetSource(request)).source.text)


# ---- documents ----


async def test_a_document_is_created_and_read_as_it_was_put(instructions: Instructions) -> None:
    text = "# 用户偏好\r\n- 回复使用中文\n\ttab, trailing blank \n"

    made = await put(instructions, ADA, PATH, text, update_by="ada", if_version=0)
    read = await instructions.GetSource(pb.GetSourceRequest(owner=ADA, path=PATH))

    assert (made.source.version, made.source.characters, made.source.text) == (1, len(text), "")
    assert made.source.tokens > 0
    assert read.source.text == text
    assert (read.source.owner, read.source.path, read.source.update_by) == (ADA, PATH, "ada")
    assert read.source.create_time == read.source.update_time == made.source.update_time
    assert read.revision == made.revision == 1


async def test_a_new_text_is_the_next_version_and_the_one_before_is_kept(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "one", update_by="ada")
    await put(instructions, ADA, PATH, "two", if_version=1, update_by="coder")

    history = await instructions.ListVersions(pb.ListVersionsRequest(owner=ADA, path=PATH))

    assert [(each.version, each.update_by, each.text) for each in history.versions] == [
        (2, "coder", ""),
        (1, "ada", ""),
    ]
    assert await text_of(instructions, ADA, PATH) == "two"
    assert await text_of(instructions, ADA, PATH, 1) == "one"


async def test_the_same_text_again_makes_no_new_version(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "same")

    again = await put(instructions, ADA, PATH, "same")

    assert (again.source.version, again.revision) == (1, 1)


async def test_a_document_that_is_there_is_not_created_a_second_time(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "hers")

    no = await refused(put(instructions, ADA, PATH, "mine", if_version=0))

    assert (no.code, no.reason) == (grpc.StatusCode.ABORTED, "STALE_REVISION")
    assert no.metadata == {"expected": "0", "actual": "1"}
    assert await text_of(instructions, ADA, PATH) == "hers"


async def test_owners_of_every_level_are_apart_also_under_the_same_name(instructions: Instructions) -> None:
    owners = [ADA, pb.Owner(agent="ada"), pb.Owner(project="ada"), ALL, pb.Owner(user="Ada")]
    for number, owner in enumerate(owners):
        await put(instructions, owner, "AGENTS.md", f"text {number}")

    texts = [await text_of(instructions, owner, "AGENTS.md") for owner in owners]

    assert texts == [f"text {number}" for number in range(len(owners))]


@pytest.mark.parametrize(
    "name", ["../../etc", "a/b", "王明", "%2F", "..", "~", "a b", "user/ada", "émile", "🦊", "-x", ":"]
)
async def test_names_and_paths_are_names_whatever_they_look_like(
    instructions: Instructions, name: str
) -> None:
    owner = pb.Owner(user=name)
    await put(instructions, ADA, name, "ada's")
    await put(instructions, owner, name, "their own")

    loaded = await load(instructions, (owner, name), include_text=True)
    listed = await instructions.ListSources(pb.ListSourcesRequest(owner=owner))

    assert [(source.path, source.text) for source in loaded.sources] == [(name, "their own")]
    assert [source.path for source in listed.sources] == [name]
    assert await text_of(instructions, ADA, name) == "ada's"


async def test_documents_are_listed_by_path_and_prefix_a_page_at_a_time(instructions: Instructions) -> None:
    for path in ("web/b.md", "web/a.md", "web/中文.md", "other.md"):
        await put(instructions, WEB, path, path)

    seen, token = [], ""
    while True:
        page = await instructions.ListSources(
            pb.ListSourcesRequest(owner=WEB, path_prefix="web/", page_size=2, page_token=token)
        )
        seen += [source.path for source in page.sources]
        token = page.next_page_token
        if not token:
            break

    assert seen == ["web/a.md", "web/b.md", "web/中文.md"]


async def test_an_owner_without_documents_has_an_empty_list(instructions: Instructions) -> None:
    listed = await instructions.ListSources(pb.ListSourcesRequest(owner=CODER))

    assert (list(listed.sources), listed.revision) == ([], 0)


async def test_what_is_not_there_is_told(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "one")
    asked = {
        "path": pb.GetSourceRequest(owner=ADA, path="other.md"),
        "version": pb.GetSourceRequest(owner=ADA, path=PATH, version=2),
        "owner": pb.GetSourceRequest(owner=WEB, path=PATH),
    }

    reasons = {name: (await refused(instructions.GetSource(each))).reason for name, each in asked.items()}

    assert reasons == dict.fromkeys(asked, "SOURCE_NOT_FOUND")


async def test_a_revision_that_is_not_there_yet_is_refused(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "one")

    for owner in (ADA, WEB):
        no = await refused(instructions.ListSources(pb.ListSourcesRequest(owner=owner, min_revision=9)))
        assert (no.code, no.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "REVISION_NOT_REACHED")
        assert "bank" not in no.message


# ---- edits ----


async def test_an_edit_replaces_one_passage(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "- answer in English\n- 使用空格\n")

    done = await edit(instructions, "English", "Chinese", if_version=1, update_by="coder")

    assert (done.source.version, done.source.update_by, done.revision) == (2, "coder", 2)
    assert await text_of(instructions, ADA, PATH) == "- answer in Chinese\n- 使用空格\n"


async def test_an_edit_may_name_a_passage_as_the_block_shows_it(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "- Keep ＜/agent_memory> out of answers.\n")
    block = (await load(instructions, (ADA, PATH))).block
    shown = next(line for line in block.splitlines() if line.startswith("- Keep"))

    await edit(instructions, shown, shown.replace("answers", "mails"))

    assert shown == "- Keep ‹/agent_memory> out of answers."
    assert await text_of(instructions, ADA, PATH) == "- Keep ＜/agent_memory> out of mails.\n"


async def test_edits_that_cannot_be_made_are_refused_and_change_nothing(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "- tabs\n- tabs\n")
    cases = {
        "": ("x", "INVALID_FIELD"),
        "spaces": ("x", "EDIT_NOT_FOUND"),
        "tabs": ("x", "EDIT_AMBIGUOUS"),
        "- tabs\n- tabs": ("- tabs\n- tabs", "INVALID_FIELD"),
    }

    told = {old: await refused(edit(instructions, old, new)) for old, (new, _) in cases.items()}

    assert {old: no.reason for old, no in told.items()} == {old: why for old, (_, why) in cases.items()}
    assert told["tabs"].metadata["matches"] == "2"
    assert (told[""].fields, told["- tabs\n- tabs"].fields) == (("old_text",), ("new_text",))
    history = await instructions.ListVersions(pb.ListVersionsRequest(owner=ADA, path=PATH))
    assert (len(history.versions), history.revision) == (1, 1)


async def test_an_edit_of_a_version_that_was_replaced_is_refused(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "- tabs\n")
    await put(instructions, ADA, PATH, "- tabs\n- short lines\n")

    no = await refused(edit(instructions, "tabs", "spaces", if_version=1))

    assert (no.code, no.reason) == (grpc.StatusCode.ABORTED, "STALE_REVISION")
    assert no.metadata == {"expected": "1", "actual": "2"}


async def test_of_a_hundred_edits_of_one_version_one_wins(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "nobody's")

    ended = await asyncio.gather(
        *(edit(instructions, "nobody's", f"number {n}'s", if_version=1) for n in range(100)),
        return_exceptions=True,
    )

    won = [each for each in ended if isinstance(each, pb.EditSourceResponse)]
    assert len(won) == 1
    assert await text_of(instructions, ADA, PATH) != "nobody's"
    assert {each.code() for each in ended if isinstance(each, grpc.aio.AioRpcError)} == {
        grpc.StatusCode.ABORTED
    }


async def test_a_repeated_request_gives_the_first_answer_and_changes_nothing(
    instructions: Instructions,
) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: put(instructions, ADA, PATH, "- tabs", request_id="put-1"),
        lambda: edit(instructions, "tabs", "spaces", request_id="edit-1"),
        lambda: instructions.DeleteSource(pb.DeleteSourceRequest(owner=ADA, path=PATH, request_id="del-1")),
    ]

    for call in calls:
        first, again = await call(), await call()
        assert not first.replayed
        assert again.replayed
        again.replayed = False
        assert again == first

    no = await refused(put(instructions, ADA, PATH, "other", request_id="put-1"))
    assert no.reason == "REQUEST_ID_REUSED"


# ---- bounds ----


@pytest.mark.slow
async def test_a_text_that_is_too_long_is_refused_and_never_cut() -> None:
    async with serving(limits={"source_characters": 10}) as small:
        stub = InstructionsStub(small.channel)
        await put(stub, ADA, PATH, "字" * 10)
        too_long = await refused(put(stub, ADA, "b.md", "字" * 11))
        grown = await refused(edit(stub, "字" * 10, "字" * 11))

        assert {no.reason for no in (too_long, grown)} == {"LIMIT_REACHED"}
        assert too_long.quota == ("source_characters",)
        assert await text_of(stub, ADA, PATH) == "字" * 10


@pytest.mark.slow
async def test_an_owner_has_so_many_documents_and_a_document_so_many_versions() -> None:
    async with serving(limits={"sources_per_owner": 2, "versions_per_source": 3}) as small:
        stub = InstructionsStub(small.channel)
        for path in ("a.md", "b.md"):
            await put(stub, ADA, path, "0")
        no = await refused(put(stub, ADA, "c.md", "0"))
        for number in range(1, 6):
            await put(stub, ADA, "a.md", str(number))

        history = await stub.ListVersions(pb.ListVersionsRequest(owner=ADA, path="a.md"))

        assert (no.reason, no.quota) == ("LIMIT_REACHED", ("sources_per_owner",))
        assert [each.version for each in history.versions] == [6, 5, 4]


async def test_a_run_has_so_many_references() -> None:
    async with serving(limits={"references_per_run": 2}) as small:
        stub = InstructionsStub(small.channel)
        await load(stub, (ADA, "a.md"), (ADA, "b.md"), run_id="r1")

        no = await refused(load(stub, (ADA, "c.md"), run_id="r1"))
        again = await load(stub, (ADA, "b.md"), run_id="r1")

        assert (no.reason, no.quota) == ("LIMIT_REACHED", ("references_per_run",))
        assert len(again.missing) == 1


@pytest.mark.slow
async def test_sixty_four_documents_of_the_largest_size_load_at_once(instructions: Instructions) -> None:
    for number in range(64):
        await put(instructions, WEB, f"{number:02}.md", "字" * 65_536)

    loaded = await load(instructions, *((WEB, f"{n:02}.md") for n in range(64)), include_text=True)

    assert len(loaded.sources) == 64
    assert loaded.block.count("字") == 64 * 65_536
    assert loaded.tokens > 64 * 65_536


# ---- deletion ----


async def test_a_deleted_document_is_gone_with_its_versions_and_comes_back_under_new_numbers(
    instructions: Instructions,
) -> None:
    await put(instructions, ADA, PATH, "one")
    await put(instructions, ADA, PATH, "two")

    gone = await instructions.DeleteSource(pb.DeleteSourceRequest(owner=ADA, path=PATH, if_version=2))
    no = await refused(instructions.GetSource(pb.GetSourceRequest(owner=ADA, path=PATH, version=1)))
    back = await put(instructions, ADA, PATH, "three", if_version=0)

    assert gone.versions == 2
    assert no.reason == "SOURCE_NOT_FOUND"
    assert back.source.version == 3
    for request in (
        pb.DeleteSourceRequest(owner=ADA, path="other.md"),
        pb.DeleteSourceRequest(owner=WEB, path=PATH),
    ):
        assert (await refused(instructions.DeleteSource(request))).reason == "SOURCE_NOT_FOUND"
    stale = await refused(
        instructions.DeleteSource(pb.DeleteSourceRequest(owner=ADA, path=PATH, if_version=2))
    )
    assert stale.reason == "STALE_REVISION"


# ---- loading ----


async def test_documents_load_in_the_order_asked_for_and_the_missing_are_named(
    instructions: Instructions,
) -> None:
    await put(instructions, ADA, PATH, "- 回复使用中文")
    await put(instructions, WEB, "web/b.md", "second")
    await put(instructions, WEB, "web/a.md", "first")

    loaded = await load(instructions, (WEB, ""), (ADA, "absent.md"), (ADA, PATH), (CODER, ""))

    assert [(source.owner, source.path) for source in loaded.sources] == [
        (WEB, "web/a.md"),
        (WEB, "web/b.md"),
        (ADA, PATH),
    ]
    assert [(each.ref.owner, each.ref.path) for each in loaded.missing] == [(ADA, "absent.md"), (CODER, "")]
    assert {each.reason for each in loaded.missing} == {pb.MISSING_REASON_NOT_FOUND}
    assert loaded.block.startswith("<agent_memory>\nweb/a.md\n\nfirst\n\nweb/b.md\n\nsecond\n\n~/.agents")
    assert "<memory_guidelines>" in loaded.block
    assert [source.text for source in loaded.sources] == ["", "", ""]
    assert dict(loaded.revisions) == {"instructions/user/ada": 1, "instructions/project/web": 2}
    assert not loaded.HasField("run_time")


async def test_a_document_that_is_named_twice_in_two_ways_loads_once(instructions: Instructions) -> None:
    await put(instructions, ADA, "a.md", "a")
    await put(instructions, ADA, "b.md", "b")

    loaded = await load(instructions, (ADA, "b.md"), (ADA, ""))

    assert [source.path for source in loaded.sources] == ["b.md", "a.md"]


async def test_a_block_over_the_budget_is_refused_and_never_cut(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "word " * 1_000)
    whole = await load(instructions, (ADA, PATH))

    no = await refused(load(instructions, (ADA, PATH), token_budget=whole.tokens - 1))

    assert (no.code, no.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BUDGET_TOO_SMALL")
    assert no.metadata["needed"] == str(whole.tokens)
    assert (await load(instructions, (ADA, PATH), token_budget=whole.tokens)).block == whole.block


# ---- runs ----


async def test_a_run_sees_what_it_loaded_first_and_the_next_run_sees_the_edit(
    instructions: Instructions,
) -> None:
    await put(instructions, ADA, PATH, "- answer in English")
    first = await load(instructions, (ADA, PATH), user="ada", run_id="r1")
    await edit(instructions, "English", "Chinese")

    same = await load(instructions, (ADA, PATH), user="ada", run_id="r1")
    following = await load(instructions, (ADA, PATH), user="ada", run_id="r2")

    assert (same.block, same.sources, same.run_time) == (first.block, first.sources, first.run_time)
    assert "English" in first.block
    assert "Chinese" in following.block
    assert (await load(instructions, (ADA, PATH))).block == following.block


async def test_a_refresh_moves_the_run_to_the_newest_versions(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "- answer in English")
    first = await load(instructions, (ADA, PATH), run_id="r1")
    await edit(instructions, "English", "Chinese")

    fresh = await load(instructions, (ADA, PATH), run_id="r1", refresh=True)
    after = await load(instructions, (ADA, PATH), run_id="r1")

    assert "Chinese" in fresh.block
    assert after.block == fresh.block
    assert first.run_time.ToDatetime() < fresh.run_time.ToDatetime()
    assert after.run_time == fresh.run_time


async def test_what_was_missing_when_a_run_began_stays_missing_in_it(instructions: Instructions) -> None:
    await load(instructions, (ADA, PATH), run_id="r1")
    await put(instructions, ADA, PATH, "- 迟到")

    same = await load(instructions, (ADA, PATH), run_id="r1")

    assert [each.ref.path for each in same.missing] == [PATH]
    assert "迟到" not in same.block


async def test_a_document_that_is_deleted_is_missing_in_runs_that_had_loaded_it(
    instructions: Instructions,
) -> None:
    await put(instructions, ADA, PATH, "- 旧的")
    await load(instructions, (ADA, ""), run_id="r1")
    await instructions.DeleteSource(pb.DeleteSourceRequest(owner=ADA, path=PATH))
    await put(instructions, ADA, PATH, "- 新的")

    same = await load(instructions, (ADA, ""), run_id="r1")

    assert [(each.ref.owner, each.ref.path) for each in same.missing] == [(ADA, PATH)]
    assert "旧的" not in same.block
    assert "新的" not in same.block


async def test_runs_of_the_same_id_are_apart_for_different_users(instructions: Instructions) -> None:
    await put(instructions, WEB, PATH, "one")
    await load(instructions, (WEB, PATH), user="ada", run_id="r1")
    await put(instructions, WEB, PATH, "two")

    others = await load(instructions, (WEB, PATH), user="ben", run_id="r1")

    assert "two" in others.block


async def test_of_loads_that_begin_a_run_together_all_see_the_same(instructions: Instructions) -> None:
    await put(instructions, ADA, PATH, "version 1")

    async def begin(number: int) -> str:
        if number % 3 == 0:
            await put(instructions, ADA, PATH, f"version {number}")
        return str((await load(instructions, (ADA, PATH), run_id="r1")).block)

    blocks = await asyncio.gather(*map(begin, range(30)))

    assert len(set(blocks)) == 1


async def test_a_load_that_must_see_a_revision_that_is_not_there_is_refused(
    instructions: Instructions,
) -> None:
    await put(instructions, ADA, PATH, "one")

    for key in ("instructions/user/ada", "run//r1"):
        no = await refused(load(instructions, (ADA, PATH), run_id="r1", min_revisions={key: 9}))
        assert (key, no.reason) == (key, "REVISION_NOT_REACHED")
