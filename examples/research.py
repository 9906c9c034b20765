"""The research task that the example agents are given, and their search tool over the files in `library/`.

The user's notes are out of date: a file contradicts them, and another one knows why. One file is Chinese.
"""

import re
from pathlib import Path
from typing import Any

NOTES = "The ferry to Naxos leaves at nine from pier 3. A ferry ticket to Naxos costs 38 euro."
QUESTION = "What do ferry and museum cost two adults and two children who go to Naxos for a day?"
PROMPT = f"{NOTES}\n\n{QUESTION}"

SEARCH: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Find the file of the library that says most about a query, and read it.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "Words to look for, 中文也可以."}},
            "required": ["query"],
        },
    },
}

LIBRARY = Path(__file__).parent / "library"
WORD = re.compile(r"[a-z0-9]+|(?=([\u4e00-\u9fff]{2}))")  # and every two Chinese characters


def search(query: str) -> str:
    """The text of the file with most of the query's words, under its name."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(LIBRARY.glob("*.md"))}
    wanted = _words(query)
    best = max(texts, key=lambda name: len(wanted & _words(texts[name])))
    return f"{best}\n\n{texts[best]}" if wanted & _words(texts[best]) else "nothing found"


def _words(text: str) -> set[str]:
    return {found[1] or found[0] for found in WORD.finditer(text.lower())} - {""}
