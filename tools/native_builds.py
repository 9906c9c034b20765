"""Compiles the native modules by every compiler that is here, all warnings on and each an error; links nothing.

    python -m tools.native_builds [compiler…]

On Debian: g++-11, g++-12, clang-14 and g++-aarch64-linux-gnu. Python's headers of this machine serve for arm64, too.
"""

import subprocess
import sys
import sysconfig
from pathlib import Path
from shutil import which

import pybind11

COMPILERS = ("g++", "g++-11", "g++-12", "clang++", "clang++-14", "aarch64-linux-gnu-g++")
FLAGS = (
    "-O3 -std=c++17 -fPIC -fvisibility=hidden -ffp-contract=off -Wall -Wextra -Werror -c -o /dev/null".split()
)


def main(compilers: list[str]) -> int:
    """Returns how many modules some compiler refused."""
    here = (pybind11.get_include(), sysconfig.get_path("include"))
    folders = [*here, *map(str, Path("build").glob("hnswlib-*"))]
    beside = [word for folder in folders for word in ("-isystem", folder)]
    refused = 0
    for compiler in compilers or list(filter(which, COMPILERS)):
        for module in sorted(Path().glob("*/native/*.cpp")):
            command = [compiler, *FLAGS, *beside, str(module)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            refused += done.returncode != 0
            print(f"{compiler:24} {module!s:28} {'refused' if done.returncode else 'ok'}", flush=True)
            print(done.stderr[:2_000], end="")
    return refused


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
