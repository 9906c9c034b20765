"""The roles of long-term memory as Protocols: where to look for a query, and what records come to.

Law: an agent sees texts and numbers, never vectors, and changes nothing. What it answers is an opinion that core
checks. All raise AgentUnavailable and AgentReplyInvalid.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.long_term.routing import Intent, Layer

LONGEST_REFLECTION = 8_000  # code points
SURE = 0.5  # confidence below which a category does not count

_HTML = re.compile(r"</?[a-zA-Z][^<>\n]*>|<!--")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteOpinion:
    """Where to look. No categories: any."""

    intent: Intent
    categories: tuple[str, ...]
    layers: tuple[Layer, ...]
    confidence: float


class Router(Protocol):
    async def route(self, query: str) -> RouteOpinion:
        """Returns what a query is after, and of which domain."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectedRecord:
    """A record as the Reflector sees it. `number` counts within the question, from 0."""

    number: int
    content: str
    subcategory: str
    confidence: float
    weight: float
    event_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionOpinion:
    """Markdown, and the numbers of the records it rests on."""

    text: str
    records: tuple[int, ...]


class Reflector(Protocol):
    async def reflect(
        self, title: str, category: str, records: Sequence[ReflectedRecord]
    ) -> ReflectionOpinion:
        """Returns the pattern over single cases, under a heading."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallAgents:
    """One of each, chosen in bootstrap."""

    router: Router
    reflector: Reflector


# ---- what core asks of a reflection ----


def problem_of_reflection(opinion: ReflectionOpinion, title: str, records: Sequence[ReflectedRecord]) -> str:
    """Returns what is wrong with it, in words for its author; empty if nothing is."""
    if not opinion.records or not set(opinion.records) <= {record.number for record in records}:
        return "it must name the records it rests on, of those given"
    if not opinion.text.startswith("#"):
        return "it must begin with a heading"
    if len(opinion.text) > LONGEST_REFLECTION:
        return f"it has {len(opinion.text)} characters, and may have {LONGEST_REFLECTION}"
    if _HTML.search(opinion.text):
        return "it must hold no HTML"
    known = {figure for record in records for figure in figures(_told(record))} | set(figures(title))
    known |= {str(number) for number in range(len(records) + 1)}
    unheard = next((figure for figure in figures(opinion.text) if figure not in known), "")
    return f"{unheard} stands in none of the records" if unheard else ""


def _told(record: ReflectedRecord) -> str:
    return f"{record.content} {record.event_time:%Y %m %d} {record.confidence:.2f} {record.subcategory}"


def without_markup(text: str) -> str:
    """Returns a text of callers as a reflector is to see it: what it quotes of it is no HTML."""
    return text.replace("<", "‹").replace(">", "›")


def figures(text: str) -> Iterator[str]:
    """Yields the figures of a text, their digits and separators in one form."""
    for found in _FIGURE.findall(unicodedata.normalize("NFKC", text)):
        yield found.replace(",", "").lstrip("0") or "0"
