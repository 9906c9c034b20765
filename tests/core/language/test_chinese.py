"""The Chinese dictionary, of which only what a text needs is read."""

from typing import Any

import jieba
import pytest

from core.language import LANGUAGES
from core.language.zh import segmenter as chinese


@pytest.mark.slow
def test_the_whole_dictionary_is_what_jieba_itself_reads() -> None:
    frequencies, total = jieba.Tokenizer.gen_pfdict(jieba.dt.get_dict_file())
    tagger = chinese._dictionary().tagger_of("".join({word[0] for word in frequencies}))

    kinds = dict(tagger.word_tag_tab)
    tagger.load_word_tag(jieba.dt.get_dict_file())
    assert (frequencies, total) == (tagger.tokenizer.FREQ, chinese.TOTAL)
    assert tagger.word_tag_tab == kinds


def test_the_words_of_each_character_lie_apart_so_that_no_large_dict_grows() -> None:
    chinese._dictionary.cache_clear()

    chinese.tagged("渡轮九点开")

    tagger = chinese._dictionary().tagger_of("")
    for table in (tagger.tokenizer.FREQ, tagger.word_tag_tab):
        assert {first: {word[0] for word in words} for first, words in table.by_first.items()} == {
            character: {character} for character in "渡轮九点开"
        }


TEXTS = ("渡轮每天早上九点从三号码头开往纳克索斯", "龘靐齉爩", "研究生命的起源", "𠮷野家开业了", "二〇二四年")


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_cut_as_jieba_cuts_it(text: str) -> None:
    words = chinese._dictionary().tagger_of(text).tokenizer
    plain, route, of_jieba = jieba.Tokenizer(), dict[int, Any](), dict[int, Any]()
    plain.FREQ, plain.total, plain.initialized = dict(words.FREQ), chinese.TOTAL, True

    ends = words.get_DAG(text)
    words.calc(text, ends, route)

    plain.calc(text, plain.get_DAG(text), of_jieba)
    assert (ends, route) == (plain.get_DAG(text), of_jieba)


def test_only_the_words_that_may_begin_in_a_text_are_read() -> None:
    chinese._dictionary.cache_clear()

    assert [word.text for word in chinese.tagged("渡轮九点开")] == ["渡轮", "九点", "开"]
    read = chinese._dictionary().tagger_of("").tokenizer.FREQ
    assert {word[0] for word in read} == set("渡轮九点开")
    assert len(read) < 3_000


def test_what_is_prepared_is_open_and_no_word_of_it_is_read() -> None:
    chinese._dictionary.cache_clear()

    for language in LANGUAGES:
        language.prepare()

    assert chinese._dictionary.cache_info().currsize == 1
    assert not chinese._dictionary().tagger_of("").tokenizer.FREQ


def test_a_word_is_as_rare_before_its_dictionary_is_read_as_after() -> None:
    chinese._dictionary.cache_clear()

    before = chinese.rarity("轮船")
    chinese.tagged("轮船")
    assert before == chinese.rarity("轮船") > chinese.rarity("船")
    assert chinese.rarity("") == chinese.rarity("嘟嘟嘟嘟嘟") > 17
