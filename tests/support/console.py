"""The console before a real server, both in a thread of this process, and a browser without a script."""

import asyncio
import re
import threading
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import httpx2
from starlette.types import ASGIApp

from console.app import console_app
from console.door import names_of
from console.serving import AT_ONCE
from console.sessions import Sessions
from memorybank_client import MemoryBankClient, SyncMemoryBankClient
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

PORT = 7780
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
TOKEN = re.compile(r'name="form_token" value="([^"]+)"')

Made = TypeVar("Made")


class Thread:
    """A loop in a thread, on which the server and the console run."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Made]) -> Made:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of a page: where it is sent, and what stands in its fields."""

    action: str
    fields: Mapping[str, str]


class Forms(HTMLParser):
    """All forms of a page that are posted."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._area = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method") == "post":
            self.forms.append(Form(action=given["action"], fields={}))
        elif self.forms and tag in ("input", "textarea") and "name" in given:
            self._set(given["name"], given.get("value", ""))
            self._area = given["name"] if tag == "textarea" else ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self._set(self._area, data)
            self._area = ""

    def _set(self, name: str, value: str) -> None:
        fields = self.forms[-1].fields
        assert isinstance(fields, dict)
        fields[name] = value


@dataclass(slots=True, kw_only=True)
class Browser:
    """Asks the console as one that was let in does; `headers` in place of its own."""

    thread: Thread
    app: ASGIApp
    sessions: Sessions
    client: SyncMemoryBankClient
    cookie: str = ""
    language: str = "en"
    headers: dict[str, str] = field(default_factory=dict)

    def ask(
        self, method: str, address: str, fields: Mapping[str, str] | None = None, **headers: str
    ) -> httpx2.Response:
        given = {"Cookie": self.cookie, "Accept-Language": self.language}
        if method == "POST":
            given |= {"Origin": ORIGIN}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}

        async def asked() -> httpx2.Response:
            transport = httpx2.ASGITransport(app=self.app)
            async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as client:
                return await client.request(method, address, data=fields, headers=given)

        return self.thread.run(asked())

    def get(self, address: str, **headers: str) -> httpx2.Response:
        return self.ask("GET", address, None, **headers)

    def page(self, address: str) -> str:
        """The text of a page that must be there."""
        answer = self.get(address)
        assert answer.status_code == 200, answer.text
        return answer.text

    def enter(self) -> httpx2.Response:
        answer = self.get(f"/enter?token={self.sessions.entry_token}")
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0] or self.cookie
        return answer

    def token(self) -> str:
        found = TOKEN.search(self.page("/"))
        assert found is not None
        return found[1]

    def send(self, address: str, **fields: str) -> httpx2.Response:
        """Sends a form with its token; follows where it leads."""
        answer = self.ask("POST", address, {"form_token": self.token(), **fields})
        return self.get(answer.headers["location"]) if answer.status_code == 303 else answer

    def submit(self, page: str, action: str, number: int = 0, /, **fields: str) -> httpx2.Response:
        """Sends a form as it stands in a page, with these fields set; follows where it leads."""
        form = [form for form in Forms(page).forms if form.action.partition("?")[0] == action][number]
        answer = self.ask("POST", form.action, {**form.fields, **fields})
        return self.get(answer.headers["location"]) if answer.status_code == 303 else answer


def words_of(page: str) -> str:
    """What a page says: its text without elements, white space folded."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


@contextmanager
def console(
    *, let_in: bool = True, key: str = "", own_key: str = "", server: str = "", folder: Path | None = None
) -> Iterator[Browser]:
    """The console before a server of its own with a hashing embedder, or before whatever is at `server`.

    `key` is the console's; `own_key` the test's. `folder`: over what the server runs.
    """
    with thread_of_its_own() as thread, served(thread, server, folder) as address:
        client = MemoryBankClient(address, options=AT_ONCE)
        sessions = Sessions()
        app = console_app(
            client.with_key(key) if key else client,
            address,
            has_key=bool(key),
            names=names_of(("127.0.0.1",), PORT),
            sessions=sessions,
        )
        try:
            with SyncMemoryBankClient(address) as plain:
                own = plain.with_key(own_key) if own_key else plain
                browser = Browser(thread=thread, app=app, sessions=sessions, client=own)
                if let_in:
                    browser.enter()
                yield browser
        finally:
            thread.run(client.close())


@contextmanager
def thread_of_its_own() -> Iterator[Thread]:
    thread = Thread()
    try:
        yield thread
    finally:
        thread.end()


@contextmanager
def served(thread: Thread, server: str, folder: Path | None) -> Iterator[str]:
    """The address of a server that runs while this lasts, all of it in one task."""
    if server:
        yield server
        return
    listens: Future[str] = Future()
    ended = asyncio.Event()

    async def serve() -> None:
        try:
            with TemporaryDirectory() as temporary:
                settings = settings_for(folder or Path(temporary))
                async with running(settings, HashingEmbedder()) as address:
                    listens.set_result(str(address))
                    await ended.wait()
        except BaseException as error:
            if not listens.done():
                listens.set_exception(error)
            raise

    served = asyncio.run_coroutine_threadsafe(serve(), thread.loop)
    try:
        yield listens.result(60)
    finally:
        thread.loop.call_soon_threadsafe(ended.set)
        served.result(60)
