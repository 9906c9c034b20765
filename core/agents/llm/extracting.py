"""The Extractor on a language model.

Law: a reply is read with core's own checks, so that a model is told what is wrong and asked again. When it has been
asked often enough, the facts that pass stand, and the others are dropped.
"""

from collections.abc import Sequence

from core.agents.faithful import problem_of_candidate
from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking, together
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.llm.passages import enclosed, fitted, size
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.memory_roles import MOST_CANDIDATES, Candidate, Passage
from core.agents.parsing import Fields, MalformedReply
from core.model.record import CATEGORIES, STRATEGY
from core.ports.chat import ChatModel, ReplyShape
from core.text.tokens import estimate

OF_USERS = tuple(category for category in CATEGORIES if category != STRATEGY)
SUBCATEGORY = 64  # code points
FACTS = ReplyShape(
    name="facts",
    schema=shapes.fields(
        facts=shapes.rows(
            passages={"type": "array", "items": {"type": "integer"}},
            content=shapes.TEXT,
            category=shapes.one_of(OF_USERS),
            subcategory=shapes.TEXT,
            confidence=shapes.NUMBER,
        )
    ),
)


class LlmExtractor:
    """Facts in the model's words; of more than its window holds, of one part after another."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._asking = Asking("extractor", model, "extractor", prompts)

    async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
        passages = [passage for passage in passages if not passage.is_known]
        told = [Enclosure(name=f"known {number}", text=fact) for number, fact in enumerate(known)]
        taken = sum(estimate(each.text) + FENCE_TOKENS + 6 for each in told)
        room = max(self._asking.room - taken - 200, self._asking.room // 2)
        fitting = fitted(passages, room // 2)
        batches = windows.batches(fitting, [size(passage) for passage in fitting], room)
        parts = await together(self._facts(batch, told, passages) for batch in batches)
        return [candidate for part in parts for candidate in part][:MOST_CANDIDATES]

    async def _facts(
        self, shown: Sequence[Passage], told: Sequence[Enclosure], passages: Sequence[Passage]
    ) -> list[Candidate]:
        known: Sequence[str | Enclosure] = ["Known already:", *told] if told else []
        asked = message([*known, "The passages:", *map(enclosed, shown)])
        end = 1 + max(passage.number for passage in passages)

        def problem(candidate: Candidate) -> str:
            return problem_of_candidate(candidate, passages)

        def read(reply: Fields) -> list[Candidate]:
            found = [_candidate(row, end) for row in reply.rows("facts")]
            if wrong := next(filter(None, map(problem, found)), ""):
                raise MalformedReply(wrong)
            return found

        def mend(reply: Fields) -> list[Candidate]:
            return [one for row in reply.rows("facts") if not problem(one := _candidate(row, end))]

        return await self._asking.ask(asked, FACTS, read, mend)


def _candidate(row: Fields, end: int) -> Candidate:
    return Candidate(
        content=row.line("content"),
        category=row.choice("category", OF_USERS),
        subcategory=row.line_or_nothing("subcategory").lower()[:SUBCATEGORY],
        confidence=row.confidence("confidence"),
        passages=tuple(dict.fromkeys(row.numbers("passages", end))),
    )
