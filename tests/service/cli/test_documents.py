"""Reading files: which are text, in which encoding, and what becomes of the others."""

import os
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from service.adapters import docx_text
from service.cli.documents import Document, DocumentUnreadable, File, attachment_id, named, read_file
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
    path = written(tmp_path / "notes.txt", "déjà vu".encode("latin-1"))

    with pytest.raises(DocumentUnreadable) as refused:
        read_file(path)

    assert "--encoding" in str(refused.value)
    assert read_file(path, "latin-1") == Document(path=path, text="déjà vu")


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


def test_a_page_of_html_is_read_for_what_it_says(tmp_path: Path) -> None:
    page = """<!doctype html><html><head><title>Ferries</title><style>p {color: red}</style></head><body>
    <nav><a href="/">Home</a></nav><h2>To Bygdøy</h2><p>It leaves from <b>pier 3</b> at nine.</p>
    <table><tr><th>pier</th><th>ferry</th></tr><tr><td>3</td><td>Bygdøy</td></tr></table>
    <script>track("you")</script><footer>© harbour</footer></body></html>"""

    read = read_file(written(tmp_path / "ferries.html", page.encode()))

    assert isinstance(read, Document)
    assert read.text.startswith("# Ferries\n\n## To Bygdøy\n\nIt leaves from **pier 3** at nine.")
    assert "| 3 | Bygdøy |" in read.text
    assert not any(silent in read.text for silent in ("Home", "track", "harbour", "color"))


def test_html_is_read_in_the_encoding_that_it_declares_whatever_its_name(tmp_path: Path) -> None:
    page = f'<html><head><meta charset="gbk"></head><body><p>{CHINESE}</p></body></html>'

    read = read_file(written(tmp_path / "page", page.encode("gbk")))

    assert read == Document(path=tmp_path / "page", text=CHINESE)


def test_a_word_document_is_read(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "report.docx", ["The ferry leaves at nine.", CHINESE])

    assert read_file(path) == Document(path=path, text=f"The ferry leaves at nine.\n\n{CHINESE}")


def test_a_damaged_word_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentUnreadable, match="damaged"):
        read_file(written(tmp_path / "report.docx", b"PK\x03\x04 and no more"))


@pytest.mark.parametrize("name", ["a.sql", "a.rs", "a.eml", "a.rb", "a.bat", "a.jsonl"])
def test_text_is_text_whatever_its_name_says(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("-- The pump costs 1200 euros. 水泵一千二百欧元。\n", encoding="utf-8")

    read = read_file(tmp_path / name)

    assert isinstance(read, Document)
    assert "1200 euros" in read.text


@pytest.mark.parametrize(("start", "packing"), [(b"\x1f\x8b\x08", "gzip"), (b"BZh9", "bzip2")])
def test_what_is_compressed_is_refused_with_the_reason(tmp_path: Path, start: bytes, packing: str) -> None:
    with pytest.raises(DocumentUnreadable, match=packing):
        read_file(written(tmp_path / "notes.md", start + b"rest"))


def write_docx(path: Path, paragraphs: list[str]) -> Path:
    """The smallest document that Word opens."""
    space = "http://schemas.openxmlformats.org/"
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    kinds = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    with ZipFile(path, "w") as made:
        made.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{space}package/2006/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kinds}"/></Types>',
        )
        made.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{space}package/2006/relationships"><Relationship Id="r1" Target='
            f'"word/document.xml" Type="{space}officeDocument/2006/relationships/officeDocument"/></Relationships>',
        )
        made.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{space}wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>',
        )
    return path


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


def test_a_pipe_is_read_from_its_beginning() -> None:
    """As <(COMMAND) names one: /dev/fd/63, from which what was once read is gone."""
    reads, writes = os.pipe()
    os.write(writes, CHINESE.encode())
    os.close(writes)

    read = read_file(Path(f"/dev/fd/{reads}"))

    os.close(reads)
    assert isinstance(read, Document)
    assert read.text == CHINESE


def test_a_name_that_is_no_utf_8_is_shown_and_cited_as_far_as_it_is(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.png")

    file = read_file(written(tmp_path / name, PNG))
    note = read_file(written(tmp_path / os.fsdecode(b"caf\xe9.txt"), b"coffee"))

    assert isinstance(file, File)
    assert isinstance(note, Document)
    assert (file.name, note.name) == ("caf\ufffd.png", "caf\ufffd.txt")
    assert file.attachment_id.isascii()
    assert file.is_cited_in(f"see {file.name}")
    assert named(file.path).endswith("caf\ufffd.png")


def damaged(path: Path, xml: str | None = None, *, method: int | None = None, flag: int = 0) -> Path:
    """Writes a Word document of other XML, or of parts that are said to be packed in another way."""
    write_docx(path, ["text"])
    with ZipFile(path) as packed:
        parts = {part.filename: packed.read(part) for part in packed.infolist()}
    with ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content if xml is None or "document" not in name else xml)
    raw = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for each in re.finditer(re.escape(mark), bytes(raw)):
            raw[each.start() + place] |= flag
            raw[each.start() + place + 2] = raw[each.start() + place + 2] if method is None else method
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("malformed.docx", {"xml": "<w:document"}),
        ("encrypted.docx", {"flag": 1}),
        ("packed otherwise.docx", {"method": 99}),
        ("nested.docx", {"xml": f"<a>{'<a>' * 5_000}{'</a>' * 5_000}</a>"}),
    ],
)
def test_a_word_document_that_no_parser_reads_is_refused(
    tmp_path: Path, name: str, how: dict[str, Any]
) -> None:
    with pytest.raises(DocumentUnreadable, match=name):
        read_file(damaged(tmp_path / name, **how))


def test_a_word_document_that_unpacks_to_more_than_fits_in_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docx_text, "LARGEST", 1_000_000)
    path = damaged(tmp_path / "bomb.docx", "<a>" + " " * 1_000_000 + "</a>")

    with pytest.raises(DocumentUnreadable, match="unpacks to more than"):
        read_file(path)


def test_a_page_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "deep.html", b"<html>" + b"<div>" * 1_200)

    with pytest.raises(DocumentUnreadable, match="nested too deep"):
        read_file(path)
