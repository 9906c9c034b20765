"""What an English sentence opens with, before it says anything: a condition, an order, a phrase before its subject.

Law: pure, by words and their order. Nothing here says what a sentence is about.
"""

import re

from core.agents.offline.claims.grammar_en import FUNCTION, PERSONAL
from core.agents.offline.claims.vocabulary import groups
from core.text.words import words

LINKED = r"(?:(?:but|and|however|so|also|moreover|therefore|then|thus),?\s+)*"
THEN = r" (?:I|we|he|she|they) (?:was|were|had|lived|stayed|visited|went)\b"  # a time, and no condition
DEPENDS = re.compile(  # what holds if something else does, or of what another sentence tells
    rf"{LINKED}(?:(?:if|unless|when(?!{THEN})|whenever|once|whether|where|wherever|in case|as long as)\b"
    r"|(?:as a result|otherwise|for example|for instance|in other words),"
    r"|(?:without|with no)\b[^,;.]*,"
    r"|in (?:this|that|such an?|such|the \w+) (?:case|cases|form|mode|example)\b)",
    re.IGNORECASE,
)
INTRODUCED = re.compile(
    rf"{LINKED}(?:by|in|for|with|from|after|before|since|until|during|on|at|last|this|next)\b[^,;.]*,\s+"
    r"(?P<who>[a-z]+(?:['’][a-z]+)?)\b",
    re.IGNORECASE,
)
BEGUN = re.compile(  # the same without a comma: "For two decades he has …", "Three times a week I …"
    r"(?:for|since|in|on|at|during|after|before|every|once|twice|\w+ times)\b[^,;.]{1,40}?\s"
    r"(?P<who>I|he|she|we|they)\s",
    re.IGNORECASE,
)
ORDER = re.compile(
    rf"{LINKED}(?:please\s+)?(?:(?:with|in|for|to|by)\b[^,;.]*,\s+)?(?P<verb>[a-z]+)\s+"
    r"(?:the|an?|each|every|all|any|these|those|your|its?|them|their|only|nothing)\s+\w",
    re.IGNORECASE,
)
GOING_ON = re.compile(r"(?:stop|start|keep|avoid|begin|try|consider)\s+\w+ing\b", re.IGNORECASE)
NAMED = re.compile(r"[a-z][\w.+-]*(?:, [a-z][\w.+-]*)*\s+(?:-{1,2}|[–—])\s+[a-z]")  # "rm - remove files"
COMMAND = re.compile(r"[$%]? ?[a-z][\w./-]* (?:\S+ )*?-{1,2}[A-Za-z]")  # curl --cacert file
NO_ORDERS = words(
    """
    maybe perhaps yesterday tomorrow tonight meanwhile overall later sometimes afterwards besides instead indeed
    thus hence therefore anyway nowadays finally despite unlike upon per via near inside outside beyond beneath beside
    behind throughout amid among toward towards except given like half double twice whatever plus minus
    always unless versus weekdays weekends mornings evenings nights mondays tuesdays wednesdays thursdays fridays
    saturdays sundays
    """
)
PRONOUNS = groups(PERSONAL)


def depends(sentence: str) -> bool:
    """Whether it opens with a condition, or leans on the sentence before it."""
    return DEPENDS.match(sentence) is not None


def introduced(sentence: str) -> str:
    """Returns the pronoun that is the subject behind an opening phrase ("By the way, we …"), "" for none."""
    found = INTRODUCED.match(sentence) or BEGUN.match(sentence)
    return PRONOUNS.get(found["who"].lower(), "") if found else ""


def is_order(sentence: str) -> bool:
    """Whether it begins with a verb ("Change the owner", "Prints the name") or is a command line, or only names what a
    command is for: it says of nothing that it is so."""
    if COMMAND.match(sentence) and not sentence.rstrip().endswith((".", "!", "?")):
        return True
    if GOING_ON.match(sentence) or NAMED.match(sentence):
        return True
    found = ORDER.match(sentence)
    verb = found["verb"].lower() if found else ""
    if not verb or verb in FUNCTION or verb in NO_ORDERS:
        return False
    return not verb.endswith(("ed", "ing", "ly"))
