"""The parts of the growth curves that can be wrong unseen: what is shown, and what an import brings."""

import math
import re
from pathlib import Path

import pytest

from memorybank.v1 import memory_bank_pb2, memory_bank_pb2_grpc, query_graph_pb2, query_graph_pb2_grpc
from tests.bench.corpus import Corpus, fill
from tests.bench.growth.__main__ import grow
from tests.bench.growth.curves import Curves, Figure, Measures, short, shown
from tests.bench.growth.importing import import_corpus
from tests.bench.growth.started import service
from tests.bench.plotting import FLOOR, plot


def curves() -> Curves:
    figure = Figure(caption="Time", unit="ms", lines={"service": "p50 ms", "floor": "floor p50 ms"})
    return Curves(title="Nodes <in> a bank", growing="nodes", figures=[figure], reading="Read & compare.")


def test_a_table_has_a_column_a_size_and_leaves_blank_what_was_not_measured() -> None:
    made = curves()
    made.points.update({100: {"p50 ms": 0.12345}, 1_000: {"p50 ms": 1.5, "floor p50 ms": 1234.5}})

    assert made.header == ["nodes", "100", "1,000"]
    assert made.rows == [["p50 ms", "0.123", "1.5"], ["floor p50 ms", "", "1,234"]]


def test_a_page_shows_tables_plots_and_what_was_left_out() -> None:
    made = curves()
    made.points.update(
        {100: {"p50 ms": 1.0, "floor p50 ms": -1.0}, 1_000: {"p50 ms": 1.5, "floor p50 ms": 0.5}}
    )
    made.left_out.append("Left out: 10,000 nodes")

    page = made.html()

    assert "Nodes &lt;in&gt; a bank" in page
    assert "Left out: 10,000 nodes" in page
    assert page.count("<polyline") == 2
    assert page.count("<circle") == 3  # a logarithmic scale has no place for -1


def test_lines_of_one_word_have_one_colour_and_the_floor_is_grey() -> None:
    lines = {name: [(0.0, 1.0), (1.0, 2.0)] for name in ("a p50", "a p99", "b", "floor: of all", "floor p50")}

    drawn = plot(lines, {0.0: "1", 1.0: "10"}, "size")

    colours = re.findall(r'<polyline fill="none" stroke="(#\w+)"', drawn)
    assert colours[0] == colours[1] != colours[2]
    assert colours[3] == colours[4] == FLOOR


def test_numbers_are_short_and_none_is_blank() -> None:
    assert [shown(value) for value in (0.01234, 12.34, 1234.5, math.nan)] == ["0.0123", "12.3", "1,234", ""]
    assert [short(count) for count in (20, 1_000, 1_000_000)] == ["20", "1k", "1M"]


async def test_what_takes_too_long_is_left_out_with_all_that_is_larger() -> None:
    async def measure(size: int, folder: Path) -> Measures:
        if size > 10:
            raise TimeoutError
        return {"p50 ms": float(size)}

    made = await grow(curves(), [10, 100, 1_000], measure, patience=60)

    assert made.points == {10: {"p50 ms": 10.0}}
    assert made.left_out == ["Left out: 100, 1,000 nodes, not done in 60 s."]


@pytest.mark.slow
async def test_an_imported_corpus_is_the_bank_that_adding_it_makes(tmp_path: Path) -> None:
    corpus = Corpus(120)
    async with service(tmp_path) as started:
        memory = memory_bank_pb2_grpc.MemoryBankStub(started.channel)
        graph = query_graph_pb2_grpc.QueryGraphStub(started.channel)

        await import_corpus(started.channel, "imported", corpus)
        await fill(started.channel, "added", corpus)

        counts, nodes = {}, {}
        for name in ("imported", "added"):
            counts[name] = (await memory.GetBank(memory_bank_pb2.GetBankRequest(bank_id=name))).counts
            asked = query_graph_pb2.GetNodeRequest(bank_id=name, node_id="n7")
            nodes[name] = (await graph.GetNode(asked)).node
    assert counts["imported"] == counts["added"]
    assert nodes["imported"].summary == nodes["added"].summary
    assert list(nodes["imported"].keywords) == list(nodes["added"].keywords)
