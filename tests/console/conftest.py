"""One server and one console for all tests of a module."""

from collections.abc import Iterator

import pytest

pytest.importorskip("jinja2")

from tests.support.console import Browser, console


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with console() as opened:
        yield opened
