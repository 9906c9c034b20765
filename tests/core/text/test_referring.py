"""Sentences that refer to what another one named."""

import pytest

from core.text.referring import refers_back

REFER = [
    "She is allergic to nuts.",
    "Her birthday is on 3 May.",
    "I never eat them.",
    "When he was six we moved.",
    "That is my second dog.",
    "We bought it in 2019.",
    "她对坚果过敏。",
    "我从来不吃它们。",
    "他六岁时我们搬了家。",
    "那是我的第二只狗。",
    "对花生过敏。",
    "住在成都。",
    "喜欢绿色的房子。",
    "准备去杭州出差。",
    "管理三个团队。",
    "工作三年了。",
]
NAME_IT = [
    "My sister said she is allergic.",
    "Nora says she moves to Leeds.",
    "I work as a nurse.",
    "I think it is raining.",
    "Walnuts give me a rash, so I avoid them.",
    "Bob and his wife live in York.",
    "我妹妹说她过敏。",
    "我是护士。",
    "其他人都不去。",
    "这周我在北京。",
    "我妈妈身体不好，她有高血压。",
    "这里夏天很热。",
    "修烤箱的师傅周四九点来。",
    "教我德语的老师姓王。",
    "预算被砍到六十万元。",
    "预算是六十万元。",
    "测试推迟到周五。",
    "培训改到周三。",
    "旅行取消了。",
    "比赛在周六。",
    "工作很忙。",
    "教练是老王。",
]


@pytest.mark.parametrize("sentence", REFER)
def test_a_pronoun_before_which_nothing_is_named_refers_to_another_sentence(sentence: str) -> None:
    assert refers_back(sentence)


@pytest.mark.parametrize("sentence", NAME_IT)
def test_what_names_what_it_speaks_of_refers_to_nothing(sentence: str) -> None:
    assert not refers_back(sentence)
