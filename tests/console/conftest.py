"""One server and one console for all tests of a module; one real browser for all that ask for one."""

from collections.abc import Iterator

import pytest

from tests.support.browsing import Window, window
from tests.support.console import Browser, console
from tests.support.console_memory import Remembered, remember


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with console() as opened:
        yield opened


@pytest.fixture(scope="module")
def memory(browser: Browser) -> Remembered:
    return remember(browser.client, "ada")


@pytest.fixture(scope="session")
def opened() -> Iterator[Window]:
    with window() as made:
        yield made


@pytest.fixture(scope="session")
def ada(opened: Window) -> Remembered:
    return remember(opened.client, "ada")
