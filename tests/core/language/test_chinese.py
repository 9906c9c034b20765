"""The Chinese dictionary, of which only what a text needs is read."""

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
