"""Users over the wire: memory switched off and on, and removed whole."""

from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import instructions_pb2, memory_bank_pb2
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1.instructions_pb2_grpc import InstructionsStub
from tests.support.server import Service, refused

ADA = "王明"
BY_NAME: dict[str, Any] = {"user": ADA}
FACT = {"collection": "work", "content": "The ferry leaves at nine from pier 3."}


async def store(service: Service, **who: Any) -> None:
    await service.long_term.StoreFact(pb.StoreFactRequest(**(BY_NAME | FACT | who)))


async def found(service: Service) -> int:
    asked = pb.RetrieveFactsRequest(user=ADA, collection="work", query="When does the ferry leave?")
    return len((await service.long_term.RetrieveFacts(asked)).facts)


async def switch(service: Service, *, enabled: bool) -> pb.UpdateUserResponse:
    asked = pb.UpdateUserRequest(
        user=pb.User(user=ADA, enabled=enabled), update_mask=FieldMask(paths=["enabled"])
    )
    answer: pb.UpdateUserResponse = await service.long_term.UpdateUser(asked)
    return answer


async def test_a_user_appears_with_the_first_write_and_is_counted(service: Service) -> None:
    unknown = await refused(service.long_term.GetUser(pb.GetUserRequest(user=ADA)))
    assert (unknown.code, unknown.reason) == (grpc.StatusCode.NOT_FOUND, "USER_NOT_FOUND")

    await store(service)

    seen = await service.long_term.GetUser(pb.GetUserRequest(user=ADA))
    assert (seen.user.user, seen.user.enabled, dict(seen.counts)) == ("王明", True, {"collection": 1})


async def test_memory_switched_off_takes_nothing_and_shows_nothing_until_it_is_on(service: Service) -> None:
    await store(service)

    await switch(service, enabled=False)
    off = await refused(store(service, content="The ferry leaves at ten."))
    hidden = await found(service)
    await switch(service, enabled=True)

    assert (off.code, off.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "MEMORY_OFF")
    assert (hidden, await found(service)) == (0, 1)


async def test_a_purge_takes_what_the_user_has_and_leaves_others_theirs(service: Service) -> None:
    await store(service)
    await store(service, user="bob")
    owner = instructions_pb2.Owner(user=ADA)
    await InstructionsStub(service.channel).PutSource(
        instructions_pb2.PutSourceRequest(owner=owner, path="AGENTS.md", text="- 用中文回答")
    )
    await service.bank.CreateBank(memory_bank_pb2.CreateBankRequest(bank_id="trip", user=ADA))

    purged = await service.long_term.PurgeUser(pb.PurgeUserRequest(user=ADA, include_banks=True))
    again = await service.long_term.PurgeUser(pb.PurgeUserRequest(user=ADA, include_banks=True))

    assert {"collection": 1, "bank": 1}.items() <= dict(purged.aggregates).items()
    assert again == pb.PurgeUserResponse()
    assert await found(service) == 0
    assert (await service.long_term.GetUser(pb.GetUserRequest(user="bob"))).counts["collection"] == 1
    gone = await refused(service.bank.GetBank(memory_bank_pb2.GetBankRequest(bank_id="trip")))
    assert gone.reason == "BANK_NOT_FOUND"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (pb.UpdateUserRequest(user=pb.User(user="")), "user.user"),
        (pb.UpdateUserRequest(user=pb.User(user="x" * 129)), "user.user"),
        (pb.UpdateUserRequest(user=pb.User(user=ADA)), "update_mask"),
        (pb.UpdateUserRequest(user=pb.User(user=ADA), update_mask=FieldMask(paths=["name"])), "update_mask"),
        (
            pb.UpdateUserRequest(
                user=pb.User(user=ADA, retention=Duration(seconds=-1)),
                update_mask=FieldMask(paths=["retention"]),
            ),
            "user.retention",
        ),
        (
            pb.UpdateUserRequest(
                user=pb.User(user=ADA, quotas={"bank": 3}), update_mask=FieldMask(paths=["quotas"])
            ),
            "user.quotas[bank]",
        ),
        (
            pb.UpdateUserRequest(
                user=pb.User(user=ADA, quotas={"collection": -1}), update_mask=FieldMask(paths=["quotas"])
            ),
            "user.quotas[collection]",
        ),
    ],
)
async def test_what_cannot_be_accepted_is_named(
    service: Service, asked: pb.UpdateUserRequest, field: str
) -> None:
    refusal = await refused(service.long_term.UpdateUser(asked))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert field in refusal.fields


async def test_users_are_listed_by_name_page_by_page(service: Service) -> None:
    for user in ("bob", "艾达", "ada", "eve"):
        await service.long_term.StoreFact(pb.StoreFactRequest(user=user, content="Tea is hot."))
    await service.long_term.UpdateUser(
        pb.UpdateUserRequest(user=pb.User(user="eve"), update_mask=FieldMask(paths=["enabled"]))
    )

    first = await service.long_term.ListUsers(pb.ListUsersRequest(page_size=3))
    rest = await service.long_term.ListUsers(
        pb.ListUsersRequest(page_size=3, page_token=first.next_page_token)
    )

    listed = [*first.users, *rest.users]
    assert sorted(one.user for one in listed) == ["ada", "bob", "eve", "艾达"]
    assert [one.user for one in listed if not one.enabled] == ["eve"]
    assert all(one.revision for one in listed)
    assert not rest.next_page_token
