"""A record as it can stand alone: behind whoever is quoted and what it refers to, before what its times come to."""

import re
from collections.abc import Sequence

from memorybank.v1 import long_term_pb2 as pb

_CLOSED = re.compile(r"[。！？；…”』」）]$")
_HAN, _KANA = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[\u3040-\u30ff]")


def quoted(record: pb.Record) -> str:
    """Returns the content of a record, of an episode its goal, with its speaker, its context and its dates."""
    content = record.content or record.episode.goal
    return quotation(content, record.speaker, record.said_dates, record.context)


def quotation(text: str, speaker: str, dates: Sequence[str], context: str = "") -> str:
    """Returns a sentence with its speaker, the sentence before and its dates, as far as these are told."""
    chinese = _is_chinese(text)
    if dates:
        days = "、".join(dates) if chinese else ", ".join(dates)
        text = f"{text}（{days}）" if chinese else f"{text} ({days})"
    if context:
        text = f"{context}{text}" if _CLOSED.search(context) else f"{context} {text}"
    if speaker:
        text = f"{speaker}：{text}" if chinese else f"{speaker}: {text}"
    return text


def side(text: str, *, is_reply: bool) -> str:
    """Returns what the side of a conversation is called that has no name, in the language of its words."""
    return ("助手" if is_reply else "用户") if _is_chinese(text) else ("Assistant" if is_reply else "User")


def _is_chinese(text: str) -> bool:
    return _HAN.search(text) is not None and _KANA.search(text) is None


def day(record: pb.Record) -> str:
    """Returns the day when it was so, or was said."""
    return f"{record.event_time.ToDatetime():%Y-%m-%d}"
