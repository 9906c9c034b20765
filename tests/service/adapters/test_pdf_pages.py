"""What PDF files say, page by page."""

from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from service.adapters.pdf_pages import PdfUnreadable, pdf_pages
from tests.support.pdf import write_pdf


def test_each_page_gives_its_lines_in_order(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "two.pdf", [["First line", "second (line)"], ["On the next page"]])

    pages = pdf_pages(path)

    assert [page.splitlines() for page in pages] == [["First line", "second (line)"], ["On the next page"]]


def test_chinese_is_read_through_its_encoding(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "zh.pdf", [["量子比特的相干时间", "是125微秒。"]], chinese=True)

    (page,) = pdf_pages(path)

    assert page.split() == ["量子比特的相干时间", "是125微秒。"]


def test_a_locked_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    writer = PdfWriter(PdfReader(write_pdf(tmp_path / "open.pdf", [["secret"]])))
    writer.encrypt("password", algorithm="RC4-128")
    locked = tmp_path / "locked.pdf"
    writer.write(locked)

    with pytest.raises(PdfUnreadable) as refused:
        pdf_pages(locked)

    assert "password" in str(refused.value)


@pytest.mark.parametrize("content", [b"%PDF-1.7\n", b"%PDF-1.7\nnothing of the kind", b"\x00" * 100])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.pdf"
    path.write_bytes(content)

    with pytest.raises(PdfUnreadable) as refused:
        pdf_pages(path)

    assert "damaged" in str(refused.value)
