"""What arguments of the tools of `adapters.mcp` may be, and what a model is told of them."""

from typing import Annotated

from pydantic import Field

MOST = 50

Query = Annotated[
    str, Field(description="What is looked for, as a question or in words", min_length=1, max_length=16_384)
]
Top = Annotated[int, Field(description="How many at most", ge=1, le=MOST)]
Ids = Annotated[
    list[str],
    Field(description="Ids in square brackets, as other tools gave them", min_length=1, max_length=20),
]
Path = Annotated[
    str, Field(description="Path of the document, such as AGENTS.md", min_length=1, max_length=256)
]
Content = Annotated[
    str,
    Field(
        description="One plain statement that will make sense alone; no secret",
        min_length=1,
        max_length=4_096,
    ),
]
Time = Annotated[
    str,
    Field(
        description="When it was so, ISO 8601: 2026-03-01 or 2026-03-01T09:30:00Z. Empty: now", max_length=40
    ),
]
