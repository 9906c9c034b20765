import weakref
from collections import Counter
from collections.abc import Sequence

import pytest

from core.agents.offline import judge as judge_module
from core.agents.offline.judge import OfflineJudge
from core.agents.offline.judging.sentences import TopicSentences, topic_sentences
from core.agents.offline.thinking import think
from core.agents.roles import ConflictOpinion, MergeOpinion, Topic
from core.ids import NodeId
from tests.core.agents.offline.judge_pairs import (
    CHINESE,
    ENGLISH,
    OTHERS_CHINESE,
    OTHERS_ENGLISH,
    PROCEDURES_CHINESE,
    PROCEDURES_ENGLISH,
)
from tests.support.embedders import local_comparer, local_embedder
from tests.support.hashing_embedder import HashingEmbedder


def topic(name: str, summary: str, keywords: Sequence[str] = (), context: str = "") -> Topic:
    return Topic(node_id=NodeId(name), summary=summary, context=context or summary, keywords=tuple(keywords))


@pytest.fixture
def judge() -> OfflineJudge:
    return OfflineJudge(local_embedder(), local_comparer())


async def relation(judge: OfflineJudge, a: str, b: str) -> str:
    opinions = await judge.conflicts_and_merges(topic("new", a), [topic("old", b)])
    if opinions:
        first = opinions[0]
        return str(first.grade) if isinstance(first, ConflictOpinion) else "merge"
    return "related" if await judge.related(topic("new", a), [topic("old", b)]) else "unrelated"


async def test_pairs_are_judged_as_a_careful_reader_does(judge: OfflineJudge) -> None:
    """Of 88 contradictions, 18 merges and 131 others; what was reached stays reached."""
    pairs = [*ENGLISH, *CHINESE, *PROCEDURES_ENGLISH, *PROCEDURES_CHINESE, *OTHERS_ENGLISH, *OTHERS_CHINESE]
    said = Counter[tuple[str, str]]()
    for expected, a, b in pairs:
        said[expected, await relation(judge, a, b)] += 1

    false = sum(
        times for (expected, kind), times in said.items() if kind == "sure" and expected != "conflict"
    )
    merged = sum(times for (expected, kind), times in said.items() if kind == "merge" and expected != "merge")
    assert said["conflict", "sure"] >= 77
    assert said["conflict", "sure"] + said["conflict", "likely"] >= 81
    assert said["merge", "merge"] >= 12
    assert false <= 9
    assert merged == 0


async def test_a_conflict_between_long_summaries_quotes_the_sentences_at_issue(judge: OfflineJudge) -> None:
    new = topic("new", "Acme opened an office in Lyon. The CEO of Acme is Peter Novak. Sales grew last year.")
    old = topic("old", "Acme makes bicycles for children.\nThe CEO of Acme is Laura Stone.")

    (opinion,) = await judge.conflicts_and_merges(new, [topic("else", "Whales sing in the dark."), old])

    assert isinstance(opinion, ConflictOpinion)
    assert opinion.existing == "old"
    assert opinion.new_quote == "The CEO of Acme is Peter Novak."
    assert opinion.existing_quote == "The CEO of Acme is Laura Stone."
    assert "Peter Novak" in opinion.description
    assert "Laura Stone" in opinion.description


async def test_a_summary_that_holds_another_merges_with_it(judge: OfflineJudge) -> None:
    new = topic("new", "Jane Doe established Acme in 1999.")
    old = topic("old", "Acme was founded in 1999 by Jane Doe. It employs 300 people in Lyon.")

    (opinion,) = await judge.conflicts_and_merges(new, [old])

    assert isinstance(opinion, MergeOpinion)
    assert opinion.reasoning == "the existing node holds what the new one says"


async def test_pleasantries_said_again_do_not_merge(judge: OfflineJudge) -> None:
    assert not await judge.conflicts_and_merges(topic("new", "Thanks!"), [topic("old", "Thanks!")])


async def test_related_topics_name_each_other_and_share_keywords(judge: OfflineJudge) -> None:
    new = topic(
        "new", "IBM在2023年发布了新的量子芯片。", ["IBM", "量子芯片"], "IBM量子芯片技术（与旧主题相关）"
    )
    old = topic("old", "量子计算硬件在2020年取得了突破。", ["量子计算", "硬件"], "量子计算硬件突破")

    (opinion,) = await judge.related(new, [old])

    # what an earlier neighbour lent stays
    assert opinion.context_new == "IBM量子芯片技术（与旧主题；量子计算硬件突破相关）"
    assert opinion.context_existing == "量子计算硬件突破（与IBM量子芯片技术相关）"
    assert opinion.keywords_new == ("IBM", "量子芯片", "量子计算", "硬件")
    assert opinion.keywords_existing == ("量子计算", "硬件", "IBM", "量子芯片")
    assert 0 < opinion.confidence < 1


async def test_keywords_stay_bounded_however_often_topics_are_related(judge: OfflineJudge) -> None:
    new = topic("new", "Solar cells in Lyon.", [f"word {n}" for n in range(9)], "Solar cells")
    old = topic("old", "Solar cells in Paris.", [f"term {n}" for n in range(30)], "More solar cells")

    (opinion,) = await judge.related(new, [old])

    assert opinion.keywords_new == (*(f"word {n}" for n in range(9)), "term 0")
    assert len(opinion.keywords_existing) == 10


async def test_of_many_candidates_only_the_few_that_stand_out_are_related(judge: OfflineJudge) -> None:
    new = topic("new", "The tram line to the harbour was closed for repairs of its rails.")
    tram = [
        topic("rails", "The rails of the tram line were laid in 1931."),
        topic("harbour", "The harbour can be reached by the tram line."),
    ]
    others = [
        topic("soup", "Lentil soup needs an hour on the stove."),
        topic("whales", "Whales sing to each other over long distances."),
        topic("choir", "The choir rehearses on Thursdays."),
        topic("bees", "Bees fly out when it is warm."),
        topic("chess", "Chess is played by two people."),
    ]

    opinions = await judge.related(new, [*others, *tram])

    assert {one.existing for one in opinions} == {"rails", "harbour"}
    assert [one.confidence for one in opinions] == sorted((one.confidence for one in opinions), reverse=True)


async def test_no_judgement_relates_to_more_than_three(judge: OfflineJudge) -> None:
    same = [topic(str(n), f"The tram line to the harbour was repaired in {1950 + n}.") for n in range(6)]
    others = [topic(f"other {n}", text) for n, text in enumerate(["Lentil soup is hot.", "Whales sing."])]

    opinions = await judge.related(
        topic("new", "The tram line to the harbour was repaired."), [*same, *others]
    )

    assert len(opinions) == 3


async def test_a_sentence_of_a_long_text_is_not_one_matter_for_being_nearest(judge: OfflineJudge) -> None:
    text = "Ravi Menon never goes anywhere without his car."
    cycling = "Ravi Menon cycles through the hills on Sundays."
    others = [
        topic("soup", "Lentil soup needs an hour on the stove."),
        topic("whales", "Whales sing to each other over long distances."),
        topic("choir", "The choir rehearses on Thursdays."),
    ]
    long = topic("long", f"{cycling} He has two sisters. They sing in a choir. The choir travels a lot.")

    assert not await judge.conflicts_and_merges(topic("new", text), [*others, long])


async def test_judging_twice_gives_the_same(judge: OfflineJudge) -> None:
    others = [topic(str(n), text) for n, (_, text, _) in enumerate(ENGLISH)]

    first = await judge.conflicts_and_merges(topic("new", "The CEO of Acme is Ada Quist."), others)
    second = await OfflineJudge(local_embedder(), local_comparer()).conflicts_and_merges(
        topic("new", "The CEO of Acme is Ada Quist."), others
    )

    assert first == second
    assert len(first) >= 1


async def test_nothing_is_said_of_no_candidates_and_of_empty_summaries(judge: OfflineJudge) -> None:
    assert not await judge.conflicts_and_merges(topic("new", "Acme makes bicycles."), [])
    assert not await judge.related(topic("new", "Acme makes bicycles."), [])
    assert not await judge.conflicts_and_merges(topic("new", ""), [topic("old", ""), topic("b", "。")])


async def test_what_was_read_of_a_topic_is_read_once_and_goes_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def reading(of: Topic) -> TopicSentences:
        read.append(of.summary)
        return topic_sentences(of)

    monkeypatch.setattr(judge_module, "topic_sentences", reading)
    judge = OfflineJudge(HashingEmbedder(), local_comparer())
    new, old = topic("new", "The ferry leaves at nine."), topic("old", "渡轮九点出发。")
    last = weakref.ref(old)

    await judge.conflicts_and_merges(new, [old])
    await judge.conflicts_and_merges(new, [old])
    del old
    await judge.related(new, [])
    await think(len, ())  # until the next work is taken up, the thread may hold the one before

    assert read == ["The ferry leaves at nine.", "渡轮九点出发。"]
    assert last() is None


@pytest.mark.parametrize(
    ("new", "other", "conflicts"),
    [
        ("Firm A:\n- The pump costs 42,000 SEK.", "Firm B:\n- The pump costs 39,000 SEK.", 0),
        ("Firm A:\n- The pump costs 42,000 SEK.", "Firm A:\n- The pump costs 39,000 SEK.", 1),
        ("Bids came. Firm A: the pump costs 42,000 SEK.", "Firm B: the pump costs 39,000 SEK.", 0),
        ("恒光电力：报价为289万元。星澜新能源：报价为305万元。", "星澜新能源：报价为305万元。", 0),
        ("恒光电力：报价为289万元。星澜新能源：报价为305万元。", "星澜新能源：报价为299万元。", 1),
    ],
)
async def test_figures_of_two_firms_are_no_conflict_and_two_of_one_firm_are(
    judge: OfflineJudge, new: str, other: str, conflicts: int
) -> None:
    found = await judge.conflicts_and_merges(topic("new", new), [topic("other", other)])

    assert sum(isinstance(one, ConflictOpinion) for one in found) == conflicts


ENTRIES = {
    "options": ("-t     The cache holds 30 files.", "-T     The cache holds 40 files."),
    "values in backticks": ("- `small`: the cache holds 30 files", "- `large`: the cache holds 40 files"),
    "contents": ("3. The cache holds 30 files ....... 12", "The cache holds 40 files."),
    "code": ("```\nThe cache holds 30 files.\n```", "The cache holds 40 files."),
}


@pytest.mark.parametrize("form", ENTRIES)
async def test_what_is_laid_out_apart_is_no_conflict(judge: OfflineJudge, form: str) -> None:
    one, other = ENTRIES[form]

    assert await relation(judge, one, other) not in ("sure", "likely")
    assert await relation(judge, "The cache holds 30 files.", "The cache holds 40 files.") == "sure"


async def test_a_word_broken_at_a_line_end_is_the_word(judge: OfflineJudge) -> None:
    (opinion,) = await judge.conflicts_and_merges(
        topic("new", "The cache of the indexing ser‐\n   vice holds 30 files."),
        [topic("old", "The cache of the indexing service holds 40 files.")],
    )

    assert isinstance(opinion, ConflictOpinion)
    assert opinion.new_quote == "The cache of the indexing ser‐\n   vice holds 30 files."
