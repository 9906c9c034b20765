"""How an English sentence names its source."""

import re

from core.language.attribution import Attribution
from core.language.lists import read

MOST_WORDS = 8  # of a source before its verb
DETERMINERS = ("a", "the", "this", "my", "our", "his", "her", "its", "their")
BEGINNING = r"(?:the|a|an|this|that|these|those|it|its|he|she|his|her|they|their|we|our|there|all|no)\b"
SOURCES = "|".join(map(re.escape, read(__package__, "sources")))
VERBS = "|".join(read(__package__, "sayings"))
NOUN = "".join(rf"(?<!\b{word} )" for word in DETERMINERS)
SUBJECT = rf"(?:[\w'’.\-]+\s+){{1,{MOST_WORDS}}}?{NOUN}"
NAME = r"[^,;:.]{1,40}"

ATTRIBUTION = Attribution(
    openings=(
        re.compile(rf"(?:{SOURCES})\s+[^,:;.]{{1,80}}[,:]\s*", re.IGNORECASE),
        re.compile(rf"(?:{SOURCES})\s+\S+(?:\s+\S+){{0,2}}?\s+(?={BEGINNING})", re.IGNORECASE),
        re.compile(rf"{SUBJECT}(?:{VERBS})\s+(?:(?:to\s+)?(?:us|me|him|her|them)\s+)?that\s+", re.IGNORECASE),
        re.compile(rf"{SUBJECT}(?:say|says|said)\s+(?=\S)", re.IGNORECASE),
    ),
    ending=re.compile(
        rf",\s+(?:(?:{SOURCES})\s+{NAME}|(?:say|says|said)\s+{NAME}|{NAME}\s+(?:say|says|said))[.!]?$",
        re.IGNORECASE,
    ),
)
