"""The bundle that a user's memory is exported as: a zip archive of the files of ExportUser, with a manifest.

Law: its form is open: `examples/read_bundle.py` reads it without anything of ours. A change that such a reader would
misread raises the version.
"""

import hashlib
import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from memorybank.v1 import long_term_pb2 as pb

FORMAT, VERSION = "memorybank-user", 1
MANIFEST = "manifest.json"


def write_bundle(file: Path, user: str, parts: Iterable[pb.ExportUserResponse]) -> list[str]:
    """Writes the parts of an export; returns the paths of its files."""
    files: dict[str, dict[str, int | str]] = {}
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for path, pieces in groupby(parts, key=lambda part: part.path):
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
