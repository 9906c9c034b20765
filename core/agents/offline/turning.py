"""Where a talk turns: what was decided, what changed, what came of something.

Law: pure; by the words that say so, in English and Chinese.
"""

import re

_DECIDED = (
    r"\b(?:decid\w+|decision|agreed?|settled|going with|go(?:es)? with|will be|we(?:'ll| will)|i(?:'ll| will)"
    r"|chose|chosen|confirmed|must(?: not)?|let'?s|set the|signed up|hired?|booked|ordered)\b"
    r"|决定|定了|定在|定下|就用|就选|采用|同意|确定|选定|选了|说好|约好|谈好|商量好|必须|不能|不得|打算|预订|报名|报了"
)
_CHANGED = (
    r"\b(?:chang\w+|correction|instead|moved?|mov(?:es|ing)|no longer|not any ?more|cancel\w*|postpon\w*"
    r"|brought forward|rather than|switch\w*|replac\w+|drop(?:ped)?|actually|turned out"
    r"|new (?:date|time|place|address|price|plan))\b"
    r"|更正|纠正|改[到成为用在由期天了]|换[成了到]|取消|推迟|提前|不再|不去|不要了|而是|变[了成]|调整|删掉"
)
_CAME_OF_IT = (
    r"\b(?:results?|passed|failed|won|lost|finish\w*|completed?|done|signed|accepted|rejected|approved|refunded|arrived"
    r"|paid|sold|found out|measured|test(?:ed|s)? (?:showed?|says?)|quoted?|diagnos\w+|came (?:out|to|back)|gained)\b"
    r"|结果|通过|没过|拿到|签[了好]|退了|退税|完成|办好|订好|买到|录取|批准|确诊|赢|输了|到账|修好|考过|测出|测得|被否|报价|排名"
)
_TURNS = re.compile(f"{_DECIDED}|{_CHANGED}|{_CAME_OF_IT}", re.IGNORECASE)
_CHANGES = re.compile(_CHANGED, re.IGNORECASE)


def turns_on(text: str) -> bool:
    """Whether a sentence tells of a decision, a change, or a result."""
    return _TURNS.search(text) is not None


def changes(text: str) -> bool:
    """Whether a sentence tells that something is not as it was said before."""
    return _CHANGES.search(text) is not None
