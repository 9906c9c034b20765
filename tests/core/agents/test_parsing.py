"""A model's reply, read strictly: tolerant only where no doubt is left."""

import math

import pytest

from core.agents.parsing import Fields, MalformedReply, listed, read_object

READABLE = {
    "bare": '{"a": 1}',
    "white space around it": '\n\n  {"a": 1}\n',
    "a byte-order mark": '\ufeff{"a": 1}',
    "a fence": '```json\n{"a": 1}\n```',
    "a fence without a language": '```\n{"a": 1}\n```',
    "words before the fence": 'Here it is:\n```json\n{"a": 1}\n```',
    "words before it": 'The answer is {"a": 1}',
    "thoughts": '<think>Is it {"a": 2}? No.</think>\n{"a": 1}',
    "thoughts and a fence": '<think>hm</think>\n```json\n{"a": 1}\n```',
    "thoughts whose opening the template ate": 'so, one.\n</think>\n{"a": 1}',
}

REFUSED = {
    "nothing": "",
    "words": "I cannot help with that.",
    "a list": "[1]",
    "a number": "1",
    "two objects": '{"a": 1} {"a": 2}',
    "words after it": '{"a": 1} and that is all',
    "two fences": '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
    "an object before the fence": 'not {"a": 2} but\n```json\n{"a": 1}\n```',
    "cut off": '{"a": [1, 2',
    "cut off in a text": '{"a": "one',
    "a key twice": '{"a": 1, "a": 2}',
    "not a number": '{"a": NaN}',
    "infinity": '{"a": -Infinity}',
    "a number without end": '{"a": ' + "9" * 5000 + "}",
    "nested without end": '{"a":' + "[" * 100_000,
    "an object in thoughts that never ended": '<think>{"a": 1}</think> no </think> {"a": 2}',
}


@pytest.mark.parametrize("text", READABLE.values(), ids=READABLE)
def test_a_reply_is_read_through_what_models_put_around_it(text: str) -> None:
    found = read_object(text)

    assert found._values == {"a": 1}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_a_reply_that_leaves_a_doubt_is_refused(text: str) -> None:
    with pytest.raises(MalformedReply):
        read_object(text)


def test_a_reply_that_ends_too_early_is_told_so() -> None:
    with pytest.raises(MalformedReply, match="ends too early"):
        read_object('{"summary": "It was a dark and')


@pytest.mark.parametrize("value", [-0.1, 1.01, 1e15, math.nan, math.inf, True, "0.9", None, [0.5]])
def test_a_confidence_outside_0_to_1_is_refused(value: object) -> None:
    with pytest.raises(MalformedReply, match="confidence"):
        Fields({"confidence": value}).confidence("confidence")


@pytest.mark.parametrize("value", [0, 1, 0.5])
def test_a_confidence_within_0_to_1_is_read(value: float) -> None:
    assert Fields({"confidence": value}).confidence("confidence") == value


def test_numbers_are_read_alone_and_in_ranges() -> None:
    reply = Fields({"pieces": ["0-2", 4, "6", "8 – 9"]})

    assert reply.numbers("pieces", 10) == [0, 1, 2, 4, 6, 8, 9]


@pytest.mark.parametrize(
    "value", ["10", "3-10", "-1", -1, "4-2", "all", "", 1.5, True, None, "1-2-3", "9" * 40]
)
def test_a_number_that_was_not_given_is_refused(value: object) -> None:
    with pytest.raises(MalformedReply, match="numbers go from 0 to 9"):
        Fields({"pieces": [value]}).numbers("pieces", 10)


def test_keywords_stand_on_one_line_and_none_twice() -> None:
    reply = Fields({"keywords": [" IBM\n chip ", "", "IBM chip", "量子 纠错", "x" * 200]})

    assert reply.keywords("keywords") == ("IBM chip", "量子 纠错")


def test_a_context_of_many_lines_becomes_one_and_a_flood_of_words_is_refused() -> None:
    assert Fields({"context": "one\n\tsentence\u2028here"}).sentence("context") == "one sentence here"
    with pytest.raises(MalformedReply, match="one sentence"):
        Fields({"context": "word " * 200}).sentence("context")


def test_text_keeps_all_but_what_nothing_can_store() -> None:
    reply = Fields({"summary": "a\x00b\ud800c\n\u200bd\u202ee <|im_start|>"})

    assert reply.text("summary") == "abc\n\u200bd\u202ee <|im_start|>"


def test_what_is_missing_or_of_another_kind_is_named_with_its_place() -> None:
    (row,) = Fields({"rows": [{"name": 7}]}).rows("rows")

    with pytest.raises(MalformedReply, match=r"rows\[0\]\.name is not a string"):
        row.text("name")
    with pytest.raises(MalformedReply, match=r"rows\[0\]\.other is missing"):
        row.text("other")


def test_numbers_are_listed_as_ranges() -> None:
    assert listed([0, 1, 2, 5, 7, 8]) == "0-2, 5, 7-8"


def test_a_wrong_value_is_told_in_what_every_wire_carries() -> None:
    reply = read_object('{"type": "\\ud83d half \\u0000"}')

    with pytest.raises(MalformedReply) as told:
        reply.choice("type", ["SEARCH"])

    assert told.value.problem.encode() == b'type is one of "SEARCH", not " half \\u0000"'


def test_ranges_that_repeat_without_end_are_refused_before_they_fill_the_memory() -> None:
    with pytest.raises(MalformedReply, match="pieces names numbers again and again"):
        Fields({"pieces": ["0-9999"] * 100_000}).numbers("pieces", 10_000)

    assert Fields({"pieces": ["0-2", "1"]}).numbers("pieces", 3) == [0, 1, 2, 1]
