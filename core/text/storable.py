"""Characters that JSON can write and no store or wire can carry: NUL, and half a surrogate pair (of a cut emoji).

Law: pure. Whatever takes words out of JSON takes them through here.
"""

import re

UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """Returns the text with U+FFFD for each such character; two halves that belong together are one by then."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)
