"""English, which also lends its headings to what has no folder."""

import re

from core.language.en.attribution import ATTRIBUTION
from core.language.en.cues import CUES
from core.language.en.guidelines import GUIDELINES
from core.language.en.headings import TASK
from core.language.en.phrases import PHRASES
from core.language.en.requests import REQUESTS
from core.language.en.times import TIMES
from core.language.language import Language

ENGLISH = Language(
    code="en",
    package=__name__,
    letters=re.compile(r"[A-Za-zÀ-ɏ]+"),
    weight=0.5,
    is_spaced=True,
    task_headings=TASK,
    guidelines=GUIDELINES,
    phrases=PHRASES,
    attribution=ATTRIBUTION,
    times=TIMES,
    cues=CUES,
    requests=REQUESTS,
)
