"""Requests of LongTerm about users as wholes."""

from core.caller import Caller
from core.keys import UserKey
from core.usecases.user.get_user import GetUser
from core.usecases.user.list_users import ListUsers
from core.usecases.user.quotas import KINDS
from core.usecases.user.update_user import UpdateUser
from core.usecases.whole_user.erase_mentions import EraseMentions
from core.usecases.whole_user.export_user import ExportUser
from core.usecases.whole_user.purge_user import PurgeUser
from memorybank.v1 import long_term_pb2 as pb
from service.api.from_proto.checks import NAME, Checks, checking

USER_FIELDS = ("enabled", "retention", "quotas")
MOST = 2**31
MOST_NAMES, SHORTEST_NAME = 20, 2


def get_user(request: pb.GetUserRequest, caller: Caller) -> GetUser:
    with checking(caller, request) as check:
        return GetUser(
            key=_key(check, caller, request.user, "user"), min_revision=check.min_revision(request)
        )


def list_users(request: pb.ListUsersRequest, caller: Caller) -> ListUsers:
    with checking(caller, request) as check:
        return ListUsers(
            tenant=caller.tenant,
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
        )


def update_user(request: pb.UpdateUserRequest, caller: Caller) -> UpdateUser:
    with checking(caller, request) as check:
        given = request.user
        retention = given.HasField("retention")
        for kind, most in sorted(given.quotas.items()):
            path = f"user.quotas[{kind[:NAME]}]"
            if kind not in KINDS:
                check.wrong(path, f"must be one of {', '.join(KINDS)}")
            elif not 0 <= most < MOST:
                check.wrong(path, f"must be 0 to {MOST - 1:,}")
        return UpdateUser(
            key=_key(check, caller, given.user, "user.user"),
            fields=check.mask("update_mask", request.update_mask, USER_FIELDS),
            enabled=given.enabled,
            retention=check.duration("user.retention", given.retention) if retention else None,
            quotas=dict(given.quotas),
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )


def purge_user(request: pb.PurgeUserRequest, caller: Caller) -> PurgeUser:
    with checking(caller, request) as check:
        check.request(request)
        return PurgeUser(key=_key(check, caller, request.user, "user"), include_banks=request.include_banks)


def erase_mentions(request: pb.EraseMentionsRequest, caller: Caller) -> EraseMentions:
    with checking(caller, request) as check:
        check.request(request)
        names = check.texts("mentions", request.mentions, MOST_NAMES, NAME)
        if not names:
            check.wrong("mentions", "must hold a name")
        for place, name in enumerate(names):
            if sum(map(str.isalnum, name)) < SHORTEST_NAME:
                check.wrong(f"mentions[{place}]", f"must have {SHORTEST_NAME} letters or digits at least")
        return EraseMentions(
            key=_key(check, caller, request.user, "user"),
            names=names,
            dry_run=request.dry_run,
        )


def export_user(request: pb.ExportUserRequest, caller: Caller) -> ExportUser:
    with checking(caller, request) as check:
        return ExportUser(
            key=_key(check, caller, request.user, "user"),
            omit_banks=request.omit_banks,
            min_revision=check.min_revision(request),
        )


def _key(check: Checks, caller: Caller, user: str, path: str) -> UserKey:
    return caller.user(check.text(path, user, NAME, least=1))
