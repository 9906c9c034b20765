"""Whether a text names a time, or one that goes by the day; whether a question asks for one, or how things are now.

Law: pure; looks at words and forms, English and Chinese, and reckons nothing (`moments` does).
"""

import re

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
WORDS = re.compile(
    rf"\b(?:(?:{_MONTH}|in may|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|yesterday|today|tonight|tomorrow|weekend|noon|midnight|since)\b"
    r"|(?:last|next|this|past) (?:week|month|year|night|spring|summer|autumn|fall|winter|few (?:days|weeks|months)))"
    r"|(?<=\w) (?:minutes?|hours?|days?|weeks?|months?|years?) ago\b"
)
NUMBERED = re.compile(
    r"\b(?:1[89]|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?(?:am|pm|o'clock)\b|\b\d{1,2}(?:st|nd|rd|th)\b"
    r"|\bmay \d|\d may\b|\d[年月日号点]"
)
CHINESE = re.compile(
    r"(?:周|星期|礼拜)[一二三四五六日天]"
    r"|昨天|前天|今天|明天|后天|上周|下周|上个?月|下个?月|去年|今年|明年|周末|[早晚]上|[上下]午"
)
BY_THE_DAY = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
    r"|\b(?:last|next|this|past|coming) (?:week|month|year|night|morning|afternoon|evening|weekend|quarter"
    r"|spring|summer|autumn|fall|winter|few (?:days|weeks|months))\b"
    r"|\b(?:minutes?|hours?|days?|weeks?|months?|years?) ago\b"
    r"|\bin (?:an?|\d+|two|three|a few) (?:minute|hour|day|week|month|year)s?\b"
    r"|(?:周|星期|礼拜)[一二三四五六日天末]|[昨前今明后]天|[今昨明]晚|[昨今明]早|今晨|[去今明后]年|[上下本这]个?(?:周|星期|礼拜|月|季度)"
    r"|[天日周月年]前|[天日周月年](?:之|以)?后",
)
DIGIT = re.compile(r"\d")
ASKED = re.compile(
    r"\bwhen\b(?!ever)|\b(?:what|which) (?:day|date|month|year|week|time|weekday)\b|\bon (?:what|which) (?:day|date)"
    r"|\bhow long ago\b|什么时候|何时|几点|几月|几号|哪一?[天年月日]|什么时间|星期几|周几",
    re.IGNORECASE,
)
NOW = re.compile(
    r"\b(?:now|nowadays|today|currently|current|these days|at present|at the moment|as things stand)\b"
    r"|[现現]在|目前|如今|[当當]前|[当當]下|眼下|[现現]今|最新",
    re.IGNORECASE,
)


def names_time(text: str) -> bool:
    """Whether a text says when: a date, a day, an hour, "last week", 去年."""
    lower = text.lower()
    return (
        WORDS.search(lower) is not None
        or (DIGIT.search(lower) is not None and NUMBERED.search(lower) is not None)
        or (not lower.isascii() and CHINESE.search(lower) is not None)
    )


def depends_on_the_day(text: str) -> bool:
    """Whether a text's words mean another time on another day: "tomorrow", "on Monday", 下周, 三天前."""
    return BY_THE_DAY.search(text.lower()) is not None


def asks_for_time(text: str) -> bool:
    """Whether a question asks when."""
    return ASKED.search(text) is not None


def asks_for_now(text: str) -> bool:
    """Whether a question asks how things are now: "these days", 目前."""
    return NOW.search(text) is not None
