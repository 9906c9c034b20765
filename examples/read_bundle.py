"""Reads what `memorybank user export ada ada.mbz` wrote, with Python alone: facts, and what was said.

python examples/read_bundle.py ada.mbz

The bundle is a zip archive. `manifest.json` names each file with its size and its SHA-256; lines of the `.jsonl` files
are messages of the contract as JSON (docs/long-term-memory.md). A bundle that is not what its manifest says is refused
whole.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from zipfile import ZipFile

FORMAT, VERSION = "memorybank-user", 1
LARGEST = 1 << 30  # bytes of a file: a bundle of more is read by other means


def read(path: str) -> dict[str, bytes]:
    """Returns the files of a bundle by their path. Raises ValueError for one that cannot be trusted."""
    with ZipFile(path) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        manifest = json.loads(archive.read("manifest.json"))
        if (manifest.get("format"), manifest.get("version")) != (FORMAT, VERSION):
            raise ValueError(f"not a {FORMAT} of version {VERSION}: read it with what wrote it")
        if sizes.keys() - {"manifest.json"} != manifest["files"].keys():
            raise ValueError("it holds other files than its manifest names: export it again")
        files = {}
        for name, told in manifest["files"].items():
            if name.startswith("/") or ".." in name.split("/") or "\\" in name:
                raise ValueError(f"{name} lies outside: do not unpack it")
            if sizes[name] != told["bytes"] or sizes[name] > LARGEST:
                raise ValueError(f"{name} is not of the size that is told: export it again")
            files[name] = archive.read(name)
            if hashlib.sha256(files[name]).hexdigest() != told["sha256"]:
                raise ValueError(f"{name} was changed: export it again")
        return files


def told(files: dict[str, bytes]) -> Iterator[str]:
    for name, content in sorted(files.items()):
        if name.endswith("/memory.json"):
            for memory in json.loads(content)["memories"]:
                yield f"{memory['kind']}: {memory['content']}"
        elif name.startswith("conversations/"):
            for line in content.decode().split("\n"):
                turn = json.loads(line).get("turn", {}) if line else {}
                yield from (turn[side] for side in ("input", "reply") if turn.get(side))


if __name__ == "__main__":
    try:
        print(*told(read(sys.argv[1])), sep="\n")
    except ValueError as problem:
        sys.exit(f"{sys.argv[1]}: {problem}")
