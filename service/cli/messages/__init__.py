"""What the command line says besides answers, in English and Chinese.

Law: the English stands where it is said, and is the name of its Chinese in `zh.toml`: one catalogue, no second command
line. What has no Chinese is said in English. What was stored, ids, names of the contract and the service's own refusals
are never translated; nor is JSON's form.
"""

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import click

LANGUAGES = ("en", "zh")
VARIABLE = "MEMORYBANK_LANG"
LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")
CHOSEN = "memorybank.lang"


def say(message: str, /, **values: Any) -> str:
    """Returns a message in the language that was asked for; `values` fill what stands in braces."""
    said = catalogue().get(message, message) if language() == "zh" else message
    return said.format(**values) if values else said


def language() -> str:
    """Returns the language of this command: `--lang`, else the environment's."""
    context = click.get_current_context(silent=True)
    chosen = context.meta.get(CHOSEN) if context is not None else None
    return str(chosen) if chosen else of_environment(os.environ)


def of_environment(environment: Mapping[str, str]) -> str:
    """Returns the language that an environment asks for: MEMORYBANK_LANG, else the first locale that is set, as the C
    library goes by it."""
    if (own := environment.get(VARIABLE, "")) in LANGUAGES:
        return own
    locale = next((found for name in LOCALES if (found := environment.get(name))), "")
    return "zh" if locale.lower().startswith("zh") else "en"


@cache
def catalogue() -> Mapping[str, str]:
    """Returns the Chinese of each message."""
    text = (files(__name__) / "zh.toml").read_text(encoding="utf-8")
    sections = tomllib.loads(text)
    return {english: chinese for section in sections.values() for english, chinese in section.items()}


def _choose(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.meta[CHOSEN] = value


LANG = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    expose_value=False,
    is_eager=True,
    callback=_choose,
    help="The language of messages (or MEMORYBANK_LANG).  [default: the environment's]",
)
"""Of the whole command line: `memorybank --lang zh COMMAND`."""
