"""Which tests are quick: `make test` runs those, `make check` runs all.

Law: a test is quick unless it stands here, by its file or a folder, or is marked `slow` itself. Quick ones need nothing
but `.venv` as `make setup` makes it: whoever starts a program that is fetched beside it fails (`hold_to_tiers`).
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
SLOW = (
    # start the program, often, or are read by what other languages, a browser or a proxy are built of
    "clients/python/test_distribution.py",
    "clients/python/test_langgraph_store.py",
    "clients/python/test_mcp.py",
    "clients/python/test_mcp_cancelled.py",
    "clients/test_law.py",
    "clients/test_packages.py",
    "clients/test_transcript.py",
    "console",
    "deploy",
    "e2e",
    "examples",
    "load",
    "long_tasks",
    "mesh",
    "service/adapters/sqlite_store/test_processes.py",
    "service/cli",
    "test_first_day.py",
    "test_make_check.py",
    "test_readme.py",
    "tools",
    # a PostgreSQL of their own
    "service/adapters/test_postgres_store.py",
    "service/adapters/test_schema.py",
    "service/api/test_on_postgres.py",
    # think or compute for seconds
    "clients/python/test_react_adapter.py",
    "clients/python/test_runs.py",
    "conformance/test_embedder.py",
    "conformance/test_large_purge.py",
    "core/agents/offline/test_judge.py",
    "core/agents/llm/test_long_context.py",
    "core/bank/test_candidates.py",
    "core/bank/test_restoring.py",
    "core/index/test_vector_index.py",
    "core/native",
    "core/usecases/bank/test_failure_is_not_loss.py",
    "judging",
    "model",
    "service/adapters/local_embedder",
    "service/api/test_access_requests.py",
    "service/api/test_answers_fit.py",
    "service/api/test_deep_retrieval.py",
    "service/api/test_explain.py",
    "service/api/test_explain_pair.py",
    "service/api/test_forged_frames.py",
    "service/api/test_fuzz.py",
    "service/api/test_interactions_retracted.py",
    "service/api/test_invocations.py",
    "service/api/test_large_context.py",
    "service/api/test_long_durations.py",
    "service/api/test_ordinary_calls.py",
    "service/api/test_replays.py",
    "service/api/test_rereading.py",
    "service/api/test_retractions.py",
    "service/api/test_settled.py",
    "service/api/test_texts_for_agents.py",
    "service/test_failing_endpoint.py",
)
FETCHED = (".venv/browser/", ".venv/examples/", ".venv/languages/", ".venv/pgbouncer/", "build/clients/")
"""Folders that `make setup` does not fill."""
PROGRAMS = ("chromium", "go", "java", "mvn", "node", "npm", "pgbouncer")
"""What it does not bring, either."""


@cache
def is_slow(path: Path) -> bool:
    """Whether a file stands in the list."""
    place = path.relative_to(TESTS) if path.is_relative_to(TESTS) else path
    return any(str(each) in SLOW for each in (place, *place.parents))


def is_fetched(program: object, words: Sequence[object]) -> bool:
    """Whether a command has to do with what is fetched."""
    inside = any(folder in str(word) for folder in FETCHED for word in (program, *words))
    return inside or any(Path(str(each)).name in PROGRAMS for each in (program, *words[:1]))


_quick: list[str] = []  # the quick test that runs now


@contextmanager
def held_to_tier(name: str, *, slow: bool) -> Iterator[None]:
    """Has a test that is not slow fail where it starts a program that is fetched. Needs `hold_to_tiers`."""
    if slow:
        yield
        return
    _quick.append(name)
    try:
        yield
    finally:
        _quick.pop()


def hold_to_tiers() -> None:
    """Hear of every program that this process starts."""
    sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen" and _quick and is_fetched(arguments[0], arguments[1]):
        raise AssertionError(
            f"{_quick[-1]} is a quick test, and starts {arguments[1]}: name its file in tests/support/tiers.py"
        )
