"""How answers look in a terminal.

Law: pure: messages in, renderables out. What was stored is shown as words only: control characters in it never reach
the terminal, and nothing in it is read as markup. Widths are the terminal's, Chinese counted as it is wide.
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, TextIO, cast

from google.protobuf.timestamp_pb2 import Timestamp
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from memorybank_client import NEVER
from service.cli.messages import say
from service.cli.passages import Evidence, marked

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
BESIDE_WORDS = re.compile(r"(?<=[^\x00-\x7f])([nic]-[0-9a-z]{26,32})")
BLANK_ENDS = re.compile(r" +$", re.MULTILINE)
ENDLESS = 10_000  # columns: nothing is wrapped
GLIMPSE = 280  # code points of a summary that a list shows
MARGIN = (0, 0, 0, 2)
OWN_SETTINGS: Final = ("top_k", "alpha", "chunk_ratio", "validation_floor", "judge_assistants")
UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
FAINT, STRONG, WARNING = "dim", "bold", "yellow"
UNRERANKED = {
    retrieval.RERANKING_LATE: "not reranked: the reranker was late",
    retrieval.RERANKING_UNAVAILABLE: "not reranked: the reranker cannot be had",
}


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Opens a terminal, or what stands for it, on which nothing is markup.

    What is no terminal gets whole lines, without blanks at their ends, unless COLUMNS says how wide it is.
    """
    stream = sys.stderr if stderr else sys.stdout
    plain = not stream.isatty() and "COLUMNS" not in os.environ
    return Console(
        file=cast(TextIO, _TrimmingStream(stream)) if plain else None,
        width=ENDLESS if plain else None,
        stderr=stderr,
        quiet=quiet,
        markup=False,
        emoji=False,
        highlight=False,
    )


class _TrimmingStream:
    """A stream that gets no blanks before the end of a line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(BLANK_ENDS.sub("", text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def words(text: str, style: str = "") -> Text:
    """Makes stored text harmless; a page break is shown as a space. An id that touches Chinese text gets a space before
    it: a line then ends there, not within the id."""
    return Text(BESIDE_WORDS.sub(r" \1", harmless(text)), style)


def harmless(text: str) -> str:
    return CONTROL.sub("", text.replace("\f", " "))


def glimpse(text: str, length: int = GLIMPSE) -> str:
    """Puts a text on one line, as much as a list has room for."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def moment(time: Timestamp) -> str:
    return time.ToDatetime().strftime("%Y-%m-%d %H:%M:%S UTC")


def pairs(rows: Iterable[tuple[str, str | Text]]) -> Table:
    """Draws names and values, one pair a line; pairs without a value are left out."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style=FAINT, no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value:
            table.add_row(say(name), words(value) if isinstance(value, str) else value)
    return table


def written_by(subject: str) -> str:
    """Tells whose API key wrote something; nothing where there are no keys."""
    return say("written by {subject}", subject=subject) if subject else ""


def contested(node: types.Node) -> str:
    return "CONTESTED" if node.state == types.NODE_STATE_CONTESTED else ""


# ---- search ----


def hits(found: retrieval.SearchResponse, full: bool, evidence: Evidence) -> RenderableType:
    """Draws hits, best first: score, what was found, the passage that fits best, where that stands, and by what."""
    if not found.hits:
        return Text(say("nothing found"), FAINT)
    table = Table.grid(padding=(0, 2, 1, 0))
    table.add_column(justify="right", style=FAINT)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for rank, hit in enumerate(found.hits, 1):
        table.add_row(str(rank), Text(f"{hit.score:.2f}", STRONG), _hit(hit, full, evidence))
    if found.reranking in UNRERANKED:
        return Group(table, Text(say(UNRERANKED[found.reranking]), WARNING))
    return table


def _hit(hit: types.SearchHit, full: bool, evidence: Evidence) -> RenderableType:
    if hit.HasField("segment"):
        shown = marked(harmless(hit.segment.text), evidence.query, whole=full)
        return Group(shown, words(_segment_place(hit, evidence.place(hit.segment)), FAINT))
    node = hit.node
    passage = evidence.passages.get(node.node_id)
    below = [words(node.summary)] if full else []
    below += [marked(harmless(passage.text if passage else node.summary), evidence.query, whole=full)]
    place = evidence.place(passage) if passage else ""
    heading = words(node.context or glimpse(node.summary, 80), "" if passage else STRONG)
    return Group(heading, *below, _hit_notes(hit, place))


def _hit_notes(hit: types.SearchHit, place: str) -> Text:
    notes = [*filter(None, (place, written_by(hit.node.writer))), hit.node.node_id, *_parts(hit)]
    if hit.neighbor_ids:
        notes.append(say("{count} related", count=len(hit.neighbor_ids)))
    shown = words(" · ".join(notes), FAINT)
    if contested(hit.node):
        shown.append(" · CONTESTED", WARNING)
    return shown


def _parts(hit: types.SearchHit) -> list[str]:
    parts = []
    if hit.HasField("attribute_score"):
        parts.append(f"{say('words')} {hit.attribute_score:.2f}")
    if hit.HasField("embedding_score"):
        parts.append(f"{say('meaning')} {hit.embedding_score:.2f}")
    return parts


def _segment_place(hit: types.SearchHit, place: str) -> str:
    segment = hit.segment
    notes = [
        place,
        segment.speaker,
        say("{record} at {offset:,}", record=segment.interaction_id, offset=segment.offset),
        *_parts(hit),
    ]
    if segment.refuted_by:
        quotes = "; ".join(" ".join(segment.text[r.start : r.end].split()) for r in segment.refuted)
        notes.append(say("refuted by {by}: “{quotes}”", by=segment.refuted_by, quotes=quotes))
    if hit.unstructured:
        notes.append(say("not structured yet"))
    return " · ".join(note for note in notes if note)


# ---- nodes and their graph ----


def node(found: graph.GetNodeResponse) -> RenderableType:
    """Draws one node with its place in the graph."""
    it = found.node
    state = (
        Text(say("CONTESTED in {conflicts}", conflicts=", ".join(found.conflict_ids)), WARNING)
        if contested(it)
        else say("active")
    )
    return pairs(
        [
            ("node", it.node_id),
            ("context", words(it.context, STRONG)),
            ("summary", it.summary),
            ("keywords", " · ".join(it.keywords)),
            ("state", state),
            ("happened", moment(it.event_time)),
            (
                "changed",
                say("{moment} (revision {revision})", moment=moment(it.update_time), revision=it.revision),
            ),
            ("source", it.source),
            ("written by", it.writer),
            ("labels", _labels(it.labels)),
            ("related to", "\n".join(found.neighbor_ids)),
            ("records", "\n".join(it.interaction_ids)),
        ]
    )


def adjacency(nodes: Sequence[types.Node], neighbors: Mapping[str, Sequence[str]]) -> RenderableType:
    """Draws the graph as a list of nodes, each with the numbers of those it is related to."""
    numbers = {each.node_id: number for number, each in enumerate(nodes, 1)}
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for name in ("#", "node", "related to"):
        table.add_column(say(name), overflow="fold", justify="right" if name == "#" else "left")
    for each in nodes:
        topic = words(each.context or glimpse(each.summary, 80))
        if contested(each):
            topic.append(" CONTESTED", WARNING)
        topic.append(f"\n{each.node_id}", FAINT)
        related = sorted(numbers.get(other, 0) for other in neighbors[each.node_id])
        table.add_row(str(numbers[each.node_id]), topic, " ".join(str(n or "…") for n in related))
    return table


def lineage(node_id: str, merges: Sequence[types.MergeRecord]) -> RenderableType:
    """Draws what a node absorbed, and what that had absorbed before."""
    by_heir = {merge.into_node_id: merge for merge in merges}
    tree = Tree(words(node_id, STRONG))
    _grow(tree, by_heir.get(node_id), by_heir)
    return tree


def _grow(tree: Tree, merge: types.MergeRecord | None, by_heir: Mapping[str, types.MergeRecord]) -> None:
    if merge is None:
        return
    reason = types.MergeReason.Name(merge.reason).removeprefix("MERGE_REASON_").lower()
    why = f"{moment(merge.time)}, {reason}: {merge.description}"
    branch = tree.add(words(why, FAINT))
    if merge.verdict:
        branch.add(words(f"{say('verdict')}: {merge.verdict}", WARNING))
    for absorbed in merge.absorbed:
        _grow(
            branch.add(words(f"{absorbed.node_id}  {glimpse(absorbed.summary, 160)}")),
            by_heir.get(absorbed.node_id),
            by_heir,
        )


# ---- plans ----


def insight(found: types.Insight) -> RenderableType:
    """Draws the goal, what was done, what comes next."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for name in ("", "type", "task"):
        table.add_column(say(name), overflow="fold")
    for done in found.completed:
        failed = done.status == types.TASK_STATUS_FAILED
        table.add_row(
            say("failed" if failed else "done"), words(done.type), _task(done.description, done.context)
        )
    for task in found.pending:
        table.add_row(say("next"), words(task.type, WARNING), _task(task.description, task.how))
    goal = pairs(
        [
            ("goal", found.goal or say("(none)")),
            ("finished", _ending(found)),
            ("because", found.reason),
            ("kept until", moment(found.purge_time) if found.HasField("purge_time") else ""),
        ]
    )
    return Group(goal, table) if table.row_count else goal


def _ending(found: types.Insight) -> str:
    if not found.finished:
        return say("no")
    return say("given up" if found.outcome == types.TASK_OUTCOME_GAVE_UP else "yes")


def _task(description: str, more: str) -> Text:
    shown = words(description)
    return shown.append_text(words(f"\n{more}", FAINT)) if more else shown


# ---- banks ----


def bank(found: memory.GetBankResponse) -> RenderableType:
    """Draws a bank's record and how much it holds."""
    it, counts = found.bank, found.counts
    space = it.embedding_space
    return pairs(
        [
            ("bank", words(it.bank_id, STRONG)),
            ("goal", it.goal),
            ("user", it.user),
            ("collection", it.collection),
            ("labels", _labels(it.labels)),
            ("created", moment(it.create_time)),
            ("finished", moment(it.finish_time) if it.HasField("finish_time") else ""),
            ("kept until", _kept_until(it)),
            ("revision", str(found.revision)),
            ("vectors", say("{name}, {dimension} numbers", name=space.name, dimension=space.dimension)),
            ("settings", _settings(it)),
            ("holds", _counts(counts)),
            ("unstructured", str(counts.unstructured_interactions or "")),
        ]
    )


def banks(found: Sequence[types.Bank]) -> RenderableType:
    """Banks by id."""
    if not found:
        return Text(say("no banks"), FAINT)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for name in ("bank", "revision", "created", "goal"):
        table.add_column(say(name), overflow="fold", justify="right" if name == "revision" else "left")
    for each in found:
        table.add_row(words(each.bank_id), str(each.revision), moment(each.create_time), words(each.goal))
    return table


def _kept_until(it: types.Bank) -> str:
    """Says when the bank is purged; of one that goes on, how long after its task, where its record says so."""
    if it.HasField("purge_time"):
        return moment(it.purge_time)
    if not it.HasField("ttl"):
        return ""
    if it.ttl.ToTimedelta() == NEVER:
        return say("it is deleted")
    return say("{time} after its task has finished", time=_spelled(it.ttl.ToTimedelta()))


def _spelled(time: timedelta) -> str:
    """Writes a duration in its largest whole unit: `7 days`, `36 hours`, `90 seconds`."""
    seconds = int(time.total_seconds())
    unit, noun = next((each for each in UNITS if seconds % each[0] == 0 and seconds), (1, "second"))
    return many(seconds // unit, noun)


def _settings(it: types.Bank) -> str:
    """Lists the bank's own settings, spelled as in the configuration: `top_k = 8, judge_assistants = true`."""
    own = {name: getattr(it, name) for name in OWN_SETTINGS if it.HasField(name)}
    listed = ", ".join(f"{name} = {_setting(value)}" for name, value in own.items())
    return say("{listed}; others as configured", listed=listed) if listed else say("as configured")


def _setting(value: bool | float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def many(count: int, noun: str) -> str:
    """`1 node`, `2 nodes`, `2 summaries`."""
    counted = f"{{count:,}} {noun}"
    if (said := say(counted, count=count)) != counted.format(count=count):
        return said
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("ry") else f"{count:,} {noun}s"


def _counts(counts: types.BankCounts) -> str:
    figures = {
        "node": counts.nodes,
        "edge": counts.edges,
        "open conflict": counts.open_conflicts,
        "merge": counts.merges,
        "record": counts.interactions,
    }
    parts = ", ".join(many(count, noun) for noun, count in figures.items())
    return say("{parts} in {segments}", parts=parts, segments=many(counts.segments, "segment"))


def _labels(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(labels.items()))
