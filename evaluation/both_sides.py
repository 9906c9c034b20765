"""Whether both sides of a recorded conflict come where one side came alone, in prompts of the same size.

Law: a *crowd* is a bank of all facts of a set, its own conflicts dismissed. For one case of each world, a copy of
it is told the fact that contradicts one of them; counted are the cases of which the right conflict was then recorded. A
side has come when the prompt for the case's question shows it word for word. What came *before* is asked of the crowd
itself, without the contradiction.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.bank.query import Target
from core.context.lines import one_line
from core.errors import BudgetTooSmall
from core.ids import BankId, InteractionId, Tenant
from core.keys import BankKey
from core.model.conflict import ConflictStatus, VerdictType
from core.usecases.bank.exchange.export_bank import ExportBank, export_bank
from core.usecases.bank.exchange.export_records import ExportRecord
from core.usecases.bank.exchange.import_bank import ImportBank, import_bank
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.augment import Augment, augment
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict, resolve_conflict
from core.usecases.house import House
from core.verbatim.structure import Structure
from evaluation import contradictions
from evaluation.figures import BUDGETS
from evaluation.pacing import Progress
from evaluation.prompts import LEAST_TOKENS
from evaluation.sets import Case, Contradictions

TENANT = Tenant("evaluation")
TARGETS = (Target.SEGMENTS, Target.NODES, None)
MOST = 20  # hits in which the smallest prompt is looked for
Setting = tuple[Target | None, int]
"""What is searched for (None: a prompt as it is by default), and its tokens."""
SETTINGS: tuple[Setting, ...] = tuple((target, budget) for target in TARGETS for budget in BUDGETS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """Of a case, what its prompt showed: the contradicted fact before; both afterwards, brought together and not."""

    before: bool
    both: bool
    unbrought: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BothSides:
    """By setting, what came of each case with a recorded conflict; `unrecorded`: how many cases had none.

    `task_tokens`: of what the conflict adds to the insight document, which every prompt holds; one for each case.
    `needed`: of the smallest prompts of segments that show the contradicted fact before, and both now, in tokens.
    `crowd`: its facts. `dismissed`: conflicts among them.
    """

    came: Mapping[Setting, Sequence[Came]]
    task_tokens: Sequence[int]
    needed: Sequence[tuple[int, int]]
    unrecorded: int
    crowd: int
    dismissed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Crowd:
    key: BankKey
    records: Sequence[ExportRecord]
    fact_of: Mapping[InteractionId, str]
    dismissed: int


async def ask_both_sides(house: House, chosen: Contradictions, progress: Progress) -> BothSides:
    """Runs every case, each in a copy of the crowd. Raises what the use cases raise."""
    crowd = await _gathered(house, chosen, progress)
    came: dict[Setting, list[Came]] = {setting: [] for setting in SETTINGS}
    tokens: list[int] = []
    needed: list[tuple[int, int]] = []
    cases = list({case.world: case for case in reversed(chosen.cases)}.values())
    progress.began(f"{chosen.name}: both sides of {len(cases)} conflicts")
    for number, case in enumerate(cases):
        progress.so_far(f"{chosen.name}: asked for both sides", number, len(cases))
        key = BankKey(tenant=TENANT, bank_id=BankId(f"copy-{number}"))
        await import_bank(house, ImportBank(tenant=TENANT, bank_id=key.bank_id), _again(crowd.records))
        if await _recorded(house, crowd, key, case):
            for setting in SETTINGS:
                came[setting].append(await _came(house, crowd, key, case, setting))
            needed += await _needed(house, crowd, key, case)
            tokens.append(await _insight(house, key, case) - await _insight(house, crowd.key, case))
        await house.banks.delete(key)
    await house.banks.delete(crowd.key)
    return BothSides(
        came=came,
        task_tokens=tokens,
        needed=needed,
        unrecorded=len(cases) - len(tokens),
        crowd=len(crowd.fact_of),
        dismissed=crowd.dismissed,
    )


async def _gathered(house: House, chosen: Contradictions, progress: Progress) -> _Crowd:
    facts = chosen.facts
    progress.began(f"{chosen.name}: memorizing {len(facts)} facts in one bank")
    key = (await create_bank(house, CreateBank(tenant=TENANT, bank_id=BankId("crowd")))).result.key
    fact_of = {}
    for number, fact in enumerate(facts):
        progress.so_far(f"{chosen.name}: memorized", number, len(facts))
        done = await memorize(house, Memorize(key=key, context=Context(text=fact)))
        fact_of[done.interaction_id] = fact
    dismissed = await _without_conflicts(house, key)
    records = [record async for record in export_bank(house, ExportBank(key=key))]
    return _Crowd(key=key, records=records, fact_of=fact_of, dismissed=dismissed)


async def _without_conflicts(house: House, key: BankKey) -> int:
    """Dismiss what is in conflict already, so that the case's is the one; how many there were."""
    dismissed = 0
    while True:
        async with house.banks.reading(key) as bank:
            still = [c.conflict_id for c in bank.conflicts.values() if c.status is ConflictStatus.OPEN]
        if not still:
            return dismissed
        await resolve_conflict(
            house, ResolveConflict(key=key, conflict_id=still[0], type=VerdictType.DISMISS)
        )
        dismissed += 1


async def _again(records: Sequence[ExportRecord]) -> AsyncIterator[ExportRecord]:
    for record in records:
        yield record


async def _recorded(house: House, crowd: _Crowd, key: BankKey, case: Case) -> bool:
    """Tells the copy what contradicts; returns whether the right conflict was recorded."""
    done = await memorize(house, Memorize(key=key, context=Context(text=case.contradicting)))
    places = {fact: place for place, fact in enumerate(case.world)}
    others = len(places)
    facts = {i: places.get(fact, others + n) for n, (i, fact) in enumerate(crowd.fact_of.items())}
    async with house.banks.reading(key) as bank:
        return contradictions.judged(case, bank, facts, done).right


async def _came(house: House, crowd: _Crowd, key: BankKey, case: Case, setting: Setting) -> Came:
    configured = house.settings.retrieval.structure
    old = _old(case)
    before = await _prompt(house, crowd.key, case, setting, configured)
    shown = {
        brings: await _prompt(house, key, case, setting, replace(configured, conflicts=brings))
        for brings in (True, False)
    }
    both = {
        brings: any(one_line(fact) in prompt for fact in old) and one_line(case.contradicting) in prompt
        for brings, prompt in shown.items()
    }
    return Came(before=any(one_line(fact) in before for fact in old), both=both[True], unbrought=both[False])


def _old(case: Case) -> list[str]:
    """Returns the contradicted messages: any of these is the one side."""
    return [case.world[place] for place in sorted(case.contradicted)]


async def _needed(house: House, crowd: _Crowd, key: BankKey, case: Case) -> list[tuple[int, int]]:
    """Returns the pair of messages, or none where a side is not among the first MOST."""
    one = await _smallest(house, crowd.key, case, ())
    both = await _smallest(house, key, case, (case.contradicting,))
    return [(one, both)] if one is not None and both is not None else []


async def _smallest(house: House, key: BankKey, case: Case, also: Sequence[str]) -> int | None:
    """Returns the tokens of the smallest prompt with what is contradicted, and with `also`."""
    for top_k in range(1, MOST + 1):
        command = Augment(
            key=key, query=case.question, top_k=top_k, target=Target.SEGMENTS, skip_reranker=True
        )
        made = await augment(house, command)
        line = one_line(made.prompt)
        if any(one_line(fact) in line for fact in _old(case)) and all(one_line(a) in line for a in also):
            return made.tokens
    return None


async def _prompt(house: House, key: BankKey, case: Case, setting: Setting, structure: Structure) -> str:
    """Returns the prompt on one line; nothing where no prompt can be so small."""
    target, budget = setting
    command = Augment(
        key=key,
        query=case.question,
        top_k=budget // LEAST_TOKENS[target] if target else None,
        token_budget=budget,
        target=target,
        structure=structure,
        skip_reranker=True,
    )
    try:
        return one_line((await augment(house, command)).prompt)
    except BudgetTooSmall:
        return ""


async def _insight(house: House, key: BankKey, case: Case) -> int:
    made = await augment(house, Augment(key=key, query=case.question, top_k=1, target=Target.SEGMENTS))
    return sum(section.tokens for section in made.sections if section.name == "insight")
