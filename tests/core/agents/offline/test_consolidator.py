from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from core.agents.offline.consolidator import OfflineConsolidator
from core.agents.offline.structurer import MOST
from core.agents.roles import Consolidation, MergeSource, Neighbor, Topic
from core.ids import NodeId
from core.model.lineage import MergeReason
from core.ports.comparer import Comparer, Likelihood
from core.text.scripts import display_width
from tests.support.embedders import local_comparer


def absorbed(node: str, year: int, summary: str, context: str, *keywords: str) -> MergeSource:
    topic = Topic(node_id=NodeId(node), summary=summary, context=context, keywords=keywords)
    return MergeSource(topic=topic, event_time=datetime(year, 1, 1, tzinfo=UTC))


async def merged(
    *nodes: MergeSource,
    neighbors: tuple[Neighbor, ...] = (),
    verdict: str = "",
    comparer: Comparer | None = None,
) -> Consolidation:
    reason = MergeReason.CONFLICT if verdict else MergeReason.MERGE
    consolidator = OfflineConsolidator(comparer or local_comparer())
    return await consolidator.consolidate(nodes, neighbors, reason, verdict, "")


async def test_what_both_say_is_said_once_and_what_one_says_is_kept() -> None:
    found = await merged(
        absorbed("a", 2023, "Alice lives in Paris. She has 2 cats.", "Alice lives in Paris.", "Alice"),
        absorbed(
            "b", 2022, "Alice lives in Paris since 2019. Rex is her dog.", "Alice in Paris since 2019", "Rex"
        ),
    )

    assert found.summary.count("Paris") == 1
    assert all(words in found.summary for words in ("since 2019", "2 cats", "Rex is her dog."))
    assert {"Alice", "Rex"} <= set(found.keywords)


async def test_nodes_that_say_nothing_in_sentences_keep_the_newest_ones_words() -> None:
    found = await merged(absorbed("old", 2022, "?", "?"), absorbed("new", 2024, "。，", "。，"))

    assert found.summary == "。，"


async def test_newer_information_wins_over_older_that_it_contradicts() -> None:
    found = await merged(
        absorbed(
            "old",
            2022,
            "The CEO of Acme is Ann Lee. Acme sits in Bern.",
            "The CEO of Acme is Ann Lee.",
            "Ann Lee",
        ),
        absorbed("new", 2024, "The CEO of Acme is Bob Ray.", "The CEO of Acme is Bob Ray.", "Bob Ray"),
    )

    assert "Bob Ray" in found.summary
    assert "Acme sits in Bern." in found.summary
    assert "Ann Lee" not in found.summary + found.context + "".join(found.keywords)
    assert "The CEO of Acme is Ann Lee." in found.description


async def test_a_verdict_stands_first_verbatim_and_refutes_what_contradicts_it() -> None:
    verdict = "经核实，公司的CEO是李四。"

    found = await merged(
        absorbed("a", 2023, "公司的CEO是张三。公司总部位于北京。", "公司的CEO是张三。", "张三", "CEO"),
        absorbed("b", 2022, "公司的CEO是李四。公司成立于2010年。", "公司的CEO是李四。", "李四", "CEO"),
        verdict=verdict,
    )

    assert found.summary.startswith(verdict)
    assert found.refuted == ("公司的CEO是张三。",)
    assert "张三" not in found.summary + found.context + "".join(found.keywords)
    assert "北京" in found.summary
    assert "2010年" in found.summary


async def test_a_verdict_may_name_what_it_refutes() -> None:
    found = await merged(
        absorbed("a", 2023, "The CEO of Acme is Bob Smith. Acme sits in Bern.", "Acme", "Acme"),
        absorbed("b", 2022, "The CEO of Acme is Alice Jones.", "Acme", "Acme"),
        verdict="That the CEO of Acme is Bob Smith is outdated. The CEO of Acme is Alice Jones.",
    )

    assert found.refuted == ("The CEO of Acme is Bob Smith.",)
    assert "Acme sits in Bern." in found.summary


async def test_neighbours_come_to_speak_of_the_merged_topic_only() -> None:
    neighbors = tuple(
        Neighbor(
            node_id=NodeId(name),
            context=f"{topic}（与2020年量子计算进展相关）",
            keywords=(topic, "2020"),
            neighbor_of=(NodeId("b"),),
        )
        for name, topic in (("c", "量子纠缠研究"), ("d", "量子算法优化"))
    )

    found = await merged(
        absorbed("a", 2023, "IBM在2023年发布了433量子比特的芯片。", "IBM量子芯片技术", "IBM", "量子芯片"),
        absorbed(
            "b", 2020, "2020年量子计算取得进展。谷歌实现了量子优越性。", "2020年量子计算进展", "量子计算"
        ),
        neighbors=neighbors,
    )

    assert found.context == "2020年量子计算进展（包含IBM量子芯片技术）"
    assert set(found.neighbor_updates) == {"c", "d"}
    reworded = found.neighbor_updates[NodeId("c")]
    assert reworded.context == "量子纠缠研究（与2020年量子计算进展及IBM量子芯片技术相关）"
    assert reworded.keywords[:2] == ("量子纠缠研究", "2020")


@pytest.mark.slow
async def test_a_merged_summary_is_bounded_and_a_verdict_in_it_is_not_thinned() -> None:
    long = [
        " ".join(f"{city} sold {n * 13} ships in {1900 + n}." for n in range(40))
        for city in ("Oslo", "Riga", "Kiel")
    ]
    verdict = "The register of 2024 settles it."

    found = await merged(
        *(absorbed(str(n), 2000 + n, text, "ships") for n, text in enumerate(long)),
        verdict=verdict,
        comparer=Answers({}),  # thousands of pairs
    )

    assert found.summary.startswith(verdict)
    assert display_width(found.summary) <= MOST * 1.1


async def test_a_speaker_stays_with_what_was_said() -> None:
    found = await merged(
        absorbed("a", 2023, "Ann: I sold the boat.\nBob: I bought a car.", "boat", "boat"),
        absorbed("b", 2022, "Ann: I keep bees in Ulm.\nBob: Fine.", "bees", "bees"),
    )

    assert {"Ann: I sold the boat.", "Ann: I keep bees in Ulm."} <= set(found.summary.splitlines())


class Answers:
    """A comparer whose answers are written down: of how far two texts contradict each other."""

    model = "written"
    size = 0

    def __init__(self, answers: dict[frozenset[str], float]) -> None:
        self._answers = answers

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood | None]:
        found = (self._answers.get(frozenset(pair), 0.0) for pair in pairs)
        return [Likelihood(contradiction=one, sameness=0.0) for one in found]

    def forget(self) -> None:
        """There is nothing to drop."""


@pytest.mark.parametrize(
    ("of_maria", "of_jonas", "refuted"),
    [
        (0.93, 0.87, ()),  # nearly as far from both: which of them it means is open
        (0.93, 0.05, ("Maria leads the payments team.",)),
        (0.97, 0.95, ("Jonas leads the payments team.", "Maria leads the payments team.")),  # a third value
        (0.8, 0.1, ()),  # it says nothing for the other
    ],
)
async def test_a_verdict_refutes_what_it_clearly_contradicts(
    of_maria: float, of_jonas: float, refuted: tuple[str, ...]
) -> None:
    maria, jonas, verdict = (
        "Maria leads the payments team.",
        "Jonas leads the payments team.",
        "He took over in March.",
    )
    answers = {
        frozenset((maria, jonas)): 0.99,
        frozenset((maria, verdict)): of_maria,
        frozenset((jonas, verdict)): of_jonas,
    }
    nodes = [absorbed("a", 2023, maria, maria), absorbed("b", 2023, jonas, jonas)]

    found = await OfflineConsolidator(Answers(answers)).consolidate(
        nodes, (), MergeReason.CONFLICT, verdict, ""
    )

    assert sorted(found.refuted) == sorted(refuted)


async def test_a_verdict_upholds_what_it_repeats_without_its_source() -> None:
    nine, eleven = "The tank holds 9 litres and 14 with the reserve.", "the tank holds 11 litres when new."
    comparer = Answers({frozenset((nine, eleven)): 0.95})
    nodes = [
        absorbed("a", 2023, nine, "tank"),
        absorbed("b", 2024, f"Acceptance test of 2 April 2024: {eleven}", "tank"),
    ]

    found = await OfflineConsolidator(comparer).consolidate(
        nodes, (), MergeReason.CONFLICT, "The tank holds 11 litres when new, since the repair.", ""
    )

    assert found.refuted == (nine,)
