"""The pages, by their addresses."""

from collections.abc import Mapping

from console.changes import Change, asking, doing
from console.pages import (
    bank,
    collection,
    conflicts,
    context,
    conversation,
    document,
    home,
    interaction,
    node,
    pair,
    record,
    review,
    switch,
    turn,
    verdicts,
)
from console.visit import Page

READ = ("GET",)
ASK = ("GET", "POST")
CHANGE = ("POST",)

CHANGES: Mapping[str, Change] = {
    "conflict": verdicts.CONFLICT,
    "fact": verdicts.FACT,
    "node": node.DELETE,
    "interactions": interaction.RETRACT,
    "record": record.DELETE,
    "review": review.REVIEW,
    "record-retraction": record.RETRACT,
    "turn": turn.DELETE,
    "turn-retraction": turn.RETRACT,
    "key-memory": turn.DELETE_KEY,
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
    ("/node", READ, node.node),
    ("/graph", READ, node.graph),
    ("/interaction", READ, interaction.interaction),
    ("/file", READ, interaction.download),
    ("/picture", READ, interaction.picture),
    ("/pair", READ, pair.pair),
    ("/record", READ, record.record),
    ("/review", READ, review.review),
    ("/turn", READ, turn.turn),
    ("/document", READ, document.document),
    ("/server", READ, home.server),
    ("/change/ask", CHANGE, asking(CHANGES)),
    ("/change/do", CHANGE, doing(CHANGES)),
    ("/change/node", CHANGE, node.correct),
    ("/change/record", CHANGE, record.correct),
    ("/change/feedback", CHANGE, record.feedback),
    ("/change/key-memory", CHANGE, turn.key_memory),
    ("/change/document", CHANGE, document.correct),
    ("/change/release", CHANGE, interaction.release),
    ("/change/language", CHANGE, switch.language),
)
