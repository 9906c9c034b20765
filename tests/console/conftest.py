"""One server and one console for all tests of a module."""

from collections.abc import Iterator

import pytest

from tests.support.console import Browser, console
from tests.support.console_memory import Remembered, remember


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with console() as opened:
        yield opened


@pytest.fixture(scope="module")
def memory(browser: Browser) -> Remembered:
    return remember(browser.client, "ada")
