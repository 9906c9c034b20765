"""What a release has, and when there is none."""

import subprocess
from pathlib import Path

import pytest

from tools import release
from tools.release import Incomplete, versions, write_sums


def test_server_and_client_have_one_version() -> None:
    assert versions().count(".") == 2


def test_digests_are_what_sha256sum_checks(tmp_path: Path) -> None:
    (tmp_path / "one.whl").write_bytes(b"1")
    (tmp_path / "二.tar.gz").write_bytes(b"2")

    write_sums(tmp_path)

    check = ["sha256sum", "--check", "--strict", "--quiet", release.SUMS]
    assert subprocess.run(check, cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "one.whl").write_bytes(b"3")
    assert subprocess.run(check, cwd=tmp_path, check=False, capture_output=True).returncode == 1


def test_a_release_without_its_entry_in_the_changelog_or_its_wheels_is_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "versions", lambda: "99.0.0")
    with pytest.raises(Incomplete, match=r"no entry `## 99\.0\.0, DATE`"):
        release.release(tmp_path, tmp_path / "out", Path("cyclonedx-py"))

    monkeypatch.setattr(release, "_require_entry", lambda _: None)
    with pytest.raises(Incomplete, match="run `make wheels`"):
        release.release(tmp_path, tmp_path / "out", Path("cyclonedx-py"))

    assert not (tmp_path / "out").exists()
