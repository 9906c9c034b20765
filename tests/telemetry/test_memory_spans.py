"""The words of memory spans are the conventions', and no method of the contract is without its word."""

import json
from pathlib import Path

import pytest
from google.protobuf.message import Message

from memorybank.v1 import conversation_pb2, long_term_pb2, memory_bank_pb2, query_graph_pb2, retrieval_pb2
from service.process.memory_spans import NONE, OPERATIONS, record_id, store_id
from tests.protos.test_contract import METHODS, is_read

WORDS = json.loads((Path(__file__).parent / "memory_spans.json").read_text(encoding="utf-8"))


def test_each_method_that_writes_is_an_operation_of_the_conventions_or_none_of_them() -> None:
    writing = {method.name for method in METHODS if not is_read(method)}

    assert writing <= set(OPERATIONS) | NONE <= {method.name for method in METHODS}
    assert not set(OPERATIONS) & NONE
    assert set(OPERATIONS.values()) == set(WORDS["operations"])


@pytest.mark.parametrize(
    ("request_", "store", "record"),
    [
        (retrieval_pb2.SearchRequest(bank_id="b1", text="where?"), "b1", ""),
        (query_graph_pb2.DeleteNodeRequest(bank_id="b1", node_id="n1"), "b1", "n1"),
        (conversation_pb2.AddTurnsRequest(user="ada", conversation_id="c1"), "c1", ""),
        (long_term_pb2.StoreFactRequest(user="ada", collection="work"), "work", ""),
        (long_term_pb2.StoreFactRequest(user="ada"), "", ""),
        (
            memory_bank_pb2.UploadAttachmentRequest(
                header=memory_bank_pb2.UploadAttachmentHeader(bank_id="b1")
            ),
            "b1",
            "",
        ),
    ],
)
def test_a_memory_is_named_and_no_user(request_: Message, store: str, record: str) -> None:
    assert (store_id(request_), record_id(request_)) == (store, record)
