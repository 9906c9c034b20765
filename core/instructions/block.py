"""Instruction documents as a block for a system message.

Law: pure, and the same for the same sources. A text cannot end the block it stands in: the block's own tags are escaped
in it. Nothing is cut.
"""

import re
from collections import Counter
from collections.abc import Sequence

from core.instructions.guidelines import CHINESE, ENGLISH, NOTHING
from core.model.instructions import Level, Owner, Source
from core.text.scripts import is_chinese

COMMENT, COMMENT_END = "<!--", "-->"
OWN_TAG = re.compile(r"<(?=\s*(?:/\s*)?(?:agent_memory|memory_guidelines)\b)", re.IGNORECASE)

NEXT = "\n\n"

Loaded = tuple[Owner, Source]


def block(sources: Sequence[Loaded]) -> str:
    """`<agent_memory>` with each path above its text, then `<memory_guidelines>` in the sources' main language.

    HTML comments and blank sources are left out. Where two sources have the same path, their owners are told.
    """
    shown = [(owner, source.path, text) for owner, source in sources if (text := _shown(source.text))]
    paths = Counter(path for _, path, _ in shown)
    parts = [f"{_heading(owner, path, paths[path] > 1)}\n\n{text}" for owner, path, text in shown]
    chinese = is_chinese("\n".join(text for _, _, text in shown))
    return (
        f"<agent_memory>\n{NEXT.join(parts) or NOTHING}\n</agent_memory>\n\n"
        f"<memory_guidelines>\n{CHINESE if chinese else ENGLISH}\n</memory_guidelines>\n"
    )


def _shown(text: str) -> str:
    return _escaped(_without_comments(text).strip())


def _without_comments(text: str) -> str:
    """Without HTML comments; one that does not end is no comment. Linear: a pattern would not be."""
    kept, place = [], 0
    while (start := text.find(COMMENT, place)) >= 0:
        end = text.find(COMMENT_END, start + len(COMMENT))
        if end < 0:
            break
        kept.append(text[place:start])
        place = end + len(COMMENT_END)
    return "".join((*kept, text[place:]))


def _escaped(text: str) -> str:
    return OWN_TAG.sub("&lt;", text)


def _heading(owner: Owner, path: str, told_apart: bool) -> str:
    whose = owner.level.value if owner.level is Level.TENANT else f"{owner.level.value} {owner.name}"
    return _escaped(f"{path} ({whose})" if told_apart else path)
