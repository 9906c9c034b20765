"""The Unigram search written plainly: the oracle of the local embedder's tokens.

Law: the best path by score over the pieces, left to right, ties to the earlier start; a character that
begins no piece of its own costs the worst score less 10, and unknown characters in a row are one token.
"""

from itertools import pairwise

import numpy as np

from service.adapters.local_embedder.weights import Vocabulary

SPACE = "\u2581"


def pieces_of(vocabulary: Vocabulary) -> list[str]:
    text = vocabulary.text.tobytes()
    return [text[start:end].decode() for start, end in pairwise(vocabulary.offsets.tolist())]


class PlainUnigram:
    def __init__(self, vocabulary: Vocabulary) -> None:
        marks = {vocabulary.bos, vocabulary.eos, vocabulary.pad, vocabulary.mask, vocabulary.unk}
        self._unk = vocabulary.unk
        self._pieces = {piece: i for i, piece in enumerate(pieces_of(vocabulary)) if i not in marks}
        self._scores = vocabulary.scores  # float32, and so are the sums: ties fall as in the library
        self._longest = max(map(len, self._pieces))
        self._unknown = np.float32(min(self._scores[i] for i in self._pieces.values())) - np.float32(10)

    def ids(self, written: str) -> list[int]:
        if not written:
            return []
        text = SPACE + written.replace(" ", SPACE)
        best: list[np.float32 | None] = [np.float32(0)] + [None] * len(text)
        came: list[tuple[int, int]] = [(0, 0)] * (len(text) + 1)
        for start in range(len(text)):
            so_far = best[start]
            if so_far is None:
                continue
            for end in range(start + 1, min(start + self._longest, len(text)) + 1):
                piece = self._pieces.get(text[start:end])
                if piece is not None:
                    score = so_far + self._scores[piece]
                elif end == start + 1:
                    piece, score = self._unk, so_far + self._unknown
                else:
                    continue
                known = best[end]
                if known is None or score > known:
                    best[end], came[end] = score, (start, piece)
        return self._joined(came, len(text))

    def _joined(self, came: list[tuple[int, int]], end: int) -> list[int]:
        backwards: list[int] = []
        while end > 0:
            end, piece = came[end]
            if not (piece == self._unk and backwards and backwards[-1] == self._unk):
                backwards.append(piece)
        return backwards[::-1]
