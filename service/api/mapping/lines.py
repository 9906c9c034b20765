"""What a reader is told where a command's field does not follow from name and type."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from service.api.from_proto.checks import Checks


class Const(NamedTuple):
    """What is the same whatever the message says."""

    value: Any


class Else(NamedTuple):
    """A field at a path, and what it is read as where it is absent or empty."""

    path: str
    value: Any


class By(NamedTuple):
    """A field that `read(check, path, value)` reads and checks where it is given: that of its name, or at `path`."""

    read: Callable[[Checks, str, Any], Any]
    path: str = ""


class Within(NamedTuple):
    """A value made of fields of the same message, some of them by lines; `alone`: in a tuple."""

    value: Any
    lines: "Mapping[str, Line]" = {}  # noqa: RUF012  never written to
    alone: bool = False


class MaskedFields(NamedTuple):
    """The fields that the mask names, by name, typed as in `value`, from the message at `path`."""

    value: Any
    path: str
    lines: "Mapping[str, By]" = {}  # noqa: RUF012  never written to


Line = str | Const | Else | By | Within | MaskedFields | Callable[[Checks, Any], Any]
"""Where a command's field is: a path (`conversation.goal`), what is the same in each, or what makes it."""
Rule = Callable[[Checks, Any], object]
"""Names what is wrong with several fields together."""
