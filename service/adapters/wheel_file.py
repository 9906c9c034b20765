"""Model files that other packages carry, taken as data.

Law: the package is not imported to find its file, and no byte is believed before its checksum agrees.
"""

import hashlib
import importlib.util
from pathlib import Path

from core.errors import EmbedderUnavailable


def wheel_file(package: str, name: str) -> Path:
    """Returns where a top-level package keeps a file. Raises EmbedderUnavailable when it does not."""
    found = importlib.util.find_spec(package)
    for folder in (found.submodule_search_locations or ()) if found else ():
        path = Path(folder) / name
        if path.is_file():
            return path
    raise EmbedderUnavailable(cause=f"{name} of the package {package} is not installed")


def verify(path: Path, sha256: str) -> None:
    """Reads the whole file (70 MB: 50 ms). Raises EmbedderUnavailable when it is unreadable or another."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnavailable(cause=f"{path}: {error.strerror}") from error
    if digest != sha256:
        raise EmbedderUnavailable(cause=f"{path} has sha256 {digest}, expected {sha256}")
