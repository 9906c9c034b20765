"""Values are rendered by name and type; a field that nothing says is an error, and every declared renderer is made."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from core.model.conversation import ConversationSettings
from core.ports.aggregates import CommitResult
from memorybank.v1 import conversation_pb2 as pb
from service.api import services  # noqa: F401  declares them all
from service.api.mapping import RENDERERS, UNSET, rendering


@pytest.mark.parametrize("declared", RENDERERS, ids=lambda each: each[1])
def test_every_renderer_that_is_declared_can_be_made(declared: tuple[object, str]) -> None:
    assert callable(RENDERERS[declared].compiled())


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
