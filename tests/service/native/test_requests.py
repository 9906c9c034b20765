"""Requests read natively: what is right as its values, all else as None. What they become: `tests/service/api`."""

import struct
from itertools import accumulate

import pytest

from service.native.requests import ID, IDS, MESSAGES, TEXT, TEXTS, VECTOR, Shape

INNER = Shape([(1, TEXT, 1, 8, None)])
SHAPE = Shape(
    [
        (1, ID, 1, 1, None),
        (2, TEXT, 0, 5, None),
        (3, TEXTS, 0, 2, 4),
        (4, IDS, 0, 2, None),
        (5, VECTOR, 0, 3, 1),
        (15, MESSAGES, 0, 2, INNER),
    ]
)


def field(number: int, content: bytes, kind: int = 2) -> bytes:
    assert len(content) < 128
    return bytes((number << 3 | kind, len(content))) + content


def packed(*numbers: float) -> bytes:
    return field(1, struct.pack(f"<{len(numbers)}f", *numbers))


LEAST = field(1, b"b1")
FIELDS = [
    LEAST,
    field(2, "预算 x".encode()),
    field(3, b"one"),
    field(4, b"n1"),
    field(3, "二".encode()),
    field(5, packed(0.0, 1.5)),
    field(15, field(1, b"in")),
    field(4, b"n2"),
]
WHOLE = b"".join(FIELDS)


def test_fields_come_in_the_order_of_the_rules_whatever_order_they_were_written_in() -> None:
    read = SHAPE.read(WHOLE)

    assert read == ("b1", "预算 x", ("one", "二"), ("n1", "n2"), struct.pack("<2f", 0.0, 1.5), (("in",),))


def test_what_is_absent_is_empty_or_none() -> None:
    assert SHAPE.read(LEAST) == ("b1", "", (), (), None, ())
    assert Shape([(1, ID, 0, 1, None)]).read(b"") == (None,)


@pytest.mark.parametrize(
    "wrong",
    [
        b"",  # what must be there is not
        field(1, b"") + LEAST,
        LEAST + LEAST,  # twice
        field(1, b"-b"),
        field(1, b"b" * 126 + b"/"),
        field(1, b"b\n"),
        LEAST + field(2, b"sixsix"),
        LEAST + field(2, b"a\0b"),
        LEAST + field(2, b"\xff"),
        LEAST + field(2, b"\xed\xa0\x80"),  # half of a pair
        LEAST + field(3, b"\xe3\x80\x80 "),  # blank
        LEAST + field(3, b""),
        LEAST + field(3, b"fives"),
        LEAST + 3 * field(3, b"a"),
        LEAST + 2 * field(4, b"n1"),  # one twice
        LEAST + field(4, b"n 1"),
        LEAST + field(4, b"n1") + field(4, b"n2") + field(4, b"n3"),
        LEAST + field(5, b""),
        LEAST + field(5, packed()),
        LEAST + field(5, packed(0.0, 0.0)),
        LEAST + field(5, packed(1.0, float("nan"))),
        LEAST + field(5, packed(1.0, 1.0, 1.0, 1.0)),
        LEAST + field(5, field(1, b"\0\0\x80?\0")),
        LEAST + field(5, field(2, struct.pack("<f", 1.0))),
        LEAST + field(5, packed(1.0) + packed(1.0)),
        LEAST + field(15, b""),  # what must be there within it is not
        LEAST + field(15, field(2, b"x")),
        LEAST + field(6, b"x"),  # unknown
        LEAST + b"\x10\x01",  # of another wire type
        LEAST + b"\x92\x00\x01x",  # a tag of two bytes
        LEAST + b"\x12\x80\x80\x80\x80\x00",  # a length of five
    ],
)
def test_what_is_not_as_the_rules_say_is_left_to_others(wrong: bytes) -> None:
    assert SHAPE.read(wrong) is None


def test_a_message_that_was_cut_off_is_read_only_where_a_field_ends() -> None:
    ends = [end for end in range(len(WHOLE) + 1) if SHAPE.read(WHOLE[:end]) is not None]

    assert ends == list(accumulate(map(len, FIELDS)))


@pytest.mark.parametrize(
    "rules",
    [
        [(0, TEXT, 0, 1, None)],
        [(16, TEXT, 0, 1, None)],
        [(1, TEXT, 0, 1, None), (1, ID, 0, 1, None)],
        [(1, 6, 0, 1, None)],
    ],
)
def test_rules_that_contradict_themselves_are_refused(rules: list[tuple[int, int, int, int, None]]) -> None:
    with pytest.raises(ValueError, match="field"):
        Shape(rules)
