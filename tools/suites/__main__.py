"""Runs the suites: `python -m tools.suites LANGGRAPH=CHECKOUT LANGCHAIN=VERSION …`; prints what each came to."""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from service.cli.demo.server import running_server

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / "build" / "suites"
OURS = ("grpcio>=1.76,<2", "protobuf>=6.33.5,<8", "googleapis-common-protos>=1.72,<2")
COMMON = ("pytest", "pytest-asyncio", "pytest-mock")
OPTIONS = (
    "-q",
    "-p",
    "no:cacheprovider",
    "-o",
    "addopts=",
    "-o",
    "asyncio_mode=auto",
    "-o",
    "filterwarnings=",
    "-W",
    "ignore",
    "--tb=line",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """`folder`: where in the checkout the tests are run. `installed`: what they need; `{}` is the checkout, or the
    version of what is `released`: such tests are a package's classes, which ours are derived from."""

    plugin: str = ""
    folder: str
    tests: tuple[str, ...]
    installed: tuple[str, ...]
    told: tuple[str, ...]
    released: bool = False


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
        ),
        Suite(
            plugin="langgraph_store",
            folder="libs/checkpoint-postgres",
            tests=("tests/test_store.py", "tests/test_async_store.py"),
            installed=("{}/libs/checkpoint-postgres", "psycopg[binary,pool]"),
            told=("langgraph-checkpoint-postgres",),
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
        ),
    ),
}


def main(arguments: Iterable[str]) -> int:
    brought = dict(each.split("=", 1) for each in arguments if "=" in each)
    chosen = {name: given for name, given in brought.items() if given}
    if not chosen or not chosen.keys() <= SUITES.keys():
        print(f"say which, each by a checkout, LANGCHAIN by a version: {', '.join(SUITES)}", file=sys.stderr)
        return 2
    with running_server() as address:
        for name, given in chosen.items():
            for suite in SUITES[name]:
                print(f"{name} {suite.folder}: {_run(name, suite, given, address)}", flush=True)
    return 0


def _run(name: str, suite: Suite, given: str, address: str) -> str:
    """Returns what a suite came to, with the versions that it ran on; writes its output beside its environment."""
    source = given if suite.released else str(Path(given).resolve())
    python = _environment(name, suite, source)
    folder = (ROOT if suite.released else Path(source)) / suite.folder
    paths = [str(folder), *(str(ROOT / part) for part in ("", "protos", "clients/python"))]
    plugin = ("-p", f"tools.suites.{suite.plugin}") if suite.plugin else ()
    done = subprocess.run(
        [python, "-m", "pytest", *OPTIONS, *plugin, *suite.tests],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MEMORYBANK_SUITE": address,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    (ENVIRONMENTS / f"{name.lower()}-{suite.folder.replace('/', '-') or 'all'}.txt").write_text(
        done.stdout + done.stderr
    )
    failed = re.findall(r"^FAILED .*$", done.stdout, re.MULTILINE)
    versions = ", ".join(_version(python, package) for package in suite.told)
    return "\n  ".join(
        [f"{(done.stdout.strip() or done.stderr.strip()).splitlines()[-1]} ({versions})", *failed]
    )


def _environment(name: str, suite: Suite, source: str) -> Path:
    home = ENVIRONMENTS / name.lower()
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    wanted = [each.format(source) for each in suite.installed]
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *OURS, *COMMON, *wanted], check=True)
    return python


def _version(python: Path, package: str) -> str:
    asks = f"from importlib.metadata import version; print(version({package!r}))"
    found = subprocess.run([python, "-c", asks], capture_output=True, text=True, check=False).stdout.strip()
    return f"{package} {found or 'unknown'}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
