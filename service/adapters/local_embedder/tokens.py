"""Text to the model's token ids, by SentencePiece's own Unigram search over the wheel's table.

Law: any string gives ids, and the same ones as the plain search in `tests/support/unigram.py`.
What a text says of control tokens (`<s>`, `<mask>`) stays text. No piece holds a space past its
first place, so a text's ids do not depend on the words before it: a prefix is put in front as ids.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from service.adapters.embedding_text import spaced
from service.adapters.local_embedder.weights import Vocabulary

_ModelProto: Any = sentencepiece_model_pb2.ModelProto  # type: ignore[attr-defined]  # made while importing

# Of sentencepiece_model.proto: what stands before a field's value.
PIECES, TEXT, SCORE, KIND = 0x0A, 0x0A, 0x15, 0x18
AROUND = 11  # bytes of a piece's message beside its text


class Tokenizer:
    """Built once from a vocabulary (a third of a second); safe to share between threads."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._bos, self._eos = vocabulary.bos, vocabulary.eos
        self._code_points = dict(vocabulary.code_points)
        self._search = sentencepiece.SentencePieceProcessor()
        self._search.LoadFromSerializedProto(_model(vocabulary))

    def ids(self, text: str) -> list[int]:
        """Returns the ids of a clean text, without begin and end marks."""
        return list(self._search.EncodeAsIds(self.written(text)))

    def framed(self, *parts: Sequence[int]) -> list[int]:
        """Ids as the encoder wants them: the parts in a row, between begin and end marks."""
        return [self._bos, *chain(*parts), self._eos]

    def written(self, text: str) -> str:
        """Returns the text in the code points that the model was trained on."""
        return spaced(text.translate(self._code_points))


def _model(vocabulary: Vocabulary) -> bytes:
    rest = _ModelProto()
    trainer = rest.trainer_spec
    trainer.model_type = trainer.UNIGRAM
    trainer.unk_id, trainer.bos_id = vocabulary.unk, vocabulary.bos
    trainer.eos_id, trainer.pad_id = vocabulary.eos, vocabulary.pad
    normalizer = rest.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = True
    normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = True
    return _pieces(vocabulary) + bytes(rest.SerializeToString())


def _pieces(vocabulary: Vocabulary) -> bytes:
    """Returns the model's pieces as protobuf writes them, all at once: a quarter of a million added one by one take as
    long as the library then takes to read them.

    Before a piece's text stand its tag and size within a message's; after it score and kind. No size takes two bytes.
    """
    sizes = np.diff(vocabulary.offsets)
    kinds = np.full(len(sizes), _ModelProto.SentencePiece.NORMAL)
    kinds[[vocabulary.bos, vocabulary.eos, vocabulary.pad, vocabulary.mask]] = (
        _ModelProto.SentencePiece.CONTROL
    )
    kinds[vocabulary.unk] = _ModelProto.SentencePiece.UNKNOWN
    before = (PIECES, sizes + AROUND - 2, TEXT, sizes)
    after = (SCORE, *vocabulary.scores.astype("<f4").view(np.uint8).reshape(-1, 4).T, KIND, kinds)
    starts = vocabulary.offsets[:-1] + AROUND * np.arange(len(sizes))
    ends = starts + len(before) + sizes
    written = np.empty(len(vocabulary.text) + AROUND * len(sizes), dtype=np.uint8)
    is_text = np.ones(len(written), dtype=bool)
    for places, values in ((starts, before), (ends, after)):
        for place, value in enumerate(values):
            written[places + place] = value
            is_text[places + place] = False
    written[is_text] = vocabulary.text
    return written.tobytes()
