"""The text of HTML pages, as Markdown.

Law: imports Beautiful Soup and markdownify alone. Headings, lists, tables and links stay; scripts, styles, pictures and
what a page says of itself (navigation, footers) do not.
"""

import re

from bs4 import BeautifulSoup
from bs4.dammit import EncodingDetector
from markdownify import markdownify

SILENT = (
    "script",
    "style",
    "template",
    "noscript",
    "svg",
    "iframe",
    "nav",
    "footer",
    "form",
    "img",
    "button",
)
BLANK_LINES = re.compile(r"\n{3,}")
TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)


def declared_encoding(content: bytes) -> str | None:
    """Returns the encoding that a page names itself."""
    found: str | None = EncodingDetector.find_declared_encoding(content, is_html=True)
    return found


def html_text(page: str) -> str:
    """Returns a page's text: its main part where it marks one, under its title."""
    soup = BeautifulSoup(page, "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for silent in soup.find_all(SILENT):
        silent.decompose()
    content = soup.find("main") or soup.find("article") or soup.body or soup
    text: str = markdownify(
        str(content), heading_style="ATX", escape_asterisks=False, escape_underscores=False
    )
    text = BLANK_LINES.sub("\n\n", TRAILING.sub("", text)).strip()
    if not title or not text or title in text[: 2 * len(title) + 16]:
        return text
    return f"# {title}\n\n{text}"
