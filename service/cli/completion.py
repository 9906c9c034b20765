"""`memorybank completion`: what a shell needs to complete commands and options by the tab key."""

import click
from click.shell_completion import get_completion_class

PROGRAM = "memorybank"
VARIABLE = "_MEMORYBANK_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes commands, options and their values.

    \b
    Examples:
      memorybank completion bash > ~/.local/share/bash-completion/completions/memorybank
      memorybank completion fish > ~/.config/fish/completions/memorybank.fish
      source <(memorybank completion zsh)
    """
    made = get_completion_class(shell)
    assert made is not None, "click knows the shells that are offered"
    click.echo(made(context.find_root().command, {}, PROGRAM, VARIABLE).source())
