"""The Clusterer on a language model.

The model names the numbers of pieces; core has the texts. That is cheaper than having them written
out, and verbatim. A piece that is named twice or not at all is a slip: few are mended at once, many
are asked again, and mended after the last reply. Mended means: a piece stays with the cluster that
named it first; a forgotten one goes with the piece before it (with the first cluster's, where there is none).
So nothing is lost and no topic is invented for what a model merely forgot.
"""

import asyncio
from collections.abc import Sequence
from itertools import groupby

from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking, together
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.parsing import Fields, MalformedReply, listed
from core.agents.roles import Cluster, Piece, SplitPrompt
from core.ports.chat import ChatModel, ReplyShape
from core.text import sentences
from core.text.tokens import estimate

FORGIVEN = 0.1  # of the pieces may be named twice or not at all without asking again
MARKED_PIECES = 1.25  # a chunk of this window with the marks of its pieces fits into the room there is

CLUSTERS = ReplyShape(
    name="clusters",
    schema=shapes.fields(
        should_cluster=shapes.FLAG,
        clusters=shapes.rows(
            cluster_id={"type": "integer"},
            pieces=shapes.TEXTS,
            context=shapes.TEXT,
            keywords=shapes.TEXTS,
        ),
    ),
)
QUESTION = ReplyShape(name="question", schema=shapes.fields(question=shapes.TEXTS))


class LlmClusterer:
    """Topics as the model sees them; every piece in exactly one."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._clustering = Asking("clusterer", model, "clusterer", prompts)
        self._splitting = Asking("clusterer", model, "splitter", prompts)

    @property
    def window(self) -> int:
        """What is left of the model's window for the record itself, beside instructions, marks and reply."""
        return max(1, int(self._clustering.room / MARKED_PIECES))

    async def cluster(self, pieces: Sequence[Piece], task: str) -> Sequence[Cluster]:
        """Pieces that take more than the window (many tiny ones: their marks count) are clustered in parts."""
        about = windows.shortened(task, self._clustering.room // 8)
        room = self._clustering.room - estimate(about) - 3 * FENCE_TOKENS
        texts = [windows.shortened(_said(piece), room) for piece in pieces]
        sizes = [estimate(text) + FENCE_TOKENS for text in texts]
        parts = windows.batches(list(zip(pieces, texts, strict=True)), sizes, room)
        found = await together(self._part(part, about) for part in parts)
        return [cluster for clusters in found for cluster in clusters]

    async def _part(self, part: Sequence[tuple[Piece, str]], task: str) -> Sequence[Cluster]:
        opening: list[str | Enclosure] = ["The task:", Enclosure(name="task", text=task)] if task else []
        fenced = [Enclosure(name=str(number), text=text) for number, (_, text) in enumerate(part)]
        text = message([*opening, f"The record, in pieces 0 to {len(part) - 1}:", *fenced])
        numbers = [piece.number for piece, _ in part]
        return await self._clustering.ask(
            text,
            CLUSTERS,
            lambda reply: _clusters(reply, numbers, round(FORGIVEN * len(numbers))),
            mend=lambda reply: _clusters(reply, numbers, len(numbers)),
        )

    async def split(self, prompt: str) -> SplitPrompt:
        """Splits a prompt: the model names sentences; the question is those, verbatim, and the context the rest,
        verbatim."""
        spans = await asyncio.to_thread(sentences.spans, prompt)  # a prompt may be megabytes
        if len(spans) < 2:
            return SplitPrompt(question=prompt.strip(), context="")
        room = self._splitting.room - 3 * FENCE_TOKENS
        text, seen = await asyncio.to_thread(_numbered, prompt, spans, room)
        asked = await self._splitting.ask(text, QUESTION, lambda reply: _question(reply, seen))
        return SplitPrompt(
            question=_slices(prompt, spans, asked, chosen=True),
            context=_slices(prompt, spans, asked, chosen=False),
        )


def _said(piece: Piece) -> str:
    time = f"({piece.event_time:%Y-%m-%d %H:%M}) " if piece.speaker and piece.event_time else ""
    return f"{time}{piece.speaker}: {piece.text}" if piece.speaker else piece.text


def _clusters(reply: Fields, numbers: Sequence[int], forgiven: int) -> list[Cluster]:
    """Returns the clusters with the caller's piece numbers. Raises MalformedReply where there are more slips than
    forgiven."""
    rows = reply.rows("clusters")
    named = [row.numbers("pieces", len(numbers)) for row in rows]
    if not rows:
        raise MalformedReply("clusters is empty")
    if not reply.flag("should_cluster"):
        if len(rows) > 1:
            raise MalformedReply("should_cluster is false: there is one cluster then, of all pieces")
        named = [list(range(len(numbers)))]
    owner: dict[int, int] = {}
    for index, places in enumerate(named):
        for place in places:
            owner.setdefault(place, index)
    forgotten = [place for place in range(len(numbers)) if place not in owner]
    twice = sorted({p for n, places in enumerate(named) for p in places if owner[p] != n})
    if len(forgotten) + len(twice) > forgiven or not owner:
        raise MalformedReply(_slips(forgotten, twice))
    before = owner[min(owner)]
    for place in range(len(numbers)):
        before = owner.setdefault(place, before)
    return [
        Cluster(
            pieces=tuple(numbers[place] for place in range(len(numbers)) if owner[place] == index),
            context=row.sentence("context"),
            keywords=row.keywords("keywords"),
        )
        for index, row in enumerate(rows)
        if index in owner.values()
    ]


def _slips(forgotten: Sequence[int], twice: Sequence[int]) -> str:
    """Returns what is wrong with the pieces, in words."""
    problems = [f"pieces {listed(forgotten)} are in no cluster"] if forgotten else []
    problems += [f"pieces {listed(twice)} are in several clusters"] if twice else []
    return " and ".join(problems)


def _numbered(prompt: str, spans: Sequence[tuple[int, int]], room: int) -> tuple[str, Sequence[int]]:
    """Returns the message that shows a prompt's sentences, as many as fit from both ends, and which those are."""
    sizes = [min(estimate(prompt[start:end]), room // 3) + FENCE_TOKENS for start, end in spans]
    seen = _ends(sizes, room)
    parts: list[str | Enclosure] = [f"The prompt, in sentences 0 to {len(spans) - 1}:"]
    for before, number in zip([-1, *seen], seen, strict=False):
        if number != before + 1:
            parts.append(f"Sentences {before + 1} to {number - 1} are not shown.")
        text = windows.shortened(prompt[slice(*spans[number])], room // 3)
        parts.append(Enclosure(name=str(number), text=text))
    return message(parts), seen


def _ends(sizes: Sequence[int], room: int) -> list[int]:
    """Returns which sentences to show: all, or as many as fit from both ends, by turns; the last one always."""
    shown: set[int] = set()
    first, last = 0, len(sizes) - 1
    while first <= last:
        number = last if len(shown) % 2 == 0 else first
        room -= sizes[number]
        if room < 0 and shown:
            break
        shown.add(number)
        first, last = (first, last - 1) if number == last else (first + 1, last)
    return sorted(shown)


def _question(reply: Fields, seen: Sequence[int]) -> set[int]:
    asked = set(reply.numbers("question", seen[-1] + 1))
    if not asked:
        raise MalformedReply("question names no sentence: the prompt asks for something")
    if unseen := sorted(asked - set(seen)):
        raise MalformedReply(f"question names sentences {listed(unseen)}, which were not shown")
    return asked


def _slices(prompt: str, spans: Sequence[tuple[int, int]], asked: set[int], *, chosen: bool) -> str:
    """Returns the sentences asked, or all others, verbatim: neighbouring ones with what stands between them."""
    runs = [
        list(run)
        for is_asked, run in groupby(range(len(spans)), key=lambda number: number in asked)
        if is_asked is chosen
    ]
    return "\n\n".join(prompt[spans[run[0]][0] : spans[run[-1]][1]] for run in runs)
