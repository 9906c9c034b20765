"""The text of Word documents (.docx), as Markdown.

Law: imports mammoth alone. Headings, lists and tables stay; pictures do not.
"""

from typing import BinaryIO
from zipfile import BadZipFile

import mammoth  # type: ignore[import-untyped]  # ships no types

from service.adapters.html_text import html_text


class DocxUnreadable(Exception):
    """The file cannot be read as .docx. The message says why."""


def docx_text(opened: BinaryIO) -> str:
    """Returns the document's text. Raises DocxUnreadable."""
    try:
        made = mammoth.convert_to_html(opened, convert_image=mammoth.images.img_element(lambda _: {}))
    except (BadZipFile, KeyError, ValueError, AttributeError, OSError) as broken:
        # mammoth lets malformed files surface as whatever its parser stumbled over
        raise DocxUnreadable(f"it is damaged, or no .docx ({broken})") from broken
    return html_text(str(made.value))
