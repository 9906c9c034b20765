"""Reading what people keep: text, Markdown and PDF as text; anything else is a file beside it.

Law: a text is what the file says, decoded and nothing more. No encoding is guessed that would also fit something
else: what is neither Unicode nor clearly Chinese is refused, with the remedy.
"""

import codecs
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from pathlib import Path

from service.adapters.pdf_pages import PdfUnreadable, pdf_pages
from service.cli.pages import text_of

PDF_MARK = b"%PDF-"
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
COMMON_CHINESE = 0.9  # of the characters beyond ASCII; Latin text read as GB 18030 has next to none of them
TEXT_TYPES = re.compile(r"text/|application/(json|xml|x-yaml|yaml|toml|javascript|x-sh)$")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file that is kept as it is. A text cites it by its id or by its name."""

    path: Path
    attachment_id: str
    type: str
    media_type: str
    size: int

    def is_cited_in(self, text: str) -> bool:
        return self.path.name in text or self.attachment_id in text


def read_file(path: Path, encoding: str | None = None) -> Document | File:
    """The document in a file, or the file. Raises DocumentUnreadable, OSError."""
    with path.open("rb") as opened:
        start = opened.read(4096)
    media_type = mimetypes.guess_type(path.name)[0] or ""
    if start.startswith(PDF_MARK):
        return _read_pdf(path)
    if encoding is None and not _may_be_text(start, media_type):
        return _file(path, media_type)
    return Document(path=path, text=_decoded(path, path.read_bytes(), encoding))


def _read_pdf(path: Path) -> Document:
    try:
        pages = pdf_pages(path)
    except PdfUnreadable as problem:
        raise DocumentUnreadable(f"{path}: {problem}") from None
    text = text_of(pages)
    if not text.strip():
        raise DocumentUnreadable(f"{path}: no page holds text. A scan must go through OCR first")
    return Document(path=path, text=text, pages=len(pages))


def _may_be_text(start: bytes, media_type: str) -> bool:
    if any(start.startswith(mark) for mark, _ in MARKS):
        return True
    if b"\0" in start:
        return False
    return not media_type or TEXT_TYPES.match(media_type) is not None


def _decoded(path: Path, content: bytes, encoding: str | None) -> str:
    named = encoding or next((name for mark, name in MARKS if content.startswith(mark)), None)
    try:
        return content.decode(named or "utf-8")
    except LookupError:
        raise DocumentUnreadable(f"{path}: there is no encoding {named!r}") from None
    except UnicodeDecodeError as misfit:
        if named is None and (chinese := _chinese(content)) is not None:
            return chinese
        problem = f"not {named or 'UTF-8'} (at byte {misfit.start:,})"
        raise DocumentUnreadable(f"{path}: {problem}. Name its encoding: --encoding latin-1, say") from None


def _chinese(content: bytes) -> str | None:
    """The text as GB 18030 (which covers GBK and GB 2312), if that gives Chinese as people write it."""
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        return None
    beyond = [character for character in text if not character.isascii()]
    common = sum(_is_common(character) for character in beyond)
    return text if common >= COMMON_CHINESE * len(beyond) else None


def _is_common(character: str) -> bool:
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


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
    """The file's name where it can be an id; else what can be kept of it, told apart by a digest of the name."""
    name = path.name
    plain = NO_ID.sub("-", name).lstrip("._:-")
    if plain == name and len(name) <= LONGEST_ID:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    stem, suffix = NO_ID.sub("-", path.stem).strip("._:-"), NO_ID.sub("-", path.suffix)
    return f"{stem[:100] or 'file'}-{digest}{suffix[:16]}"
