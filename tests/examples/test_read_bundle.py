"""The reader of bundles, which needs nothing of ours."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from memorybank.v1 import long_term_pb2 as pb
from service.cli.bundle import write_bundle

ROOT = Path(__file__).parents[2]
MEMORY = json.dumps(
    {"memories": [{"kind": "fact", "content": "Ada 的桌子在苏黎世。"}], "reflections": []}
).encode()
TURN = json.dumps(
    {"turn": {"step": "1", "input": "Where?", "reply": "In Zürich.\u2028Yes."}}, ensure_ascii=False
).encode()


def read(file: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-I", ROOT / "examples/read_bundle.py", file],
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONUTF8": "1"},
        check=False,
    )


def test_what_was_exported_is_read(tmp_path: Path) -> None:
    parts = [
        pb.ExportUserResponse(path="collections/1/memory.json", content=MEMORY[:20]),
        pb.ExportUserResponse(path="collections/1/memory.json", content=MEMORY[20:]),
        pb.ExportUserResponse(
            path="conversations/c1.jsonl", content=b'{"conversation": {}}\n' + TURN + b"\n"
        ),
    ]

    paths = write_bundle(tmp_path / "ada.mbz", "ada", parts)
    ended = read(tmp_path / "ada.mbz")

    assert paths == ["collections/1/memory.json", "conversations/c1.jsonl", "schema.json", "manifest.json"]
    assert ended.stdout == "fact: Ada 的桌子在苏黎世。\nWhere?\nIn Zürich.\u2028Yes.\n", ended.stderr


def entry(content: bytes, **other: Any) -> dict[str, Any]:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()} | other


@pytest.mark.parametrize(
    ("path", "content", "told", "other", "said"),
    [
        ("a/memory.json", MEMORY, entry(MEMORY, sha256="0" * 64), {}, "a/memory.json was changed"),
        ("../memory.json", MEMORY, entry(MEMORY), {}, "../memory.json lies outside"),
        ("a/memory.json", b"0" * 10_000_000, entry(b"0" * 10), {}, "not of the size that is told"),
        ("a/memory.json", MEMORY, entry(MEMORY), {"version": 2}, "not a memorybank-user of version 1"),
        ("b/memory.json", MEMORY, entry(MEMORY), {"files": {}}, "holds other files than its manifest names"),
    ],
)
def test_a_bundle_that_is_not_what_it_says_is_refused_whole(
    path: str, content: bytes, told: dict[str, Any], other: dict[str, Any], said: str, tmp_path: Path
) -> None:
    manifest = {"format": "memorybank-user", "version": 1, "user": "ada", "files": {path: told}} | other
    with ZipFile(tmp_path / "ada.mbz", "w", ZIP_DEFLATED) as archive:
        archive.writestr(path, content)
        archive.writestr("manifest.json", json.dumps(manifest))

    ended = read(tmp_path / "ada.mbz")

    assert ended.returncode == 1
    assert said in ended.stderr
    assert ended.stdout == ""
