"""Fits the comparer's last two layers anew, on what its networks see of pairs: minutes on one core.

    python -m tools.comparing.refit

Begins with the weights that ship. Learns from a part of the texts that `train` learns from, from compounds of them and
from pairs that cost nothing (`free_texts`), all in one notation, as the Judge asks; writes the networks where they
were, and prints what they are worth on texts held out, before and after.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.text.quantities import written_alike
from service.adapters.local_embedder.comparer import token_states
from service.adapters.local_embedder.comparing import FILES, LONGEST, STORED, Network, Networks
from service.adapters.local_embedder.embedder import LocalEmbedder
from service.adapters.local_embedder.weight_file import unpacked, write_sealed
from tests.judging.pairs import Label
from tools.comparing.compounds import compounds
from tools.comparing.free_texts import (
    Told,
    articles,
    changes,
    facts,
    other_amounts,
    other_names,
    revisions,
    templates,
)
from tools.comparing.texts import Source, sources

CLASSES = (Label.RELATED, Label.CONFLICT, Label.SAME)
SHORT, LONG = 16_000, 16_000  # pairs of groups, and of memories, talks and documents
DERIVED = 3_000  # pairs with another amount or name, of each
WEIGHTS = {"facts": 3.0, "articles": 3.0, "changes": 6.0, "revisions": 6.0}
AGREES = 2.0  # how much more what agrees counts in all other texts: a false contradiction is worse than none
EPOCHS = 20
BATCH = 256
RATE = 1e-3
TOWARDS = 1e-4  # pull towards the weights that ship
SEED = 7
HELD_OUT = 0.125

F32 = NDArray[np.float32]
LAYERS = ("both_weights", "both_bias", "class_weights", "class_bias")


class Example(NamedTuple):
    kind: str
    held_out: bool
    told: Told


def examples(chance: np.random.Generator) -> list[Example]:
    """Returns what is learned from, and what is held out."""
    written = sources()
    made = [one for text in written if (one := compounds(text, chance)) is not None]
    found: list[Example] = []
    for held_out in (False, True):
        parts = {
            "groups": [one for one in written if not one.long and one.held_out is held_out],
            "long": [one for one in written if one.long and one.held_out is held_out],
            "compounds": [one for one in made if one.held_out is held_out],
        }
        for kind, texts in parts.items():
            most = {"groups": SHORT, "long": LONG, "compounds": LONG // 4}[kind] // (4 if held_out else 1)
            told = _some(texts, most, chance)
            found += [Example(kind, held_out, one) for one in told]
            if kind == "groups":
                for name, derived in (
                    ("amounts", other_amounts(told, chance)),
                    ("names", other_names(told, chance)),
                ):
                    found += [Example(name, held_out, one) for one in list(derived)[:DERIVED]]
    free = [
        *(("facts", block) for block in facts()),
        *(("articles", block) for block in articles()),
        *(("changes", block) for block in changes()),
        *(("revisions", block) for block in revisions()),
        *(("templates", [one]) for one in templates(chance)),
    ]
    for kind, block in free:  # a block is learned from, or held out, as a whole
        held_out = chance.random() < HELD_OUT
        found += [Example(kind, held_out, one) for one in block]
    return found


def _some(texts: Sequence[Source], most: int, chance: np.random.Generator) -> list[Told]:
    """Returns pairs of the texts, half of them such that agree."""
    told = [(label, one.sentences[a], one.sentences[b]) for one in texts for label, a, b in one.pairs]
    agree = [one for one in told if one[0] not in (Label.CONFLICT, Label.SAME)]
    others = [one for one in told if one[0] in (Label.CONFLICT, Label.SAME)]
    return [group[n] for group in (agree, others) for n in chance.permutation(len(group))[: most // 2]]


class Reader:
    """Reads sentences once, and gives what the networks see of pairs."""

    def __init__(self, networks: Sequence[Network]) -> None:
        self._embedder = LocalEmbedder.open()
        self._all = Networks(networks)
        self._networks = networks
        self._rows: dict[str, NDArray[np.float16]] = {}

    def seen(self, pairs: Sequence[tuple[str, str]]) -> list[F32]:
        """Returns for each network what it sees of the pairs: shape (n, 4 width)."""
        parts: list[list[F32]] = [[] for _ in self._networks]
        for start in range(0, len(pairs), 32):
            some = pairs[start : start + 32]
            ours, theirs = (self._padded([self._row(pair[side]) for pair in some]) for side in (0, 1))
            first = 0
            for found, network in zip(parts, self._networks, strict=True):
                own = slice(first, first + network.width)
                first += network.width
                found.append(network.seen(ours[..., own], theirs[..., own]))
        return [np.concatenate(part) for part in parts]

    def fits(self, text: str) -> bool:
        return len(self._row(text)) > 0

    def _row(self, text: str) -> NDArray[np.float16]:
        if text not in self._rows:
            states = token_states(self._embedder.encoder, self._embedder.tokenizer, text)
            self._rows[text] = self._all.projected(states).astype(np.float16)
        return self._rows[text]

    def _padded(self, rows: Sequence[NDArray[np.float16]]) -> F32:
        found = np.zeros((len(rows), LONGEST, self._all.width), np.float32)
        for place, row in zip(found, rows, strict=True):
            place[: len(row)] = row
        return found


def fit(
    network: Network, seen: F32, labels: NDArray[np.int64], weights: F32, chance: np.random.Generator
) -> Network:
    """Returns the network with its last layers fitted (Adam, at a rate that falls to 0)."""
    shipped = [getattr(network, name) for name in LAYERS]
    layers = [layer.copy() for layer in shipped]
    means = [[np.zeros_like(layer) for layer in layers] for _ in range(2)]
    steps = EPOCHS * (len(seen) // BATCH)
    for step, some in enumerate(_batches(len(seen), chance), start=1):
        gradients = _gradients(layers, seen[some], labels[some], weights[some])
        for n, (layer, first, gradient) in enumerate(zip(layers, shipped, gradients, strict=True)):
            gradient = gradient + TOWARDS * (layer - first)
            means[0][n] = 0.9 * means[0][n] + 0.1 * gradient
            means[1][n] = 0.999 * means[1][n] + 0.001 * gradient**2
            size = np.sqrt(means[1][n] / (1 - 0.999**step)) + 1e-8
            layer -= RATE * (1 - step / (steps + 1)) * means[0][n] / (1 - 0.9**step) / size
    return replace(network, **dict(zip(LAYERS, layers, strict=True)))


def _batches(count: int, chance: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    for _ in range(EPOCHS):
        order = chance.permutation(count)
        yield from (order[n : n + BATCH] for n in range(0, count - BATCH + 1, BATCH))


def _gradients(layers: Sequence[F32], seen: F32, labels: NDArray[np.int64], weights: F32) -> list[F32]:
    both_weights, both_bias, class_weights, class_bias = layers
    inner = np.maximum(seen @ both_weights + both_bias, 0)
    scores = inner @ class_weights + class_bias
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[np.arange(len(labels)), labels] -= 1
    shares *= weights[:, None] / len(labels)
    back = (shares @ class_weights.T) * (inner > 0)
    return [seen.T @ back, back.sum(axis=0), inner.T @ shares, shares.sum(axis=0)]


def _weight(one: Example) -> float:
    agrees = one.told[0] not in (Label.CONFLICT, Label.SAME) and one.kind in ("groups", "long", "compounds")
    return AGREES if agrees else WEIGHTS.get(one.kind, 1.0)


def report(name: str, kinds: NDArray[np.str_], labels: NDArray[np.int64], found: F32) -> None:
    """Prints what is found at two lines, and falsely."""
    print(name)
    for kind in np.unique(kinds):
        own = kinds == kind
        conflict, agree, same = (own & (labels == 1)), (own & (labels != 1)), own & (labels == 2)
        lines = "  ".join(
            f"{least}: {(found[conflict, 1] >= least).mean():.3f} / {(found[agree, 1] >= least).mean():.4f}"
            for least in (0.6, 0.8, 0.9)
            if conflict.any() or agree.any()
        )
        merged = (found[:, 2] >= 0.75) & (found[:, 1] < 0.1)
        print(
            f"  {kind:<10} {conflict.sum():>5} contradict, {agree.sum():>5} agree   found / false at {lines}"
            f"   same {merged[same].mean():.3f}, merged falsely {merged[own & (labels != 2)].mean():.4f}"
        )


def main() -> None:
    chance = np.random.default_rng(SEED)
    networks = [Network.load(path) for path in FILES]
    reader = Reader(networks)
    chosen = examples(chance)
    pairs = []
    for one in chosen:
        alike = written_alike(one.told[1], one.told[2])
        pairs.append((alike.a, alike.b))
    fit_in = [n for n, pair in enumerate(pairs) if pair[0] != pair[1] and all(map(reader.fits, pair))]
    chosen, pairs = [chosen[n] for n in fit_in], [pairs[n] for n in fit_in]
    print(f"{len(pairs)} pairs read", flush=True)
    labels = np.array([CLASSES.index(one.told[0]) if one.told[0] in CLASSES else 0 for one in chosen])
    kinds = np.array([one.kind for one in chosen])
    held_out = np.array([one.held_out for one in chosen])
    weights = np.array([_weight(one) for one in chosen], np.float32)
    seen = reader.seen(pairs)
    fitted = [
        fit(network, rows[~held_out], labels[~held_out], weights[~held_out], chance)
        for network, rows in zip(networks, seen, strict=True)
    ]
    for name, asked in (("before", networks), ("after", fitted)):
        found = np.mean(
            [network.classes(rows[held_out]) for network, rows in zip(asked, seen, strict=True)], axis=0
        )
        report(name, kinds[held_out], labels[held_out], found)
    for path, network in zip(FILES, fitted, strict=True):
        kept = unpacked(path, "Comparer")
        kept |= {name: getattr(network, name).astype(kept[name].dtype) for name in LAYERS}
        write_sealed(path, {name: kept[name] for name in STORED})


if __name__ == "__main__":
    main()
