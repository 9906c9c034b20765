"""Requests of LongTerm about users as wholes."""

from collections.abc import Mapping

from core.usecases.user.quotas import KINDS
from core.usecases.user.update_user import UpdateUser
from core.usecases.whole_user.erase_mentions import EraseMentions
from memorybank.v1 import long_term_pb2 as pb
from service.api.from_proto.checks import NAME, Checks
from service.api.mapping.lines import By
from service.api.mapping.reading import reading
from service.api.mapping.rules import greatest

MOST = greatest(pb.User, "quotas")
SHORTEST_NAME = 2


def quotas(check: Checks, field: str, values: Mapping[str, int]) -> dict[str, int]:
    """Reads how much a user may have, by kind."""
    for kind, most in sorted(values.items()):
        path = f"{field}[{kind[:NAME]}]"
        if kind not in KINDS:
            check.wrong(path, f"must be one of {', '.join(KINDS)}")
        elif not 0 <= most <= MOST:
            check.wrong(path, f"must be 0 to {MOST:,}")
    return dict(values)


update_user = reading(
    UpdateUser,
    pb.UpdateUserRequest,
    named=("enabled", "retention", "quotas"),
    quotas=By(quotas, "user.quotas"),
)


def _long_enough(check: Checks, request: pb.EraseMentionsRequest) -> None:
    if not request.mentions:
        check.wrong("mentions", "must hold a name")
    for place, name in enumerate(request.mentions):
        if sum(map(str.isalnum, name)) < SHORTEST_NAME:
            check.wrong(f"mentions[{place}]", f"must have {SHORTEST_NAME} letters or digits at least")


erase_mentions = reading(EraseMentions, pb.EraseMentionsRequest, _long_enough, names="mentions")
