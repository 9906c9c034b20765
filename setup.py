"""Builds the native modules, one of each `*/native/*.cpp`. Everything else stands in pyproject.toml.

hnswlib's headers are in its source distribution alone, not in what its installation leaves. So the first build fetches
that by pip, as pip is configured here, checks its hash, and keeps the headers in build/: later builds are offline.
"""

import subprocess
import sys
import tarfile
from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory

from pybind11.setup_helpers import Pybind11Extension
from setuptools import setup
from setuptools.command.build_ext import build_ext

HNSWLIB = "0.8.0"
HNSWLIB_HASH = "sha256:cb6d037eedebb34a7134e7dc78966441dfd04c9cf5ee93911be911ced951c44c"


def hnswlib_headers() -> Path:
    """The folder that has `hnswlib/hnswlib.h`."""
    headers = Path("build") / f"hnswlib-{HNSWLIB}"
    if not headers.exists():
        headers.parent.mkdir(exist_ok=True)
        with TemporaryDirectory(dir=headers.parent) as name:
            folder = Path(name)
            (folder / "pinned.txt").write_text(f"hnswlib=={HNSWLIB} --hash={HNSWLIB_HASH}\n")
            pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download"]
            pinned = ["--no-deps", "--no-binary=:all:", "--require-hashes", "--requirement", "pinned.txt"]
            subprocess.run([*pip, "--no-build-isolation", *pinned], cwd=folder, check=True)  # noqa: S603 # all ours
            unpacked = folder / "headers"
            (unpacked / "hnswlib").mkdir(parents=True)
            with tarfile.open(folder / f"hnswlib-{HNSWLIB}.tar.gz") as archive:
                for member in archive.getmembers():
                    file = archive.extractfile(member) if member.name.endswith(".h") else None
                    if file is not None:
                        (unpacked / "hnswlib" / Path(member.name).name).write_bytes(file.read())
            unpacked.rename(headers)
    return headers


class BuildNative(build_ext):
    """Builds with hnswlib's headers on the path, as a system's: its warnings are not ours."""

    def build_extensions(self) -> None:
        headers = hnswlib_headers().resolve()
        for extension in self.extensions:
            extension.extra_compile_args += ["-isystem", str(headers)]
        self.parallel = True  # as many at once as there are processors
        super().build_extensions()


setup(
    cmdclass={"build_ext": BuildNative},
    ext_modules=[
        Pybind11Extension(
            ".".join(Path(source).with_suffix("").parts),
            [source],
            depends=glob("*/native/*.h"),
            cxx_std=17,
            extra_compile_args=["-O3", "-ffp-contract=off"],
        )
        for source in sorted(glob("*/native/*.cpp"))
    ],
)
