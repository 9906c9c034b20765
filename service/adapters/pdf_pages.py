"""The text of PDF files, page by page.

Law: imports pypdf alone. A page's text is what the file draws, in the order it draws it: no layout is guessed here.
"""

import logging
import zlib
from io import BytesIO
from pathlib import Path

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

BROKEN = (
    *(PyPdfError, ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, RuntimeError),
    *(TypeError, ValueError, zlib.error),
)
"""pypdf lets malformed files surface as whatever its parser stumbled over."""


class PdfUnreadable(Exception):
    """The file cannot be read as PDF. The message says why, and what helps."""


def pdf_pages(path: Path | BytesIO) -> list[str]:
    """Returns the text of each page, in order. Raises PdfUnreadable, OSError."""
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every oddity that it has put right
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise PdfUnreadable("it is locked with a password: save a copy without one")
        return [page.extract_text() for page in reader.pages]
    except DependencyError as missing:  # of an encryption, or of a compression
        raise PdfUnreadable(f"to read it takes more than is installed ({missing})") from None
    except BROKEN as broken:
        raise PdfUnreadable(f"it is damaged, or no PDF ({broken})") from broken
