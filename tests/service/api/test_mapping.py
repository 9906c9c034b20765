"""Messages are read and values rendered by name and type; a field that nothing says is an error, and all are made."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.caller import Caller
from core.keys import ConversationKey
from core.model.conversation import ConversationSettings
from core.ports.aggregates import CommitResult
from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import long_term_pb2
from service.api.errors.transport import InvalidRequest
from service.api.mapping.lines import Const
from service.api.mapping.reading import READERS, reading
from service.api.mapping.rendering import RENDERERS, UNSET, rendering, rendering_with
from service.api.services import SERVICES
from tests.oracles.refusals import NoMemory


@pytest.mark.parametrize("declared", RENDERERS, ids=lambda each: each[1])
def test_every_renderer_that_is_declared_can_be_made(declared: tuple[object, str]) -> None:
    assert callable(RENDERERS[declared].compiled())


@pytest.mark.parametrize("declared", READERS, ids=lambda each: each[1])
def test_every_reader_that_is_declared_can_be_made(declared: tuple[object, str]) -> None:
    assert callable(READERS[declared].compiled())


@pytest.mark.parametrize("service", SERVICES, ids=lambda each: each.SERVICE.name)
def test_a_service_has_a_row_for_each_of_its_rpcs_and_what_a_row_leaves_out_can_be_made(service: Any) -> None:
    house: Any = NoMemory()

    for row in service.ROWS:
        row.endpoint(house, service.SERVICE.methods_by_name[row.name])

    assert sorted(row.name for row in service.ROWS) == sorted(service.SERVICE.methods_by_name)
    made: list[Any] = [*READERS.values(), *RENDERERS.values()]
    assert all(callable(each.compiled()) for each in made)


@dataclass(frozen=True, kw_only=True)
class Renames:
    key: ConversationKey
    key_id: str
    text: str
    writer: str
    note: str = "none"


ANY_CALLER = Caller.local()


def test_a_command_s_field_comes_from_the_request_from_the_caller_or_from_a_message_within() -> None:
    read = reading(Renames, pb.UpdateKeyRequest, note=Const("路"))
    request = pb.UpdateKeyRequest(user="ada", conversation_id="c1", key_id="k1", key=pb.Key(text="t"))

    command = read(request, ANY_CALLER)

    assert command.key == ANY_CALLER.conversation("ada", "c1")
    assert (command.key_id, command.text, command.writer, command.note) == ("k1", "t", "", "路")
    del READERS[Renames, "memorybank.v1.UpdateKeyRequest"]


def test_what_the_contract_s_rules_refuse_is_refused_also_of_fields_that_no_command_has() -> None:
    read = reading(Renames, pb.UpdateKeyRequest)
    request = pb.UpdateKeyRequest(key_id="-", key=pb.Key(text="字" * 1_001), if_revision=-1)

    with pytest.raises(InvalidRequest) as refused:
        read(request, ANY_CALLER)

    fields = [each.field for each in refused.value.violations]
    assert fields == ["user", "conversation_id", "key_id", "key.text", "if_revision"]
    del READERS[Renames, "memorybank.v1.UpdateKeyRequest"]


@dataclass(frozen=True, kw_only=True)
class Numbered:
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Silent:
    colour: str


def test_a_field_that_no_message_says_and_one_of_another_type_are_errors() -> None:
    silent = reading(Silent, long_term_pb2.StoreEpisodeRequest)
    other = reading(Numbered, long_term_pb2.StoreEpisodeRequest)

    with pytest.raises(TypeError, match=r"colour is in no field"):
        silent.compiled()
    with pytest.raises(TypeError, match=r"steps is of another type"):
        other.compiled()
    for command in (Silent, Numbered):
        del READERS[command, "memorybank.v1.StoreEpisodeRequest"]


@dataclass(frozen=True)
class Named:
    key_id: str
    text: str
    create_time: datetime


def test_a_field_comes_from_its_name_from_within_or_from_its_line() -> None:
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    left = dict.fromkeys(("type", "from_steps", "update_time", "event_time", "shown_time"), UNSET)
    render = rendering(CommitResult[Named], pb.Key, cluster_id=lambda done: done.result.text * 2, **left)

    made = render(CommitResult(result=Named(key_id="k1", text="路", create_time=moment), revision=7))

    assert (made.key_id, made.text, made.revision, made.cluster_id) == ("k1", "路", 7, "路路")
    assert made.create_time.ToDatetime(UTC) == moment
    assert not made.HasField("event_time")
    del RENDERERS[CommitResult[Named], "memorybank.v1.Key"]


@dataclass(frozen=True)
class Perhaps:
    named: Named | None
    revision: int = 3


def test_what_a_value_within_has_stays_unset_where_there_is_none_and_lines_take_what_stands_beside() -> None:
    left = dict.fromkeys(("type", "from_steps", "update_time", "event_time", "shown_time"), UNSET)
    render = rendering_with(
        Perhaps, pb.Key, cluster_id=lambda value, beside: f"c{value.revision}{beside}", **left
    )

    whole = render(Perhaps(Named(key_id="k1", text="路", create_time=datetime(2024, 5, 1, tzinfo=UTC))), "-")
    bare = render(Perhaps(None), "路")

    assert (whole.key_id, whole.text, whole.cluster_id) == ("k1", "路", "c3-")
    assert bare == pb.Key(revision=3, cluster_id="c3路")
    del RENDERERS[Perhaps, "memorybank.v1.Key"]


def test_what_is_none_stays_unset_and_a_zero_is_set() -> None:
    render = rendering(ConversationSettings, pb.ConversationSettings)

    made = render(ConversationSettings(top_clusters=0, idle_timeout=timedelta(seconds=90)))

    assert (made.HasField("top_clusters"), made.HasField("short_turns")) == (True, False)
    assert made.idle_timeout.seconds == 90


def test_a_field_that_nothing_says_and_a_line_for_no_field_are_errors() -> None:
    silent = rendering(Named, pb.Key)
    astray = rendering(Named, pb.DeleteKeyResponse, nothing=UNSET)

    with pytest.raises(TypeError, match=r"Key\.type is in no field"):
        silent(Named(key_id="", text="", create_time=datetime.now(UTC)))
    with pytest.raises(TypeError, match="has no nothing"):
        astray(Named(key_id="", text="", create_time=datetime.now(UTC)))
    for name in ("Key", "DeleteKeyResponse"):
        del RENDERERS[Named, f"memorybank.v1.{name}"]
