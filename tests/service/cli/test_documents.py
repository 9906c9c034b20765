"""Reading files: which are text, in which encoding, and what becomes of the others."""

from pathlib import Path

import pytest

from service.cli.documents import Document, DocumentUnreadable, File, attachment_id, read_file
from tests.support.pdf import write_pdf

CHINESE = "量子比特的平均相干时间为一百二十五微秒。"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030", "gbk", "gb2312"])
def test_chinese_is_read_in_the_encodings_it_comes_in(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path / "notes.txt", CHINESE.encode(encoding))

    assert read_file(path) == Document(path=path, text=CHINESE)


def test_text_is_kept_as_it_stands_line_ends_and_all(tmp_path: Path) -> None:
    path = written(tmp_path / "notes.md", b"# Title\r\n\r\n  indented \ttabbed  \r\n")

    read = read_file(path)

    assert isinstance(read, Document)
    assert read.text == "# Title\r\n\r\n  indented \ttabbed  \r\n"


def test_what_could_be_several_encodings_is_refused_until_one_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "notes.txt", "déjà vu à Besançon".encode("latin-1"))

    with pytest.raises(DocumentUnreadable) as refused:
        read_file(path)

    assert "--encoding" in str(refused.value)
    assert read_file(path, "latin-1") == Document(path=path, text="déjà vu à Besançon")


def test_an_encoding_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "notes.txt", b"text")

    with pytest.raises(DocumentUnreadable) as refused:
        read_file(path, "utf-9")

    assert "utf-9" in str(refused.value)


def test_a_pdf_is_read_whatever_its_name(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "report", [["The first page."], ["The second page."]])

    assert read_file(path) == Document(path=path, text="The first page.\n\n\fThe second page.", pages=2)


def test_a_pdf_without_words_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "scan.pdf", [[], []])

    with pytest.raises(DocumentUnreadable) as refused:
        read_file(path)

    assert "OCR" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("figure.png", PNG, "image"),
        ("archive.zip", b"PK\x03\x04", "document"),
        ("raw", b"\x00\x01\x02", "document"),
    ],
)
def test_what_is_no_text_is_a_file(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    read = read_file(written(tmp_path / name, content))

    assert isinstance(read, File)
    assert (read.attachment_id, read.type, read.size) == (name, kind, len(content))


def test_a_name_that_can_be_no_id_keeps_what_it_can_and_stays_distinct() -> None:
    ids = [
        attachment_id(Path(name)) for name in ("图一.png", "图二.png", "my map.png", "my-map.png", ".hidden")
    ]

    assert len(set(ids)) == len(ids)
    assert ids[3] == "my-map.png"
    assert all(made[0].isalnum() and made.isascii() for made in ids)


def test_a_text_cites_a_file_by_name_or_id(tmp_path: Path) -> None:
    read = read_file(written(tmp_path / "图一.png", PNG))

    assert isinstance(read, File)
    assert read.is_cited_in("见 ![](图一.png)。")
    assert read.is_cited_in(f"see {read.attachment_id}")
    assert not read.is_cited_in("no figure")
