"""What the service knows of languages: word lists as data, a folder a language.

Law: files hold data, one entry a line; `#` begins a comment. What needs a list names it and is given those of all
languages.
"""

from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "zh")


@cache
def entries(name: str, language: str) -> tuple[str, ...]:
    """Returns the entries of a list in one language, as they stand in its file."""
    text = files(__name__).joinpath(language, f"{name}.txt").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def in_all(name: str) -> tuple[str, ...]:
    """Returns the entries of a list in all languages that have it."""
    there = (
        language for language in LANGUAGES if files(__name__).joinpath(language, f"{name}.txt").is_file()
    )
    return tuple(entry for language in there for entry in entries(name, language))
