"""The Chinese dictionary, read faster than jieba reads it."""

import jieba

from core.text import chinese


def test_the_dictionary_is_what_jieba_itself_reads() -> None:
    tagger = chinese._tagger()

    frequencies, total = jieba.Tokenizer.gen_pfdict(jieba.dt.get_dict_file())
    kinds = dict(tagger.word_tag_tab)
    tagger.load_word_tag(jieba.dt.get_dict_file())
    assert (tagger.tokenizer.FREQ, tagger.tokenizer.total) == (frequencies, total)
    assert tagger.word_tag_tab == kinds
