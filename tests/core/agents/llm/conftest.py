"""`pytest tests/core/agents/llm --rewrite-transcripts` writes the transcripts anew; look at what git says changed."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-transcripts", action="store_true", help="write tests' transcripts anew")


@pytest.fixture
def rewrites(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite-transcripts", default=False))
