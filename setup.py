"""Builds the native modules, one of each `*/native/*.cpp`. Everything else stands in pyproject.toml."""

from glob import glob
from pathlib import Path

from pybind11.setup_helpers import Pybind11Extension
from setuptools import setup

HEADERS = glob("*/native/*.h")

setup(
    ext_modules=[
        Pybind11Extension(
            ".".join(Path(source).with_suffix("").parts),
            [source],
            depends=HEADERS,
            cxx_std=17,
            extra_compile_args=["-O3"],
        )
        for source in sorted(glob("*/native/*.cpp"))
    ]
)
