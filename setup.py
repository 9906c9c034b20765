"""Builds the native modules, one of each `core/native/*.cpp`. Everything else stands in pyproject.toml."""

from glob import glob
from pathlib import Path

from pybind11.setup_helpers import Pybind11Extension
from setuptools import setup

HEADERS = glob("core/native/*.h")

setup(
    ext_modules=[
        Pybind11Extension(
            f"core.native.{Path(source).stem}",
            [source],
            depends=HEADERS,
            cxx_std=17,
            extra_compile_args=["-O3"],
        )
        for source in sorted(glob("core/native/*.cpp"))
    ]
)
