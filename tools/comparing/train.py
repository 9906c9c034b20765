"""Trains the comparer's networks and writes them where the local embedder finds them.

    pip install jax optax        # for this alone
    python -m tools.comparing.train

Reads the texts of `tests/judging`, and compounds of their sentences, through the encoder (a quarter of an hour), trains
three networks (an hour each) and, by these and the texts, the two that are kept (three hours), writes them
beside `service/adapters/local_embedder/comparing.py`, and prints what they are worth on the texts held out. The
network itself is described there; here it stands once more, in jax, for its gradients.

What it learns from, a few texts at a time that are near each other: all pairs of a group or a memory that contradict
each other or say the same; most of a group's pairs that agree; of a document or a memory, each sentence with those
nearest to it; and sentences with near ones of another text. The last two teach it that most of what is alike agrees.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from service.adapters.local_embedder.comparer import token_states
from service.adapters.local_embedder.comparing import ABSENT, FILES, LONGEST, SMALL, Networks
from service.adapters.local_embedder.embedder import LocalEmbedder
from service.adapters.local_embedder.weight_file import write_sealed
from tests.judging.pairs import LANGUAGES, Label
from tools.comparing.compounds import compounds
from tools.comparing.texts import Source, sources

WIDTHS = (128, 192)  # of the networks that are kept
TEACHERS = 3  # networks that those learn from, beside the texts; as wide as the first
EPOCHS = 10
SENTENCES = 64  # of a batch
PAIRS = 192  # of a batch, at most
DROPOUT = 0.1
RATE = 2e-3
DECAY = 1e-2
KEPT = 0.998  # of the mean of the weights over the steps, by which they are less of the last pairs
LENGTHS = (12, 16, 24, LONGEST)  # tokens: texts are taken with others whose longest sentence has so many
AGREEING = 0.6  # share of a text's agreeing pairs that it learns from at a time
NEAREST = 6  # sentences of a document that each is laid beside
NEAR_TEXTS = 60  # those that a text may share a batch with, by nearness
STRANGERS = 4  # nearest sentences of other texts in the batch, one of which a sentence is laid beside
CLASSES = (Label.RELATED, Label.CONFLICT, Label.SAME)

F32 = NDArray[np.float32]
Parameters = dict[str, jax.Array]
Places = NDArray[np.int64]
Pairs = NDArray[np.int64]  # (n, 3): two places of sentences, and the class
Told = NDArray[np.float32]  # (n, classes): how much each class is held to be so of a pair
Rows = NDArray[np.int32]
States = tuple[jax.Array, F32, F32]  # of all tokens, their mean and how far they spread
Batch = tuple[Rows, F32, Pairs, Told, F32]
"""Rows of sentences' states, where tokens are, pairs, what is told of them, and which pairs count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceStates:
    """All sentences: the states of their tokens one after another (tokens, hidden), a row of zeros behind them, in half
    precision, as they are gigabytes; where each begins and how many they are; units that say which are near each other
    (n, hidden); the mean of all states and how far they spread (hidden,)."""

    states: NDArray[np.float16]
    starts: Places
    lengths: Places
    units: F32
    centre: F32
    spread: F32

    def side(self, places: Places, length: int) -> tuple[Rows, F32]:
        """Returns the rows of sentences' states, and where their tokens are: shape (n, length)."""
        step = np.arange(length)[None]
        there = step < self.lengths[places][:, None]
        rows = np.where(there, self.starts[places][:, None] + step, len(self.states) - 1)
        return rows.astype(np.int32), there.astype(np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A text as it is learnt: its sentences' places, its pairs and what is told of them, the unit of its mean, its
    longest sentence."""

    source: Source
    places: Places
    pairs: Pairs
    told: Told
    unit: F32
    longest: int


def read(written: Sequence[Source]) -> SentenceStates:
    """Reads all sentences through the encoder."""
    embedder = LocalEmbedder.open()
    found = [
        token_states(embedder.encoder, embedder.tokenizer, text).astype(np.float16)
        for one in written
        for text in one.sentences
    ]
    embedder.close()
    lengths = np.array([len(one) for one in found])
    sums, squares = (sum((one.astype(np.float64) ** n).sum(axis=0) for one in found) for n in (1, 2))
    centre = sums / lengths.sum()
    means = np.array([one.mean(axis=0, dtype=np.float64) if len(one) else centre for one in found]) - centre
    return SentenceStates(
        states=np.concatenate([*found, np.zeros((1, len(centre)), np.float16)]),
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        units=_units(means),
        centre=centre.astype(np.float32),
        spread=np.sqrt(squares / lengths.sum() - centre**2).astype(np.float32),
    )


def lessons(written: Sequence[Source], known: SentenceStates) -> Iterator[Lesson]:
    """Yields the texts, without sentences that are too long to compare."""
    first = 0
    for one in written:
        places = np.arange(first, first + len(one.sentences))
        first += len(one.sentences)
        fit = (known.lengths[places] > 0) & (known.lengths[places] <= LONGEST)
        pairs = np.array([(places[a], places[b], CLASSES.index(label)) for label, a, b in one.pairs])
        pairs = pairs[fit[pairs[:, :2] - places[0]].all(axis=1)]
        if len(pairs):
            pairs = _nearest(pairs, known.units) if one.long else pairs
            yield Lesson(
                source=one,
                places=places[fit],
                pairs=pairs,
                told=_labels(pairs),
                unit=_units(known.units[places].mean(axis=0)),
                longest=int(known.lengths[places[fit]].max()),
            )


def _labels(pairs: Pairs) -> Told:
    """Returns the classes of pairs as their authors have them."""
    return np.eye(len(CLASSES), dtype=np.float32)[pairs[:, 2]]


def _nearest(pairs: Pairs, units: F32) -> Pairs:
    """Returns those of a text's pairs that do not agree, or in which one is among the nearest of the other."""
    near = (units[pairs[:, 0]] * units[pairs[:, 1]]).sum(axis=1)
    kept = pairs[:, 2] != 0
    for place in np.unique(pairs[:, :2]):
        own = np.flatnonzero((pairs[:, :2] == place).any(axis=1) & (pairs[:, 2] == 0))
        kept[own[np.argsort(-near[own])[:NEAREST]]] = True
    nearest: Pairs = pairs[kept]
    return nearest


def _units(rows: NDArray[np.floating]) -> F32:
    units: F32 = (rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), SMALL)).astype(np.float32)
    return units


def batches(learnt: Sequence[Lesson], known: SentenceStates, chance: np.random.Generator) -> list[Batch]:
    """Returns all texts in batches of near ones of about one length, in an order by chance."""
    of_length = np.searchsorted(LENGTHS, [one.longest for one in learnt])
    found = []
    for number, length in enumerate(LENGTHS):
        for together in _together(
            [one for one, own in zip(learnt, of_length, strict=True) if own == number], chance
        ):
            found.append(_batch(together, known, length, chance))
    return [found[n] for n in chance.permutation(len(found))]


def _together(learnt: Sequence[Lesson], chance: np.random.Generator) -> Iterator[list[Lesson]]:
    """Yields texts that fill a batch: one by chance, those near it, and more by chance."""
    units = np.array([one.unit for one in learnt])
    left = dict.fromkeys(chance.permutation(len(learnt)).tolist())
    while left:
        first = next(iter(left))
        near = np.argsort(-(units @ units[first]))[1:NEAR_TEXTS]
        taken, size = [], 0
        for n in (first, *chance.permutation(near).tolist(), *list(left)[:NEAR_TEXTS]):
            if n in left and size + len(learnt[n].places) <= SENTENCES:
                del left[n]
                taken.append(learnt[n])
                size += len(learnt[n].places)
        yield taken


def _batch(
    together: Sequence[Lesson], known: SentenceStates, length: int, chance: np.random.Generator
) -> Batch:
    places = np.concatenate([one.places for one in together])
    text = np.repeat(np.arange(len(together)), [len(one.places) for one in together])
    own = np.concatenate([one.pairs for one in together])
    taken = (own[:, 2] != 0) | (chance.random(len(own)) < AGREEING)
    strange = _strangers(known.units[places], text, chance)
    pairs = np.concatenate([_within(places, own[taken]), strange])
    told = np.concatenate([np.concatenate([one.told for one in together])[taken], _labels(strange)])
    some = chance.permutation(len(pairs))[:PAIRS]
    counts = (np.arange(PAIRS) < len(some)).astype(np.float32)
    rows, there = _padded(known, places, length)
    return rows, there, _filled(pairs[some]), _filled(told[some]), counts


def _within(places: Places, pairs: Pairs) -> Pairs:
    """Returns the pairs by where their sentences stand among these places."""
    order = np.argsort(places)
    return np.column_stack([order[np.searchsorted(places[order], pairs[:, :2])], pairs[:, 2]])


def _padded(known: SentenceStates, places: Places, length: int) -> tuple[Rows, F32]:
    """Returns the rows of a batch's sentences, and where their tokens are: shape (SENTENCES, length)."""
    rows, there = known.side(places, length)
    missing = ((0, SENTENCES - len(places)), (0, 0))
    return np.pad(rows, missing, constant_values=len(known.states) - 1), np.pad(there, missing)


def _filled(rows: NDArray[Any]) -> NDArray[Any]:
    """Returns PAIRS rows, zeros behind those that are given."""
    return np.pad(rows, ((0, PAIRS - len(rows)), (0, 0)))


def _strangers(units: F32, text: Places, chance: np.random.Generator) -> Pairs:
    """Returns half of a batch's sentences, each with a near one of another text."""
    near = units @ units.T
    near[text[:, None] == text[None]] = -np.inf
    some = np.flatnonzero((chance.random(len(text)) < 0.5) & (near.max(axis=1) > -np.inf))
    nearest = np.argsort(-near[some], axis=1)[:, :STRANGERS]
    chosen = nearest[np.arange(len(some)), chance.integers(0, nearest.shape[1], len(some))]
    return np.column_stack([some, chosen, np.zeros_like(some)])[near[some, chosen] > -np.inf]


def fresh(key: jax.Array, hidden: int, width: int) -> Parameters:
    """Returns weights to begin with."""
    shapes = {
        "projection": (hidden, width),
        "pair_weights": (4 * width, width),
        "around_weights": (3 * width, width),
        "seen_weights": (width, width),
        "both_weights": (4 * width, width),
        "class_weights": (width, len(CLASSES)),
    }
    keys = jax.random.split(key, len(shapes))
    weights = {
        name: jax.random.normal(own, shape) / np.sqrt(shape[0])
        for own, (name, shape) in zip(keys, shapes.items(), strict=True)
    }
    biases = {
        name.replace("weights", "bias"): jnp.zeros(w.shape[1]) for name, w in weights.items() if "_" in name
    }
    return {**weights, **biases, "sharpness": jnp.array(5.0)}


def scores(
    p: Parameters, states: States, rows: Rows, there: F32, pairs: Pairs, key: jax.Array | None = None
) -> jax.Array:
    """Returns the classes' scores before the softmax: `Network.likelihoods` of pairs; with a key, with dropout."""

    def dropped(x: jax.Array, own: jax.Array | None) -> jax.Array:
        if own is None:
            return x
        return x * jax.random.bernoulli(own, 1 - DROPOUT, x.shape) / (1 - DROPOUT)

    def seen(
        x: jax.Array,
        there_x: jax.Array,
        y: jax.Array,
        near: jax.Array,
        there_y: jax.Array,
        own: jax.Array | None,
    ) -> jax.Array:
        beside = jax.nn.softmax(near + (there_y[:, None, :] - 1) * ABSENT, axis=-1) @ y
        laid = jnp.concatenate([x, beside, x * beside, jnp.abs(x - beside)], -1)
        looked = dropped(jax.nn.relu(laid @ p["pair_weights"] + p["pair_bias"]), own) * there_x[..., None]
        padded = jnp.pad(looked, ((0, 0), (1, 1), (0, 0)))
        around = jnp.concatenate([padded[:, :-2], looked, padded[:, 2:]], -1)
        looked = looked + jax.nn.relu(around @ p["around_weights"] + p["around_bias"])
        found = jax.nn.relu(looked @ p["seen_weights"] + p["seen_bias"]) * there_x[..., None]
        tokens = jnp.maximum(there_x.sum(1, keepdims=True), 1)  # a pair that does not count may have none
        return jnp.concatenate([found.max(1), found.sum(1) / tokens], -1)

    everything, centre, spread = states
    keys = [None] * 4 if key is None else jax.random.split(key, 4)
    x = (everything[rows].astype(jnp.float32) - centre) / spread
    told = dropped(jnp.ones((len(x), 1, x.shape[2])), keys[0])  # of all tokens of a sentence
    kept = jnp.tanh(x * told @ p["projection"] * 0.5) * there[..., None]
    units = kept / jnp.sqrt((kept * kept).sum(-1, keepdims=True) + SMALL)
    left, right = pairs[:, 0], pairs[:, 1]
    near = jnp.einsum("nid,njd->nij", units[left], units[right]) * p["sharpness"]
    one = seen(kept[left], there[left], kept[right], near, there[right], keys[1])
    other = seen(kept[right], there[right], kept[left], near.transpose(0, 2, 1), there[left], keys[2])
    both = jnp.concatenate([one + other, jnp.abs(one - other)], -1)
    inner = dropped(jax.nn.relu(both @ p["both_weights"] + p["both_bias"]), keys[3])
    return inner @ p["class_weights"] + p["class_bias"]


def trained(known: SentenceStates, learnt: Sequence[Lesson], seed: int, width: int) -> Parameters:
    """Returns weights that fit the texts: their mean over the last steps."""
    begun, key = jax.random.split(jax.random.PRNGKey(seed))
    p = fresh(begun, known.states.shape[1], width)
    chance = np.random.default_rng(seed)
    in_order = batches(learnt, known, chance)
    rule = optax.adamw(optax.cosine_onecycle_schedule(EPOCHS * len(in_order), RATE, 0.1), weight_decay=DECAY)
    state, mean = rule.init(p), p
    states = (jnp.asarray(known.states), known.centre, known.spread)

    @jax.jit
    def step(p, mean, state, states, batch, key):  # type: ignore[no-untyped-def]
        rows, there, pairs, told, counts = batch

        def loss(p: Parameters) -> jax.Array:
            each = optax.softmax_cross_entropy(scores(p, states, rows, there, pairs, key), told)
            return (each * counts).sum() / counts.sum()

        change, state = rule.update(jax.grad(loss)(p), state, p)
        p = optax.apply_updates(p, change)
        return p, jax.tree.map(lambda old, new: KEPT * old + (1 - KEPT) * new, mean, p), state

    for epoch in range(EPOCHS):
        for batch in in_order:
            key, own = jax.random.split(key)
            p, mean, state = step(p, mean, state, states, batch, own)
        print(f"network {seed}: epoch {epoch + 1} of {EPOCHS}", flush=True)
        in_order = batches(learnt, known, chance)
    return mean


def taught(
    known: SentenceStates, learnt: Sequence[Lesson], networks: Sequence[Parameters]
) -> Iterator[Lesson]:
    """Yields the texts with what their authors and these networks tell of them, each for a half.

    Source: distillation of an ensemble (Hinton et al., 2015, arXiv:1503.02531).
    """
    states = (jnp.asarray(known.states), known.centre, known.spread)

    @jax.jit
    def likely(states, rows, there, pairs):  # type: ignore[no-untyped-def]
        found = [jax.nn.softmax(scores(p, states, rows, there, pairs)) for p in networks]
        return jnp.mean(jnp.stack(found), axis=0)

    for one in learnt:
        rows, there = _padded(known, one.places, LENGTHS[np.searchsorted(LENGTHS, one.longest)])
        pairs = _within(one.places, one.pairs)
        parts = [_filled(pairs[start : start + PAIRS]) for start in range(0, len(pairs), PAIRS)]
        told = np.concatenate([likely(states, rows, there, part) for part in parts])[: len(pairs)]
        yield replace(one, told=(one.told + told) / 2)


def store(p: Parameters, known: SentenceStates, file: Path) -> None:
    """Writes a network."""
    kept = {**p, "centre": known.centre, "spread": known.spread}
    write_sealed(file, {name: np.asarray(array, np.float16) for name, array in kept.items()})


def report(known: SentenceStates, apart: Sequence[Lesson], name: str) -> None:
    """Prints what the stored networks find, and what they find falsely, at several likelihoods."""
    networks, pairs = Networks.load(), np.concatenate([one.pairs for one in apart])
    made = []
    for some in np.array_split(pairs, len(pairs) // 512 + 1):
        a, b = (_projected(networks, known, some[:, side]) for side in (0, 1))
        made.append(networks.likelihoods(a, b))
    likely = np.concatenate(made)
    conflict, same = pairs[:, 2] == 1, pairs[:, 2] == 2
    for line in (0.5, 0.7, 0.8, 0.85, 0.9, 0.95):
        told, alike = likely[:, 1] >= line, likely[:, 2] >= line
        print(
            f"{name:<12} {line:.2f}   contradictions {told[conflict].mean():.3f}   falsely {told[~conflict].mean():.4f}"
            f"   paraphrases {alike[same].mean():.3f}   contradictions taken for such {alike[conflict].mean():.4f}"
        )


def _projected(networks: Networks, known: SentenceStates, places: Places) -> F32:
    rows, there = known.side(places, LONGEST)
    projected: F32 = networks.projected(known.states[rows].astype(np.float32)) * there[..., None]
    return projected


def main() -> None:
    jax.config.update("jax_default_prng_impl", "rbg")  # the default one takes as long as the network
    written = sources()
    chance = np.random.default_rng(0)
    written += [made for one in written if (made := compounds(one, chance)) is not None]
    known = read(written)
    learnt = list(lessons(written, known))
    apart = [one for one in learnt if one.source.held_out]
    learnt = [one for one in learnt if not one.source.held_out]
    told = np.bincount(np.concatenate([one.pairs[:, 2] for one in learnt]))
    print(f"{len(known.lengths)} sentences, {told} pairs: agree, contradict, say the same")
    learnt = list(
        taught(known, learnt, [trained(known, learnt, seed, WIDTHS[0]) for seed in range(TEACHERS)])
    )
    for seed, width, file in zip(count(TEACHERS), WIDTHS, FILES, strict=False):
        store(trained(known, learnt, seed, width), known, file)
    for language in LANGUAGES:
        report(known, [one for one in apart if one.source.language == language], language)


if __name__ == "__main__":
    main()
