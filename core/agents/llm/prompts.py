"""The prompts: the files that ship with the package, or others in their place.

Law: a system message is a task's own prompt and the rules common to all, the same bytes whatever
is asked, so that endpoints that remember prefixes do so. What differs stands in the user's message. A prompt that takes
the place of another has its placeholders and no others.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from core.text.tokens import estimate

LONGEST = 32_768  # characters of one prompt
PLACEHOLDER = re.compile(r"\{[a-z_]+\}")


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts by name. `texts`: those that stand in the place of the ones that ship."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def system(self, name: str) -> str:
        """Returns the system message of one task."""
        return f"{self.text(name)}\n\n{self.text('rules')}"

    def text(self, name: str) -> str:
        """Returns one prompt, without the line breaks at its ends."""
        return self.texts[name].strip() if name in self.texts else shipped(name)

    @property
    def longest(self) -> int:
        """Tokens of the longest system message."""
        return max(estimate(self.system(name)) for name in names())


SHIPPED = Prompts()


def names() -> list[str]:
    """Returns the names of all prompts."""
    return sorted(
        each.name.removesuffix(".md")
        for each in files("core.agents.prompts").iterdir()
        if each.name.endswith(".md")
    )


def shipped(name: str) -> str:
    """Returns one prompt as it ships, without the line breaks at its ends."""
    return files("core.agents.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


def problem_of_prompt(name: str, text: str) -> str:
    """Returns what is wrong with a text in the place of a prompt; empty if nothing is."""
    if name not in names():
        return f"is the name of no prompt; there are {', '.join(names())}"
    if not text.strip():
        return "is blank"
    if len(text) > LONGEST:
        return f"has {len(text):,} characters, and may have {LONGEST:,}"
    needed, given = set(PLACEHOLDER.findall(shipped(name))), set(PLACEHOLDER.findall(text))
    if needed - given:
        return f"lacks the placeholder {', '.join(sorted(needed - given))}"
    if given - needed:
        return f"has the placeholder {', '.join(sorted(given - needed))}, which nothing takes the place of"
    return ""
