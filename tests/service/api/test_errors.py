"""The one table of errors, held against core's classes and the contract's comments."""

import re
from pathlib import Path
from urllib.parse import quote

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]  # ships no types

from core import errors as core
from core.errors import (
    AgentUnavailable,
    BankNotFound,
    EmbeddingSpaceMismatch,
    InvalidField,
    MemoryBankError,
    StoreUnavailable,
    StructuringFailed,
)
from memorybank.v1 import errors_pb2
from service.api.errors import transport
from service.api.errors.rule import Rule
from service.api.errors.table import PREFIX, RULES
from service.api.errors.transport import InvalidRequest
from service.api.refusal import refusal_of

PROTO = Path(errors_pb2.__file__ or "").with_name("errors.proto").read_text(encoding="utf-8")


def classes(module: object) -> set[type[MemoryBankError]]:
    found = {value for value in vars(module).values() if isinstance(value, type)}
    return {c for c in found if issubclass(c, MemoryBankError) and c is not MemoryBankError}


def documented() -> dict[str, tuple[str, set[str]]]:
    """Code and metadata keys by reason, as the contract's comments have them."""
    found = {}
    for comment, name in re.findall(r"((?:  //[^\n]*\n)+)  ERROR_REASON_(\w+) = [1-9]", PROTO):
        text = " ".join(line.strip().removeprefix("//").strip() for line in comment.splitlines())
        said = text.partition("Metadata:")[2]
        keys = set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", said)))
        found[name] = (text.split()[0].rstrip("."), keys)
    return found


def test_every_error_has_its_rule() -> None:
    families = {core.AggregateNotFound, core.AggregateExists}  # each kind of memory has its own

    assert set(RULES) == (classes(core) - families) | classes(transport)


def test_every_reason_of_the_contract_is_given_by_some_error() -> None:
    given = {errors_pb2.ErrorReason.Name(rule.reason) for rule in RULES.values()}

    assert given == set(errors_pb2.ErrorReason.keys()) - {"ERROR_REASON_UNSPECIFIED"}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: errors_pb2.ErrorReason.Name(rule.reason))
def test_code_and_metadata_are_what_the_contract_says(rule: Rule) -> None:
    code, keys = documented()[errors_pb2.ErrorReason.Name(rule.reason).removeprefix(PREFIX)]

    assert (rule.code.name, set(rule.metadata)) == (code, keys)


def test_a_refusal_carries_the_whole_status() -> None:
    refusal = refusal_of(BankNotFound("b1"))

    status = status_pb2.Status.FromString(dict(refusal.trailers)["grpc-status-details-bin"])
    info = error_details_pb2.ErrorInfo()
    assert status.code == grpc.StatusCode.NOT_FOUND.value[0]
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain, dict(info.metadata)) == (
        "BANK_NOT_FOUND",
        "memorybank",
        {"bank_id": "b1"},
    )


def test_structuring_that_broke_a_budget_says_so_by_its_code_and_names_what_waits() -> None:
    spent = core.BudgetSpent(budget="budget.tokens_per_bank", spent=12, allowed=10)

    refusal = refusal_of(core.StructuringFailed("i1", spent, 7))

    status = status_pb2.Status.FromString(dict(refusal.trailers)["grpc-status-details-bin"])
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (refusal.code, info.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "STRUCTURING_FAILED")
    assert dict(info.metadata) == {
        "interaction_id": "i1",
        "cause": "BUDGET_SPENT",
        "revision": "7",
        "budget": "budget.tokens_per_bank",
        "spent": "12",
        "allowed": "10",
    }
    assert "grpc-retry-pushback-ms" not in dict(refusal.trailers)


@pytest.mark.parametrize(
    ("error", "setting"),
    [
        (core.BudgetSpent("budget.tokens_per_call", 12, 10), "budget.tokens_per_call"),
        (
            StructuringFailed("i1", core.BudgetSpent("budget.tokens_per_bank", 12, 10)),
            "budget.tokens_per_bank",
        ),
        (core.LimitReached("limits.nodes_per_bank", 10, "delete some"), "limits.nodes_per_bank"),
    ],
)
def test_a_bound_that_was_reached_is_a_quota_failure_that_names_the_setting(
    error: MemoryBankError, setting: str
) -> None:
    status = status_pb2.Status.FromString(dict(refusal_of(error).trailers)["grpc-status-details-bin"])

    failure = error_details_pb2.QuotaFailure()
    assert [detail.Unpack(failure) for detail in status.details].count(True) == 1
    assert [violation.subject for violation in failure.violations] == [setting]


def test_a_request_with_many_faults_names_them_all() -> None:
    faults = [InvalidField("top_k", "must be 1 to 1,000"), InvalidField("alpha", "must be 0 to 1")]

    refusal = refusal_of(InvalidRequest(faults))

    assert refusal.message == "top_k: must be 1 to 1,000; alpha: must be 0 to 1"


def test_what_can_be_tried_again_says_when() -> None:
    assert waits(StoreUnavailable("disk on fire")) == (1, None)
    assert waits(AgentUnavailable("judge", "timeout")) == (5, "5000")


def waits(error: MemoryBankError) -> tuple[int, str | bytes | None]:
    """Seconds of RetryInfo, and the push-back, which takes the place of the growing waits of clients."""
    trailers = dict(refusal_of(error).trailers)
    retry = error_details_pb2.RetryInfo()
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    assert [detail.Unpack(retry) for detail in status.details].count(True) == 1
    return retry.retry_delay.seconds, trailers.get("grpc-retry-pushback-ms")


def test_a_driver_s_message_stays_in_the_log() -> None:
    refusal = refusal_of(StoreUnavailable("disk on fire"))

    assert "fire" not in refusal.message
    assert b"fire" not in dict(refusal.trailers)["grpc-status-details-bin"]


def test_a_structuring_that_failed_names_its_interaction_and_is_not_to_be_repeated_blindly() -> None:
    failure = StructuringFailed("i1", AgentUnavailable("judge", "timeout"))

    refusal = refusal_of(failure)

    assert refusal.code is grpc.StatusCode.UNAVAILABLE
    assert "i1" in refusal.message
    assert "AGENT_UNAVAILABLE" in refusal.message
    assert dict(refusal.trailers)["grpc-retry-pushback-ms"] == "-1"


def test_a_space_that_no_field_can_mend_is_a_failed_precondition() -> None:
    refusal = refusal_of(EmbeddingSpaceMismatch("", "e5", "use"))

    assert refusal.code is grpc.StatusCode.FAILED_PRECONDITION


def test_a_status_fits_into_the_headers_whatever_the_values() -> None:
    refusal = refusal_of(InvalidRequest([InvalidField("字" * 5000, "错" * 5000)] * 50))

    details = dict(refusal.trailers)["grpc-status-details-bin"]
    assert len(details) * 4 / 3 + len(quote(refusal.message)) < 8192  # base64, and percent-encoding
