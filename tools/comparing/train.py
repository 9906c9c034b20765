"""Trains the comparer's network and writes it where the local embedder finds it.

    pip install jax optax        # for this alone
    python -m tools.comparing.train

Reads the texts of `tests/judging` through the encoder (five minutes), trains (ten), writes
`service/adapters/local_embedder/comparing.npz`, and prints what the network is worth on the texts held out. The network
itself is described in `service/adapters/local_embedder/comparing.py`; here it stands once more, in jax, for its
gradients.

What it learns from: all pairs of a group or a memory that contradict each other or say the same; most of a group's
pairs that agree; of a document or a memory, each sentence with those nearest to it; and each sentence with a near one
of another text. The last two teach it that most of what is alike agrees.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from service.adapters.local_embedder.comparer import token_states
from service.adapters.local_embedder.comparing import ABSENT, FILE, LONGEST, SMALL, Network
from service.adapters.local_embedder.embedder import LocalEmbedder
from tests.judging.pairs import LANGUAGES, Label
from tools.comparing.texts import Source, sources

WIDTH = 64
EPOCHS = 6
BATCH = 128
DROPOUT = 0.2
RATE = 2e-3
DECAY = 1e-2
KEPT = 0.998  # of the mean of the weights over the steps, by which they are less of the last pairs
LENGTHS = (12, 16, 24, 32, LONGEST)  # tokens: pairs are taken with others of their length
AGREEING = 0.6  # share of a group's agreeing pairs that it learns from
NEAREST = 6  # sentences of a document that each is laid beside
STRANGERS = range(5, 30)  # by nearness: nearer ones of other texts may well contradict
CLASSES = (Label.RELATED, Label.CONFLICT, Label.SAME)

F32 = NDArray[np.float32]
Parameters = dict[str, jax.Array]
Pairs = NDArray[np.int64]  # (n, 3): two places of sentences, and the class
Rows = NDArray[np.int32]
States = tuple[jax.Array, F32, F32]  # of all tokens, their mean and how far they spread
Sides = tuple[Rows, F32, Rows, F32]  # the rows of either side's states and where its tokens are


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """All sentences: the states of their tokens one after another (tokens, hidden), a row of zeros behind them, in half
    precision, as they are gigabytes; where each begins and how many they are; units that say which are near each other
    (n, hidden); its language and text; the mean of all states and how far they spread (hidden,)."""

    states: NDArray[np.float16]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    units: F32
    chinese: NDArray[np.bool_]
    source: NDArray[np.int64]
    centre: F32
    spread: F32

    def side(self, places: NDArray[np.int64], length: int) -> tuple[Rows, F32]:
        """Returns the rows of sentences' states, and where their tokens are: shape (n, length)."""
        step = np.arange(length)[None]
        there = step < self.lengths[places][:, None]
        rows = np.where(there, self.starts[places][:, None] + step, len(self.states) - 1)
        return rows.astype(np.int32), there.astype(np.float32)

    def sides(self, pairs: Pairs, length: int) -> Sides:
        return (*self.side(pairs[:, 0], length), *self.side(pairs[:, 1], length))


def read(written: Sequence[Source]) -> Read:
    """Reads all sentences through the encoder."""
    embedder = LocalEmbedder.open()
    told = [(n, one, text) for n, one in enumerate(written) for text in one.sentences]
    found = [
        token_states(embedder.encoder, embedder.tokenizer, text).astype(np.float16) for _, _, text in told
    ]
    embedder.close()
    lengths = np.array([len(one) for one in found])
    sums, squares = (sum((one.astype(np.float64) ** n).sum(axis=0) for one in found) for n in (1, 2))
    centre = sums / lengths.sum()
    means = np.array([one.mean(axis=0, dtype=np.float64) if len(one) else centre for one in found]) - centre
    return Read(
        states=np.concatenate([*found, np.zeros((1, len(centre)), np.float16)]),
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        units=(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), SMALL)).astype(np.float32),
        chinese=np.array([one.language == "zh" for _, one, _ in told]),
        source=np.array([n for n, _, _ in told]),
        centre=centre.astype(np.float32),
        spread=np.sqrt(squares / lengths.sum() - centre**2).astype(np.float32),
    )


def own_pairs(
    written: Sequence[Source], known: Read, chance: np.random.Generator
) -> Iterator[tuple[int, int, int]]:
    """Yields the pairs within texts."""
    first = 0
    for one in written:
        places = [(label, first + a, first + b) for label, a, b in one.pairs]
        near = _nearest(places, known.units) if one.long else set(places)
        for label, a, b in places:
            agrees = label is Label.RELATED
            learnt = (label, a, b) in near if one.long else one.held_out or chance.random() < AGREEING
            if not agrees or learnt:
                yield a, b, CLASSES.index(label)
        first += len(one.sentences)


def _nearest(places: Sequence[tuple[Label, int, int]], units: F32) -> set[tuple[Label, int, int]]:
    """Returns those of a text's pairs in which one is among the nearest of the other."""
    by_sentence = defaultdict(list)
    for pair in places:
        for one in pair[1:]:
            by_sentence[one].append((-float(units[pair[1]] @ units[pair[2]]), pair))
    return {pair for found in by_sentence.values() for _, pair in sorted(found)[:NEAREST]}


def strangers(known: Read, chance: np.random.Generator) -> Iterator[tuple[int, int, int]]:
    """Yields each sentence with a near one of another text in its language."""
    for chinese in (False, True):
        places = np.flatnonzero(known.chinese == chinese)
        for some in np.array_split(places, len(places) // 1_000 + 1):
            near = known.units[some] @ known.units[places].T
            near[known.source[some][:, None] == known.source[places][None]] = -1
            nearest = np.argpartition(-near, STRANGERS.stop, axis=1)[:, : STRANGERS.stop]
            for one, row, among in zip(some, near, nearest, strict=True):
                ranked = among[np.argsort(-row[among])]
                yield int(one), int(places[ranked[chance.integers(STRANGERS.start, STRANGERS.stop)]]), 0


def fresh(key: jax.Array, hidden: int) -> Parameters:
    """Returns weights to begin with."""
    shapes = {
        "projection": (hidden, WIDTH),
        "pair_weights": (4 * WIDTH, WIDTH),
        "around_weights": (3 * WIDTH, WIDTH),
        "seen_weights": (WIDTH, WIDTH),
        "both_weights": (4 * WIDTH, WIDTH),
        "class_weights": (WIDTH, len(CLASSES)),
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


def scores(p: Parameters, states: States, sides: Sides, key: jax.Array) -> jax.Array:
    """Returns the classes' scores before the softmax: `Network.likelihoods` of pairs, with dropout."""

    def dropped(x: jax.Array, own: jax.Array) -> jax.Array:
        return x * jax.random.bernoulli(own, 1 - DROPOUT, x.shape) / (1 - DROPOUT)

    def kept(rows: Rows, there: F32, own: jax.Array) -> jax.Array:
        x = (everything[rows].astype(jnp.float32) - centre) / spread
        told = jax.random.bernoulli(own, 1 - DROPOUT, (len(x), 1, x.shape[2])) / (
            1 - DROPOUT
        )  # of all its tokens
        return jnp.tanh(x * told @ p["projection"] * 0.5) * there[..., None]

    def seen(
        x: jax.Array, there_x: F32, y: jax.Array, near: jax.Array, there_y: F32, own: jax.Array
    ) -> jax.Array:
        beside = jax.nn.softmax(near + (there_y[:, None, :] - 1) * ABSENT, axis=-1) @ y
        laid = jnp.concatenate([x, beside, x * beside, jnp.abs(x - beside)], -1)
        looked = dropped(jax.nn.relu(laid @ p["pair_weights"] + p["pair_bias"]), own) * there_x[..., None]
        padded = jnp.pad(looked, ((0, 0), (1, 1), (0, 0)))
        around = jnp.concatenate([padded[:, :-2], looked, padded[:, 2:]], -1)
        looked = looked + jax.nn.relu(around @ p["around_weights"] + p["around_bias"])
        found = jax.nn.relu(looked @ p["seen_weights"] + p["seen_bias"]) * there_x[..., None]
        return jnp.concatenate([found.max(1), found.sum(1) / there_x.sum(1, keepdims=True)], -1)

    everything, centre, spread = states
    a, there_a, b, there_b = sides
    keys = jax.random.split(key, 5)
    x, y = kept(a, there_a, keys[0]), kept(b, there_b, keys[1])
    unit_x, unit_y = (side / jnp.sqrt((side * side).sum(-1, keepdims=True) + SMALL) for side in (x, y))
    near = jnp.einsum("nid,njd->nij", unit_x, unit_y) * p["sharpness"]
    one = seen(x, there_a, y, near, there_b, keys[2])
    other = seen(y, there_b, x, near.transpose(0, 2, 1), there_a, keys[3])
    both = jnp.concatenate([one + other, jnp.abs(one - other)], -1)
    inner = dropped(jax.nn.relu(both @ p["both_weights"] + p["both_bias"]), keys[4])
    return inner @ p["class_weights"] + p["class_bias"]


def trained(known: Read, pairs: Pairs) -> Parameters:
    """Returns weights that fit the pairs: their mean over the last steps."""
    p = fresh(jax.random.PRNGKey(0), known.states.shape[1])
    chance, key = np.random.default_rng(0), jax.random.PRNGKey(1)
    rule = optax.adamw(
        optax.cosine_onecycle_schedule(EPOCHS * (len(pairs) // BATCH), RATE, 0.1), weight_decay=DECAY
    )
    state, mean = rule.init(p), p
    states = (jnp.asarray(known.states), known.centre, known.spread)

    @jax.jit
    def step(p, mean, state, states, sides, labels, key):  # type: ignore[no-untyped-def]
        def loss(p: Parameters) -> jax.Array:
            return optax.softmax_cross_entropy_with_integer_labels(
                scores(p, states, sides, key), labels
            ).mean()

        change, state = rule.update(jax.grad(loss)(p), state, p)
        p = optax.apply_updates(p, change)
        return p, jax.tree.map(lambda old, new: KEPT * old + (1 - KEPT) * new, mean, p), state

    for epoch in range(EPOCHS):
        for length, some in _batches(known, pairs, chance):
            key, own = jax.random.split(key)
            p, mean, state = step(p, mean, state, states, known.sides(some, length), some[:, 2], own)
        print(f"epoch {epoch + 1} of {EPOCHS}", flush=True)
    return mean


def _batches(known: Read, pairs: Pairs, chance: np.random.Generator) -> list[tuple[int, Pairs]]:
    """Returns the pairs in batches of one length, in an order by chance; of each length those left over stay out."""
    longest = known.lengths[pairs[:, :2]].max(axis=1)
    of_length = np.searchsorted(LENGTHS, longest)
    found = []
    for number, length in enumerate(LENGTHS):
        own = chance.permutation(pairs[of_length == number])
        found += [(length, own[n : n + BATCH]) for n in range(0, len(own) - BATCH + 1, BATCH)]
    return [found[n] for n in chance.permutation(len(found))]


def store(p: Parameters, known: Read) -> None:
    """Writes the network."""
    kept = {**p, "centre": known.centre, "spread": known.spread}
    arrays = {name: np.asarray(array, np.float16) for name, array in kept.items()}
    np.savez_compressed(FILE, allow_pickle=False, **arrays)


def report(known: Read, pairs: Pairs, name: str) -> None:
    """Prints what the stored network finds, and what it finds falsely, at several likelihoods."""
    network = Network.load()
    made = []
    for some in np.array_split(pairs, len(pairs) // 512 + 1):
        a, b = (_projected(network, known, some[:, side]) for side in (0, 1))
        made.append(network.likelihoods(a, b))
    likely = np.concatenate(made)
    conflict, same = pairs[:, 2] == 1, pairs[:, 2] == 2
    for line in (0.5, 0.7, 0.8, 0.85, 0.9, 0.95):
        told, alike = likely[:, 1] >= line, likely[:, 2] >= line
        print(
            f"{name:<12} {line:.2f}   contradictions {told[conflict].mean():.3f}   falsely {told[~conflict].mean():.4f}"
            f"   paraphrases {alike[same].mean():.3f}   contradictions taken for such {alike[conflict].mean():.4f}"
        )


def _projected(network: Network, known: Read, places: NDArray[np.int64]) -> F32:
    rows, there = known.side(places, LONGEST)
    projected: F32 = network.projected(known.states[rows].astype(np.float32)) * there[..., None]
    return projected


def main() -> None:
    jax.config.update("jax_default_prng_impl", "rbg")  # the default one takes as long as the network
    chance = np.random.default_rng(0)
    written = sources()
    known = read(written)
    pairs = np.array([*own_pairs(written, known, chance), *strangers(known, chance)])
    fit = (known.lengths[pairs[:, :2]] > 0) & (known.lengths[pairs[:, :2]] <= LONGEST)
    pairs = pairs[fit.all(axis=1)]
    apart = np.array([written[n].held_out for n in known.source])[pairs[:, :2]].any(axis=1)
    print(
        f"{len(known.lengths)} sentences, {np.bincount(pairs[~apart, 2])} pairs: agree, contradict, say the same"
    )
    store(trained(known, pairs[~apart]), known)
    for n, language in enumerate(LANGUAGES):
        report(known, pairs[apart & (known.chinese[pairs[:, 0]] == bool(n))], language)


if __name__ == "__main__":
    main()
