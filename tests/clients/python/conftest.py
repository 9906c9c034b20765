"""Both clients, in turn."""

import pytest


@pytest.fixture(params=["asynchronous", "synchronous"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which client a test is about."""
    return str(request.param)
