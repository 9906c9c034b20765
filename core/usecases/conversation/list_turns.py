"""ListTurns: turns in step order, with the clusters they lie in."""

from dataclasses import dataclass

from core.keys import ConversationKey
from core.model.conversation import Turn
from core.usecases.house import House
from core.usecases.paging import BY_NUMBER, DEFAULT_PAGE, page_of

LAST = 10**12 - 1  # the largest step there can be


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTurns:
    """`writer`: the subject of the API key; empty for any."""

    key: ConversationKey
    first_step: int = 1
    last_step: int = LAST
    writer: str = ""
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsListed:
    """Each turn with the name of its cluster, empty for none."""

    turns: tuple[tuple[Turn, str], ...]
    next_page_token: str
    revision: int


async def list_turns(house: House, command: ListTurns) -> TurnsListed:
    """Raises ConversationNotFound, RevisionNotReached, InvalidField (page_token)."""
    async with house.conversations.reading(command.key, command.min_revision) as conversation:
        page = page_of(
            command,
            (
                turn
                for turn in conversation.between(command.first_step, command.last_step)
                if command.writer in ("", turn.writer)
            ),
            lambda turn: (turn.step,),
            BY_NUMBER,
            command.page_token,
            command.page_size,
        )
        names = conversation.cluster_names()
        return TurnsListed(
            turns=tuple((turn, names.get(turn.step, "")) for turn in page.items),
            next_page_token=page.next_page_token,
            revision=conversation.revision,
        )
