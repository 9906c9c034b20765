"""The texts of `--help` in the language that was asked for.

Law: looks up what click is about to write; a command knows nothing of it.
"""

from collections.abc import Iterable

import click

from service.cli.messages import catalogue, language, say

CUT = "..."
"""What click ends a line with that it cuts."""
AS_IT_IS = "\b"
"""A paragraph that begins so keeps its lines."""


class Formatter(click.HelpFormatter):
    """Writes click's help, each text in its Chinese where that is asked for."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or f"{say('Usage')}: ")

    def write_heading(self, heading: str) -> None:
        super().write_heading(say(heading))

    def write_text(self, text: str) -> None:
        super().write_text("\n\n".join(map(_paragraph, text.split("\n\n"))))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl([(name, line(text)) for name, text in rows], col_max, col_spacing)


class Context(click.Context):
    """A context whose help is written so."""

    formatter_class = Formatter


def spoken(command: click.Command) -> click.Command:
    """Has a command, and those in it, write their help in the language that was asked for."""
    command.context_class = Context
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        spoken(each)
    return command


def line(text: str) -> str:
    """Returns the Chinese of a line of a list, of which click may have cut the end, or put the default behind."""
    if language() != "zh" or not text:
        return text
    if text in catalogue():
        return catalogue()[text]
    begun = text.removesuffix(CUT)
    if begun != text and (whole := next((each for each in catalogue() if each.startswith(begun)), None)):
        return catalogue()[whole]
    own = max((each for each in catalogue() if text.startswith(f"{each}  [")), key=len, default="")
    return catalogue()[own] + text[len(own) :].replace("default: ", "默认：") if own else text


def _paragraph(text: str) -> str:
    if text.startswith(AS_IT_IS):
        return "\n".join(_kept(each) for each in text.split("\n"))
    return say(" ".join(text.split())) if language() == "zh" else text


def _kept(text: str) -> str:
    """Returns a line that keeps its place: its words, behind its blanks."""
    words = text.lstrip()
    return text[: len(text) - len(words)] + say(words)
