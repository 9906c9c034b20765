"""Runs the suites: `python -m tools.suites LANGGRAPH=CHECKOUT LANGCHAIN=VERSION …`; prints what each came to, and why
tests failed. Ends with 1 where a test failed without a cause that is known and another's.
"""

import os
import shutil
import subprocess
import sys
import venv
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from service.cli.demo.server import running_server
from tools.suites.suites import SUITES, Suite

ROOT = Path(__file__).parents[2]
OURS = ("grpcio>=1.76,<2", "protobuf>=6.33.5,<8", "googleapis-common-protos>=1.72,<2")
COMMON = ("pytest", "pytest-asyncio", "pytest-mock")
LEFT_OUT = (".git", ".venv", "node_modules", "__pycache__")
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
)
REPORT = "report.xml"
OPENED = "ours"  # what tools.suites.opened notes of a test


def main(arguments: Iterable[str]) -> int:
    brought = dict(each.split("=", 1) for each in arguments if "=" in each)
    chosen = {name: given for name, given in brought.items() if given}
    if not chosen or not chosen.keys() <= SUITES.keys():
        print(f"say which, each by a checkout, LANGCHAIN by a version: {', '.join(SUITES)}", file=sys.stderr)
        return 2
    explained = [_all_of(name, given) for name, given in chosen.items()]
    return 0 if all(explained) else 1


def _all_of(name: str, given: str) -> bool:
    """Runs one framework's suites in an environment and on a copy that go with it; whether nothing failed by us."""
    with TemporaryDirectory(prefix="memorybank-suites-") as folder, running_server() as address:
        home = Path(folder)
        source = copied(given, home) if not SUITES[name][0].released else given
        python = _environment(SUITES[name], source, home)
        done = [_run(name, suite, python, source, address) for suite in SUITES[name]]
    return all(done)


def copied(checkout: str, home: Path) -> str:
    """Copies a checkout: what builds and tests write there is not the caller's to find."""
    copy = home / "checkout"
    shutil.copytree(checkout, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return str(copy)


def _environment(suites: Iterable[Suite], source: str, home: Path) -> Path:
    python = home / "environment" / "bin" / "python"
    venv.create(python.parents[1], with_pip=True)
    wanted = [each.format(source) for suite in suites for each in suite.installed]
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *OURS, *COMMON, *wanted], check=True, env=_without_ours())
    return python


def _run(name: str, suite: Suite, python: Path, source: str, address: str) -> bool:
    folder = (ROOT if suite.released else Path(source)) / suite.folder
    paths = [str(folder), *(str(ROOT / part) for part in ("", "protos", "clients/python"))]
    plugins = ("-p", "tools.suites.opened", "-p", f"tools.suites.{suite.plugin}") if suite.plugin else ()
    report = python.parent / REPORT
    report.unlink(missing_ok=True)
    done = subprocess.run(
        [python, "-m", "pytest", *OPTIONS, f"--junit-xml={report}", *plugins, *suite.tests],
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
    versions = ", ".join(_version(python, package) for package in suite.told)
    print(f"{name} {suite.folder or '.'} ({versions})")
    if not report.exists():
        print("  did not run:", (done.stdout + done.stderr)[-2_000:], flush=True)
        return False
    return told(suite, ET.parse(report).getroot())  # noqa: S314  # written by the run itself


def told(suite: Suite, report: ET.Element) -> bool:
    """Prints what a suite came to; whether each failure has a cause that is not ours."""
    tests = list(report.iter("testcase"))
    failed = list(_failed(tests))
    skipped = sum(1 for test in tests if test.find("skipped") is not None)
    opened = sum(1 for test in tests if test.find(f"properties/property[@name='{OPENED}']") is not None)
    on_ours = f"; {opened} of them open ours" if suite.plugin else ""
    print(f"  {len(tests) - len(failed) - skipped} passed, {len(failed)} failed, {skipped} skipped{on_ours}")
    causes = Counter(cause for name, _ in failed if (cause := _cause(suite, name)))
    for cause, count in causes.items():
        print(f"  {count} by theirs: {cause}")
    ours = [(name, said) for name, said in failed if not _cause(suite, name)]
    for name, said in ours:
        print(f"  FAILED {name}: {said}")
    sys.stdout.flush()
    return bool(tests) and not ours


def _failed(tests: Iterable[ET.Element]) -> Iterator[tuple[str, str]]:
    """Yields name and message of each test that failed or could not be begun."""
    for test in tests:
        found = test.find("failure") if test.find("failure") is not None else test.find("error")
        if found is not None:
            said = (found.get("message") or "").strip().splitlines()
            yield f"{test.get('classname')}::{test.get('name')}", said[0] if said else ""


def _cause(suite: Suite, name: str) -> str:
    return next((cause for part, cause in suite.causes.items() if part in name), "")


def _without_ours() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _version(python: Path, package: str) -> str:
    asks = f"from importlib.metadata import version; print(version({package!r}))"
    found = subprocess.run([python, "-c", asks], capture_output=True, text=True, check=False).stdout.strip()
    return f"{package} {found or 'unknown'}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
