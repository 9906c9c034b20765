"""Text to the model's token ids, by SentencePiece's own Unigram search over the wheel's table.

Law: any string gives ids, and the same ones as the plain search in `tests/support/unigram.py`.
What a text says of control tokens (`<s>`, `<mask>`) stays text. No piece holds a space past its
first place, so a text's ids do not depend on the words before it: a prefix is put in front as ids.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from service.adapters.embedding_text import spaced
from service.adapters.local_embedder.weights import Vocabulary

_ModelProto: Any = sentencepiece_model_pb2.ModelProto  # type: ignore[attr-defined]  # made while importing


class Tokenizer:
    """Built once from a vocabulary (about half a second); safe to share between threads."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._bos, self._eos = vocabulary.bos, vocabulary.eos
        self._code_points = dict(vocabulary.code_points)
        self._search = sentencepiece.SentencePieceProcessor()
        self._search.LoadFromSerializedProto(_model(vocabulary).SerializeToString())

    def ids(self, text: str) -> list[int]:
        """The ids of a clean text, without begin and end marks."""
        return list(self._search.EncodeAsIds(self.written(text)))

    def framed(self, *parts: Sequence[int]) -> list[int]:
        """Ids as the encoder wants them: the parts in a row, between begin and end marks."""
        return [self._bos, *chain(*parts), self._eos]

    def written(self, text: str) -> str:
        """The text in the code points that the model was trained on."""
        return spaced(text.translate(self._code_points))


def _model(vocabulary: Vocabulary) -> Any:
    kinds = _ModelProto.SentencePiece
    marks = {vocabulary.bos, vocabulary.eos, vocabulary.pad, vocabulary.mask}
    model = _ModelProto()
    for index, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores.tolist(), strict=True)):
        added = model.pieces.add(piece=piece, score=score)
        if index == vocabulary.unk:
            added.type = kinds.UNKNOWN
        elif index in marks:
            added.type = kinds.CONTROL
    trainer = model.trainer_spec
    trainer.model_type = trainer.UNIGRAM
    trainer.unk_id, trainer.bos_id = vocabulary.unk, vocabulary.bos
    trainer.eos_id, trainer.pad_id = vocabulary.eos, vocabulary.pad
    normalizer = model.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = True
    normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = True
    return model
