"""Which tests of whom run on our adapters, what they need, and why those fail that do.

A cause stands here only for what tests of a framework's own storage: its tables, connections, clocks and distances. A
failure without a cause is ours, and `make suites` ends with 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ROWS = "changes rows of its own database"
CONNECTIONS = "looks into its own connections and their locks"
SWEEP = "counts the rows that a sweep deleted; the service sweeps by itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """`folder`: where in the checkout the tests are run. `installed`: what they need; `{}` is the checkout, or the
    version of what is `released`: such tests are a package's classes, which ours are derived from. `causes`: by what a
    test's name contains, why it fails and is not ours."""

    plugin: str = ""
    folder: str
    tests: tuple[str, ...]
    installed: tuple[str, ...]
    told: tuple[str, ...]
    released: bool = False
    causes: Mapping[str, str] = field(default_factory=dict)


SUITES: Mapping[str, tuple[Suite, ...]] = {
    "LANGGRAPH": (
        Suite(
            plugin="langgraph_store",
            folder="libs/checkpoint",
            tests=("tests/test_store.py",),
            installed=("{}/libs/checkpoint", "{}/libs/checkpoint-sqlite"),
            told=("langgraph-checkpoint",),
        ),
        Suite(
            plugin="langgraph_store",
            folder="libs/checkpoint-sqlite",
            tests=("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"),
            installed=(),
            told=("langgraph-checkpoint-sqlite",),
            causes={
                "test_vector_store_initialization": "looks for tables in its own database",
                "test_sql_injection_vulnerability": "refuses a field's name that its SQL must not see",
                "test_ttl_refresh": SWEEP,
                "test_ttl_override_default": "its clock drops parts of seconds: a read at 2 s for 5 s ends before 6 s",
            },
        ),
        Suite(
            plugin="langgraph_store",
            folder="libs/checkpoint-postgres",
            tests=("tests/test_store.py", "tests/test_async_store.py"),
            installed=("{}/libs/checkpoint-postgres", "psycopg[binary,pool]"),
            told=("langgraph-checkpoint-postgres",),
            causes={
                "halfvec-l2]": "a distance that LangGraph's IndexConfig does not have",
                "test_omit_expired_filters_read_paths": ROWS,
                "test_omit_expired_refresh_ttl_only_refreshes_live_rows": ROWS,
                "test_omit_expired_search_pagination": ROWS,
                "test_abatch_uses_single_pool_checkout": CONNECTIONS,
            },
        ),
    ),
    "DEEPAGENTS": (
        Suite(
            plugin="langgraph_store",
            folder="libs/deepagents",
            tests=(
                "tests/unit_tests/backends",
                "tests/unit_tests/middleware/test_memory_middleware.py",
                "tests/unit_tests/middleware/test_memory_middleware_async.py",
            ),
            installed=("{}/libs/deepagents", "langgraph-checkpoint-sqlite", "pytest-timeout"),
            told=("deepagents", "langgraph"),
        ),
    ),
    "LANGCHAIN": (
        Suite(
            folder="tools/suites",
            tests=("langchain_retriever.py",),
            installed=("langchain-tests=={}", "langchain-core"),
            told=("langchain-tests", "langchain-core"),
            released=True,
        ),
    ),
    "OPENAI_AGENTS": (
        Suite(
            plugin="openai_agents_session",
            folder="",
            tests=("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
            installed=("{}", "inline-snapshot"),
            told=("openai-agents",),
            causes={
                "corrupt": ROWS,
                "_failed_": "makes its own tables refuse",
                "closed_rejects": "a session without connections of its own has nothing to close",
                "file_lock": CONNECTIONS,
                "worker_thread_connections": CONNECTIONS,
                "evicts_connection": CONNECTIONS,
                "quarantined_connection": CONNECTIONS,
                "post_commit_cancellation": CONNECTIONS,
            },
        ),
    ),
}
