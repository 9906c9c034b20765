"""An invocation's part of a prompt: what the agent thought, did and saw so far.

Law: pure. It comes bounded already; here the last steps go last, and what was compressed before them.
"""

from collections.abc import Sequence

from core.context.lines import indented, one_line, opening
from core.context.sections import Item, Section, Tier
from core.language import Words
from core.model.invocation import Item as WorkingItem
from core.model.invocation import ItemType

WORKING = "working"
SHORT_CONTENT = 320
"""Characters of an item's content in its shorter form."""


def working_section(items: Sequence[WorkingItem], keep_steps: int, words: Words) -> Section:
    """Returns the items in their order."""
    last = set(sorted({item.step for item in items if item.type is not ItemType.COMPRESSED})[-keep_steps:])
    made = tuple(
        Item(
            item_id=str(item.number),
            full=f"{_head(item, words)}\n{indented(item.content)}",
            short=f"{_head(item, words)}\n  {opening(item.content, SHORT_CONTENT)}",
            tier=Tier.LAST if item.step in last and item.type is not ItemType.COMPRESSED else Tier.NEEDED,
            weight=(place + 1) / len(items),
        )
        for place, item in enumerate(items)
    )
    return Section(name=WORKING, title=words.working, items=made)


def _head(item: WorkingItem, words: Words) -> str:
    """Renders the step and the type; of a call its tool and arguments."""
    call = f" {one_line(f'{item.tool} {item.arguments_json}')}" if item.tool else ""
    mark = f" {words.failed} {one_line(item.error_type)}".rstrip() if item.failed else ""
    return f"[{item.step}] {item.type.value.upper()}{call}{mark}"
