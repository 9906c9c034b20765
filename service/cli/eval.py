"""`memorybank eval`: how much of what was said is found again."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from core.errors import MemoryBankError
from core.text.chinese import load_dictionary
from core.usecases.house import House
from service.bootstrap import open_house
from service.cli import drawing
from service.cli.errand import ending
from service.cli.exits import Exit, Failure
from service.config import ConfigurationError, load_settings
from service.evaluation import contradictions, documented, locomo, report
from service.evaluation.asking import METHODS, Progress, ask_set
from service.evaluation.asking import ablation as ablation_of
from service.evaluation.contradictions import Case
from service.evaluation.sets import EvaluationSet, SetUnusable

Readable = EvaluationSet | tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be measured, and shown."""

    seed: int
    prompts: bool
    ablation: bool
    worst: int


@click.command("eval", short_help="Measure how much of the evidence is found.")
@click.argument("sets", metavar="SET...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--embedder", type=click.Choice(["local", "light", "openai"]), help="Instead of the configured."
)
@click.option("--config", metavar="FILE", type=click.Path(path_type=Path), help="Settings over the packaged.")
@click.option("--alpha", type=click.FloatRange(0, 1), help="Weight of words against meaning.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the confidence intervals.")
@click.option("--no-prompts", is_flag=True, help="Leave out the prompts: a good deal quicker.")
@click.option("--ablation", is_flag=True, help="Show what each part of the structure gives.")
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
    ablation: bool,
    worst: int,
    as_json: bool,
) -> None:
    """Ask the questions of each SET, and say how much of their evidence was found, by which method.

    A SET is a JSON file in the form of docs/evaluation.md, LoCoMo's, or Letta's contradicting facts (.jsonl).
    A bank in memory is made for each of its worlds; no running service is needed or touched.

    \b
    Example:
      memorybank eval harbour-en.json harbour-zh.json --worst 10
    """
    with ending(as_json):
        read = [(path, read_set(path)) for path in sets]
        given = _given(embedder, alpha)
        aside = drawing.console(stderr=True)
        try:
            wanted = Wanted(seed=seed, prompts=not no_prompts, ablation=ablation, worst=worst)
            answers = asyncio.run(_measure(read, config, given, wanted, aside.print))
        except (ConfigurationError, MemoryBankError) as problem:
            raise Failure(str(problem)) from None
    if as_json:
        click.echo(json.dumps([answer for _, answer in answers], ensure_ascii=False, indent=2))
    else:
        click.echo("\n\n".join(shown for shown, _ in answers))


def read_set(path: Path) -> Readable:
    """A set, by its name's end and its form. Raises Failure, OSError."""
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:12]
    try:
        text = content.decode("utf-8")
        if path.suffix == ".jsonl":
            return contradictions.read_letta(text)
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


async def _measure(
    sets: Sequence[tuple[Path, Readable]],
    config: Path | None,
    given: dict[str, Any],
    wanted: Wanted,
    progress: Progress,
) -> list[tuple[str, Any]]:
    await asyncio.to_thread(load_dictionary)
    with TemporaryDirectory(prefix="memorybank-eval-") as folder:
        async with open_house(load_settings(config, **given, data_dir=Path(folder))) as house:
            return [await _one(house, path, read, wanted, progress) for path, read in sets]


async def _one(
    house: House, path: Path, read: Readable, wanted: Wanted, progress: Progress
) -> tuple[str, Any]:
    if isinstance(read, tuple):
        progress(f"{path.name}: {len(read)} cases")
        results = [await contradictions.run(house, number, case) for number, case in enumerate(read)]
        return (
            report.contradictions_markdown(path.stem, results),
            report.plain_contradictions(path.stem, results),
        )
    methods = ablation_of(house.retrieval.structure) if wanted.ablation else METHODS
    run = await ask_set(house, read, methods, prompts=wanted.prompts, progress=progress)
    conditions = report.Conditions(
        version=version("agentic-memory-bank"),
        embedding_space=house.embedder.space.name,
        alpha=house.retrieval.alpha,
        structure=house.retrieval.structure,
        seed=wanted.seed,
    )
    return report.markdown(run, methods, conditions, wanted.worst), report.plain(run, methods, conditions)
