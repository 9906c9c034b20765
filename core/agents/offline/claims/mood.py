"""Whether a sentence tells what is, or what should be, is planned, once was, or is so unless told otherwise.

Law: by words alone, English and Chinese. Sentences of different moods leave room for each other: a plan against a
fact, advice against a habit, where one used to live against where one lives, a default against an exception.
"""

import re

_MOODS = (
    (
        "once was",
        r"(?<!who )\bused to (?!it\b)|\bformerly\b|\bback then\b|\bin the past\b"
        r"|\bin (?:his|her|their|my) (?:youth|childhood)\b"
        r"|\bas an? (?:student|child|kid|boy|girl|teenager)\b"
        r"|[上读念](?:大学|中学|高中|小学)(?:时|期间|的时候)"
        r"|\buntil recently\b|^until (?:last \w+|\d{4}\b)|(?<!，[她他我])以前|曾经|从前|过去|原来|原先|当年|小时候",
    ),
    (
        "is planned",
        r"\b(?:wanted|hoped|wished|planned|intended) to\b|\bhopes? for\b|\b(?:afraid|dreams?) of\b|"
        r"\b(?:plan|plans|planning|want|wants|hope|hopes|intend|intends|aim|aims|going|wishes|is|are) to (?!the\b|a\b)"
        r"|\bwould (?:love|like)\b|打算|计划|准备|希望"
        r"|(?<![思理幻梦设感联猜只就])想(?![到起念法象必着过出])|拟|即将|将要|考虑",
    ),
    ("by default", r"\bby default\b|默认情况下|缺省"),
    ("need not be", r"\bneeds? not\b|\bneedn['’]t\b|\bnot required to\b|不必|无需"),
    (
        "should be",
        r"\bshould\b|\bought to\b|\bplease\b|\brecommend(?:s|ed)?\b|\badvis(?:e|es|able)\b|\bmake sure\b"
        r"|应该|应当|最好|建议|(?:^|[，；：])请(?![了人假客教求示来过])|务必",
    ),
)
MOODS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _MOODS)


def mood(text: str) -> str:
    """Returns the first mood that the sentence's words tell, "" where it tells what is."""
    return next((name for name, pattern in MOODS if pattern.search(text)), "")
