"""One request for a page: what was asked for, by whom, and how it is answered.

Law: what changes or asks anything is a form, and a form is read only with the token of its session. A call that the
service refuses, or cannot answer, becomes a sentence.
"""

import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from jinja2 import Environment
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from console.door import SESSION
from console.language import NAMES, Language, language
from console.sentences import Trouble, trouble_of
from console.sessions import Session
from memorybank_client import MemoryBankClient, MemoryBankError

MOST_FIELDS = 200
CHANGE = "/change/"
"""How the addresses begin that only forms are sent to."""
BY_SCRIPT, WHOLE = "HX-Request", "HX-Boosted"
"""The headers by which htmx asks: for a part of a page, and with the second for all of it, as a form is sent. Forms go
out by script, as browsers write what others send into the file by which they restore their windows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all pages have: the client of the service, its address, whether a key goes with calls, the templates."""

    client: MemoryBankClient
    server: str
    has_key: bool
    templates: Environment


class Unreadable(Exception):
    """A request that no page of this console makes. `name` is the field that is missing or wrong."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """`fields` are the form's, or the address's."""

    request: Request
    session: Session
    desk: Desk
    fields: Mapping[str, str]

    @property
    def client(self) -> MemoryBankClient:
        return self.desk.client

    @property
    def say(self) -> Language:
        return language(self.session.language)

    def __getitem__(self, name: str) -> str:
        """Returns a field that must be there. Raises Unreadable."""
        if name not in self.fields:
            raise Unreadable(name)
        return self.fields[name]

    def get(self, name: str) -> str:
        return self.fields.get(name, "")

    def number(self, name: str, least: int = 1) -> int | None:
        """Returns a field as a whole number, None where it is empty. Raises Unreadable."""
        text = self.get(name).strip()
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and least <= int(text) < 2**31):
            raise Unreadable(name)
        return int(text)

    def keyed(self) -> MemoryBankClient:
        """Returns the client for what removes memory: with the key that the form brought, where keys are asked for."""
        key = self.get("key").strip()
        if not self.desk.has_key:
            return self.client
        if not key:
            raise Unreadable("key")
        try:
            return self.client.with_key(key)
        except ValueError:
            raise Unreadable("key") from None

    def page(self, template: str, code: int = HTTPStatus.OK, /, **values: Any) -> Response:
        notice, self.session.notice = self.session.notice, ""
        asked = self.request.headers
        shown = self.desk.templates.get_template(template).render(
            say=self.say,
            languages=NAMES,
            form_token=self.session.form_token,
            server=self.desk.server,
            asks_key=self.desk.has_key,
            partial=BY_SCRIPT in asked and WHOLE not in asked,
            here=here(self.request),
            notice=notice,
            **values,
        )
        return HTMLResponse(shown, status_code=code)

    def go(self, address: str, notice: str = "") -> Response:
        """Leads on to a page, which says the notice."""
        self.session.notice = notice
        if BY_SCRIPT in self.request.headers:
            return Response(headers={"HX-Redirect": address})
        return RedirectResponse(address, status_code=HTTPStatus.SEE_OTHER)


Page = Callable[[Visit], Awaitable[Response]]


def shown(desk: Desk, page: Page) -> Callable[[Request], Awaitable[Response]]:
    """Makes an endpoint of a page."""

    @functools.wraps(page)
    async def endpoint(request: Request) -> Response:
        session: Session = request.scope["state"][SESSION]
        visit = Visit(request=request, session=session, desk=desk, fields=dict(request.query_params))
        try:
            if request.method == "POST":
                visit = replace(visit, fields={**visit.fields, **await _form(request)})
                if not session.owns_form(visit.get("form_token")):
                    return _troubled(visit, Trouble(sentence="trouble.form", status=HTTPStatus.FORBIDDEN))
            return await page(visit)
        except MemoryBankError as error:
            return _troubled(visit, trouble_of(error))
        except Unreadable as wrong:
            named = Trouble(sentence="trouble.field", status=HTTPStatus.BAD_REQUEST, detail=wrong.name)
            return _troubled(visit, named)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)

    return endpoint


def _troubled(visit: Visit, trouble: Trouble) -> Response:
    return visit.page("trouble.html", trouble.status, trouble=trouble)


async def _form(request: Request) -> dict[str, str]:
    """Reads a form. Raises Unreadable."""
    try:
        text = (await request.body()).decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise Unreadable("form") from None
    return {name: value.replace("\r\n", "\n") for name, value in pairs}


def here(request: Request) -> str:
    """Returns the address of a request's page, which a switch of language leads back to; empty of a question before a
    change, which has no page of its own."""
    path, query = request.url.path, request.url.query
    if path.startswith(CHANGE):
        return ""
    return f"{path}?{query}" if query else path
