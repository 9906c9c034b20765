"""The packages of `make clients`, as projects elsewhere install them: each runs the quickstart of its README."""

import asyncio
import json
import os
import re
import subprocess
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "clients"
BUILT = ROOT / "build" / "clients"
PYPROJECT = (CLIENTS / "python/pyproject.toml").read_text(encoding="utf-8")
SHOWN = "The ferry to Naxos leaves at nine."

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def address(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    async with running(settings_for(tmp_path_factory.mktemp("data")), HashingEmbedder()) as listening:
        yield str(listening)


def built(language: str) -> Path:
    folder = BUILT / language
    if not (folder / ".built").exists():
        pytest.skip(f"`make clients` has not built the client in {language}: its toolchain is missing")
    return folder


def quickstart(language: str, fence: str, address: str) -> str:
    readme = (CLIENTS / language / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"```{fence}\n(.*?)```", readme, re.DOTALL)
    return str(block).replace("127.0.0.1:7700", address)


async def done(folder: Path, *command: str | Path, **variables: str) -> str:
    """What a command prints; it fails the test with what it says."""
    ended = await asyncio.to_thread(
        subprocess.run,
        [str(part) for part in command],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.strip()


async def test_a_go_project_gets_the_module(address: str, tmp_path: Path) -> None:
    module = built("go")
    fetched = await done(ROOT, "go", "env", "GOMODCACHE")
    proxies = f"file://{module},file://{fetched}/cache/download,off"
    (tmp_path / "main.go").write_text(quickstart("go", "go", address), encoding="utf-8")
    own = {
        "GOPROXY": proxies,
        "GONOSUMDB": "*",
        "GOMODCACHE": str(tmp_path / "modules"),
        "GOFLAGS": "-modcacherw -trimpath",
    }

    await done(tmp_path, "go", "mod", "init", "quickstart", **own)
    await done(tmp_path, "go", "get", f"memorybank.example/client@v{version()}", **own)
    shown = await done(tmp_path, "go", "run", ".", **own)

    assert shown == SHOWN


async def test_a_node_project_gets_the_tarball(address: str, tmp_path: Path) -> None:
    """As npm has installed it elsewhere: it would ask a registry again for what it has."""
    installed = built("typescript") / "installed/node_modules"
    (tmp_path / "node_modules").symlink_to(installed)
    (tmp_path / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    (tmp_path / "main.ts").write_text(quickstart("typescript", "ts", address), encoding="utf-8")

    types = CLIENTS / "typescript/node_modules"
    await done(tmp_path, types / ".bin/tsc", *TSC, "--typeRoots", types / "@types", "main.ts")
    shown = await done(tmp_path, "node", "main.js")

    assert shown == SHOWN


TSC: Sequence[str] = (
    "--strict",
    "--target",
    "ES2022",
    "--module",
    "NodeNext",
    "--skipLibCheck",
    "--types",
    "node",
)
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>quickstart</groupId>
  <artifactId>quickstart</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
DEPENDENCY
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.14.1</version>
      </plugin>
    </plugins>
  </build>
</project>
"""


async def test_a_maven_project_takes_the_jar(address: str, tmp_path: Path) -> None:
    built("java")
    sources = tmp_path / "src/main/java"
    sources.mkdir(parents=True)
    pom = POM.replace("DEPENDENCY", quickstart("java", "xml", address))
    (tmp_path / "pom.xml").write_text(pom, encoding="utf-8")
    (sources / "Quickstart.java").write_text(quickstart("java", "java", address), encoding="utf-8")

    await done(tmp_path, "mvn", "-q", "-B", "-o", "compile", MAVEN_OPTS="-XX:TieredStopAtLevel=1")
    # Maven would take seconds to say where the jars are that it just used.
    used = (ROOT / "tests/clients/players/java/target/classpath").read_text(encoding="utf-8")
    shown = await done(
        tmp_path, "java", "-XX:TieredStopAtLevel=1", "-cp", f"target/classes:{used}", "Quickstart"
    )

    assert shown == SHOWN


def version() -> str:
    found = re.search(r'^version = "(.*)"$', PYPROJECT, re.MULTILINE)
    assert found is not None
    return found[1]


async def test_all_clients_have_one_version() -> None:
    package = json.loads((CLIENTS / "typescript/package.json").read_text(encoding="utf-8"))
    pom = (CLIENTS / "java/pom.xml").read_text(encoding="utf-8")

    assert package["version"] == version()
    assert f"<version>{version()}</version>" in pom.partition("<dependencies>")[0]
    for language in ("go", "java"):
        assert version() in (CLIENTS / language / "README.md").read_text(encoding="utf-8")
