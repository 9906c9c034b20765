"""Token ids against the plainly written search: equal for any string."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.adapters.embedding_text import cleaned
from service.adapters.local_embedder.tokens import Tokenizer
from service.adapters.local_embedder.weights import Vocabulary, installed_model
from tests.support import real_texts
from tests.support.scale import scaled
from tests.support.unigram import PlainUnigram, pieces_of


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return installed_model().vocabulary


@pytest.fixture(scope="module")
def tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    return Tokenizer(vocabulary)


@pytest.fixture(scope="module")
def plain(vocabulary: Vocabulary) -> PlainUnigram:
    return PlainUnigram(vocabulary)


MIXED = st.text(
    st.one_of(
        st.characters(codec=None, categories=None),  # any code point, lone surrogates and NUL too
        st.sampled_from(" \u3000\u2581<s>/\ufdfa\u00e9\u0301あ字，。aZ09😀"),
    ),
    max_size=60,
)


@given(text=MIXED)
@settings(max_examples=scaled(150), deadline=None)
def test_any_unicode_gives_the_ids_of_the_plain_search(
    tokenizer: Tokenizer, plain: PlainUnigram, text: str
) -> None:
    clean = cleaned(text)

    assert tokenizer.ids(clean) == plain.ids(tokenizer.written(clean))


def test_own_sentences_give_the_ids_of_the_plain_search(tokenizer: Tokenizer, plain: PlainUnigram) -> None:
    for text in real_texts.calibration("english") + real_texts.calibration("chinese"):
        assert tokenizer.ids(text) == plain.ids(tokenizer.written(text))


def test_real_dialogues_give_the_ids_of_the_plain_search(tokenizer: Tokenizer, plain: PlainUnigram) -> None:
    for text in random.Random(1).sample(real_texts.dialogue_turns(), 400):
        clean = cleaned(text)
        assert tokenizer.ids(clean) == plain.ids(tokenizer.written(clean))


def test_real_chinese_gives_the_ids_of_the_plain_search(tokenizer: Tokenizer, plain: PlainUnigram) -> None:
    for text in real_texts.chinese_sentences():
        clean = cleaned(text)
        assert tokenizer.ids(clean) == plain.ids(tokenizer.written(clean))


def test_the_marks_are_the_pieces_that_are_written_so(vocabulary: Vocabulary) -> None:
    marks = [vocabulary.bos, vocabulary.eos, vocabulary.pad, vocabulary.unk, vocabulary.mask]

    pieces = pieces_of(vocabulary)
    assert [pieces[mark] for mark in marks] == ["<s>", "</s>", "<pad>", "<unk>", "<mask>"]
    assert max(len(piece.encode()) for piece in pieces) < 100  # one byte tells its size, and its message's


def test_control_tokens_in_a_text_stay_text(tokenizer: Tokenizer, vocabulary: Vocabulary) -> None:
    marks = {vocabulary.bos, vocabulary.eos, vocabulary.pad, vocabulary.mask}

    ids = tokenizer.ids("<s> all </s> of <pad> this <mask> is said")

    assert not marks & set(ids)


def test_no_piece_reaches_over_a_space_so_a_prefix_can_be_put_in_front(
    tokenizer: Tokenizer, vocabulary: Vocabulary
) -> None:
    text = "什么时候开会？ When do we meet?"

    assert not any("\u2581" in piece[1:] for piece in pieces_of(vocabulary))
    assert tokenizer.ids(f"query: {text}") == tokenizer.ids("query:") + tokenizer.ids(text)


def test_nothing_gives_no_ids(tokenizer: Tokenizer) -> None:
    assert tokenizer.ids(cleaned(" \0\n")) == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello world!", [35378, 8999, 38]),  # the examples that XLM-RoBERTa was published with
        ("你好，世界", [6, 124084, 4, 3221]),
        ("\ufdfa", [16509, 1423, 4472, 8756]),  # eighteen characters of one
    ],
)
def test_known_texts_have_known_ids(tokenizer: Tokenizer, text: str, ids: list[int]) -> None:
    assert tokenizer.ids(text) == ids
