"""The Reader on the real model: its weights are checked, and templates are not needed to read."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import EmbedderUnavailable
from core.ports.reader import NONE, About, Reading
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder, LocalReader, ReadingNetwork
from service.adapters.local_embedder.reading import CATEGORIES, FILE, INPUTS, MODEL, TRAITS, traits
from service.assembly.comparers import open_reader
from service.settings.retrieval import JudgingSection
from tests.support.embedders import local_embedder
from tests.support.reading import local_reader

MOST_BYTES = 200_000


async def read(*sentences: str) -> list[Reading]:
    return [one for one in await local_reader().read(sentences) if one is not None]


async def test_what_is_told_is_told_apart_from_its_twins() -> None:
    told, wished, supposed, asked, ordered = await read(
        "I have a brother in Perth.",
        "I wish I had a brother in Perth.",
        "Suppose I had a brother in Perth.",
        "Do I have a brother in Perth?",
        "Write a story about a brother in Perth.",
    )

    assert told.worth > 0.9
    assert max(one.worth for one in (wished, supposed, asked, ordered)) < 0.3


async def test_it_reads_of_whom_and_what_is_said() -> None:
    mine, hers, ours = await read(
        "I can't eat nuts, I'm allergic to them.", "My aunt loves mangoes.", "The shop runs on PostgreSQL."
    )

    assert [one.about for one in (mine, hers, ours)] == [About.USER, About.OTHER, About.WORLD]
    assert [one.category for one in (hers, ours)] == ["preference", "work"]
    assert mine.limit > 0.5 > hers.limit


async def test_a_sentence_is_read_alike_whatever_is_read_with_it() -> None:
    (alone,) = await read("我妹妹在兰州当老师。")
    (again, _) = await read("我妹妹在兰州当老师。", "I live in Leeds. " * 400)

    assert alone.asserted == pytest.approx(again.asserted, abs=1e-5)
    assert set(CATEGORIES) >= {alone.category}


@pytest.mark.parametrize("sentence", ["", ".", "\x00", "\ud800", "ﷺ" * 300, " " * 50])
async def test_any_string_can_be_read(sentence: str) -> None:
    (reading,) = await read(sentence)

    assert 0.0 <= reading.worth <= 1.0
    assert len(traits(sentence)) == TRAITS


async def test_what_was_embedded_in_the_same_words_is_read_alike_until_it_is_forgotten() -> None:
    embedder = local_embedder()
    reader = LocalReader(local_embedder, ReadingNetwork.load())
    reader.overhear(embedder, embedder.embed_passages)
    alone, size = await local_reader().read(["I keep two goats."]), reader.size

    await embedder.embed_passages(["I keep two goats.", "Goats are animals. " * 40])
    heard = reader.size
    again = await reader.read(["I keep two goats."])
    reader.forget()

    assert again == alone
    assert size < heard
    assert reader.size == size


async def test_where_the_model_is_not_installed_nothing_reads() -> None:
    def missing() -> LocalEmbedder:
        raise EmbedderUnavailable("not installed")

    reader = LocalReader(missing, ReadingNetwork.load())

    assert reader.model == MODEL
    assert await reader.read(["I live in Leeds."]) == [None]
    assert reader.model == NONE


async def test_none_reads_nothing() -> None:
    reader = open_reader(
        JudgingSection(model="none"), local_embedder(), local_embedder, CachedEmbedder(local_embedder())
    )

    assert (reader.model, await reader.read(["I live in Leeds."])) == (NONE, [None])


def test_the_weights_are_small_and_whole() -> None:
    assert FILE.stat().st_size <= MOST_BYTES
    assert ReadingNetwork.load().first.shape[1] == INPUTS


def changed(path: Path, **arrays: object) -> Path:
    with np.load(FILE) as stored:
        np.savez(path, **{**{name: stored[name] for name in stored.files}, **arrays})
    return path


def test_weights_of_another_model_are_refused_by_name(tmp_path: Path) -> None:
    other = changed(tmp_path / "other.npz", belongs_to=np.array("0" * 64))

    with pytest.raises(EmbedderUnavailable, match=r"made for another model.*make train-reader"):
        ReadingNetwork.load(other)


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    turned = changed(tmp_path / "turned.npz", last_bias=np.ones((3, 11), np.float16))
    cut = tmp_path / "cut.npz"
    cut.write_bytes(FILE.read_bytes()[:-2_000])
    absent = tmp_path / "absent.npz"

    for path, said in ((turned, "damaged"), (cut, "cannot be read"), (absent, "cannot be read")):
        with pytest.raises(EmbedderUnavailable, match=said):
            ReadingNetwork.load(path)
