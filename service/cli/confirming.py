"""The question before what cannot be undone.

Law: a command asks before it erases what no other call brings back, unless it is told --yes, and erases nothing where
there is nobody to ask. What an earlier version or an opposite command brings back (`instructions put`, `user off`) asks
nothing.
"""

import sys

import click

from service.cli.exits import Exit, Failure
from service.cli.messages import say

YES = click.option("-y", "--yes", is_flag=True, help="Do not ask.")


def ask(
    question: str, *, why: str = "what is erased is gone for good", left: str = "nothing was erased"
) -> None:
    """Returns if a person says yes. Raises Failure on a no, saying what is `left`, and where there is no terminal."""
    if not sys.stdin.isatty():
        raise Failure(say("{why}: confirm it with --yes", why=why), exit_code=Exit.USAGE)
    if not click.confirm(question, err=True):
        raise Failure(left, exit_code=Exit.INTERRUPTED)
