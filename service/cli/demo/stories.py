"""The demo's two stories, one in English over a document, one in Chinese over a few paragraphs."""

from collections.abc import Iterable
from datetime import date

from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import types_pb2 as types
from service.cli import drawing
from service.cli.conflicts import drawn
from service.cli.demo.tour import Tour, document
from service.cli.records import records_of_node

BRIEF, RESTATED, CONTRADICTING = "brief.md", "restated.md", "contradicting.md"
QUESTION = "how cold does the refrigerator get?"
VERDICT = (
    "The base temperature of the refrigerator is 11 millikelvin without load and 16 millikelvin with all control"
    " lines connected: the values of the brief were measured in 2022, before the bellows."
)

BRIEF_ZH, CONTRADICTING_ZH = "brief_zh.md", "contradicting_zh.md"
QUESTION_ZH = "谁是星河科技的CEO？"
VERDICT_ZH = "星河科技的CEO是李四，张三已于2024年3月卸任。"


def english(tour: Tour) -> None:
    """Plays a research brief; a fact repeated; a fact contradicted, settled, and traced to its place."""
    tour.bank_id = "aurora"
    tour.client.create_bank(bank_id=tour.bank_id, goal="Should Aurora-2 go on to its second phase?")
    _remember_brief(tour)
    _say_again(tour)
    conflict = _contradict(tour, CONTRADICTING, ("9 millikelvin", "11 millikelvin"))
    if conflict is not None:
        node_id = _settle(tour, conflict, VERDICT, "11 millikelvin", "is 9 millikelvin")
        _look_up(tour, node_id, "9 millikelvin without load")


def chinese(tour: Tour) -> None:
    """Plays the same conflict as in the specification's example: who is the CEO?"""
    tour.bank_id = "xinghe"
    tour.client.create_bank(bank_id=tour.bank_id, goal="了解星河科技公司")
    with tour.step("Memorize Chinese") as facts:
        facts["result"] = tour.memorize(BRIEF_ZH, date(2024, 3, 1))
        tour.claim("a Chinese text becomes nodes", len(facts["result"].node_ids) > 0)
    conflict = _contradict(tour, CONTRADICTING_ZH, ("张三", "李四"))
    if conflict is not None:
        _settle(tour, conflict, VERDICT_ZH, "李四", "CEO是张三")
    with tour.step(f"Search: {QUESTION_ZH}"):
        found = tour.search(QUESTION_ZH, top_k=1)
        tour.claim("the answer after the verdict is 李四", "李四" in _best(found.hits))


def _remember_brief(tour: Tour) -> None:
    with tour.step("Memorize a research brief of eight sections") as facts:
        facts["result"] = tour.memorize(BRIEF, date(2024, 3, 12))
        tour.claim("the brief becomes several topics", len(facts["result"].node_ids) >= 5)
        tour.claim("it does not contradict itself", not facts["result"].conflict_ids)
    with tour.step(f"Search: {QUESTION}"):
        found = tour.search(QUESTION)
        tour.claim("the best hit answers the question", "9 millikelvin" in _best(found.hits))


def _say_again(tour: Tour) -> None:
    with tour.step("Memorize a fact of the brief in other words") as facts:
        result = facts["result"] = tour.memorize(RESTATED, date(2024, 3, 18))
        tour.claim("the same fact in other words is merged, not added", len(result.merges) == 1)
        for merge in result.merges:
            tour.show(f"{' + '.join(merge.absorbed_node_ids)} → {merge.into_node_id}")


def _contradict(tour: Tour, name: str, values: tuple[str, str]) -> types.Conflict | None:
    old, new = values
    with tour.step("Memorize a note that contradicts it") as facts:
        result = facts["result"] = tour.memorize(name, date(2024, 4, 2))
        found = tour.client.list_conflicts(bank_id=tour.bank_id).conflicts
        quotes = [side.quote for conflict in found for side in conflict.sides]
        for each in drawn(tour.client, tour.bank_id, found):
            tour.show(each)
        quoted = any(new in quote for quote in quotes) and any(old in quote for quote in quotes)
        tour.claim(f"the contradiction of {old} and {new} is found", quoted and len(found) == 1)
        tour.claim(
            f"its cross-validation ({new}) is planned first", _planned(result, found[0] if found else None)
        )
        if result.insight.pending:
            tour.show(drawing.insight(result.insight))
    return found[0] if found else None


def _planned(result: memory.MemorizeResponse, conflict: types.Conflict | None) -> bool:
    first = next(iter(result.insight.pending), None)
    return conflict is not None and first is not None and first.conflict_id == conflict.conflict_id


def _settle(tour: Tour, conflict: types.Conflict, verdict: str, true: str, false: str) -> str:
    with tour.step("Settle it by a verdict") as facts:
        tour.show(drawing.words(f"“{verdict}”"))
        closed = facts["result"] = tour.client.resolve_conflict(
            bank_id=tour.bank_id, conflict_id=conflict.conflict_id, verdict=verdict
        )
        merged = tour.client.get_node(bank_id=tour.bank_id, node_id=closed.node_id)
        tour.show(drawing.pairs([("merged", merged.node.node_id), ("summary", merged.node.summary)]))
        summary = merged.node.summary
        tour.claim(
            f"the merged node says {true}, no longer “{false}”", true in summary and false not in summary
        )
        lineage = tour.client.get_lineage(bank_id=tour.bank_id, node_id=closed.node_id)
        tour.show(Text("lineage"))
        tour.show(drawing.lineage(lineage.node_id, lineage.merges))
        own = next(iter(lineage.merges), types.MergeRecord())
        sides = {side.node_id for side in conflict.sides}
        tour.claim(
            f"its lineage names both sides and the verdict ({true})",
            {node.node_id for node in own.absorbed} == sides and own.verdict == verdict,
        )
    return closed.node_id


def _look_up(tour: Tour, node_id: str, said: str) -> None:
    with tour.step("Deep retrieval: the verbatim record behind the merged node") as facts:
        _, found = records_of_node(tour.client, tour.bank_id, node_id)
        for record in found:
            tour.show(drawing.words(record.heading))
        places = ((record, span) for record in found for span in record.evidence(node_id))
        place = next(((record, span) for record, span in places if said in record.cut(span)), None)
        exact = False
        if place is not None:
            record, span = place
            tour.show(drawing.words(f"in {record.interaction.source}, {record.place(span)}:", drawing.FAINT))
            tour.show(drawing.words(record.cut(span)))
            facts["place"] = {"source": record.interaction.source, "start": span.start, "end": span.end}
            exact = document(record.interaction.source)[span.start : span.end] == record.cut(span)
        tour.claim("what was refuted still stands verbatim, at its place in the document", exact)


def _best(hits: Iterable[types.SearchHit]) -> str:
    return next((hit.node.summary for hit in hits), "")
