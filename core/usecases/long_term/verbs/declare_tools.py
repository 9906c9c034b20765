"""DeclareTools: the tools that an agent may call by itself."""

from dataclasses import dataclass

from core.context.prompt import ToolFormat
from core.context.tools import MEMORY_TOOLS, declared


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareTools:
    form: ToolFormat = ToolFormat.OPENAI


async def declare_tools(_ports: object, command: DeclareTools) -> tuple[str, ...]:
    """Returns the tools' declarations, each a JSON object."""
    return tuple(declared(MEMORY_TOOLS, command.form))
