"""Answers of LongTerm about users as wholes."""

from core.model.user import UserRecord, UserState
from core.ports.aggregates import CommitResult
from core.usecases.user.get_user import UserSeen
from core.usecases.user.list_users import UsersListed
from core.usecases.whole_user.erase_mentions import MentionsErased
from core.usecases.whole_user.import_user import UserImported
from core.usecases.whole_user.purge_user import UserPurged
from memorybank.v1 import long_term_pb2 as pb
from service.api.to_proto.values import time

STATES = {
    UserState.ACTIVE: pb.USER_STATE_ACTIVE,
    UserState.IMPORTING: pb.USER_STATE_IMPORTING,
    UserState.PURGING: pb.USER_STATE_PURGING,
}


def get_user(seen: UserSeen) -> pb.GetUserResponse:
    return pb.GetUserResponse(
        user=_user(seen.record, seen.revision), counts=dict(seen.counts), revision=seen.revision
    )


def list_users(listed: UsersListed) -> pb.ListUsersResponse:
    return pb.ListUsersResponse(
        users=[_user(record, revision) for record, revision in listed.users],
        next_page_token=listed.next_page_token,
    )


def update_user(done: CommitResult[UserRecord]) -> pb.UpdateUserResponse:
    return pb.UpdateUserResponse(
        user=_user(done.result, done.revision), revision=done.revision, replayed=done.replayed
    )


def purge_user(done: UserPurged) -> pb.PurgeUserResponse:
    return pb.PurgeUserResponse(
        aggregates=dict(done.aggregates), rows=dict(done.rows), revision=done.revision
    )


def import_user(done: CommitResult[UserImported]) -> pb.ImportUserResponse:
    return pb.ImportUserResponse(
        aggregates=dict(done.result.aggregates),
        rows=dict(done.result.rows),
        revision=done.revision,
        replayed=done.replayed,
    )


def erase_mentions(done: MentionsErased) -> pb.EraseMentionsResponse:
    return pb.EraseMentionsResponse(
        turns=done.turns,
        keys=done.keys,
        summaries=done.summaries,
        records=done.records,
        reflections=done.reflections,
        feedback=done.feedback,
        interactions=done.interactions,
        left=done.left,
    )


def _user(record: UserRecord, revision: int) -> pb.User:
    made = pb.User(
        user=record.user,
        enabled=record.enabled,
        state=STATES[record.state],
        create_time=time(record.create_time),
        update_time=time(record.update_time),
        revision=revision,
        quotas=dict(record.quotas),
        tokens_spent=record.tokens_spent,
    )
    if record.retention is not None:
        made.retention.FromTimedelta(record.retention)
    return made
