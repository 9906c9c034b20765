"""Instruction documents as a block for a system message.

Law: pure, and the same for the same sources. A text cannot end the block it stands in, nor begin a part of the prompt:
what looks like the frame is changed in one character. Nothing is cut.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.context.frame import as_data
from core.language import Language, language_of
from core.model.instructions import Level, Owner, Source
from core.text.tokens import estimate

NOTHING = "(nothing is saved yet)"
COMMENT, COMMENT_END = "<!--", "-->"

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
    texts = [
        (owner, source, text) for owner, source in sources if (text := _without_comments(source.text).strip())
    ]
    paths = Counter(source.path for _, source, _ in texts)
    headings = [_heading(owner, source.path, paths[source.path] > 1) for owner, source, _ in texts]
    language = language_of("\n".join(text[:LOOKED_AT] for _, _, text in texts))
    recorded = NEXT.join(
        f"{heading}\n\n{text}" for heading, (_, _, text) in zip(headings, texts, strict=True)
    )
    shown = as_data(recorded)
    made = _framed(shown, language)
    if shown is not recorded:
        return Block(text=made, tokens=estimate(made))
    bare = estimate(_framed(NEXT.join(f"{heading}\n\n" for heading in headings), language))
    return Block(text=made, tokens=bare + sum(source.tokens for _, source, _ in texts))


def _framed(memory: str, language: Language) -> str:
    return (
        f"<agent_memory>\n{memory or NOTHING}\n</agent_memory>\n\n"
        f"<memory_guidelines>\n{language.guidelines}\n</memory_guidelines>\n"
    )


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


def _heading(owner: Owner, path: str, told_apart: bool) -> str:
    whose = owner.level.value if owner.level is Level.TENANT else f"{owner.level.value} {owner.name}"
    return f"{path} ({whose})" if told_apart else path
