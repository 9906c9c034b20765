"""How well contradictions are found on the whole write path, on worlds of facts that people contradict.

Law: each question gets a fresh bank: its world's facts one by one, then a fact that contradicts one of them.
Right: a conflict of the last fact whose other sides cite the contradicted fact's segment and at most one more.
False: every fact of the world that was put into a conflict, the contradicted one in the last conflict aside.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.bank.bank import Bank
from core.bank.query import Target
from core.ids import BankId, InteractionId, Tenant
from core.keys import BankKey
from core.model.conflict import Conflict, ConflictStatus, Side
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, MemorizeResult, memorize
from core.usecases.bank.verbs.search import Ask, Searches, run_searches
from core.usecases.house import House
from core.verbatim.structure import Structure
from evaluation.sets import Case, SetUnusable

TENANT = Tenant("evaluation")
FEW = 3  # hits in which both sides are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a case: whether the right conflict was found, or else is suspected, and which facts fell into one
    falsely that is not only suspected.

    `sides`: of a right one, how many sides were among the first FEW hits for the question, without and with
    both sides being brought; None where the right conflict was not found.
    """

    case: Case
    right: bool
    false: frozenset[int]
    conflicts: tuple[Conflict, ...]
    suspected: bool = False
    sides: tuple[int, int] | None = None


def read_letta(text: str) -> tuple[Case, ...]:
    """Returns the cases of letta-evals' core memory updates (JSON lines). Raises SetUnusable."""
    try:
        return tuple(_cases(text))
    except (KeyError, TypeError, ValueError) as problem:
        raise SetUnusable(f"not in the form of Letta's contradicting facts: {problem!r}") from None


def _cases(text: str) -> Iterator[Case]:
    for line in text.splitlines():
        row = json.loads(line)
        extra = row["agent_args"]["extra"]
        yield Case(
            world=tuple(extra["facts"]),
            question=row["input"],
            contradicting=extra["contradicting_fact"],
            contradicted=frozenset(extra["supporting_fact_indices"]),
        )


async def run(house: House, number: int, case: Case) -> Result:
    """Runs one question in a bank of its own."""
    bank_id = BankId(f"contradiction-{number}")
    key = (await create_bank(house, CreateBank(tenant=TENANT, bank_id=bank_id))).result.key
    facts: dict[InteractionId, int] = {}
    for index, fact in enumerate(case.world):
        done = await memorize(house, Memorize(key=key, context=Context(text=fact)))
        facts[done.interaction_id] = index
    last = await memorize(house, Memorize(key=key, context=Context(text=case.contradicting)))
    async with house.banks.reading(key) as bank:
        result = judged(case, bank, facts, last)
    if result.right:
        plain = replace(house.settings.retrieval.structure, conflicts=False)
        alone = await _sides_found(house, key, case, facts, last, plain)
        brought = await _sides_found(house, key, case, facts, last, replace(plain, conflicts=True))
        result = replace(result, sides=(alone, brought))
    await house.banks.delete(key)
    return result


async def _sides_found(
    house: House,
    key: BankKey,
    case: Case,
    facts: Mapping[InteractionId, int],
    last: MemorizeResult,
    structure: Structure,
) -> int:
    """Returns how many of the two sides, the contradicted fact and the new one, are among the first FEW hits."""
    ask = Ask(
        text=case.question, top_k=FEW, target=Target.SEGMENTS, structure=structure, hops=0, skip_reranker=True
    )
    answers = await run_searches(house, Searches(key=key, asks=(ask,)))
    found = {hit.segment.ref.interaction_id for hit in answers.answers[0].found.hits if hit.segment}
    found_it = any(facts.get(interaction_id) in case.contradicted for interaction_id in found)
    return found_it + (last.interaction_id in found)


def judged(case: Case, bank: Bank, facts: Mapping[InteractionId, int], last: MemorizeResult) -> Result:
    """Returns what the bank's conflicts say about a case whose facts are in it."""
    found = [bank.conflicts[c] for c in last.conflict_ids]
    right = any(_is_right(conflict, facts, case.contradicted) for conflict in found)
    false: set[int] = set()
    suspected = False
    for conflict in bank.conflicts.values():
        if conflict.status is ConflictStatus.SUSPECTED:  # says nothing to an agent until it is confirmed
            suspected |= _is_right(conflict, facts, case.contradicted)
            continue
        cited = _cited(conflict.sides, facts)
        false |= cited - (case.contradicted if conflict in found else frozenset())
    return Result(
        case=case,
        right=right,
        suspected=suspected and not right,
        false=frozenset(false),
        conflicts=tuple(bank.conflicts.values()),
    )


def _is_right(conflict: Conflict, facts: Mapping[InteractionId, int], contradicted: frozenset[int]) -> bool:
    """Whether some other side cites the contradicted fact, and all of them together at most one more."""
    cited = _cited(conflict.sides[1:], facts)
    return bool(cited & contradicted) and len(cited - contradicted) <= 1


def _cited(sides: Sequence[Side], facts: Mapping[InteractionId, int]) -> set[int]:
    return {
        facts[ref.interaction_id] for side in sides for ref in side.segments if ref.interaction_id in facts
    }


def both_sides(results: Sequence[Result]) -> tuple[float, float, float] | None:
    """Returns, among the first FEW hits, of the right conflicts of which a side was there: the share with both sides
    when they are not brought, and when they are; and the share of right conflicts of which a side was there at all."""
    right = [result.sides for result in results if result.sides is not None]
    seen = [sides for sides in right if max(sides) > 0]
    if not seen:
        return None
    alone, brought = (sum(sides[n] == 2 for sides in seen) / len(seen) for n in (0, 1))
    return alone, brought, len(seen) / len(right)


def shares(results: Sequence[Result]) -> tuple[float, float]:
    """Returns the share of cases that came out right, and of facts that were put into a conflict falsely."""
    right = sum(result.right for result in results) / len(results)
    return right, sum(len(r.false) for r in results) / sum(len(r.case.world) for r in results)
