"""Where memory is kept."""

from pathlib import Path
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from service.settings.section import Positive, Seconds, Section

SCHEMES = ("postgresql://", "postgres://")
LOCAL = ("", "localhost", "127.0.0.1", "::1")


class StoreSection(Section):
    """Where memory is kept."""

    kind: Literal["sqlite", "postgres", "memory"] = "sqlite"
    """`sqlite`; `memory`: nothing outlives the process; `postgres`: a database that several processes share, which a
    `url` of one says by itself."""
    url: str = ""
    """The SQLite file; empty: `memorybank.sqlite` in `data_dir`. Or `postgresql://USER@HOST:PORT/DATABASE`, without a
    password; for a host elsewhere with `?sslmode=verify-full`, or whatever else is meant."""
    scrub_seconds: Positive = 600
    """How long what was deleted out of a conversation or collection may leave traces in the file. A purge leaves
    none at once."""
    password: SecretStr = SecretStr("")
    """The database's; without one, libpq's own ways: a password file, `PGPASSWORD`, a certificate."""
    password_file: Path | None = None
    """A file with nothing but the password, in its place."""
    connections: int = Field(default=14, ge=3, le=1_000)
    """Connections to the database, at most: two to load by, four to read, the rest to write."""
    timeout_seconds: Seconds = 10.0
    """How long a statement may take before the call is UNAVAILABLE."""
    pipeline: bool = True
    """Send a write as one message; off: statement by statement, for a server or proxy that stumbles over it."""
    prepared: bool = True
    """Prepare statements that come again; off behind a pooler that does not track them (pgbouncer before 1.21)."""
    migrate: bool = False
    """Bring the database's schema up to date at the start, as `memorybank migrate` does."""

    @model_validator(mode="before")
    @classmethod
    def _kind_of_url(cls, given: Any) -> Any:
        if isinstance(given, dict) and str(given.get("url", "")).startswith(SCHEMES):
            return {**given, "kind": "postgres"}
        return given

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        if not url.startswith(SCHEMES):
            if "://" in url or "password=" in url:  # the latter: libpq's other form
                raise ValueError("is neither a file nor an address that begins with postgresql://")
            return url
        parts = _parts(url)
        asked = dict(parse_qsl(parts.query))
        if parts.password is not None or any("password" in name for name in asked):
            raise ValueError("holds a password: put it into store.password or store.password_file")
        if "sslmode" not in asked and not _is_here(parts, asked):
            raise ValueError(
                "its host is another machine: add ?sslmode=verify-full (with sslrootcert=…), or say which other "
                "sslmode is meant"
            )
        return url

    @model_validator(mode="after")
    def _is_whole(self) -> "StoreSection":
        if self.kind == "postgres" and not self.url.startswith(SCHEMES):
            raise ValueError("store.kind postgres needs store.url: postgresql://USER@HOST:PORT/DATABASE")
        if self.password.get_secret_value() and self.password_file:
            raise ValueError("store.password and store.password_file: one of the two")
        return self

    def secret(self) -> str:
        """Returns the password, if one is set. Raises OSError."""
        if self.password_file is not None:
            return self.password_file.read_text(encoding="utf-8").rstrip("\r\n")
        return self.password.get_secret_value()


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port if "," not in parts.netloc else None  # raises ValueError for one that is none
    except ValueError:  # whose words repeat a part of the address
        raise ValueError("is no address of the form postgresql://USER@HOST:PORT/DATABASE") from None
    return parts


def _is_here(parts: SplitResult, asked: dict[str, str]) -> bool:
    """Whether all hosts of the address are this machine: by name, or by a socket in a folder."""
    named = [host.rsplit(":", 1)[0].strip("[]") for host in parts.netloc.rpartition("@")[2].split(",")]
    hosts = asked["host"].split(",") if "host" in asked else named
    return all(host in LOCAL or host.startswith("/") for host in hosts)
