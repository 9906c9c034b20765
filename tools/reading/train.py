"""Trains the Reader: `python -m tools.reading.train [--held-out] [--seed N]`.

Makes the sentences, reads them by the local model, trains the networks, and writes `reading.npz`: a minute on two idle
processors, most of it for the model. `--held-out`: trains without every fifth family of templates, prints how those are
read, and writes nothing. The same seed gives the same weights on one machine.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from service.adapters.local_embedder import LocalEmbedder
from service.adapters.local_embedder.reader import states_of
from service.adapters.local_embedder.reading import (
    ABOUTS,
    CATEGORIES,
    FILE,
    HEADS,
    ReadingNetwork,
    means,
    seen,
)
from tools.reading.texts import LANGUAGES, Example, examples

F32 = NDArray[np.float32]

SEED = 1
MEMBERS = 3
WIDTH = 40
EPOCHS = 24
BATCH = 64
RATE = 1.5e-3
DECAY = 0.02  # of weights, a step, times the rate
DROPPED = 0.25  # share of the inputs, and of the hidden numbers, that one step does without
UNTOLD = 1.5  # weight of what is not told: a false fact is worse than one left a turn
FOLDS = 5  # of the families, one is held out
SPREAD_FLOOR = 1e-3
FACT = 0.5  # worth from which on a sentence is a fact


@dataclass(frozen=True, slots=True)
class HeadTarget:
    """What one head should say: of each example a class, or -1 where it does not matter."""

    head: str
    classes: NDArray[np.int64]


def wanted(of: Sequence[Example]) -> list[HeadTarget]:
    def number(value: bool | None) -> int:
        return -1 if value is None else int(value)

    named = {
        "asserted": [int(one.asserted) for one in of],
        "lasting": [number(one.lasting) for one in of],
        "limit": [number(one.limit) for one in of],
        "correction": [number(one.correction) for one in of],
        "about": [-1 if one.about is None else ABOUTS.index(one.about) for one in of],
        "category": [-1 if one.category is None else CATEGORIES.index(one.category) for one in of],
    }
    return [HeadTarget(head, np.array(named[head])) for head in HEADS]


def trained(rows: F32, of: Sequence[Example], seed: int) -> ReadingNetwork:
    """Returns the networks, over inputs as they come: that these are centred first is put into their weights."""
    centre, spread = rows.mean(axis=0), rows.std(axis=0) + SPREAD_FLOOR
    scaled = ((rows - centre) / spread).astype(np.float32)
    targets, weights = wanted(of), _weights(of)
    members = [
        _member(scaled, targets, weights, np.random.default_rng(seed * 100 + n)) for n in range(MEMBERS)
    ]
    first, first_bias, last, last_bias = (np.stack([one[n] for one in members]) for n in range(4))
    inward = first / spread[None, :, None]
    return ReadingNetwork(
        first=inward, first_bias=first_bias - centre @ inward, last=last, last_bias=last_bias
    )


def _weights(of: Sequence[Example]) -> F32:
    """Weighs examples: languages by the root of how much there is of each, so that small ones are not drowned."""
    count = {language: sum(one.language == language for one in of) for language in LANGUAGES}
    weight = np.array(
        [count[one.language] ** -0.5 * (1.0 if one.asserted else UNTOLD) for one in of], np.float32
    )
    return np.asarray(weight / weight.mean(), np.float32)


def _member(x: F32, targets: Sequence[HeadTarget], weights: F32, chance: np.random.Generator) -> list[F32]:
    """Returns one network's four arrays, trained by Adam with decoupled decay (arXiv:1711.05101)."""
    count, outputs = x.shape[1], sum(HEADS.values())
    arrays: list[F32] = [
        chance.normal(0, (2 / count) ** 0.5, (count, WIDTH)).astype(np.float32),
        np.zeros(WIDTH, np.float32),
        chance.normal(0, WIDTH**-0.5, (WIDTH, outputs)).astype(np.float32),
        np.zeros(outputs, np.float32),
    ]
    means, squares = ([np.zeros_like(array) for array in arrays] for _ in range(2))
    steps, total = 0, EPOCHS * -(-len(x) // BATCH)
    for _ in range(EPOCHS):
        order = chance.permutation(len(x))
        for start in range(0, len(x), BATCH):
            some = order[start : start + BATCH]
            steps += 1
            rate = RATE * (1 - steps / (total + 1))
            slopes = _slopes(
                arrays, x[some], [(t.head, t.classes[some]) for t in targets], weights[some], chance
            )
            for n, slope in enumerate(slopes):
                means[n] = 0.9 * means[n] + 0.1 * slope
                squares[n] = 0.999 * squares[n] + 0.001 * slope * slope
                step = means[n] / (1 - 0.9**steps) / (np.sqrt(squares[n] / (1 - 0.999**steps)) + 1e-8)
                kept = 1 - rate * DECAY * 10 if arrays[n].ndim > 1 else 1.0
                arrays[n] = (arrays[n] * kept - rate * step).astype(np.float32)
    return arrays


def _slopes(
    arrays: Sequence[F32],
    x: F32,
    targets: Sequence[tuple[str, NDArray[np.int64]]],
    weights: F32,
    chance: np.random.Generator,
) -> list[F32]:
    """Returns the slopes of the mean cross entropy of all heads."""
    first, first_bias, last, last_bias = arrays
    x = x * (chance.random(x.shape) > DROPPED) / np.float32(1 - DROPPED)
    inner = x @ first + first_bias
    keeps = (chance.random(inner.shape) > DROPPED) / np.float32(1 - DROPPED)
    hidden = np.maximum(inner, 0) * keeps
    scores = hidden @ last + last_bias
    error = np.zeros_like(scores)
    start = 0
    for head, classes in targets:
        count = HEADS[head]
        part = scores[:, start : start + count]
        counts = (classes >= 0).astype(np.float32) * weights
        if count == 1:
            said = 1 / (1 + np.exp(-np.clip(part[:, 0], -30, 30)))
            error[:, start] = (said - np.maximum(classes, 0)) * counts
        else:
            raised = np.exp(part - part.max(axis=1, keepdims=True))
            share = raised / raised.sum(axis=1, keepdims=True)
            share[np.arange(len(classes)), np.maximum(classes, 0)] -= 1
            error[:, start : start + count] = share * counts[:, None]
        start += count
    error /= len(x)
    back = (error @ last.T) * keeps * (inner > 0)
    return [x.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)]


def held_out(one: Example) -> bool:
    return blake2b(one.family.encode(), digest_size=4).digest()[0] % FOLDS == 0


def report(network: ReadingNetwork, rows: F32, of: Sequence[Example]) -> None:
    """Prints, by language, what became a fact of what is told and lasts, and of what is not or does not."""
    told = network.likelihoods(rows)
    worth = (told["asserted"] * told["lasting"])[:, 0]
    print(f"{'':10} {'kept':>14} {'not told':>14} {'passing':>14} {'about':>14}")
    for language in (*LANGUAGES, "all"):
        chosen = [language in (one.language, "all") for one in of]
        lasts = np.array([bool(one.lasting) for one in of]) & chosen
        untold = np.array([not one.asserted for one in of]) & chosen
        passing = np.array([one.asserted and not one.lasting for one in of]) & chosen
        abouts = np.array([ABOUTS.index(one.about) if one.about else -1 for one in of])
        right = told["about"].argmax(axis=1) == abouts
        parts = [_share(worth[which] >= FACT) for which in (lasts, untold, passing)]
        print(f"{language:10} " + " ".join([*parts, _share(right[lasts & (worth >= FACT)])]))
    for head in ("limit", "correction"):
        is_so = np.array([bool(getattr(one, head)) for one in of])
        says = (told[head][:, 0] >= 0.5) & (worth >= FACT)
        print(f"{head}: precision {_share(is_so[says])}, recall {_share(says[is_so])}")


def _share(which: NDArray[np.bool_]) -> str:
    return f"{which.mean() if len(which) else 0:8.3f} {len(which):5}"


def by_kind(network: ReadingNetwork, rows: F32, of: Sequence[Example]) -> None:
    told = network.likelihoods(rows)
    worth = (told["asserted"] * told["lasting"])[:, 0]
    for kind in dict.fromkeys(one.kind for one in of):
        which = np.array([one.kind == kind for one in of])
        print(f"{kind:12} {_share(worth[which] >= FACT)}")


def read(of: Sequence[Example]) -> F32:
    """Returns what the network sees of each example."""
    embedder = LocalEmbedder.open()
    with ThreadPoolExecutor(cpu_count()) as threads:
        rows = list(threads.map(lambda one: seen(means(states_of(embedder, one.text)), one.text), of))
    embedder.close()
    return np.stack(rows)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--held-out", action="store_true")
    asked.add_argument("--seed", type=int, default=SEED)
    given = asked.parse_args()
    of = examples(given.seed)
    rows = read(of)
    if given.held_out:
        apart = np.array([held_out(one) for one in of])
        network = trained(rows[~apart], [one for one in of if not held_out(one)], given.seed)
        rest = [one for one in of if held_out(one)]
        report(network, rows[apart], rest)
        by_kind(network, rows[apart], rest)
        return
    network = trained(rows, of, given.seed)
    network.save(FILE)
    print(f"{len(of)} sentences; {FILE.name}: {FILE.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
