"""The one step of a user."""

from dataclasses import dataclass

from core.aggregate.codec import StepCodec
from core.aggregate.step import Step
from core.model.user import UserRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPut(Step):
    """The user's record: at the first write for the user, and again when a setting changes."""

    record: UserRecord


STEPS: StepCodec[UserPut] = StepCodec(UserPut)
