"""The pages, by their addresses."""

from collections.abc import Mapping

from console.changes import Change, asking, doing
from console.pages import bank, collection, conflicts, context, conversation, home, switch, verdicts
from console.visit import Page

READ = ("GET",)
ASK = ("GET", "POST")
CHANGE = ("POST",)

CHANGES: Mapping[str, Change] = {
    "conflict": verdicts.CONFLICT,
    "fact": verdicts.FACT,
}
"""What is asked about before it happens, by its name in forms."""

PAGES: tuple[tuple[str, tuple[str, ...], Page], ...] = (
    ("/", READ, home.home),
    ("/user", ASK, home.user),
    ("/bank", ASK, bank.bank),
    ("/collection", READ, collection.collection),
    ("/conflicts", READ, conflicts.conflicts),
    ("/conflict", READ, conflicts.conflict),
    ("/doubt", READ, conflicts.doubt),
    ("/context", ASK, context.context),
    ("/conversation", READ, conversation.conversation),
    ("/server", READ, home.server),
    ("/change/ask", CHANGE, asking(CHANGES)),
    ("/change/do", CHANGE, doing(CHANGES)),
    ("/change/language", CHANGE, switch.language),
)
