"""Nothing that a run tells is told a second time by its conversation."""

from core.context.repeating import told_once
from core.ids import ConversationId, InvocationId, RecordId
from core.model.record import Episode, Record, RecordKind
from tests.support.long_term import new

TALK = ConversationId("c1")


def an_episode(record_id: str, asked: str, *steps: str, run: str = "", talk: ConversationId = TALK) -> Record:
    told = Episode(goal=asked, steps=steps, outcome="booked")
    return new(
        asked,
        RecordKind.EPISODE,
        record_id=RecordId(record_id),
        conversation_id=talk,
        invocation_id=InvocationId(run),
        episode=told,
    )


RUN = an_episode("r1", "Book the\nferry", 'book {"ferry":7}', run="i1")
OTHER_RUN = an_episode("r2", "Find a hotel", 'search {"hotel":1}', run="i2")


def test_a_conversation_whose_only_run_is_an_episode_is_not_told_a_second_time() -> None:
    whole, older = (
        an_episode("r3", "Book the ferry", "Book the ferry"),
        an_episode("r4", "Ask", "Ask", "Wait"),
    )

    assert told_once([whole, RUN, older], 2) == [RUN, older]
    assert told_once([RUN, whole], 3) == [RUN]


def test_a_conversation_tells_what_no_run_beside_it_tells() -> None:
    whole = an_episode("r3", "Book the ferry", "Book the ferry", "Find a hotel")
    elsewhere = an_episode("r4", "Book the ferry", "Book the ferry", talk=ConversationId("c2"))

    assert told_once([whole, RUN, elsewhere], 3) == [whole, RUN, elsewhere]
    assert told_once([whole, RUN, OTHER_RUN], 2) == [whole, RUN]
    assert told_once([whole, RUN, OTHER_RUN], 3) == [RUN, OTHER_RUN]
