"""Small PDF files, made by hand: lines of text on pages, in Helvetica or in a Chinese font that is only named."""

from collections.abc import Sequence
from pathlib import Path

LATIN = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
CHINESE = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong /Encoding /UniGB-UTF16-H /DescendantFonts [<< /Type /Font"
    b" /Subtype /CIDFontType0 /BaseFont /STSong /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1)"
    b" /Supplement 5 >> >>] >>"
)
FIRST_PAGE = 4  # objects before it: catalogue, tree of pages, font


def write_pdf(path: Path, pages: Sequence[Sequence[str]], *, chinese: bool = False) -> Path:
    """A PDF of these lines, a sequence for each page."""
    kids = b" ".join(b"%d 0 R" % (FIRST_PAGE + 2 * number) for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        CHINESE if chinese else LATIN,
    ]
    for number, lines in enumerate(pages):
        drawn = _drawn(lines, chinese)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (FIRST_PAGE + 2 * number + 1)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
    path.write_bytes(_file(objects))
    return path


def _drawn(lines: Sequence[str], chinese: bool) -> bytes:
    shown = [_shown(line, chinese) + b" Tj T*" for line in lines]
    return b"BT /F1 11 Tf 14 TL 72 780 Td\n" + b"\n".join(shown) + b"\nET"


def _shown(line: str, chinese: bool) -> bytes:
    if chinese:
        return b"<" + line.encode("utf-16-be").hex().encode() + b">"
    escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"(" + escaped.encode("cp1252") + b")"


def _file(objects: Sequence[bytes]) -> bytes:
    made, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(made))
    return made + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end
