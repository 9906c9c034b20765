"""The small network that reads a sentence: is it told as true, does it last, whom is it about (`core.ports.reader`).

It sees what the layer that the comparer reads makes of the sentence's own tokens, the mean of all and that of the
first half, and some traits of its form that are the same in all languages. Several networks were trained apart, and
err apart: the mean of what they say counts. Made by `tools/reading`.

Law: pure numpy; what comes of a sentence depends on it alone. A file that is damaged, or made for another model, is
refused when it is opened.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.ports.reader import About, Reading
from service.adapters.local_embedder.weight_file import unsealed, write_sealed
from service.adapters.local_embedder.weights import F32

MODEL = "e5-small-reading-3"
"""The name of the network's weights; others get another one."""

FILE = Path(__file__).parent / "reading.npz"
LONGEST = 64  # tokens of a sentence that are read
ABOUTS = tuple(About)
CATEGORIES = ("work", "life", "preference", "emotion")
HEADS: Mapping[str, int] = {
    "asserted": 1,
    "lasting": 1,
    "limit": 1,
    "correction": 1,
    "about": len(ABOUTS),
    "category": len(CATEGORIES),
}
"""What the last layer's numbers are, in order: how many of each."""

LONG = 200  # code points from which on a sentence is as long as can be
SHORT = 12  # code points of a short one
QUOTES = '"“”„«»「」『』'
_TRAITS = (
    re.compile(r"[?？؟]"),
    re.compile(r"[?？؟][\"'”’»」』)）]*$"),
    re.compile(rf"[{QUOTES}]"),
    re.compile(rf"[{QUOTES}].*[{QUOTES}]", re.DOTALL),
    re.compile(rf"^[{QUOTES}].*[{QUOTES}][.。]?$", re.DOTALL),
    re.compile(r"[:：]"),
    re.compile(rf"[:：]\s*[{QUOTES}]"),
    re.compile(r"[:：]$"),
    re.compile(r"^(?:>|#|```|[{\[(<]|[-*•] |//|\$)"),
    re.compile(r"[{}<>=`]|https?://|\w\("),
    re.compile(r"\d"),
    re.compile(r"[!！]"),
    re.compile(r"\.\.\.|…"),
    re.compile(r"(?<=\S )[A-ZÀ-ÞА-Я]\w"),
    re.compile(r"^[a-zà-ÿа-я]"),
)
TRAITS = len(_TRAITS) + 2
HIDDEN = 384  # numbers of a token's state
MEANS = 2 * HIDDEN
INPUTS = MEANS + TRAITS


def traits(sentence: str) -> list[float]:
    """Returns what a sentence's form shows in any language: TRAITS numbers from 0 to 1."""
    text = sentence.strip()
    found = [float(one.search(text) is not None) for one in _TRAITS]
    return [*found, min(len(text), LONG) / LONG, float(len(text) < SHORT)]


def means(states: F32) -> F32:
    """Returns what the network sees of the states of a sentence's tokens, shape (tokens, hidden): MEANS numbers. Its
    opening is seen for itself: "suppose", "write", "if" say there how all of it is meant."""
    opening = states[: max(1, len(states) // 2)]
    return np.concatenate([states.mean(axis=0), opening.mean(axis=0)]).astype(np.float32)


def seen(of_states: F32, sentence: str) -> F32:
    """Returns what the network sees of a sentence, from its `means`: INPUTS numbers."""
    return np.concatenate([of_states, traits(sentence)]).astype(np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingNetwork:
    """Weights of `members` networks with one hidden layer of `width`, over inputs as they come."""

    first: F32  # (members, inputs, width)
    first_bias: F32  # (members, width)
    last: F32  # (members, width, outputs)
    last_bias: F32  # (members, outputs)

    @classmethod
    def load(cls, path: Path = FILE) -> "ReadingNetwork":
        """Raises EmbedderUnavailable where the file is missing, damaged, or was made for another model."""
        arrays = unsealed(path, "Reader", cls.__slots__, made_by="make train-reader")
        return cls(**{name: array.astype(np.float32) for name, array in arrays.items()})

    def save(self, path: Path) -> None:
        write_sealed(path, {name: getattr(self, name).astype(np.float16) for name in self.__slots__})

    @property
    def size(self) -> int:
        """How many bytes the weights take."""
        return sum(int(getattr(self, name).nbytes) for name in self.__slots__)

    def readings(self, rows: F32) -> list[Reading]:
        """Returns how sentences are read, from what `seen` makes of each, shape (n, INPUTS)."""
        told = self.likelihoods(rows)
        return [
            Reading(
                asserted=float(told["asserted"][n, 0]),
                lasting=float(told["lasting"][n, 0]),
                about=ABOUTS[int(told["about"][n].argmax())],
                limit=float(told["limit"][n, 0]),
                correction=float(told["correction"][n, 0]),
                category=CATEGORIES[int(told["category"][n].argmax())],
            )
            for n in range(len(rows))
        ]

    def likelihoods(self, rows: F32) -> dict[str, F32]:
        """Returns what each head says of each sentence, the mean of all members: shape (n, HEADS[head])."""
        hidden = np.maximum(np.einsum("ni,miw->mnw", rows, self.first) + self.first_bias[:, None], 0)
        scores = np.einsum("mnw,mwo->mno", hidden, self.last) + self.last_bias[:, None]
        found, start = {}, 0
        for head, count in HEADS.items():
            part = scores[..., start : start + count]
            start += count
            found[head] = (_sigmoid(part) if count == 1 else _softmax(part)).mean(axis=0)
        return found


def _sigmoid(scores: F32) -> F32:
    return np.asarray(1 / (1 + np.exp(-np.clip(scores, -30, 30))), np.float32)


def _softmax(scores: F32) -> F32:
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    share: F32 = raised / raised.sum(axis=-1, keepdims=True)
    return share
