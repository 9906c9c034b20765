"""The prompts, read from the files that ship with the package.

Law: a system message is a task's own prompt and the rules common to all, the same bytes whatever
is asked, so that endpoints that remember prefixes do so. What differs stands in the user's message.
"""

from importlib.resources import files


def system(name: str) -> str:
    """Returns the system message of one task."""
    return f"{text(name)}\n\n{text('rules')}"


def text(name: str) -> str:
    """Returns one prompt file, without the line breaks at its ends."""
    return files("core.agents.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
