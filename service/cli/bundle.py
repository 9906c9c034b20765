"""A user's memory as a bundle: a zip archive of the files of ExportUser, with a manifest and a schema.

Law: its form is open: `examples/read_bundle.py` reads it without anything of ours. A change that such a reader would
misread raises the version. A bundle is read whole, and is what its manifest says, before any of it is used.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from memorybank.v1 import long_term_pb2 as pb
from service.cli.bundle_schema import schema
from service.cli.exits import Failure

FORMAT, VERSION = "memorybank-user", 1
MANIFEST, SCHEMA = "manifest.json", "schema.json"
LARGEST = 1 << 28  # bytes of all files of a bundle: the service takes no more at once
LARGEST_MANIFEST = 64 << 20
PIECE = 262_144

AGAIN = "export it again: memorybank user export NAME FILE"


def write_bundle(file: Path, user: str, parts: Iterable[pb.ExportUserResponse]) -> list[str]:
    """Writes the parts of an export; returns the paths of its files."""
    files: dict[str, dict[str, int | str]] = {}
    described = json.dumps(schema(), indent=1).encode()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for path, pieces in groupby(
            (*parts, pb.ExportUserResponse(path=SCHEMA, content=described)), key=lambda part: part.path
        ):
            digest, size = hashlib.sha256(), 0
            with archive.open(path, "w", force_zip64=True) as out:
                for piece in pieces:
                    out.write(piece.content)
                    digest.update(piece.content)
                    size += len(piece.content)
            files[path] = {"bytes": size, "sha256": digest.hexdigest()}
        manifest = {"format": FORMAT, "version": VERSION, "user": user, "files": files}
        archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=2))
    return [*files, MANIFEST]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A bundle that was read whole. `digest`: of its manifest, and so of everything in it."""

    file: Path
    user: str
    paths: tuple[str, ...]
    digest: str

    def parts(self, *, omit_banks: bool = False) -> Iterator[pb.ExportUserResponse]:
        """Yields the parts of its files, as ExportUser gave them."""
        with ZipFile(self.file) as archive:
            for path in self.paths:
                if path == SCHEMA or (omit_banks and path.startswith("banks/")):
                    continue
                for content in _pieces(archive, path):
                    yield pb.ExportUserResponse(path=path, content=content)


def read_bundle(file: Path) -> Bundle:
    """Reads a bundle and compares it with its manifest. Raises Failure, which says what to do, for one that is not
    what its manifest says, or would not be taken."""
    try:
        with ZipFile(file) as archive:
            return _read(file, archive)
    except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OverflowError) as problem:
        raise Failure(f"{file} is no bundle, or is damaged: {problem}", AGAIN) from None


def _read(file: Path, archive: ZipFile) -> Bundle:
    sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    if len(sizes) != len(archive.infolist()):
        raise Failure(f"{file} holds a file twice", AGAIN)
    if sizes.get(MANIFEST, LARGEST_MANIFEST + 1) > LARGEST_MANIFEST:
        raise Failure(f"{file} has no {MANIFEST}: it is no bundle of a user", AGAIN)
    written = archive.read(MANIFEST)
    user, told = _manifest(file, written)
    if sizes.keys() - {MANIFEST} != told.keys():
        raise Failure(f"{file} holds other files than its manifest names", AGAIN)
    if outside := next(filter(lies_outside, told), None):
        raise Failure(f"{outside} in {file} lies outside of it", "do not unpack it; " + AGAIN)
    if sum(sizes.values()) > LARGEST:
        remedy = "export without banks (--omit-banks), and each bank by memorybank export"
        raise Failure(f"{file} unpacks to more than {LARGEST:,} bytes", remedy)
    for path, entry in told.items():
        _compare(file, archive, path, entry)
    return Bundle(file=file, user=user, paths=tuple(told), digest=hashlib.sha256(written).hexdigest())


def _manifest(file: Path, written: bytes) -> tuple[str, dict[str, dict[str, Any]]]:
    """Returns the user, and by path what is told of each file."""
    try:
        manifest = json.loads(written)
        form, version, user, files = (manifest[name] for name in ("format", "version", "user", "files"))
        well_formed = isinstance(user, str) and all(
            (type(each["bytes"]), type(each["sha256"])) == (int, str) for each in files.values()
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        well_formed = False
    if not well_formed:
        raise Failure(f"the manifest of {file} cannot be read", AGAIN)
    if form != FORMAT:
        raise Failure(f"{file} is no {FORMAT}", AGAIN)
    if version != VERSION:
        remedy = "bring it by a memorybank that reads that version"
        raise Failure(f"{file} is of version {version!r}; this program reads version {VERSION}", remedy)
    return user, files


def lies_outside(path: str) -> bool:
    """Whether a path would lead out of the folder that it is put in."""
    return (
        path.startswith("/")
        or "\\" in path
        or ".." in path.split("/")
        or ":" in path.split("/", maxsplit=1)[0]
    )


def _compare(file: Path, archive: ZipFile, path: str, told: dict[str, Any]) -> None:
    digest, size = hashlib.sha256(), 0
    if archive.getinfo(path).file_size != told["bytes"]:
        raise Failure(f"{path} in {file} is not of the size that is told", AGAIN)
    for piece in _pieces(archive, path):
        digest.update(piece)
        size += len(piece)
    if size != told["bytes"] or digest.hexdigest() != told["sha256"]:
        raise Failure(f"{path} in {file} was changed", AGAIN)


def _pieces(archive: ZipFile, path: str) -> Iterator[bytes]:
    with archive.open(path) as read:
        while piece := read.read(PIECE):
            yield piece
