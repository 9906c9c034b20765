"""A bank: its goal and plan, its topics and records, its conflicts, what was taken back; a search in it."""

from starlette.responses import Response

from console import links
from console.visit import Visit

PAGE = 50
FOUND = 20


async def bank(visit: Visit) -> Response:
    """Shows a bank. A form searches it."""
    bank_id, client = visit["bank"], visit.client
    held = await client.get_bank(bank_id=bank_id)
    found, text = None, visit.get("text").strip()
    if visit.request.method == "POST":
        if not text:
            return visit.go(links.bank(bank_id))
        found = await client.search(bank_id=bank_id, text=text, top_k=FOUND)
    return visit.page(
        "bank.html",
        bank=held.bank,
        counts=held.counts,
        text=text,
        found=found,
        insight=await client.get_insight(bank_id=bank_id, page_size=PAGE),
        nodes=await client.list_nodes(bank_id=bank_id, page_size=PAGE, page_token=visit.get("nodes")),
        records=await client.list_interactions(
            bank_id=bank_id, page_size=PAGE, page_token=visit.get("records")
        ),
        retractions=await client.list_interaction_retractions(bank_id=bank_id, page_size=PAGE),
    )
