"""The native encoder: the bytes that onnxruntime gives, whatever the length; what it refuses."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.encoder import by_vnni
from service.adapters.local_embedder.quantise import initialisers
from service.adapters.local_embedder.session import Session
from service.adapters.local_embedder.weights import Weights, installed_model
from service.native.encoder import Encoder, is_able
from tests.support.nearness import FOLDER

pytestmark = pytest.mark.skipif(not is_able(), reason="this processor has no VNNI")

# Around the ends of blocks: of rows that are multiplied together (14), of registers (16, 32), of attention (64).
LENGTHS = (*range(1, 6), *range(13, 18), *range(28, 34), 42, 43, *range(63, 67), 128, 129, 257, 512)


@cache
def weights() -> Weights:
    return installed_model().weights


@cache
def constants() -> dict[str, NDArray[np.generic]]:
    return dict(initialisers(weights(), Calibration.load(FOLDER / "calibration.npz").ranges))


@cache
def ours() -> Encoder:
    return by_vnni(weights(), constants())


@cache
def theirs() -> Session:
    return Session(constants())


def embedded(tokens: int, seed: int = 5) -> NDArray[np.float32]:
    """Any words of the vocabulary in a row."""
    ids = np.random.default_rng((seed, tokens)).integers(5, 250_000, tokens)
    places = weights().floats("emb.pos").reshape(-1, weights().hidden)[:tokens]
    return weights().word_rows(ids) + places


@pytest.mark.parametrize("tokens", LENGTHS)
def test_the_bytes_are_those_of_onnxruntime(tokens: int) -> None:
    given = embedded(tokens)

    assert ours().pooled(given).tobytes() == theirs().pooled(given).tobytes()


@pytest.mark.parametrize("factor", [0.0, 1e-6, 30.0])
def test_so_they_are_where_numbers_are_none_tiny_or_large(factor: float) -> None:
    given = embedded(26) * np.float32(factor)

    assert ours().pooled(given).tobytes() == theirs().pooled(given).tobytes()


def test_one_call_leaves_nothing_to_the_next() -> None:
    first = ours().pooled(embedded(20)).tobytes()

    ours().pooled(embedded(300))

    assert ours().pooled(embedded(20)).tobytes() == first


@pytest.mark.parametrize("shape", [(0, 384), (3, 383), (384,), (1, 3, 384)])
def test_what_are_no_tokens_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="embedded tokens"):
        ours().pooled(np.zeros(shape, np.float32))


@pytest.mark.parametrize("wrong", [{"layers": 0}, {"heads": 0}, {"inner": 33}, {"inner": 1 << 20}])
def test_sizes_that_cannot_be_are_refused(wrong: dict[str, int]) -> None:
    sizes = {"layers": 1, "heads": 12, "inner": 1536, **wrong}

    with pytest.raises(ValueError, match="whole numbers"):
        Encoder(constants(), **sizes, epsilon=1e-12)


def test_constants_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="another"):
        Encoder(constants(), layers=1, heads=11, inner=1536, epsilon=1e-12)


def test_a_constant_that_is_missing_is_named() -> None:
    given = {name: array for name, array in constants().items() if name != "l0.fo.scale"}

    with pytest.raises(KeyError, match=r"l0\.fo\.scale"):
        Encoder(given, layers=1, heads=12, inner=1536, epsilon=1e-12)
