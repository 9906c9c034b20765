"""How long a bank is kept once its task has finished, as people write it."""

import re
from datetime import timedelta
from typing import Any

import click

from memorybank_client import NEVER

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
WRITTEN = re.compile(r"(\d{1,9})([smhd])")


class Ttl(click.ParamType[timedelta]):
    """`90s`, `30m`, `24h`, `7d`, `0s` (purged at once), or `never`."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if value == "never":
            return NEVER
        written = WRITTEN.fullmatch(str(value))
        if written is None:
            self.fail(f"{value!r} is neither a duration (90s, 30m, 24h, 7d) nor `never`", param, ctx)
        return timedelta(**{UNITS[written[2]]: int(written[1])})
