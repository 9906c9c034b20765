"""Puts a release together: wheels, the source, the contract's descriptor, an SBOM, and the digests of all.

    python -m tools.release dist OUT CYCLONEDX

`dist` has the wheels (`make wheels`), OUT is a new folder, CYCLONEDX the program that writes the SBOM. The wheels must
be of this version, and CHANGELOG.md must tell of it.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTOR = ROOT / "protos" / "memorybank" / "v1" / "memorybank.binpb"
LOCK = ROOT / "requirements-service.lock"
SUMS = "SHA256SUMS"
WHEELS = ("agentic_memory_bank-{}-*.whl", "agentic_memory_bank_client-{}-*.whl")


class Incomplete(Exception):
    """Something that a release has is missing. The message says what, and how to make it."""


def main(arguments: list[str]) -> int:
    dist, out, cyclonedx = map(Path, arguments)
    try:
        release(dist, out, cyclonedx)
    except Incomplete as missing:
        print(f"no release: {missing}", file=sys.stderr)
        return 1
    for line in (out / SUMS).read_text().splitlines():
        print(line)
    return 0


def release(dist: Path, out: Path, cyclonedx: Path) -> None:
    """Fills the folder. Raises Incomplete."""
    version = versions()
    _require_entry(version)
    wheels = list(_wheels(dist, version))
    out.mkdir(parents=True)
    for wheel in wheels:
        shutil.copy2(wheel, out)
    _source(out)
    shutil.copy2(DESCRIPTOR, out / f"memorybank-{version}.binpb")
    bill = ["requirements", "--of", "JSON", "--output-reproducible", "--pyproject", "pyproject.toml"]
    made = [*bill, "--output-file", str(out / f"sbom-{version}.cdx.json"), LOCK.name]
    subprocess.run([str(cyclonedx), *made], cwd=ROOT, check=True)
    write_sums(out)


def versions() -> str:
    """Returns the version of server and client. Raises Incomplete where they differ."""
    of = {
        path: tomllib.loads((ROOT / path).read_text(encoding="utf-8"))["project"]["version"]
        for path in ("pyproject.toml", "clients/python/pyproject.toml")
    }
    if len(set(of.values())) > 1:
        raise Incomplete(f"server and client have different versions: {of}")
    return str(of["pyproject.toml"])


def write_sums(folder: Path) -> None:
    """Writes the digests of all files in it, as `sha256sum --check` reads them."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"
        for path in sorted(folder.iterdir())
        if path.name != SUMS
    ]
    (folder / SUMS).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _require_entry(version: str) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)}\b(?!, unreleased)", changelog, re.MULTILINE):
        raise Incomplete(f"CHANGELOG.md has no entry `## {version}, DATE`: write down what changed, and when")


def _wheels(dist: Path, version: str) -> Iterator[Path]:
    for pattern in WHEELS:
        found = sorted(dist.glob(pattern.format(version)))
        if not found:
            raise Incomplete(f"{dist} has no {pattern.format(version)}: run `make wheels`")
        yield from found


def _source(out: Path) -> None:
    """Makes the source distribution of the server, which holds the client and the contract, too."""
    make = f"import setuptools.build_meta as build; build.build_sdist({str(out.resolve())!r})"
    subprocess.run([sys.executable, "-c", make], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
