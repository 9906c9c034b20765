"""Files of small networks' weights: `.npz`, with a seal over all arrays and the digest of the model that they are for.

Law: a file that is missing, damaged, or made for another model is EmbedderUnavailable when it is opened, and nothing of
it is used.
"""

import zipfile
import zlib
from collections.abc import Collection, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbedderUnavailable
from service.adapters.local_embedder.weights import SHA256

Arrays = dict[str, NDArray[np.generic]]


def unpacked(path: Path, name: str) -> Arrays:
    """Returns the arrays of a file. `name` is what a reader of the error knows the weights by, as in "Reader".

    Raises EmbedderUnavailable where it is missing or damaged."""
    try:
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as stored:
            return {key: stored[key] for key in stored.files}
    except (OSError, ValueError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error) as failed:
        raise EmbedderUnavailable(f"the {name}'s weights cannot be read: {path}: {failed}") from None


def unsealed(path: Path, name: str, expected: Collection[str], made_by: str) -> Arrays:
    """Returns the `expected` arrays of a sealed file. `made_by` is the command that makes another one.

    Raises EmbedderUnavailable where it is missing, damaged, or made for another model."""
    arrays = unpacked(path, name)
    belongs, seal = (str(arrays.pop(key, "")) for key in ("belongs_to", "seal"))
    if set(arrays) != set(expected) or seal != _seal(arrays):
        raise EmbedderUnavailable(f"the {name}'s weights are damaged: {path}")
    if belongs != SHA256:
        raise EmbedderUnavailable(
            f"the {name}'s weights were made for another model: {path}: for {belongs[:12]}…, not {SHA256[:12]}…;"
            f" `{made_by}` makes others"
        )
    return arrays


def write_sealed(path: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    seal = np.array(_seal(arrays))
    np.savez_compressed(path, allow_pickle=False, belongs_to=np.array(SHA256), seal=seal, **dict(arrays))


def _seal(arrays: Mapping[str, NDArray[np.generic]]) -> str:
    """Returns a digest of all weights."""
    whole = sha256()
    for name in sorted(arrays):
        whole.update(f"{name} {arrays[name].shape} {arrays[name].dtype}".encode())
        whole.update(np.ascontiguousarray(arrays[name]).tobytes())
    return whole.hexdigest()
