"""Which script a text is written in, and how wide it shows.

Law: looks at characters only; knows no dictionary. "Chinese" means: read as Chinese, which
takes Han characters; kana and hangul count as CJK for width and splitting only.
"""

import re

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
WIDE = re.compile(
    r"[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]"
)

CJK_CLOSE = tuple("。！？；，、：”’）」』》…")  # after these no space is written


def display_width(text: str) -> int:
    """Columns on a terminal: wide characters count two."""
    return len(text) + (0 if text.isascii() else len(WIDE.findall(text)))
