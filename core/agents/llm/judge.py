"""The Judge on a language model: two separate judgements, each one call for all candidates.

Candidates that do not fit into one call are judged in several, at once, their answers in order. The
new node may take half of the room, a candidate what is left; longer summaries are shortened.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking, together
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.llm.topics import enclosed, names, size
from core.agents.parsing import Fields, MalformedReply, folded, shown
from core.agents.roles import ConflictOpinion, Grade, MergeOpinion, OpinionSource, RelatedOpinion, Topic
from core.ports.chat import ChatModel, ReplyShape
from core.text import sentences
from core.text.analysis import terms

LEAST = 0.5  # what a model itself holds less likely than not is no opinion to act on

Found = TypeVar("Found", ConflictOpinion | MergeOpinion, RelatedOpinion)
ByName = dict[str, Topic]


class LlmJudge:
    """Finds what the model finds; quotes are made sure of."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._first = Asking("judge", model, "judge_first", prompts)
        self._second = Asking("judge", model, "judge_second", prompts)

    async def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> Sequence[ConflictOpinion | MergeOpinion]:
        """Finds one opinion per candidate at most: where the model gives both, conflict comes before merge."""
        return await _judged(self._first, new, candidates, _first_shape, _first_opinions)

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        return await _judged(self._second, new, candidates, _second_shape, _second_opinions)


async def _judged(
    asking: Asking,
    new: Topic,
    candidates: Sequence[Topic],
    shape: Callable[[Sequence[str]], ReplyShape],
    read: Callable[[Fields, Topic, ByName], list[Found]],
) -> list[Found]:
    room = asking.room - 4 * FENCE_TOKENS
    shown_new = enclosed("new", new, room // 2)
    left = room - size(shown_new)
    fitting = [enclosed("", candidate, left) for candidate in candidates]

    async def judged(batch: Sequence[Topic]) -> list[Found]:
        by_name = dict(zip(names("node", len(batch)), batch, strict=True))
        existing: list[Enclosure] = [enclosed(name, topic, left) for name, topic in by_name.items()]
        text = message(["The new memory:", shown_new, "The existing memories:", *existing])
        return await asking.ask(text, shape(list(by_name)), lambda reply: read(reply, new, by_name))

    batches = windows.batches(candidates, [size(part) for part in fitting], left)
    opinions = [opinion for found in await together(map(judged, batches)) for opinion in found]
    return [found for opinion in opinions if (found := _likely(opinion)) is not None]


def _likely(opinion: Found) -> Found | None:
    """Returns an opinion if the model holds it likely; of several points those that it does."""
    if not isinstance(opinion, ConflictOpinion):
        return opinion if opinion.confidence >= LEAST else None
    points = [replace(each, further=()) for each in opinion.points if each.confidence >= LEAST]
    return replace(points[0], further=tuple(points[1:])) if points else None


# ---- conflict or merge ----


def _first_shape(existing: Sequence[str]) -> ReplyShape:
    relations = shapes.rows(  # reasons and quotes first: they are written before anything is decided
        existing_node=shapes.one_of(existing),
        reasoning=shapes.TEXT,
        new_quote=shapes.TEXT,
        existing_quote=shapes.TEXT,
        relationship=shapes.one_of(("conflict", "merge")),
        confidence=shapes.NUMBER,
        conflict_description=shapes.TEXT,
        merge_strategy=shapes.TEXT,
    )
    return ReplyShape(name="conflicts_and_merges", schema=shapes.fields(relations=relations))


def _first_opinions(reply: Fields, new: Topic, by_name: ByName) -> list[ConflictOpinion | MergeOpinion]:
    """Reads the opinions, one of each existing memory; a conflict has all the points in which the two contradict."""
    found: dict[tuple[str, str], ConflictOpinion | MergeOpinion] = {}
    for row in reply.rows("relations"):
        name = row.choice("existing_node", by_name)
        kind = row.choice("relationship", ("conflict", "merge"))
        one = _conflict(row, new, by_name[name]) if kind == "conflict" else _merge(row, by_name[name])
        found[name, kind] = _with_further(found[name, kind], one, name) if (name, kind) in found else one
    return [o for (name, kind), o in found.items() if kind == "conflict" or (name, "conflict") not in found]


def _with_further(
    told: ConflictOpinion | MergeOpinion, one: ConflictOpinion | MergeOpinion, name: str
) -> ConflictOpinion:
    """Returns a conflict with one more point. Raises MalformedReply where it is no other one."""
    if not (isinstance(told, ConflictOpinion) and isinstance(one, ConflictOpinion)):
        raise MalformedReply(f"{shown(name)} is judged twice")
    if any(
        (each.new_quote, each.existing_quote) == (one.new_quote, one.existing_quote) for each in told.points
    ):
        raise MalformedReply(f"{shown(name)} is judged twice")
    points = [*(replace(each, further=()) for each in told.points), one]
    surest, *further = sorted(points, key=lambda each: (each.grade is not Grade.SURE, -each.confidence))
    return replace(surest, further=tuple(further))


def _conflict(row: Fields, new: Topic, existing: Topic) -> ConflictOpinion:
    new_quote = row.text_or_nothing("new_quote")
    existing_quote = row.text_or_nothing("existing_quote")
    verbatim = says(new, new_quote) and says(existing, existing_quote)
    return ConflictOpinion(
        existing=existing.node_id,
        confidence=row.confidence("confidence"),
        reasoning=row.line("reasoning"),
        description=row.line("conflict_description"),
        new_quote=quoted(new_quote, new),
        existing_quote=quoted(existing_quote, existing),
        by=OpinionSource.MODEL,
        verbatim=verbatim,
        grade=Grade.SURE if verbatim else Grade.LIKELY,
    )


def _merge(row: Fields, existing: Topic) -> MergeOpinion:
    return MergeOpinion(
        existing=existing.node_id,
        confidence=row.confidence("confidence"),
        reasoning=row.line("reasoning"),
        strategy=row.line_or_nothing("merge_strategy"),
        by=OpinionSource.MODEL,
    )


def says(topic: Topic, quote: str) -> bool:
    """Whether a node's own texts hold these words; no words are in none."""
    wanted = folded(quote)
    return bool(wanted) and (wanted in folded(topic.summary) or wanted in folded(topic.context))


def quoted(quote: str, topic: Topic) -> str:
    """Returns the quote if the node says it; else the sentence of its summary that shares most words with it, if
    any."""
    if not folded(quote) or says(topic, quote):
        return quote
    asked = set(terms(folded(quote)))
    said = sentences.split(topic.summary)
    shared = [len(asked & set(terms(sentence))) for sentence in said]
    best = max(range(len(said)), key=lambda index: shared[index], default=None)
    return said[best] if best is not None and shared[best] else ""


# ---- related ----


def _second_shape(existing: Sequence[str]) -> ReplyShape:
    relations = shapes.rows(
        existing_node=shapes.one_of(existing),
        reasoning=shapes.TEXT,
        relationship=shapes.one_of(("related",)),
        confidence=shapes.NUMBER,
        context_update_new=shapes.TEXT,
        context_update_existing=shapes.TEXT,
        keywords_update_new=shapes.TEXTS,
        keywords_update_existing=shapes.TEXTS,
    )
    return ReplyShape(name="relations", schema=shapes.fields(relations=relations))


def _second_opinions(reply: Fields, _new: Topic, by_name: ByName) -> list[RelatedOpinion]:
    found: dict[str, RelatedOpinion] = {}
    for row in reply.rows("relations"):
        name = row.choice("existing_node", by_name)
        row.choice("relationship", ("related",))
        if name in found:
            raise MalformedReply(f"{shown(name)} is judged twice")
        found[name] = RelatedOpinion(
            existing=by_name[name].node_id,
            confidence=row.confidence("confidence"),
            reasoning=row.line("reasoning"),
            context_new=row.sentence("context_update_new"),
            context_existing=row.sentence("context_update_existing"),
            keywords_new=row.keywords("keywords_update_new"),
            keywords_existing=row.keywords("keywords_update_existing"),
        )
    return list(found.values())
