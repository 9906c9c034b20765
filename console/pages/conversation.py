"""A conversation: its turns, and beside them what was made of them: keys, summaries, clusters."""

from typing import Any

from starlette.responses import Response

from console.visit import Visit

PAGE = 50
BESIDE = 100


async def conversation(visit: Visit) -> Response:
    """Shows a conversation, the turns from the newest page on, or from a step."""
    owner: dict[str, Any] = {"user": visit["user"], "conversation_id": visit["conversation"]}
    client = visit.client
    held = await client.get_conversation(**owner)
    newest = max(1, held.conversation.last_step - PAGE + 1)
    first = visit.number("first") or newest
    return visit.page(
        "conversation.html",
        owner=owner,
        held=held,
        first=first,
        earlier=max(1, first - PAGE) if first > 1 else None,
        later=first + PAGE if first + PAGE <= held.conversation.last_step else None,
        turns=await client.list_turns(**owner, first_step=first, last_step=first + PAGE - 1, page_size=PAGE),
        keys=await client.list_keys(**owner, page_size=BESIDE),
        summaries=await client.list_summaries(**owner, page_size=BESIDE),
        clusters=await client.list_clusters(**owner, page_size=BESIDE),
        retractions=await client.list_turn_retractions(**owner, page_size=BESIDE),
    )
