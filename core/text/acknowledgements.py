"""Whether a text only says that something was heard.

Law: pure; goes by the whole text. A text that says anything besides is no acknowledgement, and neither is "no".
"""

import re

_ENGLISH = (
    r"ok(?:ay)?|noted|understood|agreed|got it|i see|will do|sure(?: thing)?|al(?:l )?right|right|yes|yeah|yep"
    r"|fine|great|good|nice|cool|perfect|wow|(?:sounds|that's) (?:good|great|fine)|good to know"
    r"|(?:many )?thanks(?: (?:a lot|so much))?|thank you(?: (?:so|very) much)?|thx"
    r"|no (?:problem|worries)|of course|(?:you're|you are) welcome"
)
_CHINESE = (
    "好(?:的|啊|呀|吧|嘞)?|行|可以|嗯|哦|是的?|对的?|收到|明白了?|知道了|了解了?|懂了|记下了|记住了|没问题|当然"
    "|(?:谢谢|多谢|感谢)(?:你|您|大家|啦|了)?|不客气|不用谢|辛苦了|哈"
)
_GAP = r"[\W_]*"
_ONLY = re.compile(rf"{_GAP}(?:(?:(?:{_ENGLISH})\b|{_CHINESE}){_GAP})+")
_LONGEST = 40  # code points that are looked at: what is longer says something


def acknowledges(text: str) -> bool:
    """Whether a text is nothing but an acknowledgement: "OK, thanks!" and 好的。 are, "Noted: 900 euros." is not."""
    return len(text) <= _LONGEST and _ONLY.fullmatch(text.replace("’", "'").casefold()) is not None
