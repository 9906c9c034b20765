"""JSON and XML as rows of fields, also where a piece was cut out of them.

Law: pure; every name and every value stands in the text, in its order. A row is an object, or an element with others in
it: `name: Ferry 7; price: 12`, behind the name of the list or element that it lies in.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_JSON = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_XML = re.compile(
    r"<!--.*?-->|<!\[CDATA\[(?P<data>.*?)\]\]>|<(?P<close>/)?(?P<tag>[A-Za-z_][\w.:-]*)(?P<more>[^<>]*?)(?P<empty>/)?>|<[?!][^>]*>|(?P<text>[^<]+)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([A-Za-z_][\w.:-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_BARE = re.compile(r"[\s{}\[\]:,\d.eE+-]|true|false|null")
_NAMED = re.compile(r'"(?:[^"\\]|\\.){1,200}"\s*:')
_CLOSED = re.compile(r"</[A-Za-z_][\w.:-]*\s*>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
FEWEST, PARTS = 2, 5  # elements that end, in what is XML as a whole, and in a part of it
SAID = 0.7  # of its characters that are no marks, at most
STRAY = 0.1  # of the characters of JSON that are none of it, where it was cut out within a value
HTML = re.compile(r"<(?:html|body|p|div|span|br|table|ul|li|h[1-6])\b", re.IGNORECASE)


@dataclass(slots=True)
class _Row:
    """Fields in their order. `has_rows`: others lie in it; `text`: what an element says itself."""

    name: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    has_rows: bool = False
    text: str = ""
    is_list: bool = False


def rows(text: str) -> list[str]:
    """Returns the rows of a text that is JSON or XML, whole or in part; none of any other."""
    if _is_json(text):
        return [shown for row in _json_rows(text) if (shown := _shown(row))]
    if _is_xml(text):
        return [shown for row in _xml_rows(text) if (shown := _shown(row))]
    return []


def _is_json(text: str) -> bool:
    if not _NAMED.search(text):
        return False
    bare = _BARE.sub("", _STRING.sub("", text[_begins(text) :]))
    return len(bare) <= STRAY * len(text)


def _begins(text: str) -> int:
    """Returns where the first string begins, if a text was cut out within one."""
    if text.lstrip()[:1] in ("{", "[", '"'):
        return 0
    cut = re.search(r'[,{\[]\s*(?=["{\[])', text)
    return cut.end() if cut else 0


def _is_xml(text: str) -> bool:
    closed = len(_CLOSED.findall(text))
    if HTML.search(text) or closed < (FEWEST if text.lstrip().startswith("<") else PARTS):
        return False
    said = sum(len(found["text"] or "") for found in _XML.finditer(text))
    return said <= SAID * len(text)


def _shown(row: _Row) -> str:
    fields_ = [f"{name}: {value}" if name else value for name, value in row.fields if value]
    told = ("; " if not row.is_list else ", ").join(fields_)
    return f"{row.name}: {told}" if row.name and told else told


def _json_rows(text: str) -> list[_Row]:
    found = [_Row(name="")]
    open_ = [found[0]]
    key = ""
    tokens = _JSON.findall(text[_begins(text) :])
    for place, part in enumerate(tokens):
        behind = tokens[place + 1] if place + 1 < len(tokens) else ""
        if part in "{[":
            name = key or open_[-1].name
            found.append(_Row(name=name, is_list=part == "["))
            open_.append(found[-1])
            key = ""
        elif part in "}]":
            if len(open_) > 1:
                open_.pop()
            key = ""
        elif behind == ":" and part != ",":
            key = _plain(part)
        elif part not in ":,":
            open_[-1].fields.append((key, _plain(part)))
            key = ""
    return found


def _plain(part: str) -> str:
    if part.startswith('"'):
        try:
            part = str(json.loads(part))
        except ValueError:
            part = part.strip('"')
    return "" if part == "null" else " ".join(part.split())


def _xml_rows(text: str) -> list[_Row]:
    found = [_Row(name="")]
    open_ = [found[0]]
    for match in _XML.finditer(text):
        if said := (match["text"] or match["data"] or "").strip():
            open_[-1].text = f"{open_[-1].text} {_unescaped(said)}".strip()
        if not match["tag"]:
            continue
        if match["close"]:
            if len(open_) > 1:
                _close(open_.pop(), open_[-1], found)
            continue
        row = _Row(name=match["tag"], fields=list(_attributes(match["more"])))
        open_[-1].has_rows = True
        found.append(row)
        if match["empty"]:
            _close(row, open_[-1], found)
        else:
            open_.append(row)
    for row in open_:
        if row.text:
            row.fields.append(("", row.text))
    return found


def _close(row: _Row, outer: _Row, found: list[_Row]) -> None:
    """Puts an element that says one thing among the fields of the one it lies in."""
    if row.has_rows or row.fields:
        if row.text:
            row.fields.append(("", row.text))
        return
    if row in found:
        found.remove(row)
    outer.fields.append((row.name, row.text))


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    for name, double, single in _ATTRIBUTE.findall(text):
        yield name, " ".join(_unescaped(double or single).split())


def _unescaped(text: str) -> str:
    for entity, sign in _ENTITIES.items():
        text = text.replace(entity, sign)
    return " ".join(text.split())
