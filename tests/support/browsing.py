"""Debian's Chromium before a console that listens, driven by Playwright: for what only a real browser shows.

Both come by `make browser`. Where they cannot be had, the tests that ask for them are skipped, and say so.
"""

import asyncio
import importlib.util
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from console.serving import AT_ONCE, serve_console
from memorybank_client import MemoryBankClient, SyncMemoryBankClient
from tests.support.console import served, thread_of_its_own

FETCHED = Path(__file__).parents[2] / ".venv" / "browser"
UNPACKED = FETCHED / "usr" / "lib" / "chromium" / "chromium"


def playwright() -> Any:
    """Returns Playwright's synchronous module, or skips the tests that ask for it."""
    if str(FETCHED / "python") not in sys.path:
        sys.path.append(str(FETCHED / "python"))
    return pytest.importorskip("playwright.sync_api", reason="`make browser` fetches what this takes")


def axe() -> str:
    """Returns axe-core, the script that looks for what keeps people out of a page, or skips the tests that ask for
    it."""
    playwright()
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("`make browser` fetches axe-core, which is not here")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def chromium() -> dict[str, Any]:
    """Returns how Chromium is started, or skips the tests that ask for it."""
    arguments = {"args": ["--no-sandbox"]}  # the tests may run as root, and open pages of their own alone
    if installed := shutil.which("chromium"):
        return {"executable_path": installed, **arguments}
    if not UNPACKED.exists():
        pytest.skip("`make browser` fetches Chromium, which is not here")
    triplet = sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
    libraries = [str(FETCHED / "usr" / "lib" / triplet), str(FETCHED / "lib" / triplet)]
    environment = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(libraries)}
    return {"executable_path": str(UNPACKED), "env": environment, **arguments}


@dataclass(slots=True, kw_only=True)
class Window:
    """A browser that was let in: `pages` opened in it tell what they logged, and where they asked for anything."""

    driver: Any
    browser: Any
    address: str
    state: Any
    client: SyncMemoryBankClient
    said: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)

    def page(self, path: str = "/", **options: Any) -> Any:
        """Opens a page in a context of its own; `options` are the context's (a width, a colour scheme)."""
        context = self.browser.new_context(storage_state=self.state, **options)
        opened = context.new_page()
        opened.set_default_timeout(60_000)
        opened.on("console", lambda message: self.said.append(message.text))
        opened.on("pageerror", lambda error: self.said.append(str(error)))
        opened.on("dialog", lambda dialog: self.said.append(dialog.message))
        opened.on("request", lambda request: self.asked.add(request.url.partition("?")[0]))
        opened.goto(self.address + path)
        return opened


def _launched(driver: Any, start: dict[str, Any]) -> Any:
    """Starts Chromium, or skips the tests that ask for it: unpacked, it may lack a library of the machine."""
    try:
        return driver.chromium.launch(**start)
    except Exception as error:  # noqa: BLE001 - Playwright's own, which is imported where it is there
        pytest.skip(f"Chromium does not start here: {str(error).splitlines()[0]}")


@contextmanager
def window() -> Iterator[Window]:
    """Chromium before a console, which stands before a server with a hashing embedder."""
    sync_playwright, start = playwright().sync_playwright, chromium()
    with (
        thread_of_its_own() as thread,
        served(thread, "", None) as server,
        _listening(thread, server) as entrance,
        sync_playwright() as driver,
        SyncMemoryBankClient(server) as client,
    ):
        browser = _launched(driver, start)
        try:
            context = browser.new_context(locale="en-GB")
            context.new_page().goto(entrance)
            address = entrance.partition("/enter")[0]
            yield Window(
                driver=driver, browser=browser, address=address, state=context.storage_state(), client=client
            )
        finally:
            browser.close()


@contextmanager
def _listening(thread: Any, server: str) -> Iterator[str]:
    """The address that opens a console which listens while this lasts."""
    opens: Future[str] = Future()
    ended = asyncio.Event()

    async def serve() -> None:
        async with MemoryBankClient(server, options=AT_ONCE) as client:
            console = serve_console(
                client, server, has_key=False, listen="127.0.0.1:0", tell=opens.set_result
            )
            serving = asyncio.ensure_future(console)
            await ended.wait()
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    served = asyncio.run_coroutine_threadsafe(serve(), thread.loop)
    try:
        yield opens.result(60)
    finally:
        thread.loop.call_soon_threadsafe(ended.set)
        served.result(60)
