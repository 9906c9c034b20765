"""Stored text in a prompt: fenced, so that it stays data whatever it says.

A message is put together from lines of our own and from texts. Each text stands under a line
`[[mark name]]` and ends at the next line that carries the mark. The mark is a digest of all the
message's texts, lengthened until it occurs in none of them: a text can neither know nor contain it,
so it can close no fence and open none. The same texts give the same mark: a recorded run replays
byte for byte.

Law: pure. A text stands as it is, but for the control tokens of chat templates, which get a space:
some servers read them wherever they stand, and no fence would hold.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from core.text.folding import folded

SHORTEST_MARK = 6  # hexadecimal digits: three to five tokens; it is lengthened where a text holds it
LONGEST_MARK = 64
FENCE_TOKENS = 18  # what the line before a text is estimated at, at most

CONTROL_TOKEN = re.compile(
    r"(?P<open><)(?P<rest>[|｜][^\s<>|｜]{1,40}[|｜]>)"  # <|im_start|>, <｜User｜>
    r"|(?P<open_turn><)(?P<rest_turn>/?(?:start_of_turn|end_of_turn|bos|eos|pad|unk|s)>)"  # <end_of_turn>, </s>
    r"|(?P<open_inst>\[)(?P<rest_inst>/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\])"
    r"|(?P<open_sys><<)(?P<rest_sys>/?SYS>>)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """A text to be fenced. `name` is ours: an alias or a label, never stored text."""

    name: str
    text: str


def message(parts: Sequence[str | Enclosure]) -> str:
    """Joins our own lines and fenced texts to one message, which names its mark first."""
    mark = _mark(part.text for part in parts if isinstance(part, Enclosure))
    lines = [f"Fence mark: {mark}"]
    is_open = False
    for part in parts:
        if isinstance(part, Enclosure):
            lines += [f"[[{mark} {part.name}]]", disarmed(part.text)]
            is_open = True
        else:
            lines += [f"[[{mark} end]]", part] if is_open else [part]
            is_open = False
    if is_open:
        lines.append(f"[[{mark} end]]")
    return "\n".join(lines)


def disarmed(text: str) -> str:
    """Returns the text with a space in what a chat template would take for a token of its own."""
    return CONTROL_TOKEN.sub(_spaced, text)


def _spaced(token: re.Match[str]) -> str:
    opening, rest = (part for part in token.groups() if part is not None)
    return f"{opening} {rest}"


def _mark(texts: Iterable[str]) -> str:
    """Returns a mark that is in none of the texts, also where they spell it with other or invisible characters."""
    given = [text.encode("utf-8", "surrogatepass") for text in texts]
    plain = [folded(text.decode("utf-8", "surrogatepass")) for text in given]
    sizes = b"".join(b"%d " % len(text) for text in given)  # so that no text can pass for part of another
    for salt in count():
        digest = sha256(b"%d " % salt + sizes + b"".join(given)).hexdigest()
        for length in range(SHORTEST_MARK, LONGEST_MARK + 1):
            if not any(digest[:length] in text for text in plain):
                return digest[:length]
    raise AssertionError("unreachable: there is always another salt")
