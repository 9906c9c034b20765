"""What the contract says that a field may be is what the readers refuse, and what its comment says in words."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from memorybank.v1 import options_pb2
from tests.protos.measured import (
    COUNT,
    LEAST,
    LENGTH,
    OF_THE_WHOLE,
    RANGE,
    Measuring,
    field_rules,
    numbered,
    read_fields,
    text_of,
)
from tests.protos.test_contract import MODULES, described

RULED: dict[str, Any] = {
    field.full_name: field.GetOptions().Extensions[options_pb2.rules]
    for module in MODULES
    for message in module.DESCRIPTOR.message_types_by_name.values()
    for field in message.fields
    if field.GetOptions().HasExtension(options_pb2.rules)
}


@pytest.mark.slow
async def test_every_rule_of_a_request_is_in_the_contract_and_no_other_is() -> None:
    measured = {name: text_of(rules) for name, rules in (await field_rules()).items() if rules.ListFields()}

    stated = {name: text_of(rules) for name, rules in RULED.items()}

    assert stated == measured


@pytest.mark.slow
async def test_values_at_a_bound_are_taken_and_those_beyond_it_are_refused() -> None:
    measuring, astray = Measuring(), []

    for method, path, field in read_fields():
        if (method, path) in OF_THE_WHOLE or field.full_name not in RULED:
            continue
        for value, is_beyond, refusals in at_bounds(field, RULED[field.full_name]):
            found = await measuring.problems(method, path, value)
            refused = any(pattern.match(problem) for _, problem in found for pattern in refusals)
            if refused is not is_beyond:
                astray.append((method, path, str(value)[:20], found))

    assert astray == []


def at_bounds(field: FieldDescriptor, rules: Any) -> Iterator[tuple[Any, bool, tuple[re.Pattern[str], ...]]]:
    """Yields values at each bound and one beyond, whether they are beyond, and how such a value is refused."""
    if field.message_type is not None and not field.is_repeated:
        return  # durations: their bounds are measured at the far ends
    if field.is_repeated and rules.HasField("max_items"):
        counted = (RANGE, COUNT)
        for count in (rules.max_items, rules.max_items + 1):
            yield several(field, count), count > rules.max_items, counted
        if rules.min_items:
            yield several(field, rules.min_items - 1), True, counted
    if field.is_repeated:
        return
    if rules.HasField("max_len"):
        brace = '{"a":"' if rules.format == options_pb2.FORMAT_JSON_OBJECT else ""
        for length in (rules.max_len, rules.max_len + 1):
            yield brace + "x" * (length - len(brace)), length > rules.max_len, (LENGTH,)
    for bound, step in ((rules.gte, -1), (rules.lte, 1)):
        if rules.HasField("gte" if step < 0 else "lte"):
            whole = field.cpp_type in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64)
            yield int(bound) if whole else bound, False, (RANGE, LEAST)
            yield int(bound) + step if whole else bound + step / 1_000, True, (RANGE, LEAST)


def several(field: FieldDescriptor, count: int) -> Any:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        value = field.message_type.fields_by_name["value"]
        return {f"k{n}": numbered(value, n) for n in range(count)}
    return [numbered(field, n) for n in range(count)]


def comments(files: FileDescriptorSet) -> dict[str, str]:
    """Returns the comment of each field."""
    found = {}
    for file in files.file:
        told = {tuple(each.path): each.leading_comments for each in file.source_code_info.location}
        for m, message in enumerate(file.message_type):
            for f, field in enumerate(message.field):
                name = f"{file.package}.{message.name}.{field.name}"
                found[name] = " ".join(told.get((4, m, 2, f), "").split())
    return found


def bounds(rules: Any) -> Iterator[str]:
    """Yields the bounds that a comment must say; that a number is not negative goes without saying."""
    for name in ("max_len", "lte", "max_items", "gte", "min_items"):
        if rules.HasField(name) and getattr(rules, name):
            yield f"{int(getattr(rules, name)):,}"
    if rules.HasField("keys") and rules.keys.HasField("max_len"):
        yield f"{rules.keys.max_len:,}"


def test_a_comment_says_the_bounds_of_its_field_in_words() -> None:
    told = comments(described())

    unsaid = [
        (name, bound)
        for name, rules in RULED.items()
        for bound in bounds(rules)
        if not re.search(rf"(?<![\d,.]){re.escape(bound)}(?!\d|,\d)", told[name])
    ]

    assert unsaid == []


@pytest.mark.parametrize(
    ("format_", "right", "wrong"),
    [
        (options_pb2.FORMAT_ID, "A-1:b_c.d", "-a"),
        (options_pb2.FORMAT_WORD, "work-1", "Work"),
        (options_pb2.FORMAT_LINE, "路 a/b", "a\u2028b"),
    ],
)
def test_a_form_of_text_has_a_pattern(format_: int, right: str, wrong: str) -> None:
    value = options_pb2.Format.DESCRIPTOR.values_by_number[format_]
    pattern = re.compile(value.GetOptions().Extensions[options_pb2.pattern])

    assert pattern.fullmatch(right)
    assert not pattern.fullmatch(wrong)
