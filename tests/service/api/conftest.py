"""The service that these tests call: the real one, over a store of its own."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
import structlog

from tests.support.server import Service, serving


@pytest_asyncio.fixture
async def service() -> AsyncIterator[Service]:
    async with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def _only_warnings() -> Iterator[None]:
    """What is refused on purpose fills no test's output."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("warning"))
    yield
    structlog.reset_defaults()
