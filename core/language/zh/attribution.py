"""How a Chinese sentence names its source."""

import re

from core.language.attribution import LONGEST, Attribution
from core.language.lists import read

SOURCES = "|".join(read(__package__, "sources"))
SAYINGS = read(__package__, "sayings")

ATTRIBUTION = Attribution(
    openings=(re.compile(rf"(?:{SOURCES})[^，,。；]{{1,{LONGEST}}}[，,：:]\s*"),),
    sayings=frozenset(SAYINGS),
    ending=re.compile(rf"[，,][^，,。；]{{1,12}}(?:{'|'.join(SAYINGS)})[。！.!]?$"),
)
