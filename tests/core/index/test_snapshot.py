import numpy as np
import pytest

from core.index.snapshot import Parts, SnapshotUnusable, packed, text_array, texts_of, unpacked

PARTS = Parts(
    facts={"dimension": 4, "weights": {"text": 1.5}},
    arrays={
        "keys": text_array(["n1", "节点二", ""]),
        "links": np.arange(12, dtype=np.uint32).reshape(3, 4),
        "none": np.empty(0, np.float32),
        "lengths": np.array([1.5, -2.0]),
    },
)


def test_what_was_packed_is_unpacked() -> None:
    found = unpacked(b"".join(packed(PARTS)))

    assert dict(found.facts) == PARTS.facts
    assert {name: array.tolist() for name, array in found.arrays.items()} == {
        name: array.tolist() for name, array in PARTS.arrays.items()
    }
    assert texts_of(found.array("keys", "u1")) == ["n1", "节点二", ""]


def test_a_blob_with_any_byte_changed_is_refused() -> None:
    blob = b"".join(packed(PARTS))

    for place in range(len(blob)):
        damaged = blob[:place] + bytes([blob[place] ^ 1]) + blob[place + 1 :]
        with pytest.raises(SnapshotUnusable):
            unpacked(damaged)


def test_a_blob_cut_or_continued_is_refused() -> None:
    blob = b"".join(packed(PARTS))

    for torn in [*(blob[:length] for length in range(len(blob))), blob + b"\0"]:
        with pytest.raises(SnapshotUnusable):
            unpacked(torn)


@pytest.mark.parametrize(
    ("name", "kind", "rank"), [("other", "<u4", 2), ("links", "<i4", 2), ("links", "<u4", 1)]
)
def test_an_array_of_another_kind_is_refused(name: str, kind: str, rank: int) -> None:
    with pytest.raises(SnapshotUnusable):
        unpacked(b"".join(packed(PARTS))).array(name, kind, rank)


def test_many_texts_come_back_in_their_order() -> None:
    texts = [f"词{number}" for number in range(60_000)]

    assert texts_of(text_array(texts)) == texts
