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


@pytest.mark.parametrize(
    ("told", "other"),
    [
        ("老家具存放在阁楼。", "老家具搁在车库里了。"),
        ("表哥住在长沙。", "表哥去年搬到了厦门。"),
        ("她的出生地是洛阳。", "她出生在开封。"),
        ("这个插件是用 Rust 写的。", "插件的开发语言是 Python。"),
        ("停车费由业主承担。", "停车费要租户自己出。"),
        ("这场火灾是短路引起的。", "火灾的原因是烟头。"),
        ("这本画册的作者是方宁。", "这本画册是顾安写的。"),
        ("长风航运的总经理是葛涛。", "何婷担任长风航运的总经理。"),
    ],
)
def test_two_fillers_of_one_slot_exclude_each_other(told: str, other: str) -> None:
    found = contradicts(told, other)

    assert found is not None


@pytest.mark.parametrize(
    ("told", "other"),
    [
        ("表哥住在长沙。", "表哥的同学住在厦门。"),
        ("表哥住在长沙。", "表哥打算搬到厦门。"),
        ("这个插件是用 Rust 写的。", "这个网站是用 Python 写的。"),
        ("电费由业主承担。", "停车费由租户承担。"),
        ("婚礼在五月三号。", "婚礼在海边的酒店办。"),
        ("他家的猫叫团子。", "他家的狗叫豆包。"),
        ("梯子在棚子里。", "梯子放在院子的棚里。"),
    ],
)
def test_fillers_of_other_slots_and_plans_leave_room(told: str, other: str) -> None:
    found = contradicts(told, other)

    assert found is None


@pytest.mark.parametrize(
    ("told", "put_otherwise", "exchanged"),
    [
        ("红星队打败了青年队。", "青年队输给了红星队。", "红星队被青年队击败。"),
        ("先洗菜，再淘米。", "洗菜之后才淘米。", "洗菜之前先淘米。"),
        ("比起面条，妈妈更喜欢米饭。", "妈妈喜欢米饭胜过面条。", "跟米饭比，妈妈更爱面条。"),
        ("小佳比小宁高。", "小宁比小佳矮。", "小佳比小宁矮。"),
        ("书房在客厅上面。", "客厅的上面就是书房。", "书房的上面就是客厅。"),
    ],
)
def test_a_relation_is_told_the_other_way_round_in_other_words(
    told: str, put_otherwise: str, exchanged: str
) -> None:
    assert contradicts(told, put_otherwise) is None
    assert contradicts(told, exchanged) is not None


@pytest.mark.parametrize(
    ("told", "other"),
    [
        ("所有教室都通过了检查。", "有三间教室没通过检查。"),
        ("每个学员都及格了。", "有些学员不及格。"),
    ],
)
def test_some_of_them_exclude_what_all_of_them_are(told: str, other: str) -> None:
    found = contradicts(told, other)

    assert found is not None


def test_some_of_them_leave_room_for_others_of_them() -> None:
    found = contradicts("有些学员及格了。", "有些学员不及格。")

    assert found is None


@pytest.mark.parametrize(
    ("never", "done"),
    [
        ("她从来没坐过轮船。", "她前年坐轮船去了大连。"),
        ("我没尝过榴莲。", "我在泰国吃了两个榴莲。"),
        ("这支球队从未降级。", "2015年这支球队降级了。"),
        ("舅舅从来不喝白酒。", "舅舅每天晚上喝半斤白酒。"),
        ("车队从未拖欠运费。", "车队去年拖欠了三个月运费。"),
        ("姨妈去年就不当护士了。", "姨妈是儿科护士。"),
        ("租客没有表决权。", "租客有表决权。"),
    ],
)
def test_what_was_never_done_excludes_that_it_was(never: str, done: str) -> None:
    assert contradicts(never, done) is not None
    assert contradicts(done, never) is not None


@pytest.mark.parametrize(
    ("never", "other"),
    [
        ("她从来没坐过轮船。", "她想坐轮船去大连。"),
        ("她从来没坐过轮船。", "她的妹妹坐轮船去了大连。"),
        ("我没尝过榴莲。", "我没吃过榴莲。"),
        ("舅舅从来不喝白酒。", "舅舅卖白酒。"),
    ],
)
def test_a_wish_another_person_and_another_act_leave_room_for_never(never: str, other: str) -> None:
    found = contradicts(never, other)

    assert found is None


@pytest.mark.parametrize(
    ("told", "other"),
    [
        ("去年剧院盈利。", "今年剧院亏损。"),
        ("这条街白天很吵。", "这条街夜里很安静。"),
        ("会员免费停车。", "非会员停车要收费。"),
        ("改造前教室很暗。", "改造后教室很亮。"),
        ("这幅字的作者是田原。", "那幅字的作者是许谦。"),
    ],
)
def test_states_at_other_times_and_of_others_leave_room(told: str, other: str) -> None:
    found = contradicts(told, other)

    assert found is None
