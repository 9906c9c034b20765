"""A pytest plugin: notes in the report which tests opened something of ours, so that no other's is counted for it."""

from typing import Any

import pytest

OURS = "ours"
_opened: list[type] = []


def note(opened: object) -> None:
    _opened.append(type(opened))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _opened.clear()


def pytest_runtest_teardown(item: Any) -> None:
    if _opened:
        item.user_properties.append((OURS, "yes"))
