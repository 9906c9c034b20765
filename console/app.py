"""The console as an application: its pages, its files, and the door before them."""

from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from console import links
from console.door import ENTRANCE, STATIC, Door, Names, cookie_name
from console.language import language, preferred
from console.pages import PAGES
from console.sessions import Sessions
from console.shapes import FILTERS
from console.visit import Desk, shown
from memorybank_client import MemoryBankClient


def console_app(
    client: MemoryBankClient, server: str, *, has_key: bool, names: Names, sessions: Sessions
) -> ASGIApp:
    """Returns the application. `has_key`: whether the client's calls carry an API key, so that what removes memory asks
    for one again."""
    templates = environment()
    desk = Desk(client=client, server=server, has_key=has_key, templates=templates)
    folder = Path(str(files("console") / "static"))
    routes = [Route(path, shown(desk, page), methods=list(methods)) for path, methods, page in PAGES]
    app = Starlette(
        routes=[
            Route(ENTRANCE, _entrance(sessions, templates), methods=["GET"]),
            Mount(STATIC.rstrip("/"), StaticFiles(directory=folder)),
            *routes,
        ]
    )
    return Door(app, names, sessions, _closed(templates))


def environment() -> Environment:
    """Returns the templates: all that is filled in is escaped, and a name that is not given is a defect."""
    made = Environment(
        loader=PackageLoader("console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(FILTERS)
    made.globals["links"] = links
    return made


def _entrance(sessions: Sessions, templates: Environment):  # type: ignore[no-untyped-def]
    async def enter(request: Request) -> Response:
        code = preferred(request.headers.get("accept-language", ""))
        session = sessions.enter(request.query_params.get("token", ""), code)
        if session is None:
            return _closed(templates, code)
        answer = HTMLResponse(templates.get_template("entered.html").render(say=language(code)))
        answer.set_cookie(
            cookie_name(request.headers["host"]), session.cookie, path="/", httponly=True, samesite="strict"
        )
        return answer

    return enter


def _closed(templates: Environment, code: str = "en") -> Response:
    text = templates.get_template("closed.html").render(say=language(code))
    return HTMLResponse(text, status_code=401)
