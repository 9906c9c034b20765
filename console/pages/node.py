"""A topic of a bank: its words, the record it rests on, its past, what is around it; and what a person may change."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from starlette.responses import Response

from console import calls, links
from console.changes import Change, Question
from console.records import Run, runs
from console.shapes import glimpse, word, writer_of
from console.visit import Visit
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import types_pb2 as types
from memorybank_client import ErrorReason, NotFound

PAGE = 50
RECORDS = 10
AROUND = 300
MOST = 200
"""Nodes of a drawing: those within two edges, never a whole bank."""
DEEPEST = 40
NAME = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a record that a node rests on."""

    record: types.Interaction
    runs: Sequence[Run]
    writer: str


@dataclass(slots=True, kw_only=True)
class Past:
    """A node as it was, and what it was made of in its turn."""

    node: types.Node
    reason: str = ""
    verdict: str = ""
    time: Any = None
    made_of: list["Past"] = field(default_factory=list)


async def node(visit: Visit) -> Response:
    """Shows a node; of one that was merged, leads to what stands for it now."""
    bank_id, node_id, client = visit["bank"], visit["node"], visit.client
    try:
        found = await client.get_node(bank_id=bank_id, node_id=node_id)
    except NotFound as error:
        heir = error.metadata.get("into", "")
        if error.reason != ErrorReason.ERROR_REASON_NODE_ABSORBED or not heir:
            raise
        return visit.go(links.node(bank_id, heir), "done.absorbed")
    rests_on = await client.get_interaction(
        bank_id=bank_id, node_id=node_id, page_size=RECORDS, passages=deep.Passages(surroundings=AROUND)
    )
    lineage = await client.get_lineage(bank_id=bank_id, node_id=node_id, page_size=PAGE)
    return visit.page(
        "node.html",
        bank_id=bank_id,
        node=found.node,
        conflict_ids=found.conflict_ids,
        copies=found.copies if found.HasField("copies") else None,
        passages=[
            Passage(
                record=each,
                runs=runs(each, lambda span: node_id in span.node_ids),
                writer=writer_of(each),
            )
            for each in rests_on.interactions
        ],
        more_records=bool(rests_on.next_page_token),
        neighbors=await client.list_neighbors(bank_id=bank_id, node_id=node_id, page_size=PAGE),
        past=_past(found.node, lineage.merges),
    )


def _past(node: types.Node, merges: Sequence[types.MergeRecord]) -> Past:
    """Makes a tree of what a node absorbed, down to the first nodes."""
    by_node = {merge.into_node_id: merge for merge in merges}

    def grown(one: types.Node, depth: int) -> Past:
        merge = by_node.pop(one.node_id, None)
        if merge is None or depth == DEEPEST:
            return Past(node=one)
        return Past(
            node=one,
            reason=word(types.MergeReason.Name(merge.reason), "MERGE_REASON_"),
            verdict=merge.verdict,
            time=merge.time,
            made_of=[grown(each, depth + 1) for each in merge.absorbed],
        )

    return grown(node, 0)


async def graph(visit: Visit) -> Response:
    """Answers what is around a node, to be drawn: one and two edges away, 200 nodes at the most."""
    bank_id, node_id, client = visit["bank"], visit["node"], visit.client
    own = await client.get_node(bank_id=bank_id, node_id=node_id)
    around = await client.list_neighbors(bank_id=bank_id, node_id=node_id, hops=2, page_size=MOST - 1)
    near = [each.node.node_id for each in around.neighbors if each.distance == 1]
    linked = await calls.each(lambda each: client.get_node(bank_id=bank_id, node_id=each), near)
    shown = {own.node.node_id: own.node, **{each.node.node_id: each.node for each in around.neighbors}}
    pairs = {
        tuple(sorted((found.node.node_id, other)))
        for found in (own, *linked)
        for other in found.neighbor_ids
        if other in shown
    }
    return _json(
        {
            "nodes": [
                {
                    "id": each.node_id,
                    "label": glimpse(each.context or each.summary, NAME),
                    "href": links.node(bank_id, each.node_id),
                    "own": each.node_id == own.node.node_id,
                    "contested": each.state == types.NODE_STATE_CONTESTED,
                }
                for each in shown.values()
            ],
            "edges": [{"source": one, "target": other} for one, other in sorted(pairs)],
        }
    )


def _json(drawn: dict[str, Any]) -> Response:
    """Answers JSON that is no markup either, whatever takes it for a page."""
    text = json.dumps(drawn, ensure_ascii=False).replace("<", "\\u003c")
    return Response(text, media_type="application/json")


async def correct(visit: Visit) -> Response:
    """Rewords a node."""
    bank_id, node_id = visit["bank"], visit["node"]
    keywords = [line.strip() for line in visit.get("keywords").split("\n") if line.strip()]
    await visit.client.update_node(
        bank_id=bank_id,
        node=types.Node(
            node_id=node_id, summary=visit["summary"], context=visit.get("context"), keywords=keywords
        ),
        update_mask=FieldMask(paths=["summary", "context", "keywords"]),
        if_revision=visit.number("revision"),
    )
    return visit.go(links.node(bank_id, node_id), "done.saved")


async def ask_delete(visit: Visit) -> Question:
    bank_id, node_id = visit["bank"], visit["id"]
    found = await visit.client.get_node(bank_id=bank_id, node_id=node_id)
    return Question(
        heading="ask.node",
        lines=[("ask.goes", found.node.summary), ("ask.node_means", "")],
        fields={"bank": bank_id, "id": node_id, "revision": str(found.node.revision)},
        back=links.node(bank_id, node_id),
        removes=True,
    )


async def delete(visit: Visit) -> Response:
    bank_id = visit["bank"]
    await visit.keyed().delete_node(
        bank_id=bank_id,
        node_id=visit["id"],
        if_revision=visit.number("revision"),
        request_id=visit["request_id"],
    )
    return visit.go(links.bank(bank_id), "done.deleted")


DELETE = Change(ask=ask_delete, do=delete)
