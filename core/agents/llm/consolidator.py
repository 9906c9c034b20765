"""The Consolidator on a language model.

The merged node is made in one call. A verdict may take a third of the room and the memories share
what is left, longer ones shortened; neighbours that do not fit beside them are reworded in further
calls, at once, from the merged node's words.

With a verdict the memories' sentences are numbered, and the model names those that it refutes: so
they come back verbatim, and core finds them in the record.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking, together
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.llm.topics import enclosed, labels, names, size
from core.agents.parsing import Fields, MalformedReply, folded, shown
from core.agents.roles import Consolidation, MergeSource, Neighbor, Rewording, Topic
from core.ids import NodeId
from core.model.conflict import VerdictType
from core.model.lineage import MergeReason
from core.ports.chat import ChatModel, ReplyShape
from core.text import sentences
from core.text.tokens import estimate

NUMBER_TOKENS = 16  # what a numbered sentence's name costs, before it and in the form of the reply

NeighborsByName = Mapping[str, Neighbor]
Sentences = Mapping[str, str]
"""The numbered sentences of the memories, by name (`node_1.2`)."""


class LlmConsolidator:
    """Merged nodes in the model's words."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._merging = Asking("consolidator", model, "consolidator", prompts)
        self._rewording = Asking("consolidator", model, "neighbors", prompts)
        self._reading = Asking("consolidator", model, "verdict", prompts)

    async def consolidate(
        self,
        nodes: Sequence[MergeSource],
        neighbors: Sequence[Neighbor],
        reason: MergeReason,
        verdict: str,
        strategy: str,
        evidence: str = "",
    ) -> Consolidation:
        room = self._merging.room - 8 * FENCE_TOKENS
        by_name = dict(zip(names("neighbor", len(neighbors)), neighbors, strict=True))
        fenced = _neighbors(by_name, dict(zip(_ids(nodes), names("node", len(nodes)), strict=True)))
        opening = _occasion(reason, strategy, room // 3) + _verdict(verdict, evidence, room // 3)
        room -= sum(size(part) for part in opening if isinstance(part, Enclosure))
        beside = _fitting(fenced, room // 3)
        room -= sum(size(part) for part in beside)
        memories, said = _memories(nodes, room, numbered=bool(verdict))
        parts = [*opening, "The memories to merge:", *memories]
        if beside:
            parts += ["The neighbours:", *beside]
        first = {part.name: by_name[part.name] for part in beside}
        made = await self._merging.ask(
            message(parts), _shape(list(first), list(said)), lambda reply: _consolidation(reply, first, said)
        )
        return await self._with_others(made, fenced[len(beside) :], by_name)

    async def verdict_type(self, sides: Sequence[Topic], verdict: str, evidence: str) -> VerdictType:
        room = self._reading.room - 8 * FENCE_TOKENS
        memories = [
            enclosed(name, side, room // 2 // len(sides))
            for name, side in zip(names("node", len(sides)), sides, strict=True)
        ]
        text = message(["The memories in question:", *memories, *_verdict(verdict, evidence, room // 3)])
        return await self._reading.ask(text, _TYPE, _verdict_type)

    async def _with_others(
        self, made: Consolidation, others: Sequence[Enclosure], by_name: NeighborsByName
    ) -> Consolidation:
        """Returns the consolidation with the words of neighbours that did not fit beside the memories."""
        merged = labels(made.context, made.keywords)
        summary = windows.shortened(made.summary, self._rewording.room // 3)
        opening: list[str | Enclosure] = [
            "The merged memory:",
            Enclosure(name="merged", text=f"{merged}\nsummary:\n{summary}"),
        ]

        async def reworded(batch: Sequence[Enclosure]) -> Mapping[NodeId, Rewording]:
            asked = {part.name: by_name[part.name] for part in batch}
            text = message([*opening, "The neighbours:", *batch])
            return await self._rewording.ask(
                text, _neighbors_shape(list(asked)), lambda reply: _rewordings(reply, asked)
            )

        batches = windows.batches(others, [size(part) for part in others], self._rewording.room // 2)
        updates = dict(made.neighbor_updates)
        for found in await together(map(reworded, batches)):
            updates.update(found)
        return replace(made, neighbor_updates=updates)


# ---- what is asked ----


def _ids(nodes: Sequence[MergeSource]) -> list[NodeId]:
    return [node.topic.node_id for node in nodes]


def _occasion(reason: MergeReason, strategy: str, limit: int) -> list[str | Enclosure]:
    parts: list[str | Enclosure] = [f"Reason for the merge: {reason.value}"]
    if strategy:
        title = "The point at issue:" if reason is MergeReason.CONFLICT else "The strategy:"
        parts += [title, Enclosure(name="strategy", text=windows.shortened(strategy, limit // 4))]
    return parts


def _verdict(verdict: str, evidence: str, limit: int) -> list[str | Enclosure]:
    """Returns the verdict, and in what it leaves of the room what it rests on."""
    if not verdict:
        return []
    enclosed = Enclosure(
        name="verdict", text=windows.shortened(verdict, limit if not evidence else 2 * limit // 3)
    )
    if not evidence:
        return ["The verdict:", enclosed]
    resting = windows.shortened(evidence, max(limit - size(enclosed), limit // 3))
    return ["The verdict:", enclosed, "What it rests on:", Enclosure(name="evidence", text=resting)]


def _neighbors(by_name: NeighborsByName, node_names: Mapping[NodeId, str]) -> list[Enclosure]:
    fenced = []
    for name, neighbor in by_name.items():
        of = ", ".join(node_names[node_id] for node_id in neighbor.neighbor_of if node_id in node_names)
        words = labels(neighbor.context, neighbor.keywords)
        fenced.append(Enclosure(name=name, text=f"neighbour of: {of}\n{words}"))
    return fenced


def _fitting(parts: Sequence[Enclosure], limit: int) -> list[Enclosure]:
    """Returns as many from the first on as fit."""
    fitting: list[Enclosure] = []
    for part in parts:
        limit -= size(part)
        if limit < 0:
            break
        fitting.append(part)
    return fitting


def _memories(
    nodes: Sequence[MergeSource], room: int, *, numbered: bool
) -> tuple[list[Enclosure], Sentences]:
    """Returns the memories as fenced texts that fit together, and their sentences by name where they are numbered."""
    heads = [
        f"time: {node.event_time.isoformat()}\n{labels(node.topic.context, node.topic.keywords)}\nsummary:\n"
        for node in nodes
    ]
    left = room - sum(estimate(head) + FENCE_TOKENS for head in heads)
    lines = [sentences.split(node.topic.summary) if numbered else [] for node in nodes]
    sizes = [
        estimate(node.topic.summary) + NUMBER_TOKENS * len(line)
        for node, line in zip(nodes, lines, strict=True)
    ]
    fenced: list[Enclosure] = []
    sentences_by_name: dict[str, str] = {}
    rows = zip(names("node", len(nodes)), heads, nodes, windows.shares(sizes, max(left, 0)), strict=True)
    for (name, head, node, share), own_size in zip(rows, sizes, strict=True):
        summary = node.topic.summary
        if own_size > share:
            summary = windows.shortened(summary, share // 2 if numbered else share)
        if numbered:
            own = {f"{name}.{n}": text for n, text in enumerate(sentences.split(summary), 1)}
            sentences_by_name |= own
            summary = "\n".join(f"{number}: {folded(text)}" for number, text in own.items())
        fenced.append(Enclosure(name=name, text=head + summary))
    return fenced, sentences_by_name


# ---- what is answered ----


def _updates(existing: Sequence[str]) -> shapes.Schema:
    return shapes.rows(node_id=shapes.one_of(existing), context=shapes.TEXT, keywords=shapes.TEXTS)


def _neighbors_shape(existing: Sequence[str]) -> ReplyShape:
    return ReplyShape(name="neighbors", schema=shapes.fields(neighbor_updates=_updates(existing)))


def _shape(existing: Sequence[str], sentences: Sequence[str]) -> ReplyShape:
    """`neighbor_updates` and `refuted` are asked for only where there is something to name."""
    properties: dict[str, shapes.Schema] = {
        "summary": shapes.TEXT,
        "context": shapes.TEXT,
        "keywords": shapes.TEXTS,
    }
    if existing:
        properties["neighbor_updates"] = _updates(existing)
    properties["interaction_tree_description"] = shapes.TEXT
    if sentences:
        properties["refuted"] = shapes.some_of(sentences)
    return ReplyShape(name="consolidation", schema=shapes.fields(**properties))


_TYPE = ReplyShape(
    name="verdict",
    schema=shapes.fields(reasoning=shapes.TEXT, verdict=shapes.one_of([each.value for each in VerdictType])),
)


def _verdict_type(reply: Fields) -> VerdictType:
    reply.line("reasoning")
    return VerdictType(reply.choice("verdict", [each.value for each in VerdictType]))


def _consolidation(reply: Fields, neighbors: NeighborsByName, sentences: Sentences) -> Consolidation:
    refuted = reply.choices("refuted", sentences) if sentences else []
    return Consolidation(
        summary=reply.text("summary"),
        context=reply.sentence("context"),
        keywords=reply.keywords("keywords"),
        neighbor_updates=_rewordings(reply, neighbors) if neighbors else {},
        description=reply.text("interaction_tree_description"),
        refuted=tuple(dict.fromkeys(sentences[name] for name in refuted)),
    )


def _rewordings(reply: Fields, neighbors: NeighborsByName) -> dict[NodeId, Rewording]:
    found: dict[str, Rewording] = {}
    for row in reply.rows("neighbor_updates"):
        name = row.choice("node_id", neighbors)
        if name in found:
            raise MalformedReply(f"neighbor_updates names {shown(name)} twice")
        found[name] = Rewording(context=row.sentence("context"), keywords=row.keywords("keywords"))
    if missing := [name for name in neighbors if name not in found]:
        raise MalformedReply(f"neighbor_updates leaves out {', '.join(missing)}")
    return {neighbors[name].node_id: rewording for name, rewording in found.items()}
