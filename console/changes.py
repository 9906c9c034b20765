"""What a person changes here, and the question before it.

Law: a change is asked for, then shown with what it would do, then confirmed; a question changes nothing. What removes
memory asks for the key again where the service asks for keys. A confirmation that is sent twice happens once.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from starlette.responses import Response

from console.visit import Unreadable, Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What would happen: `heading` and the labels of `lines` name sentences. `fields` go with the confirmation, `back`
    is the page to return to. `removes`: memory goes."""

    heading: str
    lines: Sequence[tuple[str, str]]
    fields: Mapping[str, str]
    back: str
    removes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How one is asked for, and how it is carried out."""

    ask: Callable[[Visit], Awaitable[Question]]
    do: Callable[[Visit], Awaitable[Response]]


def asking(changes: Mapping[str, Change]) -> Callable[[Visit], Awaitable[Response]]:
    """Makes the page that asks before a change."""

    async def ask(visit: Visit) -> Response:
        what = visit["what"]
        if what not in changes:
            raise Unreadable("what")
        question = await changes[what].ask(visit)
        given = {**question.fields, "what": what, "request_id": str(uuid4())}
        return visit.page("question.html", question=question, given=given)

    return ask


def doing(changes: Mapping[str, Change]) -> Callable[[Visit], Awaitable[Response]]:
    """Makes the page that carries a change out, and leads on."""

    async def do(visit: Visit) -> Response:
        what = visit["what"]
        if what not in changes:
            raise Unreadable("what")
        return await changes[what].do(visit)

    return do
