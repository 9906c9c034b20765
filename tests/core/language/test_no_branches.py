"""A rule asks the language: outside `core.language` none looks which one it is."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[3] / "core"
CODES = ("en", "zh")
NAMES = ("is_chinese", "is_english", "chinese", "english")
LANGUAGES = ("CHINESE", "ENGLISH")
NAMED = re.compile(r"\b(en|zh)\b|core\.language\.(en|zh)|chinese|english", re.IGNORECASE)
"""Is in each file that has one of these: the others need not be parsed."""


def branches(tree: ast.AST) -> Iterator[int]:
    """Yields the lines on which something hangs on which language it is, or the data of one are taken."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in NAMES:
                yield node.lineno
            case ast.IfExp(test=ast.Name(id=name)) | ast.If(test=ast.Name(id=name)) if name in NAMES:
                yield node.lineno
            case ast.IfExp(test=ast.Attribute(attr=name)) | ast.If(test=ast.Attribute(attr=name)) if (
                name in NAMES
            ):
                yield node.lineno
            case ast.arg(arg=name) if name in NAMES:
                yield node.lineno
            case ast.Compare(comparators=[ast.Constant(value=code)]) if code in CODES:
                yield node.lineno
            case ast.ImportFrom(module=str(module), names=found):
                of_one = module.startswith(tuple(f"core.language.{code}" for code in CODES))
                named = module == "core.language" and any(each.name in (*LANGUAGES, *CODES) for each in found)
                if of_one or named:
                    yield node.lineno


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("gap = '' if is_chinese(text) else ' '", True),
        ("if language.chinese:\n    pass", True),
        ("def shown(text, chinese): ...", True),
        ("wide = code == 'zh'", True),
        ("from core.language import CHINESE, language_of", True),
        ("from core.language.zh.segmenter import tagged", True),
        ("gap = language_of(text).marks.gap", False),
        ("from core.language import language_of", False),
    ],
)
def test_a_branch_on_a_language_is_seen(line: str, found: bool) -> None:
    assert bool(list(branches(ast.parse(line)))) is found
    assert NAMED.search(line) or not found


def test_core_has_no_branch_on_a_language() -> None:
    files = [path for path in CORE.rglob("*.py") if CORE / "language" not in path.parents]

    found = [
        f"{path.relative_to(CORE)}:{line}"
        for path in files
        if NAMED.search(text := path.read_text(encoding="utf-8"))
        for line in branches(ast.parse(text))
    ]

    assert len(files) > 300
    assert found == []
