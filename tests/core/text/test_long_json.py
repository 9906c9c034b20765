"""JSON decoded an element at a time is what it is decoded at once."""

import json
import random
from typing import Any

import pytest

from core.text import long_json
from core.text.long_json import LARGEST, SHORT, decoded

LONG = "a渡" * SHORT


def made(random_: random.Random, depth: int = 0) -> Any:
    """A random value."""
    kind = random_.randrange(4 if depth > 3 else 6)
    if kind == 4:
        return [made(random_, depth + 1) for _ in range(random_.randrange(4))]
    if kind == 5:
        return {random_.choice("abc渡"): made(random_, depth + 1) for _ in range(random_.randrange(4))}
    return (random_.choice((None, True, False)), random_.randrange(-9, 10**6), random_.random(), 'a"\\\n渡')[
        kind
    ]


def test_random_texts_are_decoded_as_at_once() -> None:
    random_ = random.Random(7)

    for _ in range(500):
        value = made(random_)
        text = json.dumps(value, ensure_ascii=random_.random() < 0.5, indent=random_.choice((None, 1)))
        assert decoded(f" {text}\n") == value


def test_texts_that_are_cut_or_changed_are_refused_as_at_once() -> None:
    random_ = random.Random(8)

    for _ in range(2_000):
        text = list(json.dumps({"a": [made(random_)], "b": made(random_)}))
        text[random_.randrange(len(text))] = random_.choice(("", "[", "]", "{", "}", ",", ":", '"', "1", " "))
        changed = "".join(text)
        try:
            expected: Any = json.loads(changed)
        except ValueError:
            with pytest.raises(ValueError):
                decoded(changed)
        else:
            assert decoded(changed) == expected


@pytest.mark.parametrize(
    "value", [LONG, int("9" * 4_000), [LONG, 12, [LONG]], {"a": [LONG, LONG], LONG: LONG}, [], {}]
)
def test_elements_longer_than_what_is_tried_first_are_whole(value: Any) -> None:
    assert decoded(json.dumps(value)) == value


@pytest.mark.parametrize("fill", range(SHORT - 4, SHORT + 3))
def test_a_number_that_is_cut_where_the_first_try_ends_is_whole(fill: int) -> None:
    text = "[" + " " * 3 + '"' + "a" * (fill - 10) + '",' + "1234567]"
    shifted = json.dumps(["a" * fill, 1234567])

    assert decoded(text) == json.loads(text)
    assert decoded(shifted) == json.loads(shifted)


def test_a_number_as_long_as_what_is_tried_first_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_json, "SHORT", 3)

    assert decoded("[12345, 6.25e1, -7]") == [12345, 62.5, -7]


@pytest.mark.parametrize("text", ["", " ", "[1", "[1,]", '{"a"}', "{1: 2}", "1 2", f'["{"a" * LARGEST}"]'])
def test_what_is_no_json_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        decoded(text)


def test_an_array_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_json, "MOST", 1_000)

    with pytest.raises(ValueError, match="too long"):
        decoded("[" + "[]," * 1_001 + "}")
