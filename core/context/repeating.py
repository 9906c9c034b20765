"""Episodes that a context would tell twice: a conversation's, whose runs are episodes themselves.

Law: pure. A conversation's episode goes only where those of all its runs stand.
"""

from collections.abc import Sequence

from core.context.lines import one_line
from core.ids import RecordId
from core.model.record import EPISODE_STEP, Record


def told_once(episodes: Sequence[Record], count: int) -> list[Record]:
    """Returns the first `count`, without those of conversations whose every step is a run that is one of them."""
    left = list(episodes)
    while retold := _conversations_told_by_runs(left[:count]):
        left = [episode for episode in left if episode.record_id not in retold]
    return left[:count]


def _conversations_told_by_runs(episodes: Sequence[Record]) -> set[RecordId]:
    runs = {(one.conversation_id, _asked(one.content)) for one in episodes if one.invocation_id}
    return {
        one.record_id
        for one in episodes
        if one.episode and one.episode.steps and one.conversation_id and not one.invocation_id
        if all((one.conversation_id, _asked(step)) in runs for step in one.episode.steps)
    }


def _asked(text: str) -> str:
    return one_line(text)[:EPISODE_STEP]
