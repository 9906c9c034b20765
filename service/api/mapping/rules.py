"""What the contract says of a field: its rules, and the checks that they are as source."""

from collections.abc import Set
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from memorybank.v1 import options_pb2

NUMBERS = frozenset(
    (
        *(FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT32),
        *(FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT),
    )
)
SINGLE = frozenset({"Timestamp", "Duration", "Vector", "FieldMask"})
"""Messages that are one value."""


def longest(message: type[Message], name: str) -> int:
    """Returns how many code points a text may have."""
    descriptor: Any = message.DESCRIPTOR
    return int(rules_of(descriptor.fields_by_name[name]).max_len)


def most_items(message: type[Message], name: str) -> int:
    """Returns how many elements or entries a field may have."""
    descriptor: Any = message.DESCRIPTOR
    return int(rules_of(descriptor.fields_by_name[name]).max_items)


def greatest(message: type[Message], name: str) -> int:
    """Returns the greatest number that a field may be."""
    descriptor: Any = message.DESCRIPTOR
    return int(rules_of(descriptor.fields_by_name[name]).lte)


def rules_of(field: FieldDescriptor) -> Any:
    return field.GetOptions().Extensions[options_pb2.rules]


def is_output(field: FieldDescriptor) -> bool:
    return bool(rules_of(field).presence == options_pb2.PRESENCE_OUTPUT_ONLY)


def is_ruled(field: FieldDescriptor, around: Set[str]) -> bool:
    """Whether a field, or what lies in it, has anything that could be wrong."""
    inner = field.message_type
    if field.GetOptions().HasExtension(options_pb2.rules):
        return True
    if inner is None or inner.full_name in around or is_map(field) or inner.name == "FieldMask":
        return False
    return inner.name in SINGLE or any(
        is_ruled(each, around | {inner.full_name}) for each in inner.fields if not is_output(each)
    )


def is_single(field: FieldDescriptor) -> bool:
    """Whether it is one message that has fields of its own."""
    inner = field.message_type
    return inner is not None and not field.is_repeated and inner.name not in SINGLE


def is_one_value(field: FieldDescriptor) -> bool:
    """Whether it is a time, a duration or a vector. A mask is always there."""
    return field.message_type is not None and field.message_type.name in SINGLE - {"FieldMask"}


def is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def is_in_choice(field: FieldDescriptor) -> bool:
    """Whether at most one of several fields is given."""
    choice = field.containing_oneof
    return choice is not None and not choice.name.startswith("_")


def is_float(field: FieldDescriptor) -> bool:
    return field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT)


# ---- checks as source ----


def text(rules: Any, v: str, path: str, *, must: bool) -> list[str]:
    """Returns the statements that check a text; `must`: an empty one is refused, too."""
    given = "" if must else f"{v} and "
    match rules.format:
        case options_pb2.FORMAT_ID:
            return [f"if {given}not ID({v}): c.id({path!r}, {v})"]
        case options_pb2.FORMAT_WORD:
            return [f"if {given}not WORD({v}): forms.word(c, {path!r}, {v})"]
        case options_pb2.FORMAT_LINE:
            return [f"forms.line(c, {path!r}, {v}, {rules.max_len}, {int(must)})"]
        case options_pb2.FORMAT_JSON_OBJECT:
            return [f"if {v}: {v} = forms.json_text(c, {path!r}, {v}, {rules.max_len})"]
    wrong = [f"'\\0' in {v}"]
    if rules.max_len:
        wrong.append(f"len({v}) > {rules.max_len}")
    if rules.not_blank:
        wrong.append(f"not {v}.strip()")
    tested = f"{v} and ({' or '.join(wrong)})" if rules.not_blank and not must else " or ".join(wrong)
    return [f"if {tested}: c.text({path!r}, {v}, {rules.max_len or None}, {int(rules.not_blank)})"]


def number(rules: Any, v: str, path: str, *, whole: bool) -> list[str]:
    """Returns the statements that check a number."""
    lines = []
    least, most = bound(rules, "gte"), bound(rules, "lte")
    if rules.HasField("gt"):
        least = bound(rules, "gt")
        lines.append(f"if {v} == {least}: c.wrong({path!r}, 'must be above {least}')")
    if rules.HasField("lte"):
        check = "between" if whole else "ratio"
        lines.append(f"if not {least} <= {v} <= {most}: c.{check}({path!r}, {v}, {least}, {most})")
    elif rules.HasField("gte") and (whole or least):
        lines.append(f"if {v} < {least}: c.at_least({path!r}, {v}, {least})")
    return lines


def bound(rules: Any, name: str) -> Any:
    """Returns a bound of numbers, whole where it is; None without one."""
    value = getattr(rules, name) if rules.HasField(name) else None
    return int(value) if value is not None and value.is_integer() else value
