"""What the offline Judge makes of a comparer's likelihoods."""

import pytest

from core.agents.offline.judge import OfflineJudge
from core.agents.roles import ConflictOpinion, MergeOpinion, Topic
from core.ids import NodeId
from core.ports.comparer import Likelihood
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.told_comparer import ToldComparer, told_judge

LIFT = ("The lift is out of order.", "We took the lift up this morning.")
SURE = Likelihood(contradiction=0.97, sameness=0.0)
UNSURE = Likelihood(contradiction=0.5, sameness=0.2)
DENIED = ("The pool is open to guests of the hotel.", "The pool is not open to guests before nine.")


def topic(name: str, summary: str) -> Topic:
    return Topic(node_id=NodeId(name), summary=summary, context=summary, keywords=())


async def test_what_the_comparer_is_sure_of_is_a_conflict_though_no_word_shows_it() -> None:
    judge = told_judge({LIFT: SURE})

    (opinion,) = await judge.conflicts_and_merges(topic("new", LIFT[1]), [topic("old", LIFT[0])])

    assert isinstance(opinion, ConflictOpinion)
    assert (opinion.existing, opinion.confidence) == ("old", 0.97)
    assert (opinion.new_quote, opinion.existing_quote) == (LIFT[1], LIFT[0])
    assert opinion.description == "“We took the lift up this morning” contradicts “The lift is out of order”"


async def test_what_it_is_not_sure_of_is_left_apart() -> None:
    judge = told_judge({LIFT: UNSURE})

    assert await judge.conflicts_and_merges(topic("new", LIFT[1]), [topic("old", LIFT[0])]) == []


async def test_of_two_labels_the_comparer_decides() -> None:
    old, new = "We use Node 18 in production.", "Production runs on Node 20 since May."
    judge = told_judge({(old, new): SURE})

    (opinion,) = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert isinstance(opinion, ConflictOpinion)


async def test_what_says_more_contradicts_nothing() -> None:
    old = "The western anchor had rusted through."
    new = "The western anchor had rusted through, unseen since 1908, and failed under 140 people."
    judge = told_judge({(old, new): SURE})

    assert await judge.conflicts_and_merges(topic("new", new), [topic("old", old)]) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Hannah does not eat meat.", "Hannah cooks lentil soup every Sunday."),
        ("欧老板不收钱，说房间空着。", "一间房一晚四百，因为欧老板说他不想抽成。"),
        ("星澜新能源要52天，来不及。", "星澜新能源只承担两年。"),
    ],
)
async def test_where_a_name_is_all_that_is_shared_it_must_be_surer(old: str, new: str) -> None:
    def judge(contradiction: float) -> OfflineJudge:
        told = Likelihood(contradiction=contradiction, sameness=0.0)
        return told_judge({(old, new): told})

    assert await judge(0.75).conflicts_and_merges(topic("new", new), [topic("old", old)]) == []
    assert await judge(0.85).conflicts_and_merges(topic("new", new), [topic("old", old)])


async def test_a_cleft_tells_of_nothing_in_another_sentence() -> None:
    old, new = (
        "It was the harbour master who drew up the plans of the bridge.",
        "A firm drew all plans of the bridge.",
    )
    judge = told_judge({(old, new): Likelihood(contradiction=0.85, sameness=0.0)})

    assert await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])


@pytest.mark.parametrize(
    "old",
    [
        "It is signed by Brandt.",
        "In 1931 this was Olaf Brandt.",
        "It was signed by Brandt, who had been there.",
    ],
)
async def test_of_what_another_sentence_names_it_must_be_surer(old: str) -> None:
    new = "The court sentenced Brandt to a fine of 500 crowns."

    def judge(contradiction: float) -> OfflineJudge:
        return told_judge({(old, new): Likelihood(contradiction=contradiction, sameness=0.0)})

    assert await judge(0.85).conflicts_and_merges(topic("new", new), [topic("old", old)]) == []
    assert await judge(0.95).conflicts_and_merges(topic("new", new), [topic("old", old)])


async def test_what_says_the_same_in_other_words_is_merged() -> None:
    old, new = "Marek's flight lands early on Monday.", "Marek arrives by plane on Monday morning."
    judge = told_judge({(old, new): Likelihood(contradiction=0.0, sameness=0.95)})

    (opinion,) = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert isinstance(opinion, MergeOpinion)


@pytest.mark.parametrize(
    ("old", "new", "merged"),
    [
        ("Omar lives alone.", "Omar's sister lives alone.", False),
        ("The stairs have 14 steps.", "The stairs to the cellar have 14 steps.", False),
        ("运动会因暴雨延期。", "去年运动会因暴雨延期。", False),
        ("Anna lives in Oslo.", "Anna lives in Oslo with her two cats.", True),
        ("大桥于1931年通车。", "大桥于1931年通车，耗资三百万。", True),
    ],
)
async def test_words_that_say_the_same_are_mistaken_where_it_knows_better_and_one_does_not_go_on(
    old: str, new: str, merged: bool
) -> None:
    told = Likelihood(contradiction=0.0, sameness=0.01)
    judge = told_judge({(old, new): told})

    opinions = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert [type(opinion) for opinion in opinions] == [MergeOpinion] * merged


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The team has 11 people.", "Eleven colleagues make up the team."),
        ("团队有11个人。", "组里如今十一人。"),
    ],
)
async def test_one_figure_of_what_is_named_otherwise_is_merged(old: str, new: str) -> None:
    judge = told_judge({(old, new): Likelihood(contradiction=0.0, sameness=0.95)})

    (opinion,) = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert isinstance(opinion, MergeOpinion)


@pytest.mark.parametrize(("contradiction", "merged"), [(0.05, True), (0.15, False)])
async def test_what_it_rules_out_as_a_contradiction_may_say_the_same(
    contradiction: float, merged: bool
) -> None:
    told = Likelihood(contradiction=contradiction, sameness=0.8)
    judge = told_judge({DENIED: told})

    opinions = await judge.conflicts_and_merges(topic("new", DENIED[1]), [topic("old", DENIED[0])])

    assert [type(opinion) for opinion in opinions] == [MergeOpinion] * merged


async def test_times_are_compared_in_one_notation() -> None:
    old, new = "Marek's flight lands at a quarter past six.", "Marek arrives by plane at 6:15."
    as_compared = ("Marek's flight lands at 6:15.", new)
    judge = told_judge({as_compared: Likelihood(contradiction=0.0, sameness=0.95)})

    (opinion,) = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert isinstance(opinion, MergeOpinion)


async def test_of_longer_texts_it_is_not_asked() -> None:
    more = " Coffee costs two euros. The garden is full of roses. Nobody reads the paper any more."
    told = ToldComparer({LIFT: SURE})

    opinions = await OfflineJudge(HashingEmbedder(), told).conflicts_and_merges(
        topic("new", LIFT[1]), [topic("old", LIFT[0] + more)]
    )

    assert (opinions, told.asked) == ([], [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Marek's flight lands at a quarter past six.", "Marek arrives by plane at 6:45."),
        ("The fair opens its gates on 3 May.", "From 4 May the fair may be visited."),
        ("Guests of room 12 see the lake.", "Room 14 has a view of the lake."),
    ],
)
async def test_what_says_the_same_with_another_figure_date_or_label_is_not_merged(old: str, new: str) -> None:
    judge = told_judge({(old, new): Likelihood(contradiction=0.0, sameness=0.95)})

    assert await judge.conflicts_and_merges(topic("new", new), [topic("old", old)]) == []


@pytest.mark.parametrize(
    ("new", "told", "merged"),
    [
        ("The cellar is dry now.", None, True),
        ("The cellar is dry now.", UNSURE, True),
        ("The cellar is dry now.", SURE, False),
        ("The cellar of the house is dry.", None, True),
        ("The cellar of the house is dry.", UNSURE, False),
    ],
)
async def test_what_words_call_the_same_is_left_apart_where_a_contradiction_is_likely(
    new: str, told: Likelihood | None, merged: bool
) -> None:
    old = "The cellar is dry."
    judge = told_judge({(old, new): told} if told else {})

    opinions = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert [type(opinion) for opinion in opinions] == [MergeOpinion] * merged


async def test_it_reads_sentences_without_their_speakers_and_marks() -> None:
    told = ToldComparer({})

    await OfflineJudge(HashingEmbedder(), told).conflicts_and_merges(
        topic("new", f"Alice: {LIFT[1]}"), [topic("old", f"Alice: {LIFT[0]}")]
    )
    await OfflineJudge(HashingEmbedder(), told).conflicts_and_merges(
        topic("new", f"- {LIFT[1]}"), [topic("old", f"- {LIFT[0]}")]
    )

    assert told.asked == [(LIFT[1], LIFT[0])] * 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Without breakfast the hotel costs 120 euros.", "The hotel is 140 euros, breakfast included."),
        ("The stadium holds more than 15,000 people.", "There is room for 18,000 people in the stadium."),
        ("In 2021 the island had 800 visitors.", "In 2022 some 950 people came to the island."),
        ("建园那年，园里种下樟树五十棵。", "园里的樟树现存三十一棵。"),
    ],
)
async def test_of_figures_that_may_both_hold_it_is_not_asked(old: str, new: str) -> None:
    told = ToldComparer({})

    await OfflineJudge(HashingEmbedder(), told).conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert told.asked == []


@pytest.mark.parametrize(
    ("told", "contradict"), [(SURE, True), (Likelihood(contradiction=0.7, sameness=0.0), False)]
)
async def test_where_one_word_stands_for_another_it_decides(told: Likelihood, contradict: bool) -> None:
    old, new = "The garden is watered by hand.", "The garden is watered by pump."
    judge = told_judge({(old, new): told})

    opinions = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert [type(opinion) for opinion in opinions] == [ConflictOpinion] * contradict


async def test_where_a_name_stands_for_another_rules_decide() -> None:
    old, new = "The user speaks French.", "The user speaks German."
    judge = told_judge({(old, new): SURE})

    assert await judge.conflicts_and_merges(topic("new", new), [topic("old", old)]) == []


@pytest.mark.parametrize(("contradiction", "contradict"), [(0.85, False), (0.95, True)])
async def test_of_another_name_where_there_is_one_it_must_be_surer(
    contradiction: float, contradict: bool
) -> None:
    old, new = "The parser is written in Go.", "The parser's language is Rust."
    told = Likelihood(contradiction=contradiction, sameness=0.0)
    judge = told_judge({(old, new): told})

    opinions = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert [type(opinion) for opinion in opinions] == [ConflictOpinion] * contradict


@pytest.mark.parametrize(
    ("contradiction", "opinion"), [(0.3, [MergeOpinion]), (0.95, []), (0.99, [ConflictOpinion])]
)
async def test_where_words_say_the_same_it_must_be_surest(contradiction: float, opinion: list[type]) -> None:
    old, new = "Folasade is the superior of Grigor.", "Grigor is Folasade's superior."
    told = Likelihood(contradiction=contradiction, sameness=1 - contradiction)
    judge = told_judge({(old, new): told})

    opinions = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert [type(one) for one in opinions] == opinion


async def test_where_one_word_stands_for_another_both_may_say_the_same() -> None:
    old, new = "The committee turned down the proposal.", "The committee rejected the proposal."
    judge = told_judge({(old, new): Likelihood(contradiction=0.0, sameness=0.95)})

    (opinion,) = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert isinstance(opinion, MergeOpinion)


RULED_OUT = Likelihood(contradiction=0.001, sameness=0.0)


@pytest.mark.parametrize(("told", "stands"), [(RULED_OUT, False), (UNSURE, True), (None, True)])
async def test_what_rules_find_it_may_rule_out(told: Likelihood | None, stands: bool) -> None:
    judge = told_judge({DENIED: told} if told else {})

    opinions = await judge.conflicts_and_merges(topic("new", DENIED[1]), [topic("old", DENIED[0])])

    assert [type(opinion) for opinion in opinions] == [ConflictOpinion] * stands


@pytest.mark.parametrize(("contradiction", "stands"), [(0.005, False), (0.05, True)])
async def test_of_a_person_it_rules_a_denial_out_from_far_less(contradiction: float, stands: bool) -> None:
    old, new = "Viktor won the Green City Award in 2021.", "Viktor did not win the Green City Award in 2021."
    told = Likelihood(contradiction=contradiction, sameness=0.0)
    judge = told_judge({(old, new): told})

    opinions = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert [type(opinion) for opinion in opinions] == [ConflictOpinion] * stands


@pytest.mark.parametrize(
    ("old", "new", "stands"),
    [
        (
            "Theresa Bronn is known for her work in medicine.",
            "Theresa Bronn is known for her work in painting.",
            True,
        ),
        ("The chapel is known for its work in stone.", "The chapel is known for its work in glass.", False),
        ("Marta wears size 40 shoes.", "Marta wears size 40 trousers.", False),
        ("Zoë wears size 40 shoes.", "Zoë wears size 40 trousers.", False),
        ("丁小满创办过一份诗刊。", "丁小满创立了松果剧社。", False),
    ],
)
async def test_another_value_may_be_ruled_out_but_of_who_is_named_in_full(
    old: str, new: str, stands: bool
) -> None:
    judge = told_judge({(old, new): RULED_OUT})

    opinions = await judge.conflicts_and_merges(topic("new", new), [topic("old", old)])

    assert [type(opinion) for opinion in opinions] == [ConflictOpinion] * stands
    assert await told_judge({}).conflicts_and_merges(topic("new", new), [topic("old", old)])


@pytest.mark.parametrize(
    "text",
    [
        "Is the lift working?",
        "The lift is out of order.",
        "Bob: The lift works.",
    ],
)
async def test_of_questions_the_same_words_and_what_another_says_it_is_not_asked(text: str) -> None:
    told = ToldComparer({})
    old = topic("old", "The lift is out of order. The rent is due.")

    await OfflineJudge(HashingEmbedder(), told).conflicts_and_merges(topic("new", text), [old])

    assert all("lift" not in theirs for _, theirs in told.asked)
