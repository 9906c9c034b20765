"""A record as one sentence that can stand alone: behind whoever is quoted, before what its times come to."""

import re
from collections.abc import Sequence

from memorybank.v1 import long_term_pb2 as pb

_HAN, _KANA = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[\u3040-\u30ff]")


def quoted(record: pb.Record) -> str:
    """Returns the content of a record, of an episode its goal, with its speaker and its dates."""
    return quotation(record.content or record.episode.goal, record.speaker, record.said_dates)


def quotation(text: str, speaker: str, dates: Sequence[str]) -> str:
    """Returns a sentence with its speaker and its dates, as far as these are told."""
    chinese = _HAN.search(text) is not None and _KANA.search(text) is None
    if dates:
        days = "、".join(dates) if chinese else ", ".join(dates)
        text = f"{text}（{days}）" if chinese else f"{text} ({days})"
    if speaker:
        text = f"{speaker}：{text}" if chinese else f"{speaker}: {text}"
    return text


def day(record: pb.Record) -> str:
    """Returns the day when it was so, or was said."""
    return f"{record.event_time.ToDatetime():%Y-%m-%d}"
