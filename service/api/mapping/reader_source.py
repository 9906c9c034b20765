"""The source of a reader: what it takes of a message, field by field, and the checks of the contract's rules."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import MISSING
from enum import Enum
from typing import Any, NamedTuple, get_args, get_origin

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from core.caller import Caller
from core.ids import is_id
from core.keys import BankKey, CollectionKey, ConversationKey, InvocationKey, UserKey
from core.model.access import Scope
from core.ports.aggregates import RequestKey
from memorybank.v1 import options_pb2, types_pb2
from service.api.from_proto import forms
from service.api.from_proto.checks import Checks
from service.api.mapping.lines import By, Const, Else, Line, MaskedFields, Rule, Within
from service.api.mapping.rules import (
    NUMBERS,
    SINGLE,
    bound,
    is_float,
    is_in_choice,
    is_map,
    is_one_value,
    is_output,
    is_ruled,
    is_single,
    number,
    rules_of,
    text,
)
from service.api.mapping.source import Source, ValueField, fields_of, is_value, members_of

RULES: Mapping[str, Rule] = {types_pb2.TimeRange.DESCRIPTOR.full_name: Checks.time_range}
"""Rules of messages, wherever they lie, by their names."""
Inner = Callable[[Any, Descriptor], Callable[[Any, Checks], Any]]
"""Finds what reads a message within another as a value."""

KEYS: Mapping[Any, Callable[..., Any]] = {
    BankKey: Caller.bank,
    UserKey: Caller.user,
    CollectionKey: Caller.collection,
    ConversationKey: Caller.conversation,
    InvocationKey: Caller.invocation,
}
CALLER = {
    "tenant": "c.caller.tenant",
    "within": "c.caller.binding",
    "writer": "c.caller.subject",
    "stated": "c.caller.may(SPEAK_FOR_USER)",
    "approves": "c.caller.may(APPROVE)",
}
MAY_DIFFER = ("wait", "min_revisions")
"""Fields that are no part of what a request_id stands for."""
PLAIN: Mapping[int, type] = {
    **dict.fromkeys(NUMBERS, int),
    FieldDescriptor.CPPTYPE_DOUBLE: float,
    FieldDescriptor.CPPTYPE_FLOAT: float,
    FieldDescriptor.CPPTYPE_BOOL: bool,
    FieldDescriptor.CPPTYPE_STRING: str,
}
ZERO_IS_A_VALUE = (
    FieldDescriptor.CPPTYPE_BOOL,
    FieldDescriptor.CPPTYPE_FLOAT,
    FieldDescriptor.CPPTYPE_DOUBLE,
)
"""Of such fields 0 says something; of others, that they are not given."""
OF_ITS_OWN = ValueField(None, optional=True, default=MISSING)
"""What a field is read as that no command has."""


class _Place(NamedTuple):
    """A message within the request: the variable that holds it, and its path, which ends in a dot."""

    message: Descriptor
    variable: str
    path: str

    def fields(self) -> Iterable[FieldDescriptor]:
        """Yields the fields that a request has."""
        return (each for each in self.message.fields if not is_output(each))


class ReaderSource(Source):
    """The source of one reader: its statements, and the variables of what they have read, by path."""

    def __init__(self, message: Descriptor, unread: Set[str], named: Sequence[str], inner: Inner) -> None:
        super().__init__(message.name)
        self._names |= {"ID": is_id, "WORD": forms.is_word, "forms": forms, "T": tuple, "F": frozenset}
        self._names |= {scope.name: scope for scope in (Scope.APPROVE, Scope.SPEAK_FOR_USER)}
        self._unread, self._masked, self._inner = unread, named, inner
        self._statements: list[str] = []
        self._read: dict[str, str] = {}
        self._places: dict[str, _Place] = {}
        self._root = _Place(message, "m", "")
        self._has_fields = False

    def function(self, command: Any, lines: Mapping[str, Line], rules: Iterable[Rule]) -> Any:
        if self._masked:
            self._add(f"n = c.mask('update_mask', m.update_mask, {self.named(tuple(self._masked))})")
        made = "None" if command is None else self._value(command, self._root, lines, own=True)
        for place in (self._root, *list(self._places.values())):
            self._check_the_rest(place)
        for each in rules:
            self._add(f"{self.named(each)}(c, m)")
        body = "".join(f"    {each}\n" for each in self._statements)
        return self.compiled("read", f"def read(m, c):\n{body}    return {made}\n")

    # ---- values ----

    def _value(self, value: Any, place: _Place, lines: Mapping[str, Line], *, own: bool) -> str:
        """Returns the expression of a value; `own`: it is the command, and not a part of it."""
        of = fields_of(value)
        if own and place is self._root:
            self._has_fields = "fields" in of
        if astray := set(lines) - set(of):
            raise TypeError(f"{value} has no {', '.join(sorted(astray))}")
        given = []
        for name, field in of.items():
            made = (
                self._line(lines[name], name, field, place)
                if name in lines
                else self._found(name, field, place, own=own)
            )
            if made is not None:
                given.append(f"{name}={made}")
            elif field.default is MISSING:
                raise TypeError(f"{value}.{name} is in no field of {place.message.name}: say it in a line")
        return f"{self.named(value)}({', '.join(given)})"

    def _line(self, line: Line, name: str, field: ValueField, place: _Place) -> str:
        match line:
            case Const(value):
                return self._literal(value)
            case Within(value, lines, alone):
                made = self._value(value, place, lines, own=True)
                return f"({made},)" if alone else made
            case MaskedFields(value, path, lines):
                return self._given(value, self._at(place, path), lines)
            case Else(path, value):
                *outer, last = path.split(".")
                of = field._replace(optional=value is None, default=value)
                return self._field(self._at(place, *outer), last, of)
            case By(read, path):
                *outer, last = (path or name).split(".")
                return self._field(self._at(place, *outer), last, field, read)
            case str(path):
                *outer, last = path.split(".")
                return self._field(self._at(place, *outer), last, field)
        return f"{self.named(line)}(c, m)"

    def _at(self, place: _Place, *path: str) -> _Place:
        """Returns the message at a path within."""
        for each in path:
            place = self._entered(place, each)
        return place

    def _given(self, value: Any, place: _Place, lines: Mapping[str, By]) -> str:
        """Returns the expression of what the mask names, by name."""
        of = fields_of(value)
        pairs = []
        for name in self._masked:
            by = lines[name].read if name in lines else None
            pairs.append(f"({name!r}, {self._field(place, name, cleared(of[name]), by)})")
        return f"{{a: b for a, b in ({', '.join(pairs)},) if a in n}}"

    def _found(self, name: str, field: ValueField, place: _Place, *, own: bool) -> str | None:
        """Returns the expression of what no line says; None where the message says nothing of it."""
        if field.hint is RequestKey:
            apart = "".join(f", {each!r}" for each in MAY_DIFFER if each in place.message.fields_by_name)
            self._read[f"{place.path}request_id"] = ""
            return f"c.request(m{apart})"
        if field.hint in KEYS:
            return self._key(field, place)
        if own and name == "fields" and self._masked:
            return "n"
        if holds(place.message, name, field.hint):
            return self._field(place, name, field)
        if own and name in CALLER:
            return CALLER[name]
        within = [
            each.name
            for each in place.fields()
            if is_single(each) and holds(each.message_type, name, field.hint)
        ]
        if len(within) > 1:
            raise TypeError(f"{place.message.name} has several {name}: say which in a line")
        if within:
            if not (own and self._is_cleared(name)):
                return self._field(self._at(place, within[0]), name, field)
            made = self._field(self._at(place, within[0]), name, cleared(field))
            return f"({made} if {name!r} in n else None)"
        if is_value(field.hint) and field.default is MISSING:
            return self._value(field.hint, place, {}, own=False)
        return None

    def _is_cleared(self, name: str) -> bool:
        """Whether a field is None where the mask does not name it."""
        return name in self._masked and not self._has_fields

    def _key(self, field: ValueField, place: _Place) -> str:
        """Returns the expression of a key, which the caller's binding admits; None where its own name is empty."""
        parts = [
            self._found(name, each._replace(optional=False), place, own=False)
            for name, each in fields_of(field.hint).items()
            if name != "tenant"
        ]
        made = f"{self.named(KEYS[field.hint])}(c.caller, {', '.join(map(str, parts))})"
        return f"({made} if {parts[-1]} else None)" if field.optional else made

    # ---- fields ----

    def _entered(self, place: _Place, name: str) -> _Place:
        """Returns the message within of this name; what holds of it as a whole is checked there."""
        path = f"{place.path}{name}."
        if path not in self._places:
            inner = place.message.fields_by_name[name].message_type
            assert inner is not None
            variable = f"m{len(self._places)}"
            self._places[path] = _Place(inner, variable, path)
            self._read[path[:-1]] = variable
            self._add(f"{variable} = {place.variable}.{name}")
            if inner.full_name in RULES:
                self._add(f"{self.named(RULES[inner.full_name])}(c.within({path!r}), {variable})")
        return self._places[path]

    def _check_the_rest(self, place: _Place) -> None:
        """Checks the fields that no command has."""
        for field in place.fields():
            path = f"{place.path}{field.name}"
            if path in self._read or path in self._unread:
                continue
            if field.name == "request_id":
                self._add(f"c.request({place.variable})")
            elif is_ruled(field, frozenset()):
                self._field(place, field.name, OF_ITS_OWN)

    def _field(self, place: _Place, name: str, of: ValueField, by: Callable[..., Any] | None = None) -> str:
        """Adds the statements that read and check a field; returns its variable."""
        field = place.message.fields_by_name[name]
        path, raw = f"{place.path}{field.name}", f"{place.variable}.{field.name}"
        if path in self._read:
            return self._read[path]
        v = self._read[path] = f"v{len(self._read)}"
        if by is not None:
            body = [f"{v} = {self.named(by)}(c, {path!r}, {raw})"]
        elif is_map(field):
            body = self._map(field, v, raw, path)
        elif field.is_repeated:
            body = self._several(field, of, v, raw, path)
        elif field.message_type is not None:
            body = self._message(field, of, v, raw, path)
        elif field.enum_type is not None:
            body = self._enum(field, of, v, raw, path)
        else:
            body = self._scalar(field, of, v, raw, path)
        if field.has_presence and (is_optional(of) or field.containing_oneof or is_one_value(field)):
            if not is_optional(of):
                raise TypeError(f"{field.full_name} may be absent: say in a line what it is then")
            absent = "None" if of.default is MISSING else self._literal(of.default)
            self._add(f"if {place.variable}.HasField({field.name!r}):", *(f"    {each}" for each in body))
            self._add("else:", f"    {v} = {absent}")
        else:
            self._add(*body)
        return v

    def _scalar(self, field: FieldDescriptor, of: ValueField, v: str, raw: str, path: str) -> list[str]:
        rules = rules_of(field)
        lines = [f"{v} = {raw}"]
        if field.type == FieldDescriptor.TYPE_STRING:
            must = rules.presence == options_pb2.PRESENCE_REQUIRED or is_in_choice(field)
            lines += text(rules, v, path, must=must)
        elif field.cpp_type in NUMBERS:
            lines += number(rules, v, path, whole=not is_float(field))
        if not field.has_presence and field.cpp_type not in ZERO_IS_A_VALUE:
            if of.optional and of is not OF_ITS_OWN:
                lines.append(f"{v} = {v} or None")
            elif of.default is not MISSING and of.default:
                lines.append(f"{v} = {v} or {self._literal(of.default)}")
        return lines

    def _enum(self, field: FieldDescriptor, of: ValueField, v: str, raw: str, path: str) -> list[str]:
        if of is OF_ITS_OWN:
            return [f"{v} = {raw}"]
        choices = members_of(of.hint, field)
        if rules_of(field).presence != options_pb2.PRESENCE_REQUIRED:
            first = next(iter(choices.values())) if of.default is MISSING else of.default
            choices = {0: None if of.optional else first, **choices}
        table = self.named(choices)
        return [f"{v} = {raw}", f"{v} = {table}[{v}] if {v} in {table} else c.choice({path!r}, {v}, {table})"]

    def _message(self, field: FieldDescriptor, of: ValueField, v: str, raw: str, path: str) -> list[str]:
        assert field.message_type is not None
        if field.message_type.name not in SINGLE:
            read = self.named(self._inner(of.hint, field.message_type))
            return [f"{v} = {read}({raw}, c.within({path + '.'!r}))"]
        check = {"Timestamp": "time", "Duration": "duration", "Vector": "vector"}[field.message_type.name]
        lines, rules = [f"{v} = c.{check}({path!r}, {raw})"], rules_of(field)
        if rules.HasField("gte") or rules.HasField("lte"):
            lines.append(f"c.seconds({path!r}, {v}, {bound(rules, 'gte')}, {bound(rules, 'lte')})")
        return lines

    def _map(self, field: FieldDescriptor, v: str, raw: str, path: str) -> list[str]:
        rules = rules_of(field)
        bounds = f"{rules.max_items}, {rules.keys.max_len}, {rules.max_len or bound(rules, 'gte')}"
        assert field.message_type is not None
        value = field.message_type.fields_by_name["value"]
        check = "labels" if value.type == FieldDescriptor.TYPE_STRING else "amounts"
        return [f"{v} = {raw}", f"{v} = c.{check}({path!r}, {v}, {bounds}) if {v} else {{}}"]

    def _several(self, field: FieldDescriptor, of: ValueField, v: str, raw: str, path: str) -> list[str]:
        rules = rules_of(field)
        made, is_tuple = self._elements(field, of, v, path)
        lines = [f"{v} = {raw}"]
        if rules.HasField("max_items") and not is_tuple:
            lines.append(f"c.amount({path!r}, {v}, {rules.max_items}, {rules.min_items})")
        wrap = "F" if get_origin(of.hint) is frozenset else "T"
        made = made if is_tuple and wrap == "T" else f"{wrap}({made})"
        empty = self._literal(of.default) if of.default is not MISSING and of.default else f"{wrap}()"
        return [*lines, f"{v} = {made}" if rules.min_items else f"{v} = {made} if {v} else {empty}"]

    def _elements(self, field: FieldDescriptor, of: ValueField, v: str, path: str) -> tuple[str, bool]:
        """Returns the expression of the elements, and whether it is a tuple whose length is checked."""
        rules, hint = rules_of(field), next(iter(get_args(of.hint)), None)
        most = f"[:{rules.max_items}]" if rules.HasField("max_items") else ""
        if field.message_type is not None:
            read = self.named(self._inner(hint, field.message_type))
            each = f"c.within(f'{path}[{{i}}].')"
            return f"[{read}(e, {each}) for i, e in enumerate({v}{most})]", False
        if isinstance(hint, type) and issubclass(hint, Enum):
            return f"c.choices({path!r}, {v}{most}, {self.named(members_of(hint, field))})", False
        if rules.format == options_pb2.FORMAT_ID:
            return f"c.ids({path!r}, {v}, {rules.max_items}, {rules.min_items})", True
        if rules.format == options_pb2.FORMAT_WORD:
            return f"forms.words(c, {path!r}, {v}, {rules.max_items})", True
        if field.type == FieldDescriptor.TYPE_STRING:
            return f"c.texts({path!r}, {v}, {rules.max_items}, {rules.max_len})", True
        if rules.HasField("lte"):
            bounds = f"{bound(rules, 'gte')}, {bound(rules, 'lte')}"
            return f"c.numbers({path!r}, {v}, {rules.max_items}, {bounds})", True
        return v, False

    def _add(self, *statements: str) -> None:
        self._statements += statements

    def _literal(self, value: Any) -> str:
        return repr(value) if type(value) in (bool, int, float, str) or value is None else self.named(value)


def holds(message: Descriptor | None, name: str, hint: Any) -> bool:
    """Whether a request's message has a field of this name for a value of this type. Raises TypeError for one that has
    the name, and another type."""
    field = None if message is None else message.fields_by_name.get(name)
    if field is None or is_output(field) or (is_single(field) and not is_value(hint)):
        return False
    element = next(iter(get_args(hint)), None) if field.is_repeated and not is_map(field) else hint
    element = getattr(element, "__supertype__", element)
    if element in PLAIN.values() and element is not PLAIN.get(field.cpp_type):
        raise TypeError(f"{field.full_name} is of another type than {hint}: say it in a line")
    return True


def cleared(of: ValueField) -> ValueField:
    """A field that is None where the mask does not name it; what is named may be empty."""
    return of._replace(optional=False, default=None)


def is_optional(of: ValueField) -> bool:
    return of.optional or of.default is not MISSING
