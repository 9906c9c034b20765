"""What the offline Judge makes of a comparer's likelihoods."""

from dataclasses import replace
from itertools import count

import pytest

from core.agents.offline.judge import OfflineJudge
from core.agents.offline.judging.comparing import MOST_PAIRS, NEAREST
from core.agents.offline.judging.sentences import MOST_SENTENCES
from core.agents.roles import ConflictOpinion, Excerpt, Grade, MergeOpinion, Topic
from core.agents.usage import Ledger
from core.ids import NodeId
from core.ports.comparer import Likelihood, NoComparer
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import TickingClock
from tests.support.told_comparer import ToldComparer, told_judge

LIFT = ("The lift is out of order.", "We took the lift up this morning.")
NAMES = count(1)


def topic(text: str, *headings: str, speaker: str = "", generated: str = "") -> Topic:
    excerpt = Excerpt(text=text, headings=headings, speaker=speaker)
    name = NodeId(f"n-{next(NAMES)}")
    return Topic(
        node_id=name, summary=text, context="", keywords=(), excerpts=(excerpt,), generated=generated
    )


def likely(contradiction: float, sameness: float = 0.0) -> Likelihood:
    return Likelihood(contradiction=contradiction, sameness=sameness)


@pytest.mark.parametrize(("contradiction", "grade"), [(0.95, Grade.SURE), (0.7, Grade.LIKELY), (0.4, None)])
async def test_one_set_of_lines_grades_every_contradiction(contradiction: float, grade: Grade | None) -> None:
    old, new = topic(LIFT[0]), topic(LIFT[1])

    found = await told_judge({LIFT: likely(contradiction)}).conflicts_and_merges(new, [old])

    assert [one.grade for one in found if isinstance(one, ConflictOpinion)] == ([grade] if grade else [])


async def test_a_conflict_quotes_both_sentences_and_marks_the_words_that_differ() -> None:
    old = topic("It has a stage. The hall holds 40 people.")
    new = topic("The hall holds 12 people. It is warm.")
    judge = told_judge({("The hall holds 40 people.", "The hall holds 12 people."): likely(0.97)})

    (opinion,) = await judge.conflicts_and_merges(new, [old])

    assert isinstance(opinion, ConflictOpinion)
    assert (opinion.existing, opinion.confidence) == (old.node_id, 0.97)
    assert opinion.new_quote == "The hall holds 12 people."
    assert opinion.existing_quote == "The hall holds 40 people."
    assert opinion.description == "“The hall holds [12] people” contradicts “The hall holds [40] people”"


@pytest.mark.parametrize(
    ("likelier", "other"),
    [
        (
            ("The hall holds 40 people.", "The hall holds 12 people."),
            ("The bar is shut.", "The bar is open."),
        ),
        (("大厅能坐40人。", "大厅能坐12人。"), ("酒吧关门了。", "酒吧还开着。")),
    ],
)
async def test_a_conflict_tells_the_further_contradictions_of_two_topics_the_surest_first(
    likelier: tuple[str, str], other: tuple[str, str]
) -> None:
    old, new = (topic(f"{one}\n\n{two}") for one, two in zip(other, likelier, strict=True))
    judge = told_judge({likelier: likely(0.97), other: likely(0.92)})

    (opinion,) = await judge.conflicts_and_merges(new, [old])

    assert isinstance(opinion, ConflictOpinion)
    assert [(each.existing_quote, each.new_quote) for each in opinion.points] == [likelier, other]


async def test_a_chinese_conflict_is_told_in_chinese() -> None:
    old, new = topic("公司的总经理是张三。"), topic("公司的总经理是李四。")
    judge = told_judge({("公司的总经理是张三。", "公司的总经理是李四。"): likely(0.97)})

    (opinion,) = await judge.conflicts_and_merges(new, [old])

    assert isinstance(opinion, ConflictOpinion)
    assert opinion.description == "“公司的总经理是[李四]”与“公司的总经理是[张三]”矛盾"


async def test_equal_quantities_are_written_alike_before_they_are_compared() -> None:
    comparer = ToldComparer({})
    judge = OfflineJudge(HashingEmbedder(), comparer)

    found = await judge.conflicts_and_merges(
        topic("The rent is €1,500 a month."), [topic("The rent is 1.5k euros a month.")]
    )

    assert comparer.asked == []
    assert [type(one) for one in found] == [MergeOpinion]


async def test_entries_of_one_form_under_other_headings_are_not_even_compared() -> None:
    comparer = ToldComparer({})
    judge = OfflineJudge(HashingEmbedder(), comparer)

    found = await judge.conflicts_and_merges(
        topic("The weight is 1.2 kg.", "Alpha drill"), [topic("The weight is 1.8 kg.", "Beta drill")]
    )

    assert (found, comparer.asked) == ([], [])


async def test_what_two_people_say_of_themselves_is_not_compared() -> None:
    judge = told_judge({("I have three children.", "I have two children."): likely(0.99)})

    found = await judge.conflicts_and_merges(
        topic("I have three children.", speaker="Ann"),
        [topic("I have two children.", speaker="Bob"), ann := topic("I have two children.", speaker="Ann")],
    )

    assert [one.existing for one in found] == [ann.node_id]


@pytest.mark.parametrize(
    ("told", "merges"), [(likely(0.05, 0.8), True), (likely(0.05, 0.7), False), (likely(0.15, 0.8), False)]
)
async def test_what_says_the_same_is_merged_unless_it_may_contradict(told: Likelihood, merges: bool) -> None:
    old, new = topic("Acme was founded by Jane Doe."), topic("Jane Doe established Acme.")

    found = await told_judge({(old.summary, new.summary): told}).conflicts_and_merges(new, [old])

    assert [type(one) for one in found] == ([MergeOpinion] if merges else [])


async def test_what_has_another_amount_is_never_merged() -> None:
    old, new = topic("The bag weighs 3 kg."), topic("The bag has a weight of 5 kg.")

    found = await told_judge({(old.summary, new.summary): likely(0.0, 0.95)}).conflicts_and_merges(new, [old])

    assert found == []


async def test_a_topic_is_merged_with_one_that_holds_all_it_says() -> None:
    fact = "Acme was founded in 1999."
    old = topic(f"{fact} It employs 300 people in Lyon. Tea is served at noon.")
    partly = topic(f"{fact} The tram stops at the gate.")

    held = await told_judge({}).conflicts_and_merges(topic(fact), [old])

    assert isinstance(held[0], MergeOpinion)
    assert held[0].reasoning == "the existing node holds what the new one says"
    assert await told_judge({}).conflicts_and_merges(partly, [old]) == []


async def test_what_an_assistant_alone_says_opens_no_conflict() -> None:
    old, new = topic(LIFT[0]), topic(LIFT[1], generated=f"{LIFT[1]}\n")

    assert await told_judge({LIFT: likely(0.99)}).conflicts_and_merges(new, [old]) == []


async def test_what_is_too_long_is_compared_by_its_clauses_and_likely_at_most() -> None:
    long = (
        "After many talks with the owners of the old town hall, the hall holds 40 people, and it has a stage."
    )
    old, new = topic(long), topic("The hall holds 12 people.")
    judge = told_judge({("the hall holds 40 people", "The hall holds 12 people."): likely(0.99)})

    (opinion,) = await judge.conflicts_and_merges(new, [old])

    assert isinstance(opinion, ConflictOpinion)
    assert opinion.grade is Grade.LIKELY
    assert opinion.existing_quote == long


async def test_of_many_sentences_those_with_rare_words_in_common_are_compared() -> None:
    comparer = ToldComparer({})
    others = [topic(f"The house number {n} has a garden.") for n in range(40)]
    hall = topic("The zither lesson was cancelled.")

    await OfflineJudge(HashingEmbedder(), comparer).conflicts_and_merges(
        topic("The zither lesson takes place."), [*others, hall]
    )

    assert len(comparer.asked) == NEAREST
    assert comparer.asked[0][1] == hall.summary


async def test_a_single_sentence_meets_its_nearest_and_several_meet_whatever_they_may_hold() -> None:
    lessons = [topic(f"The lesson of group {n} takes place.") for n in range(2 * NEAREST)]
    single, several = topic("The zither lesson is loud."), topic("The zither lesson is loud. It takes place.")

    asked = []
    for new in (single, several):
        comparer = ToldComparer({})
        await OfflineJudge(HashingEmbedder(), comparer).conflicts_and_merges(new, lessons)
        asked.append({old for _, old in comparer.asked})

    assert len(asked[0]) == NEAREST
    assert asked[1] == {lesson.summary for lesson in lessons}


async def test_a_judgement_is_bounded() -> None:
    comparer = ToldComparer({})
    long = " ".join(f"Number {n} of the row is red." for n in range(200))

    await OfflineJudge(HashingEmbedder(), comparer).conflicts_and_merges(
        topic(long), [topic(long + " Yes.")] * 10
    )

    assert len(comparer.asked) <= MOST_PAIRS


@pytest.mark.parametrize(
    ("new", "old", "unread", "uncompared"),
    [
        (2, 2, 0, 0),
        (MOST_SENTENCES, 1, 0, 0),
        (MOST_SENTENCES + 3, 1, 0, 3 * 1),
        (MOST_SENTENCES + 3, 9, 0, 3 * NEAREST),
        (2, MOST_SENTENCES + 3, 0, 3),  # of an older topic each would have been the nearest of one
        (1, MOST_SENTENCES + 30, 0, NEAREST),  # and of one new sentence five
        (MOST_SENTENCES, 2, 4, 4 * 2),  # segments that the topic does not hold
        (0, MOST_SENTENCES + 3, 0, 0),
    ],
)
@pytest.mark.parametrize("sentence", ["Room {} is red. ", "第{}号房间是红的。"])
async def test_a_sentence_that_is_left_out_counts_as_the_pairs_it_would_have_had(
    sentence: str, new: int, old: int, unread: int, uncompared: int
) -> None:
    ours, theirs = ("".join(sentence.format(n) for n in range(count)) for count in (new, old))

    found = await uncompared_pairs(replace(topic(ours), unread=unread), topic(theirs))

    assert found == uncompared


async def test_of_several_pieces_the_later_ones_are_counted_unread() -> None:
    pieces = [Excerpt(text=f"Room {n} is red. Is it? Hall {n} is blue.") for n in range(MOST_SENTENCES)]
    long = replace(topic(""), excerpts=tuple(pieces))

    assert await uncompared_pairs(long, topic("The kitchen is white.")) == MOST_SENTENCES


async def test_pairs_beyond_those_of_one_judgement_are_counted() -> None:
    comparer = ToldComparer({})
    long = [topic(" ".join(f"Room {n} of row {row} is red." for n in range(60))) for row in range(12)]

    found = await uncompared_pairs(long[0], *long[1:], comparer=comparer)

    assert len(comparer.asked) == MOST_PAIRS
    assert found > 0


async def uncompared_pairs(new: Topic, *others: Topic, comparer: ToldComparer | None = None) -> int:
    """What a judgement notes that it left out."""
    with Ledger(TickingClock()).spending("judge") as question:
        await OfflineJudge(HashingEmbedder(), comparer or ToldComparer({})).conflicts_and_merges(new, others)
    return question.uncompared_pairs


async def test_without_a_comparer_only_the_same_words_are_the_same() -> None:
    judge = OfflineJudge(HashingEmbedder(), NoComparer())

    assert await judge.conflicts_and_merges(topic(LIFT[1]), [topic(LIFT[0])]) == []
    (merged,) = await judge.conflicts_and_merges(topic(LIFT[0]), [topic(LIFT[0])])
    assert isinstance(merged, MergeOpinion)
