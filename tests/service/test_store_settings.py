"""Which addresses of a database the service starts with, and what it says of the others."""

from pathlib import Path

import pytest

from service.assembly.bootstrap import limits_of
from service.config import ConfigurationError
from tests.support.server import settings_for


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("postgresql://ada:secret-word@localhost/bank", "store.password or store.password_file"),
        ("postgresql://ada@localhost/bank?password=secret-word", "store.password or store.password_file"),
        ("postgresql://ada@db.example.org/bank", "sslmode=verify-full"),
        ("postgresql://ada@localhost,db.example.org/bank", "sslmode=verify-full"),
        ("postgresql:///bank?host=db.example.org", "sslmode=verify-full"),
        ("postgresql://localhost:secret-word/bank", "store.url"),
        ("mysql://localhost/bank", "begins with postgresql://"),
        ("host=localhost dbname=bank password=secret-word", "begins with postgresql://"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused_by_name_and_never_repeated(
    tmp_path: Path, url: str, problem: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        settings_for(tmp_path, store={"url": url})

    assert problem in str(refused.value)
    assert "store.url" in str(refused.value)
    assert "secret-word" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada@localhost:5432/bank",
        "postgres://ada@127.0.0.1,localhost/bank",
        "postgresql:///bank?host=/var/run/postgresql",
        "postgresql://ada@db.example.org/bank?sslmode=verify-full",
        "postgresql://ada@db/bank?sslmode=disable",
    ],
)
def test_the_url_of_a_database_says_which_store_is_meant(tmp_path: Path, url: str) -> None:
    assert settings_for(tmp_path, store={"url": url}).store.kind == "postgres"


def test_the_password_comes_from_its_setting_or_its_file_and_is_shown_as_stars(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("secret-word\n")
    url = "postgresql://ada@localhost/bank"
    given = settings_for(tmp_path, store={"url": url, "password": "secret-word"})
    filed = settings_for(tmp_path, store={"url": url, "password_file": str(tmp_path / "password")})

    assert given.store.secret() == filed.store.secret() == "secret-word"
    assert "secret-word" not in str(given.shown()) + str(filed.shown()) + repr(given)
    with pytest.raises(ConfigurationError, match="one of the two"):
        settings_for(tmp_path, store={"url": url, "password": "x", "password_file": "y"})


def test_a_database_needs_its_address(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="needs store"):
        settings_for(tmp_path, store={"kind": "postgres"})
    with pytest.raises(ConfigurationError, match="needs store"):
        settings_for(tmp_path, store={"kind": "postgres", "url": "host=localhost dbname=bank"})


def test_a_file_in_a_database_is_bounded_sooner_unless_its_bound_is_set(tmp_path: Path) -> None:
    database = {"url": "postgresql://ada@localhost/bank"}
    in_folder, in_database = settings_for(tmp_path), settings_for(tmp_path, store=database)
    chosen = settings_for(tmp_path, store=database, limits={"attachment_bytes": 5})

    allowed = [limits_of(settings).attachment_bytes for settings in (in_folder, in_database, chosen)]

    assert allowed == [1_000_000_000, 100_000_000, 5]
