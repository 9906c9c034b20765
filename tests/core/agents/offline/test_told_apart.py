"""What looks like a contradiction and is none, what is one in other words, and what must never be merged."""

import pytest

from core.agents.offline.claims.reading import read
from core.agents.offline.contradiction import contradicts
from core.agents.offline.sameness import contains


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The meeting starts at 14:00.", "The meeting starts at 2 pm."),
        ("The meeting starts at 14:00.", "The meeting starts at 2 o'clock."),
        ("会议下午两点开始。", "会议14点开始。"),
        ("The market opens at seven.", "The market opens at 7 p.m."),
        ("The market opens at seven in the evening.", "The market opens at 19:00."),
        ("The market opens at 7 in the morning.", "The market opens at 7 a.m."),
        ("Iris is not married.", "Iris was at a wedding."),
        ("The ferry has no restaurant.", "The ferry might get a restaurant."),
        ("Ada didn't pass the swimming test.", "Ada failed the swimming test."),
        ("I'm ready to give the race my best.", "I'm not giving up the race."),
        ("I won't let anything get me down.", "I won't give up!"),
        ("The reunion is on 9 June.", "The reunion is in a barn."),
        ("同学会在六月九号。", "同学会在酒店办。"),
        ("午睡要一个半钟头。", "午睡要九十分钟。"),
        ("老丁没结婚。", "老丁想结婚。"),
        ("3.1 版支持插件。", "3.4 版不支持插件。"),
        ("3.2 metres is the height of the hall.", "The height of the hall is 3.2 metres."),
        ("会议14:30开始。", "会议下午两点半开始。"),
        ("The package weighs 2 kg.", "The package weighs 2,000 grams."),
        ("包裹重2公斤。", "包裹重4斤。"),
        ("Liam is an engineer.", "Liam's sister is a painter."),
        ("The hotel has 80 rooms.", "The hotel's annex has 24 rooms."),
        ("李明是工程师。", "李明的妹妹是画家。"),
        ("I live in Bergen.", "My brother lives in Oslo."),
        ("The first prize went to Noor.", "The second prize went to Idris."),
        ("The free plan includes 5 GB.", "The paid plan includes 100 GB."),
        ("Order 1987 was shipped on Monday.", "Order 2003 was shipped on Tuesday."),
        ("订单1987周一发货。", "订单2003周二发货。"),
        ("Platform 1 has a waiting room.", "Platform 4 has no waiting room."),
        ("Maya used to live in Ghent.", "Maya lives in Bruges."),
        ("她以前住在苏州。", "她现在住在无锡。"),
        ("The hospital is to get 60 more beds.", "The hospital has 240 beds."),
        ("Ben visited Rome in 2019.", "Ben visited Rome in 2022."),
        ("Make sure the valve is shut.", "The valve is open."),
        (
            "You may not copy or distribute the work except as provided under this license.",
            "You may copy and distribute the work in any medium, provided that the notices are kept.",
        ),
        ("Their son is named Felix.", "Their son is called Felix."),
        ("The dishwasher is out of order.", "The neighbour's dishwasher runs again."),
        ("The jug holds 2 litres.", "The jug weighs 2 kilos."),
        ("The well is 20 metres deep.", "The well is 2 metres wide."),
        ("At most 90 guests fit into the hall.", "The hall holds 80 guests."),
        ("The hall held 300 people in 1990.", "The hall holds 450 people."),
        ("The blue tablets are taken in the morning.", "The white tablets are taken in the evening."),
        ("A cold beer does you good.", "The beer is warm."),
        ("The letter hasn't arrived.", "The letter will arrive tomorrow."),
        ("We have no dog.", "They have a dog."),
        ("I weighed the cake, and it has gone up to 3.1.", "I've bought 2 kilos of flour instead, for £5."),
        ("I have never eaten snails.", "My uncle eats snails."),
        ("Wanda Beck conducts the choir.", "Otto Falk's conductor is on holiday."),
        ("The first concert was conducted by Wanda Beck.", "Wanda Beck owns the hall."),
    ],
)
def test_what_leaves_room_for_the_other_is_no_contradiction(a: str, b: str) -> None:
    assert contradicts(a, b) is None
    assert contradicts(b, a) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Bruno prefers tea over coffee.", "Bruno prefers coffee over tea."),
        ("Mia is older than Leo.", "Leo is older than Mia."),
        ("妹妹比哥哥高。", "哥哥比妹妹高。"),
        ("The bridge was built before the war.", "The bridge was built after the war."),
        ("The key is under the doormat.", "The key is in the mailbox."),
        ("The form is valid.", "The form is invalid."),
        ("Karen Liu is the CFO of Brightwell.", "The CFO of Brightwell is Daniel Roy."),
        ("The sauna has room for six people.", "The sauna cannot take more than four people."),
        ("Priya lives in Lyon.", "Priya moved to Nantes in May."),
        ("Omar is the treasurer of the club.", "Omar resigned as treasurer of the club."),
        ("The trip takes 90 minutes.", "The trip takes 3 hours."),
        ("The market opens at seven in the morning.", "The market opens at 7 p.m."),
        ("海滩上允许遛狗。", "海滩上禁止遛狗。"),
        ("外公喜欢热闹，周末总要请客。", "外公不爱热闹，周末只想一个人待着。"),
    ],
)
def test_a_contradiction_in_other_words_is_one_and_never_merged(a: str, b: str) -> None:
    found, turned = contradicts(a, b), contradicts(b, a)

    assert found is not None
    assert turned is not None
    assert not contains(read(a), read(b), near=True)
    assert not contains(read(b), read(a), near=True)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The dishwasher is out of order.", "They repaired the dishwasher and it runs again."),
        ("The coach was on time this morning.", "This morning the coach came in half an hour late."),
        ("Every sample passes on Linux.", "Nine samples fail on Linux."),
        ("I'm an early bird.", "I'm a night owl."),
        ("The jug holds 2 litres.", "The capacity of the jug is 5 litres."),
        ("There are 40 people playing in the orchestra.", "The orchestra has fifty members."),
        ("The school was founded in 1901.", "The school has existed since 1934."),
        ("Our balcony door is blue.", "We painted our balcony door green."),
        ("Wanda Beck conducts the choir.", "The choir's conductor is Otto Falk."),
        ("The museum pays for the guide.", "The guide is paid by the visitors."),
        ("Nils grew up in Bergen.", "Nils spent his childhood in Tromsø."),
        ("I have never been to France.", "When I was in Bordeaux I bought wine."),
        ("She never drinks alcohol.", "She has a whisky every evening."),
    ],
)
def test_what_contradicts_in_words_that_no_rule_knows_is_never_merged(a: str, b: str) -> None:
    assert not contains(read(a), read(b), near=True)
    assert not contains(read(b), read(a), near=True)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Petra sold her van.", "Petra still has her van."),
        ("All cabins have a stove.", "Cabin 7 has a stove."),
        ("All windows are double-glazed.", "Some windows are double-glazed."),
        ("Most buses are electric.", "All buses are electric."),
        ("所有病房都装了空调。", "有些病房装了空调。"),
    ],
)
def test_another_quantity_or_a_state_that_has_ended_is_never_merged(a: str, b: str) -> None:
    assert not contains(read(a), read(b), near=True)
    assert not contains(read(b), read(a), near=True)


def test_each_and_all_tell_of_the_same_quantity() -> None:
    assert contains(read("Every cabin has a stove."), read("All cabins have a stove."), near=True)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Petra sold her van.", "Petra still has her van."),
        ("Uncle Joe gave up fishing last year.", "Uncle Joe fishes at the lake every morning."),
        ("评审改到周四了。", "评审定在周二上午十点。"),
        ("表妹去年结了婚。", "表妹还单身。"),
    ],
)
def test_a_verb_that_ends_a_state_contradicts_it(a: str, b: str) -> None:
    assert contradicts(a, b) is not None
    assert contradicts(b, a) is not None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Petra sold her van.", "Petra has a dog."),
        ("Petra sold her van.", "Petra had a van."),
        ("The train stopped in Ulm.", "The train passes Ulm."),
        ("Anna's brother got married.", "Anna is single."),
        ("评审改到周四了。", "评审定在周四上午十点。"),
    ],
)
def test_a_verb_that_ends_another_state_leaves_room_for_it(a: str, b: str) -> None:
    assert contradicts(a, b) is None
    assert contradicts(b, a) is None
