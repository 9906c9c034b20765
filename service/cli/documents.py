"""Reading what people keep: text, Markdown, HTML, PDF and Word as text; anything else is a file beside it.

Law: a text is what the file says, decoded and nothing more. No encoding is guessed that would also fit something
else (`encodings`): what is neither Unicode, nor says what it is, nor clearly one language is refused, with the remedy.
"""

import codecs
import hashlib
import mimetypes
import os
import re
import sys
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from service.adapters.pdf_pages import PdfUnreadable, pdf_pages
from service.cli.encodings import TRIED, declared, guessed, wide
from service.cli.pages import text_of

PDF_MARK = b"%PDF-"
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
STANDARD = Path("-")
"""Standard input, in the place of a file."""
ZIP_MARK = b"PK\x03\x04"
PACKED = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
)
HTML_MARK = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
TEXT_TYPES = re.compile(r"text/|application/(json|xml|x-yaml|yaml|toml|javascript|x-sh)$")
SHOWN_TYPES = re.compile(r"(image|audio|video|font)/|application/(rtf|postscript)$")
"""Media types of what is looked at or played, though its bytes may be text."""
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f]")
CODE_SUFFIXES = frozenset(
    ".py .js .ts .java .go .rs .c .h .cpp .hpp .sh .sql .rb .kt .cs .proto .ipynb".split()
)
NO_ID = re.compile(r"[^A-Za-z0-9._:-]+")
LONGEST_ID = 128


class DocumentUnreadable(Exception):
    """A file that should be text cannot be read. The message names it, and what helps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file's text. `pages` is 0 where the file has none."""

    path: Path
    text: str
    pages: int = 0

    @property
    def name(self) -> str:
        """What it is called: the file's name."""
        return named(self.path) if self.path == STANDARD else shown(self.path.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file that is kept as it is. A text cites it by its id or by its name."""

    path: Path
    attachment_id: str
    type: str
    media_type: str
    size: int

    @property
    def name(self) -> str:
        return shown(self.path.name)

    def is_cited_in(self, text: str) -> bool:
        return self.name in text or self.attachment_id in text


def read_file(path: Path, encoding: str | None = None) -> Document | File:
    """Reads the document in a file, or names the file; `-` is standard input. Raises DocumentUnreadable, OSError."""
    if path == STANDARD:
        return _read_once(path, sys.stdin.buffer.read(), encoding)
    if not path.is_file():  # a pipe, as <(COMMAND) names one: what was read of it is gone
        return _read_once(path, path.read_bytes(), encoding)
    with path.open("rb") as opened:
        start = opened.read(4096)
    media_type, packed = mimetypes.guess_type(path.name)
    if start.startswith(PDF_MARK):
        return _read_pdf(path, path)
    if packing := next((name for mark, name in PACKED if start.startswith(mark)), None):
        raise DocumentUnreadable(
            f"{path}: it is compressed ({packing}): unpack it, and ingest what was in it"
        )
    if start.startswith(ZIP_MARK) and path.suffix.lower() == ".docx":
        with path.open("rb") as opened:
            return Document(path=path, text=_docx(path, opened))
    if encoding is None and not _may_be_text(start, "" if packed else media_type or ""):
        return _file(path, media_type or "")
    return Document(path=path, text=_text(path, path.read_bytes(), encoding))


def _read_once(path: Path, content: bytes, encoding: str | None) -> Document:
    """Reads the document in what can be read once alone."""
    if content.startswith(PDF_MARK):
        return _read_pdf(path, BytesIO(content))
    if content.startswith(ZIP_MARK):
        return Document(path=path, text=_docx(path, BytesIO(content)))
    if encoding is None and not _may_be_text(content[:4096], ""):
        raise DocumentUnreadable(
            f"{named(path)}: it is no text: give a file, and it is kept as an attachment"
        )
    return Document(path=path, text=_text(path, content, encoding))


def _read_pdf(path: Path, opened: Path | BytesIO) -> Document:
    try:
        pages = pdf_pages(opened)
    except PdfUnreadable as problem:
        raise DocumentUnreadable(f"{named(path)}: {problem}") from None
    text = text_of(pages)
    if not text.strip():
        raise DocumentUnreadable(f"{named(path)}: no page holds text. A scan must go through OCR first")
    return Document(path=path, text=text, pages=len(pages))


def _docx(path: Path, opened: BinaryIO) -> str:
    from service.adapters.docx_text import DocxUnreadable, docx_text  # takes a while to import

    try:
        return docx_text(opened)
    except DocxUnreadable as problem:
        raise DocumentUnreadable(f"{named(path)}: {problem}") from None


def _text(path: Path, content: bytes, encoding: str | None) -> str:
    """Decodes a text; of a page of HTML what it says."""
    if not (HTML_MARK.match(content) or path.suffix.lower() in HTML_SUFFIXES):
        return _decoded(path, content, encoding)
    from service.adapters.html_text import declared_encoding, html_text  # takes a while to import

    marked = any(content.startswith(mark) for mark, _ in MARKS)
    page = _decoded(path, content, encoding or (None if marked else declared_encoding(content)))
    try:
        return html_text(page)
    except RecursionError:
        raise DocumentUnreadable(f"{named(path)}: its elements are nested too deep") from None


def named(path: Path) -> str:
    """Returns what messages call a file."""
    return "standard input" if path == STANDARD else shown(str(path))


def shown(name: str) -> str:
    """Returns a file's name as a text can hold it: its bytes need not be UTF-8."""
    return os.fsencode(name).decode(errors="replace")


def _may_be_text(start: bytes, media_type: str) -> bool:
    if any(start.startswith(mark) for mark, _ in MARKS):
        return True
    if SHOWN_TYPES.match(media_type):
        return False
    if b"\0" in start:
        return wide(start) is not None
    return not media_type or TEXT_TYPES.match(media_type) is not None or _is_plain(start)


def _is_plain(start: bytes) -> bool:
    """Whether the bytes are UTF-8 without control characters: .sql, .rs and .eml, whatever a machine calls them."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return CONTROLS.search(start) is None


def _decoded(path: Path, content: bytes, encoding: str | None) -> str:
    chosen = encoding or next((name for mark, name in MARKS if content.startswith(mark)), None)
    chosen = chosen or declared(content)
    try:
        if chosen is None and (text := wide(content)) is not None:
            return text
        return content.decode(chosen or "utf-8")
    except LookupError:
        raise DocumentUnreadable(f"{named(path)}: there is no encoding {chosen!r}") from None
    except UnicodeDecodeError as misfit:
        if chosen is None and (text := guessed(content)) is not None:
            return text
        problem = f"not {chosen or 'UTF-8'} (at byte {misfit.start:,})"
        tried = "" if chosen else f"; of {', '.join(TRIED)} none fits it alone"
        raise DocumentUnreadable(
            f"{named(path)}: {problem}{tried}. Name its encoding: --encoding latin-1, say"
        ) from None


def _file(path: Path, media_type: str) -> File:
    kind = "image" if media_type.startswith("image/") else "document"
    return File(
        path=path,
        attachment_id=attachment_id(path),
        type="code" if path.suffix.lower() in CODE_SUFFIXES else kind,
        media_type=media_type,
        size=path.stat().st_size,
    )


def attachment_id(path: Path) -> str:
    """Makes an id of a file's name: the name itself, or what can be kept of it with a digest of the name."""
    name = path.name
    plain = NO_ID.sub("-", name).lstrip("._:-")
    if plain == name and len(name) <= LONGEST_ID:
        return name
    digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    stem, suffix = NO_ID.sub("-", path.stem).strip("._:-"), NO_ID.sub("-", path.suffix)
    return f"{stem[:100] or 'file'}-{digest}{suffix[:16]}"
