"""The pages lead where they say: links, anchors, commands and their options, contents, and the README in Chinese.

What the commands print is for test_readme.py.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from service.cli import COMMANDS
from tests.test_readme import ROOT

PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "clients/**/README.md",
        "deploy/**/README.md",
        "tests/**/README.md",
        "tests/bench/figures/*.md",
        "tools/**/README.md",
    )
    for path in ROOT.glob(pattern)
    if "node_modules" not in path.parts
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")
HEADING = re.compile(r"^(#+) +(.*)$", re.MULTILINE)
PROGRAM = re.compile(r"(?:^|\s)memorybank ([a-z].*)$")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(path: Path) -> str:
    """A page without what stands in fences."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """The anchors that a page's headings make where it is shown: lower case, hyphens for spaces, no punctuation."""
    found: set[str] = set()
    for _, heading in HEADING.findall(prose(path)):
        anchor = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower()).replace(" ", "-")
        same = sum(re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", other) is not None for other in found)
        found.add(f"{anchor}-{same}" if same else anchor)
    return found


def leads_nowhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent.joinpath(path) if path else page
    return not target.exists() or (bool(anchor) and target.suffix == ".md" and anchor not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_place(page: Path) -> None:
    links = LINK.findall(prose(page))

    assert [link for link in links if leads_nowhere(page, link)] == []


def test_a_link_to_a_missing_file_or_heading_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One, two: 三\n\n## Again\n\n## Again\n", encoding="utf-8")

    assert anchors(page) == {"one-two-三", "again", "again-1"}
    assert leads_nowhere(page, "none.md")
    assert leads_nowhere(page, "page.md#nowhere")
    assert not leads_nowhere(page, "#again-1")


def commands(page: Path) -> Iterator[str]:
    """What follows `memorybank` in a page's fences and in its text, without pipes, redirections and comments."""
    for language, block in FENCE.findall(page.read_text(encoding="utf-8")):
        lines = block.replace("\\\n", "").splitlines() if language in ("console", "sh") else []
        for line in lines:
            if language == "sh" or line.startswith("$ "):
                found = PROGRAM.search(re.split(r"\s(?:#|\||>|&&|&)\s?", line)[0])
                if found is not None:
                    yield found[1]
    yield from re.findall(r"`memorybank\s([a-z][^`]*)`", prose(page))


def unknown(command: str) -> list[str]:
    """The words of a command that the command line does not have: a command, or an option."""
    first, *words = shlex.split(command)
    if first not in COMMANDS:
        return [first]
    known = COMMANDS[first].command()
    missing: list[str] = []
    for word in (each.split("|")[0] for each in words):
        inner = known.get_command(click.Context(known), word) if isinstance(known, click.Group) else None
        options = {"--help", *(option for each in known.params for option in each.opts)}
        if inner is not None:
            known = inner
        elif isinstance(known, click.Group) or (word.startswith("--") and word not in options):
            missing.append(word)
    return missing


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "first-day.md"], ids=name)
def test_every_command_shown_is_one_of_the_program(page: Path) -> None:
    assert {command: unknown(command) for command in commands(page) if unknown(command)} == {}


def test_a_command_that_is_mistyped_is_found() -> None:
    mistaken = list(commands(ROOT / "docs" / "first-day.md"))

    assert {word for command in mistaken for word in unknown(command)} == {"serch", "--bnk"}


def test_the_readme_leads_to_every_page_for_users() -> None:
    links = {link.partition("#")[0] for link in LINK.findall(prose(ROOT / "README.md"))}

    assert [name(page) for page in sorted(ROOT.glob("docs/*.md")) if name(page) not in links] == []


def test_the_readme_in_chinese_keeps_step() -> None:
    english, chinese = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "README.zh.md"))

    def shape(text: str) -> tuple[list[str], list[tuple[str, int]]]:
        bare = FENCE.sub("", text)
        lines = [re.match(r"[|#-]*", line)[0] for line in bare.splitlines()]  # type: ignore[index]
        links = [link.partition("#")[0] for link in LINK.findall(bare)]
        return [line for line in lines if line], [(link, links.count(link)) for link in sorted(set(links))]

    def same(text: str) -> list[tuple[str, str]]:
        *shown, (drawn, _) = FENCE.findall(text)  # what is drawn last is told in the page's language
        return [*shown, (drawn, "")]

    assert same(chinese) == same(english)
    assert shape(chinese)[0] == shape(english)[0]
    swapped = [("README.zh.md" if link == "README.md" else link, n) for link, n in shape(chinese)[1]]
    assert sorted(swapped) == shape(english)[1]


CONTRIBUTORS = {"docs/architecture.md", "docs/evaluation.md"}
GENERATED = {"docs/configuration.md"}
WRITTEN = re.compile(r"<!-- what follows is written by.*?<!-- until here -->", re.DOTALL)


def words_for_users() -> dict[str, int]:
    """Returns the words of each page for users: without programs, their output, and what a program writes. The README
    has a limit of its own."""
    texts = {name(page): WRITTEN.sub("", prose(page)) for page in sorted((ROOT / "docs").glob("*.md"))}
    return {
        page: sum(re.search(r"\w", word) is not None for word in text.split())
        for page, text in texts.items()
        if page not in CONTRIBUTORS | GENERATED
    }


def test_the_pages_for_users_are_read_in_an_evening() -> None:
    counted = words_for_users()

    assert len(counted) > 20
    assert sum(counted.values()) <= 14_000, counted
