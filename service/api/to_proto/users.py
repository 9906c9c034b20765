"""Answers of LongTerm about users as wholes."""

from core.model.user import UserRecord
from core.ports.aggregates import CommitResult
from core.usecases.user.get_user import UserSeen
from core.usecases.user.list_users import UsersListed
from core.usecases.whole_user.erase_mentions import MentionsErased
from core.usecases.whole_user.purge_user import UserPurged
from memorybank.v1 import long_term_pb2 as pb
from service.api.mapping.rendering import UNSET, rendering

_without_revision = rendering(UserRecord, pb.User, revision=UNSET)


def _user(value: UserRecord, revision: int) -> pb.User:
    made = _without_revision(value)
    made.revision = revision
    return made


get_user = rendering(UserSeen, pb.GetUserResponse, user=lambda seen: _user(seen.record, seen.revision))
list_users = rendering(
    UsersListed, pb.ListUsersResponse, users=lambda listed: [_user(*each) for each in listed.users]
)
update_user = rendering(
    CommitResult[UserRecord], pb.UpdateUserResponse, user=lambda done: _user(done.result, done.revision)
)
purge_user = rendering(UserPurged, pb.PurgeUserResponse, replayed=UNSET)
erase_mentions = rendering(MentionsErased, pb.EraseMentionsResponse, revision=UNSET, replayed=UNSET)
