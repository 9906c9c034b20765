"""Whether a sentence is a standing order: how an assistant is to answer from now on, whatever is asked.

Law: pure; by the words that begin and end it, in English and Chinese. An order of the moment, one that is bound to a
time or to one talk, and what somebody does always are none.
"""

import re

_VERBS = (
    r"(?:answer|reply|respond|write|speak|talk|use|call|address|give(?! up)|show|list|cite|quote|name|add|include|keep"
    r"|put|mark|format|round|convert|explain|translate|ask|tell|remind|check|confirm|start|begin|end|finish|stick|avoid"
    r"|skip|leave|omit|make|do(?: not|n['’]t)?|don['’]t|stop|be|send|suggest|assume|prefer|treat|say|mention|spell)\b"
)
_POLITE = r"(?:(?:please|kindly|just|and|so|but|also)\b,?\s*)*"
_LASTS = (
    r"(?:from now on|from here on|going forward|in (?:the )?future|henceforth|at all times|from today on)"
)
_ENGLISH = re.compile(
    rf"{_POLITE}(?:(?:always|never)\s+{_VERBS}"
    rf"|{_LASTS}\b,?\s*(?:i (?:want|need|['’]?d like) you to\s+)?{_POLITE}(?:always\s+|never\s+)?{_VERBS}"
    rf"|(?:when(?:ever)?|every time|each time|if) you"
    rf" (?:answer|reply|write|send|give|use|mention|quote|suggest|explain)\b[^,.!?]*,"
    rf"\s*{_POLITE}(?:always\s+|never\s+)?{_VERBS}"
    rf"|(?:i (?:want|need|['’]?d like|would like) you to|you (?:should|must|can))\s+(?:always|never)\s+{_VERBS}"
    rf"|do(?: not|n['’]t) ever\s+{_VERBS}"
    rf"|{_VERBS}.{{2,120}}?\b(?:{_LASTS}|,\s*always)\s*[.!]*$)",
    re.IGNORECASE | re.DOTALL,
)
_VERBS_ZH = (
    r"(?:用(?!不|完|得|了)|给我|跟我|叫我|称呼|回答|回复|答复|写|说(?!不|吧)|列|标|注明|附|加上|加|保持|尽量|直接|先|简短|提供|解释"
    r"|翻译|提醒|检查|确认|按|以|把|(?:少|多|只)(?=用|写|说|给|推荐)|别|不要|不用|不必)"
)
_LASTS_ZH = r"(?:以后|今后|往后|从现在起|从现在开始|从今以后|从今天起|每次)"
_CHINESE = re.compile(
    rf"(?:请|麻烦|拜托)?(?:你|您)?{_LASTS_ZH}[，,]?(?:请|麻烦)?(?:你|您)?(?:回答|回复|写|说)?[^，。我]{{0,10}}?"
    rf"(?:请|都|一律|一直|总是|始终|统一|务必|必须|要|就)*{_VERBS_ZH}"
    rf"|(?:请|麻烦)(?:你|您)?(?:一直|总是|始终|永远|一律|每次都?|务必都?){_VERBS_ZH}"
    rf"|(?:请|麻烦)?(?:你|您)?(?:永远|千万)?(?:别|不要)(?:再|总是|老是|老)(?:用|叫|给我|跟我|说|写|发|加)"
)
_BOUND = re.compile(
    r"\b(?:this|that) (?:time|once|one|conversation|chat|session|talk|story|game|trip|answer|text|mail|letter|poem)\b"
    r"|\b(?:today|tonight|tomorrow|for now|just once|for once|until|till|in the (?:story|game|text|poem))\b"
    r"|这次|本次|今天|今晚|明天|暂时|这篇|这封|这首|这个故事|直到|之前",
    re.IGNORECASE,
)


def is_standing_order(sentence: str) -> bool:
    """Whether a sentence says how to answer from now on."""
    text = sentence.strip().lstrip("-*•> ")
    if not (_ENGLISH.match(text) or _CHINESE.match(text)):
        return False
    return _BOUND.search(text) is None
