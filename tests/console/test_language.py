"""What the pages say: the same sentences in both languages, each used, and the one that a browser asks for."""

import re
from pathlib import Path

import pytest

import console as package
from console.language import NAMES, language, preferred
from tests.support.console import Browser, console, words_of

FOLDER = Path(package.__file__).parent
SAID = re.compile(r"""say\(\s*"([a-z_.]+)\"""")
NAMED = re.compile(r'"([a-z_]+(?:\.[a-z_]+)+)"')
CHOSEN = re.compile(r'or_as_it_is\(\s*"([a-z_.]+)"')
PLACE = re.compile(r"\{(\w+)\}")


def sources() -> str:
    files = (*FOLDER.rglob("*.html"), *FOLDER.rglob("*.py"))
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_both_languages_say_the_same_things() -> None:
    english, chinese = (language(code).sentences for code in NAMES)

    assert english.keys() == chinese.keys()
    assert {name: set(PLACE.findall(english[name])) for name in english} == {
        name: set(PLACE.findall(chinese[name])) for name in chinese
    }
    assert not [name for name, sentence in chinese.items() if sentence.isascii()]
    assert not [name for name, sentence in english.items() if not sentence.isascii() and "…" not in sentence]


def test_each_sentence_is_there_and_used() -> None:
    text, there = sources(), language("en").sentences.keys()
    chosen = tuple(f"{prefix}." for prefix in CHOSEN.findall(text))
    used = set(SAID.findall(text)) | (set(NAMED.findall(text)) & there)

    assert used <= there
    assert not [name for name in there - used if not name.startswith(chosen)]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("de,en-GB;q=0.7,zh;q=0.3", "en"),
        ("en;q=0.2, zh;q=0.9", "zh"),
        ("fr", "en"),
        ("", "en"),
        ("zh;q=much,;;,", "en"),
    ],
)
def test_a_browser_is_answered_in_its_language(asked: str, code: str) -> None:
    assert preferred(asked) == code


def test_a_person_switches_between_languages() -> None:
    with console(let_in=False) as browser:
        browser.language = "zh-CN"
        browser.enter()
        chinese = browser.page("/")
        english = browser.submit(chinese, "/change/language", language="en").text

    assert '<html lang="zh">' in chinese
    assert "看谁的记忆？" in chinese
    assert '<html lang="en">' in english
    assert "Whose memory?" in english


def test_a_closed_console_says_what_to_do(browser: Browser) -> None:
    assert "memorybank console" in words_of(browser.get("/", Cookie="").text)
