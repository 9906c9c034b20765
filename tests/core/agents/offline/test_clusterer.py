from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from core.agents.offline.clusterer import OfflineClusterer
from core.agents.roles import Cluster, Piece
from core.text.segmenting import segment
from tests.support.hashing_embedder import HashingEmbedder

DOCUMENT = """# Report

## Solar cells

Silicon cells reach an efficiency of 26 percent. The efficiency of a silicon cell falls with heat.

Perovskite cells reach an efficiency of 25 percent. Perovskite cells lose efficiency with moisture.

## Harbour tariffs

The harbour of Rotterdam charges ships a tariff by weight. Ships in the harbour pay the tariff on arrival.

The tariff for container ships rose in 2021. Rotterdam harbour earns 60 percent of its income by the tariff.
"""
CHINESE = """## 量子计算

IBM发布了433量子比特的量子芯片。量子芯片需要量子纠错。

谷歌的量子芯片有53个量子比特。量子计算需要更多量子比特。

## 城市交通

北京地铁每天运送一千万乘客。地铁票价为三元起。

上海地铁新开通两条线路。地铁乘客数量增加了百分之五。
"""


def pieces_of(text: str) -> list[Piece]:
    return [Piece(number=n, text=text[span.start : span.end]) for n, span in enumerate(segment(text))]


async def clustered(pieces: Sequence[Piece]) -> Sequence[Cluster]:
    return await OfflineClusterer(HashingEmbedder()).cluster(pieces, "")


async def test_one_fact_is_one_cluster_that_says_the_fact() -> None:
    (found,) = await clustered([Piece(number=0, text="The CEO of Acme Robotics is Bob Smith.")])

    assert found.pieces == (0,)
    assert found.context == "The CEO of Acme Robotics is Bob Smith."
    assert {"Bob Smith", "Acme Robotics"} <= set(found.keywords)


async def test_sections_on_different_topics_are_different_clusters_named_by_their_headings() -> None:
    solar, harbour = await clustered(pieces_of(DOCUMENT))

    assert (solar.pieces, harbour.pieces) == ((0, 1), (2, 3))
    assert solar.context.startswith("Solar cells")
    assert harbour.context.startswith("Harbour tariffs")
    assert "Rotterdam" in harbour.keywords


async def test_chinese_sections_are_clustered_and_named_in_chinese() -> None:
    quantum, traffic = await clustered(pieces_of(CHINESE))

    assert quantum.context.startswith("量子计算")
    assert traffic.context.startswith("城市交通")
    assert "地铁" in "".join(traffic.keywords)


async def test_the_speakers_of_a_chat_are_keywords_and_roles_are_not() -> None:
    chat = [
        Piece(number=0, text="I adopted a cat.", speaker="Ann"),
        Piece(number=1, text="A cat!", speaker="user"),
    ]

    (found,) = await clustered(chat)

    assert "Ann" in found.keywords
    assert "user" not in found.keywords


async def test_a_long_pause_counts_as_a_new_section() -> None:
    start = datetime(2024, 5, 1, tzinfo=UTC)
    text = ["the dog eats fish", "fish for the dog", "rain over Paris today", "Paris sees rain"]
    times = [start, start, start + timedelta(days=2), start + timedelta(days=2)]
    chat = [Piece(number=n, text=text[n], event_time=times[n]) for n in range(4)]

    found = await clustered(chat)

    assert [cluster.pieces for cluster in found] == [(0, 1), (2, 3)]


async def test_comments_in_code_are_no_headings() -> None:
    code = "\n".join(["```python", *[f"# step {n}\nstep_{n}(argument)\n" for n in range(60)], "```"])

    found = await clustered(pieces_of("## Steps\n\nThe steps are run in order.\n\n" + code))

    assert all(cluster.context.startswith("Steps") for cluster in found)


async def test_the_same_pieces_give_the_same_clusters_and_every_piece_is_in_one() -> None:
    pieces = pieces_of(DOCUMENT * 6 + CHINESE * 6)

    first, second = await clustered(pieces), await clustered(pieces)

    assert first == second
    assert sorted(number for cluster in first for number in cluster.pieces) == list(range(len(pieces)))


async def test_nothing_gives_no_clusters_and_blank_pieces_do_no_harm() -> None:
    assert await clustered([]) == ()
    assert len(await clustered([Piece(number=0, text="---"), Piece(number=1, text="")])) >= 1


async def test_a_prompt_is_split_into_question_and_context() -> None:
    found = await OfflineClusterer(HashingEmbedder()).split("张三是CEO。\n\nCEO是谁？")

    assert (found.question, found.context) == ("CEO是谁？", "张三是CEO。")


async def test_code_gives_a_topic_no_words_and_stays_with_what_stands_before_it() -> None:
    text = "The valves are summed up in parts.\n\n```python\nzeppelin = load(rows)\nzeppelin.sum()\n```"

    (found,) = await clustered(pieces_of(text * 1))

    assert found.pieces == tuple(range(len(pieces_of(text))))
    assert found.context == "The valves are summed up in parts."
    assert "zeppelin" not in found.keywords


async def test_a_heading_of_one_message_ends_with_it() -> None:
    answer = "## Harbour tariffs\n\nRotterdam raised its harbour tariffs by four percent."
    question = "Which tomatoes grow best on a balcony in the shade of a house?"

    found = await clustered(
        [Piece(number=0, text=answer, role="assistant"), Piece(number=1, text=question, role="user")]
    )

    assert [
        one.context.startswith("Harbour") for one in found if 1 in one.pieces and 0 not in one.pieces
    ] in ([False], [])
    assert not any("Harbour" in one.context for one in found if one.pieces == (1,))
