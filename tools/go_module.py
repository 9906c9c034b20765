"""Packs a Go module as a module proxy serves it, so that `go get` takes it from a folder: GOPROXY=file:///FOLDER,…"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive: the same sources make the same bytes."""
LEFT_OUT = "_test.go"


def pack(module: Path, version: str, target: Path) -> Path:
    """Writes the module's zip, `.mod`, `.info` and list of versions under `target`; returns the zip."""
    mod = (module / "go.mod").read_text(encoding="utf-8")
    name = mod.split("\n", 1)[0].removeprefix("module ").strip()
    folder = target / name / "@v"
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(path for path in module.rglob("*") if path.is_file() and not path.name.endswith(LEFT_OUT))
    with ZipFile(folder / f"{version}.zip", "w", ZIP_DEFLATED) as archive:
        for file in files:
            entry = ZipInfo(f"{name}@{version}/{file.relative_to(module).as_posix()}", EPOCH)
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    (folder / f"{version}.mod").write_text(mod, encoding="utf-8")
    told = {"Version": version, "Time": datetime(*EPOCH, tzinfo=UTC).isoformat().replace("+00:00", "Z")}
    (folder / f"{version}.info").write_text(json.dumps(told), encoding="utf-8")
    (folder / "list").write_text(f"{version}\n", encoding="utf-8")
    return folder / f"{version}.zip"


if __name__ == "__main__":
    source, named, into = sys.argv[1:]
    pack(Path(source), named, Path(into))
