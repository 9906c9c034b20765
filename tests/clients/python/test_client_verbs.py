"""The table of verbs against the contract, and what a user's type checker makes of it."""

import pydoc
import re
from datetime import datetime
from importlib.resources import files
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from mypy import api

from memorybank_client import MemoryBankClient, SyncMemoryBankClient
from memorybank_client.revisions import Revisions
from memorybank_client.verbs import METHODS, Verbs

SETTINGS = Path(__file__).parents[3] / "pyproject.toml"

NAIVE = datetime(2024, 5, 1, 9)  # noqa: DTZ001  a naive one is the point

USER = """
from memorybank_client import MemoryBankClient, SyncMemoryBankClient, vector

async def asynchronous(client: MemoryBankClient) -> None:
    reveal_type(await client.search(bank_id="b", text="t", top_k=3, embedding=vector([1.0])))
    reveal_type(await client.upload_attachment(b"", bank_id="b"))
    async for change in client.watch_bank(bank_id="b"):
        reveal_type(change)
    async for news in client.memorize_stream(["a"], bank_id="b", source="s"):
        reveal_type(news)

def synchronous(client: SyncMemoryBankClient) -> None:
    reveal_type(client.within(3).search(bank_id="b"))
    reveal_type(client.upload_attachment(open("f", "rb"), bank_id="b"))
    for change in client.watch_bank(bank_id="b"):
        reveal_type(change)
    client.search(bank_id=3)
    client.search(bank="b")
    client.memorize_stream([b"a"], bank_id="b")
"""


def test_each_rpc_of_the_contract_has_its_verb_and_shape() -> None:
    contract = FileDescriptorSet.FromString(files("memorybank.v1").joinpath("memorybank.binpb").read_bytes())

    rpcs = {
        f"/{file.package}.{service.name}/{rpc.name}": (rpc.client_streaming, rpc.server_streaming)
        for file in contract.file
        if file.package == "memorybank.v1"
        for service in file.service
        for rpc in service.method
    }

    assert {method.path: (method.streams_up, method.streams_down) for method in METHODS} == rpcs


def test_each_verb_is_named_for_its_rpc() -> None:
    names = {name: shape.method.name for name, shape in vars(Verbs).items() if hasattr(shape, "method")}

    assert {re.sub(r"(?<!^)(?=[A-Z])", "_", rpc).lower() for rpc in names.values()} == set(names)


def test_help_shows_what_a_verb_takes_and_what_the_contract_says_of_it() -> None:
    shown = pydoc.plain(pydoc.render_doc(MemoryBankClient.search))

    assert "bank_id: 'string'" in shown
    assert "-> 'SearchResponse'" in shown
    assert "Finds nodes or segments by words, meaning or both" in shown
    assert "How many hits at most, 1 to 1,000. Absent: the bank's." in shown


def test_help_speaks_of_every_field_of_every_verb() -> None:
    for name, shape in vars(Verbs).items():
        if hasattr(shape, "method"):
            told = pydoc.plain(pydoc.render_doc(getattr(MemoryBankClient, name)))
            fields = shape.method.header.DESCRIPTOR.fields
            missing = [
                field.name for field in fields if not re.search(rf"^ +{field.name}: .*\n +\S", told, re.M)
            ]
            assert missing == [], name


def test_a_keyword_that_is_no_field_is_a_type_error_that_names_what_was_meant() -> None:
    with (
        SyncMemoryBankClient("127.0.0.1:1") as client,
        pytest.raises(
            TypeError, match=r"search\(\) got an unexpected keyword argument 'topk': did you mean 'top_k'\?"
        ),
    ):
        client.search(bank_id="trip", text="ferry", topk=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"tetx": "a"}, r"unexpected keyword argument 'tetx': did you mean 'text'\?"),
        ({"task": {"typ": "SEARCH"}}, r"unexpected field task\.typ: did you mean 'type'\?"),
        (
            {"messages": [{"text": "a"}, {"tex": "b"}]},
            r"unexpected field messages\[1\]\.tex: did you mean 'text'\?",
        ),
        ({"bank_id": 5}, r"cannot take bank_id=5, a int"),
        ({"event_time": "2024-05-01"}, r"cannot take event_time='2024-05-01', a str"),
        ({"event_time": NAIVE}, r"cannot take event_time=2024-05-01 09:00:00: give it a time zone"),
        ({"messages": [{"text": "a", "event_time": NAIVE}]}, r"messages\[0\]\.event_time=2024-05-01"),
        ({"text": "half an emoji \ud83d"}, r"cannot take text='half an emoji \\ud83d', a str"),
        ({"messages": 5}, r"messages=5: they are a list"),
        ({"messages": [{"role": "user", "content": 5}]}, r"messages\[0\], which is no message of a chat API"),
        ({"messages": [{"content": "a", "tool_calls": ["b"]}]}, r"messages\[0\], which is no message"),
    ],
)
def test_what_cannot_be_a_request_is_a_type_error_that_names_its_field(
    fields: dict[str, object], named: str
) -> None:
    client = SyncMemoryBankClient("127.0.0.1:1")

    with client, pytest.raises(TypeError, match=rf"memorize\(\) .*{named}"):
        client.memorize(**fields)  # type: ignore[arg-type]


def test_arguments_have_names() -> None:
    with SyncMemoryBankClient("127.0.0.1:1") as client, pytest.raises(TypeError, match=r"search\(bank_id=…"):
        client.search("ferry")  # type: ignore[call-arg]


@pytest.mark.slow
def test_a_users_type_checker_knows_arguments_and_responses(tmp_path: Path) -> None:
    program = tmp_path / "user.py"
    program.write_text(USER)

    said, problems, _ = api.run(
        ["--strict", "--config-file", str(SETTINGS), "--no-error-summary", str(program)]
    )

    assert problems == ""
    revealed = re.findall(r'Revealed type is "[\w.]*?(\w+)"', said)
    assert revealed == [
        "SearchResponse",
        "UploadAttachmentResponse",
        "WatchBankResponse",
        "MemorizeStreamResponse",
        "SearchResponse",
        "UploadAttachmentResponse",
        "WatchBankResponse",
    ]
    assert re.findall(r"error: .*\[(.*)\]", said) == ["arg-type", "call-arg", "list-item"]


def test_revisions_only_grow_and_the_banks_seen_last_are_kept() -> None:
    revisions = Revisions(most=2)

    for bank_id, revision in (("a", 5), ("b", 1), ("a", 3), ("c", 1)):
        revisions.saw(bank_id, revision)

    assert [revisions.of(bank_id) for bank_id in "abc"] == [5, None, 1]


def test_a_number_that_no_field_holds_is_a_type_error_that_names_its_field() -> None:
    with (
        SyncMemoryBankClient("127.0.0.1:1") as client,
        pytest.raises(TypeError, match="cannot take alpha=1000"),
    ):
        client.search(bank_id="trip", text="ferry", alpha=10**400)
