"""What the command line says, in English and Chinese: one catalogue, and nothing without its Chinese."""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.groups import LazyGroup
from service.cli.messages import catalogue, of_environment

SOURCES = sorted((Path(__file__).parents[3] / "service" / "cli").glob("*.py"))
HAN = re.compile("[\u4e00-\u9fff]")
FIELD = re.compile(r"{(\w*)[^}]*}")
KEPT = re.compile(r"\s*memorybank .*|\s*|\x08")
NOWHERE = "127.0.0.1:9"
CLICKS_OWN = {"Usage", "Options", "Commands", "Show this message and exit.", "Show the version and exit."}


def helps(command: click.Command) -> Iterator[str]:
    """Yields each line that `--help` has of a command and of those in it: names' lists, options, first paragraphs."""
    yield " ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split())  # its first paragraph
    yield from (each.help for each in command.params if isinstance(each, click.Option) and each.help)
    if isinstance(command, LazyGroup):
        for place in command.places.values():
            yield place.told
            yield from helps(place.command())
    elif isinstance(command, click.Group):
        for each in command.commands.values():
            yield each.get_short_help_str(limit=1_000)
            yield from helps(each)


def strings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def said(path: Path) -> Iterator[str]:
    """Yields what a module says: what it gives to `say`, the names of rows, what it counts."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id="say"), args=[ast.Constant(value=str(text))]):
                yield text
            case ast.Call(
                func=ast.Name(id="pairs") | ast.Attribute(attr="pairs"), args=[ast.List(elts=rows)]
            ):
                yield from first_of(rows)
            case ast.FunctionDef(name="_rows" | "_drawn"):
                lists = (each for each in ast.walk(node) if isinstance(each, ast.List))
                yield from (name for each in lists for name in first_of(each.elts))
            case ast.Call(
                func=ast.Name(id="many") | ast.Attribute(attr="many"), args=[_, ast.Constant(value=str(noun))]
            ):
                yield f"{{count:,}} {noun}"


def first_of(rows: list[ast.expr]) -> Iterator[str]:
    for row in rows:
        match row:
            case ast.Tuple(elts=[ast.Constant(value=str(name)), _]):
                yield name


def test_every_line_of_help_has_its_chinese() -> None:
    lines = set(helps(main)) | CLICKS_OWN
    kept = {
        line.strip() for line in f"{main.help}\n{main.epilog}".split("\b")[1:] for line in line.splitlines()
    }
    lines |= {line for line in kept if not KEPT.fullmatch(line)}

    assert len(lines) > 290
    assert sorted(line for line in lines if line not in catalogue()) == []


def test_what_commands_say_has_its_chinese() -> None:
    found = {(path.name, text) for path in SOURCES for text in said(path)}

    assert len(found) > 100
    assert sorted(each for each in found if each[1] not in catalogue()) == []


def test_the_catalogue_has_nothing_that_is_not_said() -> None:
    spelled = (
        {text for path in SOURCES for text in (*strings(path), *said(path))} | set(helps(main)) | CLICKS_OWN
    )
    spelled |= {f"{{count:,}} {text}" for text in spelled}
    spelled |= {line.strip() for text in spelled for line in text.splitlines()}
    spelled |= {each.help for each in main.params if isinstance(each, click.Option) and each.help}

    assert sorted(set(catalogue()) - spelled) == []


@pytest.mark.parametrize("english", sorted(catalogue()))
def test_a_chinese_message_is_chinese_and_is_filled_in_alike(english: str) -> None:
    chinese = catalogue()[english]

    assert HAN.search(chinese) or english == "tokens"
    assert sorted(FIELD.findall(chinese)) == sorted(FIELD.findall(english))


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "MEMORYBANK_LANG": "en"}, "en"),
        ({"LC_ALL": "C", "MEMORYBANK_LANG": "zh"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "MEMORYBANK_LANG": "xx"}, "zh"),
    ],
)
def test_the_environment_says_which_language(environment: Mapping[str, str], language: str) -> None:
    assert of_environment(environment) == language


def test_help_is_chinese_where_that_is_asked_for() -> None:
    asked = CliRunner().invoke(main, ["--lang", "zh", "search", "--help"], prog_name="memorybank").output
    listed = CliRunner().invoke(main, ["show", "--help"], env={"MEMORYBANK_LANG": "zh"}).output
    english = (
        CliRunner().invoke(main, ["--lang", "en", "show", "--help"], env={"MEMORYBANK_LANG": "zh"}).output
    )

    assert asked.startswith("用法: memorybank search")
    assert "按词语和含义查找记忆" in asked
    assert "Find memories" not in asked
    assert "显示有哪些记忆库。" in listed
    assert not HAN.search(english)


def test_a_problem_and_its_remedy_are_chinese_and_json_keeps_its_form() -> None:
    told = CliRunner().invoke(main, ["--lang", "zh", "status", "--server", NOWHERE])
    plain = CliRunner().invoke(main, ["--lang", "zh", "status", "--server", NOWHERE, "--json"])

    assert told.exit_code == 3
    assert told.stderr.startswith(f"memorybank: {NOWHERE} 处没有记忆库应答")
    assert "启动一个" in told.stderr
    assert json.loads(plain.stderr)["error"]["exit_code"] == 3
