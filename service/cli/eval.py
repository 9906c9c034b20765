"""`memorybank eval`: how much of what was said is found again.

Law: a set's answer is given when the set is done, so that what stops a later one takes nothing away.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from core.errors import MemoryBankError
from core.usecases.house import House
from evaluation import (
    contexts_report,
    contradictions,
    contradictions_report,
    documented,
    frontier_report,
    locomo,
    pairs,
    report,
)
from evaluation.asking import Run, ask_set
from evaluation.both_sides import ask_both_sides
from evaluation.contexts import ask_contexts
from evaluation.frontier import frontier
from evaluation.methods import METHODS, RERANKED, Method, ablation, sweep
from evaluation.pacing import Progress
from evaluation.sets import Contradictions, EvaluationSet, Readable, SetUnusable
from evaluation.splits import divided, limited
from service.assembly.bootstrap import open_house
from service.cli import drawing
from service.cli.errand import INT32, ending
from service.cli.exits import Exit, Failure
from service.cli.interrupts import closed_on_signals
from service.config import ConfigurationError, load_settings

Answer = tuple[str, Any]
"""As Markdown, and as JSON has it."""


class View(StrEnum):
    """Which tables are made of a set."""

    METHODS = "methods"
    ABLATION = "ablation"
    SWEEP = "sweep"
    FRONTIER = "frontier"
    CONTEXTS = "contexts"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRequest:
    """What is to be measured, by which settings, and shown."""

    config: Path | None
    given: dict[str, Any]
    seed: int
    prompts: bool
    view: View
    worst: int


def _view(view: View, shown: str) -> Callable[[Any], Any]:
    return click.option(f"--{view}", "view", flag_value=view, type=View, help=shown)


@click.command("eval")
@click.argument("sets", metavar="SET...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--embedder", type=click.Choice(["local", "light", "openai"]), help="Instead of the configured."
)
@click.option("--config", metavar="FILE", type=click.Path(path_type=Path), help="Settings over the packaged.")
@click.option("--alpha", type=click.FloatRange(0, 1), help="Weight of words against meaning.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the confidence intervals.")
@click.option("--no-prompts", is_flag=True, help="Leave out the prompts: quicker.")
@_view(View.ABLATION, "Instead: what each part of the structure gives.")
@_view(View.SWEEP, "Instead: what each alpha gives, with and without structure.")
@_view(View.FRONTIER, "Instead: each embedder, with and without structure, quality beside latency.")
@_view(View.CONTEXTS, "Instead: the evidence in assembled contexts, by the memories they are made of.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(0, INT32),
    default=0,
    help="At most N questions of each world.",
)
@click.option(
    "--worst", metavar="N", type=click.IntRange(0, 1000), default=0, help="List the N worst questions."
)
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON, every question with its ranks.")
def evaluate(
    sets: Sequence[Path],
    embedder: str | None,
    config: Path | None,
    alpha: float | None,
    seed: int,
    no_prompts: bool,
    view: View | None,
    limit: int,
    worst: int,
    as_json: bool,
) -> None:
    """Ask the questions of each SET, and say how much of their evidence was found, by which method.

    A SET is a JSON file in the form of docs/evaluation.md, LoCoMo's, or Letta's contradicting facts (.jsonl).
    A bank in memory is made for each of its worlds; no running service is needed or touched. A set's tables are
    printed when it is done; how far it is stands on standard error.

    Every table says the settings behind it, and whether settings were chosen on the set: development worlds, known
    by their words, and held-out ones are never summed up together.

    \b
    Of a set, without more options:
      recall, MRR and latency of words, meaning, both, and both with structure, over segments;
      verbatim interactions, structured nodes and both of them beside each other;
      all evidence in prompts of 1,000, 2,000 and 4,000 tokens;
      of contradicting facts: the conflicts found, and both their sides in such prompts.

    \b
    Example:
      memorybank eval harbour-en.json harbour-zh.json --worst 10
    """
    with ending(as_json):
        read = [part for path in sets for part in divided(limited(read_set(path), limit))]
        wanted = EvalRequest(
            config=config,
            given=_given(embedder, alpha),
            seed=seed,
            prompts=not no_prompts,
            view=view or View.METHODS,
            worst=worst,
        )
        with closed_on_signals(), _answering(as_json) as answered:
            progress = Progress(drawing.console(stderr=True).print)
            try:
                asyncio.run(_measure(read, wanted, progress, answered))
            except (ConfigurationError, MemoryBankError) as problem:
                raise Failure(str(problem)) from None


@contextmanager
def _answering(as_json: bool) -> Iterator[Callable[[Answer], None]]:
    """Takes answers as they come: Markdown is printed at once, JSON as one document when no more will come."""
    documents: list[Any] = []

    def answered(answer: Answer) -> None:
        shown, plain = answer
        documents.append(plain)
        if not as_json:
            click.echo(f"{shown}\n")

    try:
        yield answered
    finally:
        if as_json:
            click.echo(json.dumps(documents, ensure_ascii=False, indent=2))


def read_set(path: Path) -> Readable:
    """Reads a set, by its name's end and its form. Raises Failure, OSError."""
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:12]
    try:
        text = content.decode("utf-8")
        if path.suffix == ".jsonl":
            return Contradictions(name=path.stem, cases=contradictions.read_letta(text), digest=digest)
        read = locomo.read(text) if text.lstrip().startswith("[") else documented.read(text)
    except (SetUnusable, UnicodeDecodeError) as problem:
        raise Failure(f"{path} is no evaluation set: {problem}", exit_code=Exit.USAGE) from None
    return replace(read, digest=digest)


def _given(embedder: str | None, alpha: float | None) -> dict[str, Any]:
    given: dict[str, Any] = {"store": {"kind": "memory"}}
    if embedder:
        given["embedder"] = {"kind": embedder}
    if alpha is not None:
        given["retrieval"] = {"alpha": alpha}
    return given


@asynccontextmanager
async def _house(wanted: EvalRequest, embedder: str = "") -> AsyncIterator[House]:
    """Yields a house of its own, of an `embedder` other than the configured one if it is named."""
    given = wanted.given | ({"embedder": {"kind": embedder}} if embedder else {})
    with TemporaryDirectory(prefix="memorybank-eval-") as folder:
        async with open_house(load_settings(wanted.config, **given, data_dir=Path(folder))) as house:
            yield house


async def _measure(
    sets: Sequence[Readable], wanted: EvalRequest, progress: Progress, answered: Callable[[Answer], None]
) -> None:
    runs: list[Run] = []
    async with _house(wanted) as house:
        for read in sets:
            if isinstance(read, Contradictions) and wanted.view is not View.METHODS:
                progress.began(f"{read.name}: left out, --{wanted.view} is about questions with evidence")
            elif isinstance(read, Contradictions):
                answered(await _contradicted(house, read, wanted, progress))
            elif wanted.view is View.FRONTIER:
                answered(await _frontier(house, read, wanted, progress))
            elif wanted.view is View.CONTEXTS:
                contexts, conditions = await ask_contexts(house, read, progress), _conditions(house, wanted)
                answered(
                    (
                        contexts_report.markdown(contexts, conditions),
                        contexts_report.plain(contexts, conditions),
                    )
                )
            else:
                methods = _methods(house, wanted.view)
                prompts = wanted.prompts and wanted.view is View.METHODS
                run = await ask_set(house, read, methods, prompts=prompts, progress=progress)
                answered(_reported(house, run, methods, wanted))
                for other in runs:
                    if pairs.is_pair(other, run):
                        seed = wanted.seed
                        answered((pairs.markdown(other, run, seed), pairs.plain(other, run, seed)))
                runs.append(run)


def _reported(house: House, run: Run, methods: Sequence[Method], wanted: EvalRequest) -> Answer:
    conditions = _conditions(house, wanted)
    return report.markdown(run, methods, conditions, wanted.worst), report.plain(run, methods, conditions)


def _methods(house: House, view: View) -> tuple[Method, ...]:
    match view:
        case View.ABLATION:
            return ablation(house.settings.retrieval.structure)
        case View.SWEEP:
            return sweep(house.settings.retrieval.alpha)
        case _:
            return METHODS + ((RERANKED,) if house.reranking else ())


async def _frontier(house: House, read: EvaluationSet, wanted: EvalRequest, progress: Progress) -> Answer:
    found = await frontier(partial(_house, wanted), read, wanted.seed, progress)
    conditions = replace(_conditions(house, wanted), embedding_space="")
    return frontier_report.markdown(found, conditions), frontier_report.plain(found, conditions)


async def _contradicted(
    house: House, read: Contradictions, wanted: EvalRequest, progress: Progress
) -> Answer:
    progress.began(f"{read.name}: {len(read.cases)} contradicting facts")
    results = []
    for number, case in enumerate(read.cases):
        progress.so_far(f"{read.name}: contradicted", number, len(read.cases))
        results.append(await contradictions.run(house, number, case))
    brought = await ask_both_sides(house, read, progress) if wanted.prompts else None
    conditions = _conditions(house, wanted)
    return (
        contradictions_report.markdown(read, results, brought, conditions),
        contradictions_report.plain(read, results, brought, conditions),
    )


def _conditions(house: House, wanted: EvalRequest) -> report.Conditions:
    return report.Conditions(
        version=version("agentic-memory-bank"),
        embedding_space=house.embedder.space.name,
        alpha=house.settings.retrieval.alpha,
        structure=house.settings.retrieval.structure,
        seed=wanted.seed,
    )
