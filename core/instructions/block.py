"""Instruction documents as a block for a system message.

Law: pure, and the same for the same sources. A text cannot end the block it stands in: the block's own tags are escaped
in it. Nothing is cut.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.instructions.guidelines import CHINESE, ENGLISH, NOTHING
from core.model.instructions import Level, Owner, Source
from core.text.scripts import is_chinese
from core.text.tokens import estimate

COMMENT, COMMENT_END = "<!--", "-->"
OWN_TAG = re.compile(r"<(?=\s*(?:/\s*)?(?:agent_memory|memory_guidelines)\b)", re.IGNORECASE)

NEXT = "\n\n"
LOOKED_AT = 2_000  # characters of each text that its language is read from

Loaded = tuple[Owner, Source]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The text, and an estimate of its tokens that errs high."""

    text: str
    tokens: int


def block(sources: Sequence[Loaded]) -> Block:
    """`<agent_memory>` with each path above its text, then `<memory_guidelines>` in the sources' main language.

    HTML comments and blank sources are left out. Where two sources have the same path, their owners are told. What is
    known of a source's tokens is not estimated again: a block of the largest size takes milliseconds, not a second.
    """
    texts = [(owner, source, text) for owner, source in sources if (text := _shown(source.text))]
    paths = Counter(source.path for _, source, _ in texts)
    headings = [_heading(owner, source.path, paths[source.path] > 1) for owner, source, _ in texts]
    chinese = is_chinese("\n".join(text[:LOOKED_AT] for _, _, text in texts))
    parts = [f"{heading}\n\n{text}" for heading, (_, _, text) in zip(headings, texts, strict=True)]
    return Block(
        text=_framed(parts, chinese),
        tokens=estimate(_framed([f"{heading}\n\n" for heading in headings], chinese))
        + sum(_tokens(source, text) for _, source, text in texts),
    )


def _framed(parts: Sequence[str], chinese: bool) -> str:
    return (
        f"<agent_memory>\n{NEXT.join(parts) or NOTHING}\n</agent_memory>\n\n"
        f"<memory_guidelines>\n{CHINESE if chinese else ENGLISH}\n</memory_guidelines>\n"
    )


def _tokens(source: Source, text: str) -> int:
    """Returns the tokens of a source as it is shown: a shorter text takes no more than the whole one."""
    return estimate(text) if OWN_TAG.search(source.text) else source.tokens


def _shown(text: str) -> str:
    return _escaped(_without_comments(text).strip())


def _without_comments(text: str) -> str:
    """Removes HTML comments; one that does not end is no comment. Linear: a pattern would not be."""
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
