"""Networks asked together: of all the mean where the first is in doubt, the first alone where it is not. Their files:
what is damaged, or made for another model, is refused."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import EmbedderUnavailable
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.comparing import FILES, IN_DOUBT, Network, Networks
from service.adapters.local_embedder.weights import F32
from service.assembly.comparers import open_comparer
from service.settings.retrieval import JudgingSection
from tests.support.embedders import local_embedder

HIDDEN = 384
TOKENS = 12


def sentences(count: int, seed: int) -> F32:
    """States of sentences by chance."""
    return np.random.default_rng(seed).normal(size=(count, TOKENS, HIDDEN)).astype(np.float32)


@pytest.mark.parametrize("size", [0, 1, 40])
def test_the_mean_counts_where_the_first_is_in_doubt(size: int) -> None:
    networks, alone = Networks.load(), [Network.load(path) for path in FILES]
    ours, theirs = sentences(size, 1), sentences(size, 2)
    theirs[::2] = ours[::2] + theirs[::2] / 2  # some are near each other

    found = networks.likelihoods(networks.projected(ours), networks.projected(theirs))

    each = np.stack([one.likelihoods(one.projected(ours), one.projected(theirs)) for one in alone])
    doubtful = each[0, :, 1:].max(axis=1, initial=0) >= IN_DOUBT
    expected = np.where(doubtful[:, None], each.mean(axis=0), each[0])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)


def changed(path: Path, **arrays: object) -> Path:
    with np.load(FILES[0]) as stored:
        np.savez(path, **{**{name: stored[name] for name in stored.files}, **arrays})
    return path


def cut(path: Path, whole: Path) -> Path:
    path.write_bytes(whole.read_bytes()[:-2_000])
    return path


def bent(path: Path, whole: Path) -> Path:
    """Writes the file with some bytes in its middle turned."""
    written = bytearray(whole.read_bytes())
    middle = len(written) // 2
    written[middle : middle + 64] = bytes(byte ^ 0xFF for byte in written[middle : middle + 64])
    path.write_bytes(written)
    return path


def test_weights_of_another_model_are_refused_by_name(tmp_path: Path) -> None:
    other = changed(tmp_path / "other.npz", belongs_to=np.array("0" * 64))

    with pytest.raises(
        EmbedderUnavailable, match=r"Comparer.*made for another model.*tools\.comparing\.train"
    ):
        Networks.load([FILES[0], other])


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    other = changed(tmp_path / "turned.npz", class_bias=np.ones(3, np.float16))
    unknown = changed(tmp_path / "unknown.npz", more=np.ones(3, np.float16))

    for path in (other, unknown):
        with pytest.raises(EmbedderUnavailable, match=r"Comparer's weights are damaged"):
            Networks.load([FILES[0], path])
    for path in (
        cut(tmp_path / "cut.npz", FILES[1]),
        bent(tmp_path / "bent.npz", FILES[1]),
        tmp_path / "absent.npz",
    ):
        with pytest.raises(EmbedderUnavailable, match=r"Comparer's weights cannot be read"):
            Networks.load([FILES[0], path])


def test_a_damaged_calibration_is_refused(tmp_path: Path) -> None:
    whole = FILES[0].parent / "calibration.npz"

    for path in (cut(tmp_path / "cut.npz", whole), bent(tmp_path / "bent.npz", whole)):
        with pytest.raises(EmbedderUnavailable, match=r"calibration's weights cannot be read"):
            Calibration.load(path)


def test_damaged_weights_stop_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = [FILES[0], cut(tmp_path / "comparing_2.npz", FILES[1])]
    monkeypatch.setattr("service.assembly.comparers._comparing_networks", lambda: Networks.load(damaged))
    embedder = local_embedder()

    with pytest.raises(EmbedderUnavailable, match="comparing_2"):
        open_comparer(JudgingSection(), embedder, local_embedder, CachedEmbedder(embedder))
