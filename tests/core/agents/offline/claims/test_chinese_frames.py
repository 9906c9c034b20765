"""Chinese sentences that tell of one matter in other words: two sides of a scale, two values, and what leaves room."""

import pytest

from core.agents.offline.contradiction import contradicts


@pytest.mark.parametrize(
    ("told", "other"),
    [
        ("电影院今晚照常营业。", "电影院上个月倒闭了。"),
        ("这班轮渡准点到了。", "这班轮渡延误了两个小时。"),
        ("停车场是免费的。", "停车场要收费。"),
        ("驾照考试他及格了。", "驾照考试他没考过。"),
        ("她的样本呈阳性。", "她的样本是阴性。"),
        ("申请批了。", "申请被驳回了。"),
        ("楼上的邻居很吵。", "楼上的邻居很安静。"),
    ],
)
def test_words_of_two_sides_of_one_scale_exclude_each_other(told: str, other: str) -> None:
    found = contradicts(told, other)

    assert found is not None


@pytest.mark.parametrize(
    ("told", "other"),
    [
        ("邻居的车坏了。", "车修好了。"),
        ("银行九点开门。", "银行晚上九点关门。"),
        ("夜间的测试失败了。", "测试成功了。"),
        ("我弟弟讨厌香菜。", "我喜欢香菜。"),
        ("去年的比赛他们赢了。", "比赛他们输了。"),
        ("火车站关门了。", "火车照常营业。"),
        ("申请没有被驳回。", "申请批了。"),
    ],
)
def test_what_is_told_of_another_or_denied_of_the_other_side_leaves_room(told: str, other: str) -> None:
    found = contradicts(told, other)

    assert found is None


@pytest.mark.parametrize(
    ("told", "other", "values"),
    [
        ("水箱能装三十升。", "水箱的容量是四十五升。", {"三十升", "四十五升"}),
        ("桌子长一米六。", "桌子的长度是180厘米。", {"一米六", "180厘米"}),
        ("工厂建成于1998年。", "这座工厂2003年完工。", {"1998年", "2003年"}),
        ("超市八点开门。", "超市九点半开始营业。", {"八点", "九点半"}),
        ("我体重六十公斤。", "我的体重是一百五十斤。", {"六十公斤", "一百五十斤"}),
    ],
)
def test_two_values_of_one_attribute_exclude_each_other_in_other_words(
    told: str, other: str, values: set[str]
) -> None:
    found = contradicts(told, other)

    assert found is not None
    assert {found.value_a, found.value_b} == values


@pytest.mark.parametrize(
    ("told", "other"),
    [
        ("水箱长三十厘米。", "水箱高四十五厘米。"),
        ("桌子长一米六。", "桌子的长度是160厘米。"),
        ("公司成立于2004年。", "子公司成立于1996年。"),
        ("她十岁时身高一米三。", "她身高一米六五。"),
        ("38路公交到码头。", "51路公交不到码头。"),
        ("1990年协会有四十名会员。", "如今协会有九十名会员。"),
        ("院子里没有水井。", "院子里不见水井。"),
        ("她的爸爸是木匠。", "她的叔叔是法官。"),
    ],
)
def test_values_of_other_things_or_times_leave_room(told: str, other: str) -> None:
    found = contradicts(told, other)

    assert found is None
