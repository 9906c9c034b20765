"""Bundles that are not what they say: refused whole, with what to do."""

import hashlib
import json
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from memorybank.v1 import long_term_pb2 as pb
from service.cli import bundle
from service.cli.bundle import read_bundle, write_bundle
from service.cli.exits import Failure

USER = b'{"user": {"user": "\xe7\x8e\x8b", "enabled": true}}\n'
TALK = b'{"conversation": {"conversation_id": "c1"}}\n'
PARTS = [
    pb.ExportUserResponse(path="user.json", content=USER),
    pb.ExportUserResponse(path="conversations/c1.jsonl", content=TALK),
    pb.ExportUserResponse(path="banks/b1.jsonl", content=b"{}\n"),
]


def told(content: bytes, **other: Any) -> dict[str, Any]:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()} | other


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_bundle(tmp_path / "ada.mbz", "王", PARTS)

    read = read_bundle(tmp_path / "ada.mbz")

    assert read.user == "王"
    assert list(read.parts()) == PARTS
    assert list(read.parts(omit_banks=True)) == PARTS[:2]


@pytest.mark.parametrize(
    ("path", "content", "entry", "other", "said", "remedy"),
    [
        ("user.json", USER, told(USER, sha256="0" * 64), {}, "user.json in", "export it again"),
        ("user.json", USER, told(USER, bytes=9), {}, "not of the size", "export it again"),
        ("user.json", b"0" * 9_000_000, told(b"0" * 9), {}, "not of the size", "export it again"),
        ("../user.json", USER, told(USER), {}, "lies outside", "do not unpack it"),
        ("/etc/user.json", USER, told(USER), {}, "lies outside", "do not unpack it"),
        ("a\\\\user.json", USER, told(USER), {}, "", "export it again"),
        ("user.json", USER, told(USER), {"version": 2}, "of version 2", "that reads that version"),
        ("user.json", USER, told(USER), {"format": "other"}, "is no memorybank-user", "export it again"),
        ("user.json", USER, told(USER), {"files": {}}, "other files than", "export it again"),
        ("user.json", USER, {"bytes": "9"}, {}, "manifest of", "export it again"),
    ],
)
def test_a_bundle_that_is_not_what_it_says_is_refused_with_what_to_do(
    path: str,
    content: bytes,
    entry: dict[str, Any],
    other: dict[str, Any],
    said: str,
    remedy: str,
    tmp_path: Path,
) -> None:
    manifest = {"format": "memorybank-user", "version": 1, "user": "ada", "files": {path: entry}} | other
    with ZipFile(tmp_path / "ada.mbz", "w", ZIP_DEFLATED) as archive:
        archive.writestr(path, content)
        archive.writestr("manifest.json", json.dumps(manifest))

    with pytest.raises(Failure) as refused:
        read_bundle(tmp_path / "ada.mbz")

    assert said in refused.value.message
    assert remedy in refused.value.remedy


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "LARGEST", 1_000_000)
    parts = [pb.ExportUserResponse(path="conversations/c1.jsonl", content=b" " * 900_000) for _ in range(2)]
    write_bundle(tmp_path / "ada.mbz", "ada", parts)

    with pytest.raises(Failure, match="unpacks to more than") as refused:
        read_bundle(tmp_path / "ada.mbz")

    assert (tmp_path / "ada.mbz").stat().st_size < 50_000
    assert "export without banks" in refused.value.remedy


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.99])
def test_a_file_that_was_cut_is_refused(kept: float, tmp_path: Path) -> None:
    write_bundle(tmp_path / "ada.mbz", "ada", PARTS)
    written = (tmp_path / "ada.mbz").read_bytes()
    (tmp_path / "ada.mbz").write_bytes(written[: int(len(written) * kept)])

    with pytest.raises(Failure, match="no bundle, or is damaged"):
        read_bundle(tmp_path / "ada.mbz")


def test_a_byte_that_was_changed_is_found(tmp_path: Path) -> None:
    write_bundle(tmp_path / "ada.mbz", "ada", PARTS)
    written = bytearray((tmp_path / "ada.mbz").read_bytes())
    written[len("user.json") + 60] ^= 1
    (tmp_path / "ada.mbz").write_bytes(bytes(written))

    with pytest.raises(Failure, match=r"damaged|changed"):
        read_bundle(tmp_path / "ada.mbz")
