"""What `memorybank doctor` says of a server, and of what it should be looked at for."""

import json
from typing import Any

import pytest

from memorybank.v1 import operations_pb2 as pb
from service.cli.doctor import problems_of
from tests.support.shell import Shell

GIB = 2**30


def info(**changed: Any) -> pb.GetServerInfoResponse:
    made = pb.GetServerInfoResponse(version="1", disk_free_bytes=50 * GIB, database_bytes=GIB)
    made.server_time.FromSeconds(100_000)
    made.start_time.FromSeconds(90_000)
    for name, value in changed.items():
        if name.endswith("_time"):
            getattr(made, name).FromSeconds(value)
        else:
            setattr(made, name, value)
    return made


def test_a_server_is_shown_with_what_it_holds(shell: Shell) -> None:
    shell.done("remember", "The ferry leaves at nine. 渡轮九点开。")

    shown = shell("doctor")
    told = json.loads(shell("doctor", "--json").out)

    assert shown.exit_code == 0, shown.out + shown.err
    assert "sqlite, schema" in shown.out
    assert "bank" in shown.out
    assert int(told["info"]["memories"]["bank"]) >= 1
    assert told["problems"] == []


def test_nothing_is_said_of_what_is_well() -> None:
    assert list(problems_of(info(oldest_due_time=99_900, oldest_unstructured_time=99_900), "1")) == []
    assert list(problems_of(info(disk_free_bytes=2 * GIB), "1")) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"version": "2"}, "the server is version 2, this command 1"),
        ({"oldest_due_time": 92_800}, "waits for 2 hours"),
        ({"oldest_unstructured_time": 99_000}, "has not been sorted into topics for 16 minutes"),
        ({"overdue_retractions": 3}, "3 retractions neither released nor erased"),
        ({"full_collections": 1}, "1 collection full: what is learned finds no room"),
        ({"unshown_keys": 2}, "2 keys of conversations that no context has shown for 30 days"),
        ({"unused_api_keys": 2}, "2 API keys unused for 30 days"),
        ({"disk_free_bytes": GIB - 1}, "the disk has 1.1 GB left"),
        ({"disk_free_bytes": 10 * GIB, "database_bytes": 60 * GIB}, "the disk has 10.7 GB left"),
    ],
)
def test_what_is_amiss_is_said_in_a_sentence(changed: dict[str, Any], told: str) -> None:
    (problem,) = problems_of(info(**changed), "1")

    assert told in problem


def test_a_disk_that_is_not_told_of_is_not_full() -> None:
    made = info()
    made.ClearField("disk_free_bytes")

    assert list(problems_of(made, "1")) == []
