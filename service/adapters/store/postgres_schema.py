"""The schema of a PostgreSQL database: whether this program can work on it, and how it is brought up to date.

Law: migrations are numbered scripts that only add; each runs once, in one transaction with its number and checksum in
`schema_versions`, whichever process is first. So release N works on the schemas N and N + 1.
"""

from collections.abc import Sequence

import psycopg

from core.errors import StoreUnavailable
from service.adapters.store.postgres_link import Link
from service.adapters.store.schema import Column, checksum_of, version_of

NEWER = 1  # schemas by which the database may be ahead: a newer release is being rolled out
VERSIONS = """
CREATE TABLE IF NOT EXISTS schema_versions (
    version bigint PRIMARY KEY, time timestamptz NOT NULL DEFAULT now(), checksum text
)
"""
WITH_CHECKSUMS = (
    "ALTER TABLE schema_versions ADD COLUMN IF NOT EXISTS checksum text"  # of a table made before
)
RECORD = """
INSERT INTO schema_versions AS kept (version, checksum) VALUES (%s, %s)
ON CONFLICT (version) DO UPDATE SET checksum = excluded.checksum WHERE kept.checksum IS NULL
"""
MADE_MEANWHILE = ("23505", "42P07", "42710")  # by another process: a row of the catalogue, a table, a type
HOW = "run `memorybank migrate`, or set store.migrate = true"


def check_server(link: Link) -> None:
    """Raises StoreUnavailable for a database that would lose what it acknowledged, or cannot keep every text."""
    if _shown(link, "synchronous_commit") == "off":
        raise StoreUnavailable(
            "synchronous_commit is off: the database would lose writes that it acknowledged; switch it on "
            "(ALTER DATABASE … SET synchronous_commit = on)"
        )
    encoding = _shown(link, "server_encoding")
    if encoding not in ("UTF8", "unicode"):
        raise StoreUnavailable(
            f"the database's encoding is {encoding}, which cannot keep every text: make it with ENCODING 'UTF8'"
        )


def prepare_schema(link: Link, scripts: Sequence[str], *, migrate: bool) -> tuple[int, int]:
    """Returns the schema's version before and now. Raises StoreUnavailable where it is not one to work on."""
    recorded = _recorded(link)
    before = _version(link, recorded, scripts)
    if before > len(scripts) + NEWER:
        raise StoreUnavailable(
            f"the database has schema {before}, written by a newer version; this one knows {len(scripts)}: "
            "run the newer one"
        )
    if before < len(scripts) and not migrate:
        had = f"schema {before}, and this version needs {len(scripts)}" if before else "no schema yet"
        raise StoreUnavailable(f"the database has {had}: {HOW}")
    if not migrate or (len(recorded) >= len(scripts) and None not in recorded.values()):
        return before, before
    _make_table(link)
    return _migrated(link, scripts)


def _shown(link: Link, setting: str) -> str:
    row = link.execute("SELECT current_setting(%s)", [setting]).fetchone()
    return str(row[0]) if row else ""


def _recorded(link: Link) -> dict[int, str | None]:
    """Returns the recorded checksums by the numbers of scripts; None where none was recorded."""
    try:
        rows = link.execute("SELECT version, checksum FROM schema_versions WHERE version > 0").fetchall()
    except psycopg.errors.UndefinedTable:
        return {}
    except psycopg.errors.UndefinedColumn:
        rows = link.execute("SELECT version, NULL FROM schema_versions WHERE version > 0").fetchall()
    return dict(rows)


def _version(link: Link, recorded: dict[int, str | None], scripts: Sequence[str]) -> int:
    try:
        return version_of(recorded, scripts, lambda: _columns(link))
    except StoreUnavailable as misfit:
        raise StoreUnavailable(f"the database's schema does not fit: {misfit.cause}") from None


def _columns(link: Link) -> set[Column]:
    rows = link.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
    )
    return set(rows.fetchall())


def _make_table(link: Link) -> None:
    for statement in (VERSIONS, WITH_CHECKSUMS):
        try:
            link.execute(statement.encode())
        except psycopg.Error as error:
            if error.sqlstate not in MADE_MEANWHILE:
                raise
    link.execute("INSERT INTO schema_versions (version) VALUES (0) ON CONFLICT (version) DO NOTHING")


def _migrated(link: Link, scripts: Sequence[str]) -> tuple[int, int]:
    with link.transaction():
        link.execute("SELECT 1 FROM schema_versions WHERE version = 0 FOR UPDATE")  # one process at a time
        before = _version(link, _recorded(link), scripts)
        for script in scripts[before:]:
            link.execute(script.encode())
        for number, script in enumerate(scripts, start=1):
            link.execute(RECORD, [number, checksum_of(script)])
    return before, max(before, len(scripts))
