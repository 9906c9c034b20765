"""Chinese."""

import re

from core.language.language import Language
from core.language.zh.attribution import ATTRIBUTION
from core.language.zh.cues import CUES
from core.language.zh.guidelines import GUIDELINES
from core.language.zh.headings import TASK
from core.language.zh.phrases import PHRASES
from core.language.zh.requests import REQUESTS
from core.language.zh.segmenter import prepare, rarity, tagged
from core.language.zh.times import TIMES

HAN_PER_WORD = 1.6  # Han characters that say about as much as one English word

CHINESE = Language(
    code="zh",
    package=__name__,
    letters=re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"),
    weight=1 / HAN_PER_WORD,
    is_spaced=False,
    task_headings=TASK,
    guidelines=GUIDELINES,
    phrases=PHRASES,
    attribution=ATTRIBUTION,
    times=TIMES,
    cues=CUES,
    requests=REQUESTS,
    tagged=tagged,
    rarity=rarity,
    prepare=prepare,
)
