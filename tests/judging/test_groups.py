"""The groups are read whole."""

import pytest

from tests.judging.groups import (
    Group,
    Memory,
    Written,
    read_documents,
    read_groups,
    read_memories,
    read_talks,
)
from tests.judging.pairs import LANGUAGES, Half, Label, read_pairs


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_group_has_values_in_several_wordings_or_what_stands_apart(language: str) -> None:
    groups = read_groups(language)

    assert all(group.kind and len(group.sentences) >= 3 for group in groups)
    assert all(len(group.values) != 1 and all(len(value) > 1 for value in group.values) for group in groups)
    assert all(len(set(group.sentences)) == len(group.sentences) for group in groups)


@pytest.mark.parametrize("language", LANGUAGES)
def test_groups_written_later_and_documents_are_whole(language: str) -> None:
    later = [
        group
        for when in (Written.AFTER, Written.ORDER, Written.CLOSE)
        for group in read_groups(language, when)
    ]
    documents = read_documents(language)

    assert all(group.values and group.beside and all(group.sentences) for group in later)
    assert all(document.kind and len(set(document.sentences)) >= 20 for document in documents)
    assert sum(label is Label.CONFLICT for document in documents for label, *_ in document.pairs()) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_memory_or_a_talk_tells_some_of_its_facts_once_more(language: str) -> None:
    for memory in (*read_memories(language), *read_talks(language)):
        told = [place for place, _ in memory.changes]
        labels = [label for label, *_ in memory.pairs()]

        assert len(set(memory.facts)) == len(memory.facts) >= 13
        assert len(set(told)) == len(told) >= 3
        assert all(0 <= place < len(memory.facts) for place, _ in (*memory.changes, *memory.rewordings))
        assert labels.count(Label.CONFLICT) >= len(memory.changes)
        assert labels.count(Label.SAME) == len(memory.rewordings)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_the_pairs_is_in_a_text_beside_them(language: str) -> None:
    groups = [group for when in Written for group in read_groups(language, when)]
    told: list[Group | Memory] = [*groups, *read_documents(language)]
    told += [*read_memories(language), *read_talks(language)]
    grouped = {one for text in told for one in text.sentences}

    assert grouped.isdisjoint(one for pair in read_pairs(language, Half.OPEN) for one in pair.texts)
