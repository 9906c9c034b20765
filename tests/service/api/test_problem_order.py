"""All that is wrong with a request, in the order of the contract."""

from collections.abc import Callable
from typing import Any

import pytest

from core.caller import EVERYONE, Caller
from memorybank.v1 import instructions_pb2, memory_bank_pb2, retrieval_pb2
from service.api.errors.transport import InvalidRequest
from service.api.from_proto.checks import checking, place_of
from service.api.from_proto.instructions import load_sources
from service.api.from_proto.retrieval import search


def problems(read: Callable[..., Any], request: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as caught:
        read(request, EVERYONE)
    return [(wrong.field, wrong.problem) for wrong in caught.value.violations]


def test_problems_come_in_the_order_in_which_the_contract_lists_the_fields() -> None:
    request = retrieval_pb2.SearchRequest(bank_id="-", text="\0", top_k=0, alpha=2, hops=9)
    request.keywords.extend(["", "right", "\0"])
    request.filter.labels["\0"] = "v"

    found = [field for field, _ in problems(search, request)]

    listed = [field.name for field in retrieval_pb2.SearchRequest.DESCRIPTOR.fields]
    heads = [field.split(".")[0].split("[")[0] for field in found]
    assert heads == sorted(heads, key=listed.index)
    assert {"bank_id", "keywords[0]", "keywords[2]", "alpha", "hops"} <= set(found)


def test_elements_come_by_their_number_not_by_their_digits() -> None:
    request = instructions_pb2.LoadSourcesRequest()
    for _ in range(11):
        request.refs.add(path="p")

    found = [field for field, problem in problems(load_sources, request) if problem.startswith("must have")]

    assert found == [f"refs[{n}].owner" for n in range(11)]


def test_a_problem_that_two_checks_find_is_told_once() -> None:
    def read(request: retrieval_pb2.SearchRequest, caller: Caller) -> None:
        with checking(caller, request) as check:
            for field in ("top_k", "bank_id", "top_k"):
                check.wrong(field, "must be given")

    found = problems(read, retrieval_pb2.SearchRequest())

    assert found == [("bank_id", "must be given"), ("top_k", "must be given")]


def test_a_part_that_is_no_field_and_the_keys_of_a_map_have_no_place() -> None:
    options = memory_bank_pb2.ImportOptions.DESCRIPTOR
    bank_id, request_id = (place_of(options, f"options.{name}") for name in ("bank_id", "request_id"))
    labels = memory_bank_pb2.CreateBankRequest.DESCRIPTOR

    assert (bank_id, request_id) == ((0,), (1,))
    assert place_of(labels, "labels") == place_of(labels, "labels[a.b]") == place_of(labels, "labels[7]")
