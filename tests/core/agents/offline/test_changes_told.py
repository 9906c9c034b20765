"""What has changed since it was told, as people tell it to an assistant: in passing, among other things."""

import pytest

from core.agents.offline.claims.reading import read
from core.agents.offline.contradiction import contradicts
from core.agents.offline.sameness import contains


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # one sentence of several that are joined
        ("The deposit is 300 pounds a year.", "The deposit goes up to 350 pounds, and Mr Sand retired."),
        (
            "I'm allergic to nuts, by the way.",
            "They tested me, and it turns out that I'm not allergic to nuts.",
        ),
        # another one does it now
        ("The caretaker is called Mr Sand.", "The new caretaker is Ms Holm, who used to run the kiosk."),
        (
            "The person to call is Ms Holm from the Leeds office.",
            "Ms Holm moved to another team, and Tim took over.",
        ),
        ("小何负责后勤。", "小何不来了，我再找人。"),
        # from one to another
        ("We host in Oslo on four machines.", "We've moved everything from Oslo to Turin."),
        (
            "The club meets on the Lido with 40 members.",
            "The club changed its place from the Lido to the Arsenal.",
        ),
        # put off
        ("比赛日子定在六月三号。", "天气不好，没办法，所以比赛改到六月十七号。"),
        # where it is, whatever verb tells it
        ("The ladder hangs on a hook in the shed.", "The ladder is under the stairs."),
        ("The spare files are kept in the Turin office.", "The spare files are stored in Oslo."),
        # a test is failed, a thing not stood
        ("Ilse passed the exam.", "Ilse failed the exam on Monday."),
        ("I can't stand celery.", "I love celery on everything."),
        ("这张票有效。", "这张票无效，少了一个章。"),
        ("租客有权养猫。", "租客无权养猫。"),
        ("默认间隔是二十秒。", "默认间隔为五百毫秒。"),
        # moved
        ("小郑住在成都。", "小郑上个月搬到昆明去了。"),
        # what one drives
        ("I drive a red Fiat.", "I sold the Fiat in spring and walk now."),
        # another currency
        ("The deposit is 90 dollars.", "The deposit is 90 euros."),
        ("押金是三百美元。", "押金是三百欧元。"),
    ],
)
def test_a_change_told_in_passing_contradicts_what_was_told(before: str, after: str) -> None:
    assert contradicts(before, after) is not None
    assert contradicts(after, before) is not None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Nils has a boat.", "Nils has not sold his boat."),
        ("Omar resigned as treasurer of the club.", "Omar is a baker."),
        ("Ms Holm quit smoking.", "The caretaker is called Ms Holm."),
        ("One guest called the soup a delight.", "Another guest called the soup a bore."),
        ("Ida never rows on the lake.", "Ida's cousin rows on the lake."),
        ("小彭住在成都。", "小彭的哥哥住在昆明。"),
        ("小彭住在成都。", "小彭上大学时住在西安。"),
        ("Nora lives in Graz.", "As a student Nora lived in Innsbruck."),
        ("Dad doesn't have asthma.", "Dad is afraid of asthma."),
        ("The train goes from Oslo to Turin.", "We host in Oslo."),
        ("We moved from Oslo to Turin.", "We used to live in Oslo."),
        ("The talk takes half an hour.", "The talk takes 30 minutes."),
        ("会议从中午十二点开到一点半。", "会议12:00到13:30开。"),
        ("前厅请了人，月薪三千八。", "月薪三千八百元。"),
    ],
)
def test_what_was_not_given_up_is_not_contradicted(a: str, b: str) -> None:
    assert contradicts(a, b) is None
    assert contradicts(b, a) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The kiosk is doing well.", "The kiosk is doing badly."),
        ("The kiosk is doing well.", "The kiosk has no customers left."),
        ("The letter is here.", "The letter still isn't here."),
        ("The lamp is turned on by default.", "The lamp is turned off by default."),
        ("红组输给了绿组。", "绿组输给了红组。"),
        ("先洗米，再烧水。", "先烧水，再洗米。"),
    ],
)
def test_what_contradicts_is_never_taken_for_the_same(a: str, b: str) -> None:
    assert not contains(read(a), read(b), near=True)
    assert not contains(read(b), read(a), near=True)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The exam is at 3 pm.", "The exam begins at 15:00."),
        ("考试在下午三点。", "考试15点开始。"),
        ("There is no bath in the flat.", "The flat has no bath."),
        ("For two decades she has been working as a cook.", "She has worked as a cook for twenty years."),
        ("The sack weighs 2.5 kg.", "The sack weighs 2500 grams."),
        ("The talk takes an hour and a half.", "The talk takes 90 minutes."),
        ("Dinner is at half past seven.", "Dinner begins at 19:30."),
        ("The term starts on the third of April.", "The term begins on 3 April."),
        ("航程一个半小时。", "航程九十分钟。"),
        ("It is not possible to swap the seats.", "It is impossible to swap the seats."),
        ("The heater isn't connected.", "The heater is disconnected."),
        ("Three times a week I go for a swim.", "I go swimming three times a week."),
    ],
)
def test_the_same_in_other_words_is_the_same(a: str, b: str) -> None:
    assert contains(read(a), read(b), near=True) or contains(read(b), read(a), near=True)
