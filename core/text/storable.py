"""What JSON can write and no store or wire can carry: NUL, half a surrogate pair (of a cut emoji), nesting without end.

Law: pure. Whatever takes words out of JSON takes them through here.
"""

import json
import re
from typing import Any

UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """Returns the text with U+FFFD for each such character; two halves that belong together are one by then."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def require_storable(decoded: Any) -> None:
    """Raises ValueError where a text holds half a surrogate pair, or a number is none."""
    json.dumps(decoded, ensure_ascii=False, allow_nan=False).encode()


def depth_of(decoded: Any) -> int:
    """Returns how deep arrays and objects stand in one another."""
    depth, level = 0, [decoded]
    while level := [each for each in level if isinstance(each, dict | list)]:
        depth += 1
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return depth
