"""What reaches the terminal."""

from datetime import timedelta
from io import StringIO

import pytest
from google.protobuf.duration_pb2 import Duration
from rich.console import Console, RenderableType

from core.text.scripts import display_width
from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from memorybank_client import NEVER
from service.cli import drawing
from service.cli.conflicts import conflict
from service.cli.passages import Evidence

CHINESE = "量子比特的平均相干时间为一百二十五微秒，两比特门的平均保真度为百分之九十九点四。" * 3


def drawn(part: RenderableType, width: int = 60) -> str:
    out = StringIO()
    Console(file=out, width=width, markup=False, highlight=False).print(part)
    return out.getvalue()


def node(number: int, text: str, state: types.NodeState.ValueType = types.NODE_STATE_ACTIVE) -> types.Node:
    return types.Node(node_id=f"n-{number}", summary=text, context=text, keywords=["量子"], state=state)


@pytest.mark.parametrize("width", [40, 60, 100])
def test_chinese_fits_the_terminal(width: int) -> None:
    nodes = [node(1, CHINESE), node(2, "short"), node(3, CHINESE, types.NODE_STATE_CONTESTED)]
    found = retrieval.SearchResponse(hits=[types.SearchHit(node=each, score=0.5) for each in nodes])

    parts = [
        drawing.hits(found, full=True, evidence=Evidence()),
        drawing.adjacency(nodes, {"n-1": ["n-2"], "n-2": ["n-1"], "n-3": []}),
        drawing.node(graph.GetNodeResponse(node=nodes[0])),
    ]

    for part in parts:
        lines = drawn(part, width).splitlines()
        assert max(display_width(line) for line in lines) <= width


def test_stored_words_cannot_steer_the_terminal_or_its_markup() -> None:
    hostile = "safe\x1b[2J\x1b]0;title\x07\r[bold]word[/bold] \u202eesrever :smile:"

    shown = drawn(drawing.node(graph.GetNodeResponse(node=node(1, hostile))), 200)

    assert not any(character in shown for character in "\x1b\x07\r\u202e")
    assert "[bold]word[/bold]" in shown
    assert ":smile:" in shown


def test_an_adjacency_list_names_neighbours_by_number_and_marks_what_is_contested() -> None:
    nodes = [node(1, "ferries"), node(2, "piers", types.NODE_STATE_CONTESTED), node(3, "museums")]

    shown = drawn(drawing.adjacency(nodes, {"n-1": ["n-2", "n-3"], "n-2": ["n-1"], "n-3": ["n-1"]}))

    rows = [line.split() for line in shown.splitlines()]
    assert ["1", "ferries", "2", "3"] in rows
    assert ["2", "piers", "CONTESTED", "1"] in rows


def test_a_lineage_is_a_tree_down_to_the_first_nodes() -> None:
    merges = [
        types.MergeRecord(
            into_node_id="n-5", absorbed=[node(4, "four"), node(3, "three")], verdict="so it is"
        ),
        types.MergeRecord(into_node_id="n-4", absorbed=[node(1, "one"), node(2, "two")]),
    ]

    shown = drawn(drawing.lineage("n-5", merges))

    depth = {name: shown.splitlines()[row].index(name) for row, name in _rows(shown, "n-5 n-4 n-3 n-1 n-2")}
    assert depth["n-5"] < depth["n-4"] == depth["n-3"] < depth["n-1"] == depth["n-2"]
    assert "verdict: so it is" in shown


def test_a_glimpse_is_one_line_of_bounded_length() -> None:
    assert drawing.glimpse("two\n lines") == "two lines"
    assert len(drawing.glimpse(CHINESE, 20)) <= 20


def _rows(shown: str, names: str) -> list[tuple[int, str]]:
    lines = shown.splitlines()
    return [(row, name) for name in names.split() for row, line in enumerate(lines) if name in line]


def test_hits_that_a_reranker_should_have_ordered_say_that_it_did_not() -> None:
    found = retrieval.SearchResponse(hits=[types.SearchHit(node=node(1, "ferries"), score=0.5)])
    done, late = retrieval.SearchResponse(), retrieval.SearchResponse()
    for copy, outcome in ((done, retrieval.RERANKING_DONE), (late, retrieval.RERANKING_LATE)):
        copy.CopyFrom(found)
        copy.reranking = outcome

    assert "not reranked: the reranker was late" in drawn(drawing.hits(late, full=False, evidence=Evidence()))
    assert drawn(drawing.hits(done, full=False, evidence=Evidence())) == drawn(
        drawing.hits(found, full=False, evidence=Evidence())
    )


def test_what_is_no_terminal_gets_whole_lines_without_blanks_at_their_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    found = retrieval.SearchResponse(
        hits=[types.SearchHit(node=node(n, CHINESE), score=0.5) for n in (1, 22)]
    )

    drawing.console().print(drawing.hits(found, full=True, evidence=Evidence()))

    lines = capsys.readouterr().out.splitlines()
    assert any(CHINESE in line for line in lines)
    assert [line for line in lines if line != line.rstrip()] == []


def test_an_id_among_chinese_words_is_not_broken() -> None:
    ids = [f"n-{number:026d}" for number in range(3)]
    told = types.Insight(
        goal="了解星河科技公司",
        pending=[types.PendingTask(type="CROSS_VALIDATION", description=f"验证节点{'、'.join(ids)}的冲突")],
    )

    shown = drawn(drawing.insight(told), 72)

    assert [each for each in ids if each not in shown] == []


@pytest.mark.parametrize(
    ("count", "noun", "told"),
    [
        (1, "summary", "1 summary"),
        (2, "summary", "2 summaries"),
        (2_000, "key", "2,000 keys"),
        (0, "turn", "0 turns"),
    ],
)
def test_what_is_counted_has_its_plural(count: int, noun: str, told: str) -> None:
    assert drawing.many(count, noun) == told


def test_a_banks_own_settings_are_spelled_as_in_the_configuration() -> None:
    own = types.Bank(bank_id="b", top_k=8, alpha=0.25, judge_assistants=True)

    shown = drawn(drawing.bank(memory.GetBankResponse(bank=own)), 120)

    assert "top_k = 8, alpha = 0.25, judge_assistants = true; others as configured\n" in shown
    assert "settings  as configured " in drawn(drawing.bank(memory.GetBankResponse()), 120)


@pytest.mark.parametrize(
    ("ttl", "shown"),
    [
        (timedelta(days=7), "7 days after its task has finished"),
        (timedelta(hours=36), "36 hours after its task has finished"),
        (timedelta(0), "0 seconds after its task has finished"),
        (NEVER, "it is deleted"),
    ],
)
def test_how_long_a_bank_is_kept_is_said_in_words(ttl: timedelta, shown: str) -> None:
    bank = types.Bank(bank_id="b", ttl=Duration(seconds=int(ttl.total_seconds())))

    lines = drawn(drawing.bank(memory.GetBankResponse(bank=bank)), 120).splitlines()

    assert [line.split("until")[1].strip() for line in lines if line.startswith("kept until")] == [shown]


def test_both_sides_of_a_conflict_are_told_with_what_differs_and_where_it_comes_from() -> None:
    sides = [
        types.Side(node_id="n-1", quote="The ferry leaves\nat nine."),
        types.Side(node_id="n-2", quote="The ferry leaves at eight."),
    ]
    found = types.Conflict(
        conflict_id="c-1", status=types.CONFLICT_STATUS_SUSPECTED, sides=sides, confidence=0.7
    )
    first = types.Node(node_id="n-1", source="plan.md", writer="ada")
    first.event_time.FromJsonString("2026-03-04T05:06:07Z")

    shown = drawn(conflict(found, {"n-1": first}), 200).splitlines()

    assert [line.rstrip() for line in shown[:5]] == [
        "c-1 SUSPECTED",
        "  • The ferry leaves at [nine].",
        "    2026-03-04 05:06:07 UTC · plan.md · written by ada · n-1",
        "  • The ferry leaves at [eight].",
        "    n-2",  # it is gone
    ]


def test_a_memory_tells_who_wrote_it_where_there_are_keys() -> None:
    kept, plain = node(1, "ferries"), node(2, "piers")
    kept.writer = "ada"
    hits = [types.SearchHit(node=each, score=0.5) for each in (kept, plain)]

    shown = drawn(drawing.hits(retrieval.SearchResponse(hits=hits), full=False, evidence=Evidence()), 200)

    assert shown.count("written by ada") == 1
    assert "ada" in drawn(drawing.node(graph.GetNodeResponse(node=kept)))
    assert "written by" not in drawn(drawing.node(graph.GetNodeResponse(node=plain)))
