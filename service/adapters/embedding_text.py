"""What every embedder does to a text before it reads it.

Law: any string can be embedded, and texts that look the same are the same.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

CHARACTERS = 16_000
"""How much of a text is read. One vector of more says nothing of any part of it."""

QUERY_CHARACTERS = 2_000
"""How much of a question is read: what the model takes in at once, about."""

_SPACES = re.compile(r"\s+")
_SURROGATES = re.compile("[\ud800-\udfff]")

Part = TypeVar("Part", bound=Sequence[object])


def cleaned(text: str, characters: int = CHARACTERS) -> str:
    """Returns what is worth reading of a text: its first `characters`, composed (NFC), white space as single spaces,
    none at the ends, without NUL, lone surrogates as U+FFFD."""
    readable = _SURROGATES.sub("\ufffd", text[:characters].replace("\0", ""))
    return spaced(unicodedata.normalize("NFC", readable))


def spaced(text: str) -> str:
    """Runs of white space as one space, none at the ends."""
    return _SPACES.sub(" ", text).strip()


def windows(whole: Part, longest: int) -> list[Part]:
    """`whole` in the fewest parts of at most `longest`, as even as can be; of nothing, one empty part."""
    count = max(1, -(-len(whole) // longest))
    cuts = [len(whole) * part // count for part in range(count + 1)]
    return [whole[start:end] for start, end in pairwise(cuts)]  # type: ignore[misc]
