"""The pages, by their addresses."""

from console.pages import bank, collection, context, conversation, home, switch
from console.visit import Page

READ = ("GET",)
ASK = ("GET", "POST")
CHANGE = ("POST",)

PAGES: tuple[tuple[str, tuple[str, ...], Page], ...] = (
    ("/", READ, home.home),
    ("/user", ASK, home.user),
    ("/bank", ASK, bank.bank),
    ("/collection", READ, collection.collection),
    ("/context", ASK, context.context),
    ("/conversation", READ, conversation.conversation),
    ("/server", READ, home.server),
    ("/change/language", CHANGE, switch.language),
)
