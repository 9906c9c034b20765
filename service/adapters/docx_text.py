"""The text of Word documents (.docx), as Markdown.

Law: imports mammoth alone. Headings, lists and tables stay; pictures do not.
"""

import zlib
from typing import BinaryIO
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

import mammoth  # type: ignore[import-untyped]  # ships no types

from service.adapters.html_text import html_text

LARGEST = 100_000_000
"""Bytes of XML: the parser takes some ten times as much memory."""

BROKEN = (
    *(BadZipFile, ExpatError, zlib.error, EOFError, OSError),
    *(AttributeError, LookupError, RuntimeError, TypeError, ValueError),
)
"""mammoth lets malformed files surface as whatever its parser stumbled over."""


class DocxUnreadable(Exception):
    """The file cannot be read as .docx. The message says why."""


def docx_text(opened: BinaryIO) -> str:
    """Returns the document's text. Raises DocxUnreadable."""
    try:
        with ZipFile(opened) as packed:
            size = sum(part.file_size for part in packed.infolist() if part.filename.endswith(".xml"))
        if size > LARGEST:
            raise DocxUnreadable(f"it unpacks to more than {LARGEST:,} bytes of XML")
        opened.seek(0)
        made = mammoth.convert_to_html(opened, convert_image=mammoth.images.img_element(lambda _: {}))
        return html_text(str(made.value))
    except RecursionError:
        raise DocxUnreadable("its elements are nested too deep") from None
    except BROKEN as broken:
        raise DocxUnreadable(f"it is damaged, or no .docx ({broken})") from broken
