"""The texts that the comparer is trained on, and the pairs that follow from them.

They are those of `tests/judging` that were written after the rules, and the groups that the rules were built on. Of the
former one in eight is held out: the comparer never learns from it, and it says what the comparer is worth on texts it
has not seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.judging.groups import (
    Group,
    Memory,
    Written,
    is_held_out,
    read_documents,
    read_groups,
    read_memories,
    read_talks,
)
from tests.judging.pairs import LANGUAGES, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Sentences that belong together. `pairs` are places in `sentences`. `long`: so many agree that the nearest are
    enough to learn from."""

    language: str
    long: bool
    held_out: bool
    sentences: tuple[str, ...]
    pairs: tuple[tuple[Label, int, int], ...]


def sources() -> list[Source]:
    """All groups, documents, memories and talks."""
    return [source for language in LANGUAGES for source in _of(language)]


def _of(language: str) -> Iterator[Source]:
    for group in read_groups(language):
        yield _source(language, group, long=False, held_out=False)
    for written in (Written.AFTER, Written.ORDER, Written.CLOSE):
        for n, group in enumerate(read_groups(language, written)):
            yield _source(language, group, long=False, held_out=is_held_out(n))
    for n, document in enumerate(read_documents(language)):
        yield _source(language, document, long=True, held_out=is_held_out(n))
    for n, memory in enumerate(read_memories(language)):
        yield _source(language, memory, long=True, held_out=is_held_out(n))
    for n, talk in enumerate(read_talks(language)):
        yield _source(language, talk, long=True, held_out=is_held_out(n))


def _source(language: str, text: Group | Memory, *, long: bool, held_out: bool) -> Source:
    places = {sentence: n for n, sentence in enumerate(text.sentences)}
    return Source(
        language=language,
        long=long,
        held_out=held_out,
        sentences=text.sentences,
        pairs=tuple((label, places[a], places[b]) for label, a, b in text.pairs()),
    )
