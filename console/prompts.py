"""A prompt taken apart: its parts with their tokens, and the memory behind each line.

Law: pure. A part begins at a heading of the service's own, and no recorded text looks like one: prompts show it in
another spelling. A line leads to the memory that the answer's items name, in their order, or by its handle in brackets.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memorybank.v1 import types_pb2 as types

HEADINGS: Mapping[str, tuple[str, ...]] = {
    "Tool: deep_retrieval": ("tools",),
    "工具：deep_retrieval": ("tools",),
    "Task state": ("insight",),
    "任务状态": ("insight",),
    "Always keep in mind": ("key",),
    "关键记忆": ("key",),
    "What often comes up": ("promoted",),
    "经常谈到的": ("promoted",),
    "What the user prefers": ("preferences",),
    "用户偏好": ("preferences",),
    "What has worked before": ("strategies",),
    "以往有效的做法": ("strategies",),
    "What is known of the user": ("facts",),
    "关于用户的已知事实": ("facts",),
    "Similar tasks before": ("episodes",),
    "以往的类似任务": ("episodes",),
    "What was learnt from several cases": ("reflections",),
    "从多个案例中得到的经验": ("reflections",),
    "Said in other conversations": ("elsewhere",),
    "在其他对话中说过的": ("elsewhere",),
    "What was talked about before": ("long",),
    "之前谈过的内容（摘要）": ("long",),
    "What was done before": ("invocations",),
    "之前做过的事": ("invocations",),
    "Relevant memories": ("memories",),
    "相关记忆": ("memories",),
    "Related to those": ("neighbors",),
    "与之相关": ("neighbors",),
    "Earlier turns on the same matter": ("mid",),
    "相关的历史对话": ("mid",),
    "Other earlier turns": ("recall",),
    "其他历史对话": ("recall",),
    "The latest turns": ("short",),
    "最近的对话": ("short",),
    "So far in this task": ("working",),
    "本次任务的进展": ("working",),
    "Now": ("now", "input"),
    "现在要做": ("now",),
    "当前输入": ("input",),
}
"""The headings of prompts, and the sections that may stand under each."""
BEFORE_HEADINGS = "system"
INSTRUCTIONS = "instructions"
INSTRUCTIONS_TAG = "<agent_memory>"
HEADING = re.compile(r"## (?P<title>[^.。\n]+)")
OPENING = re.compile(r"- |\[")
HANDLE = re.compile(r"^\s*(?:- )?(?:[^\[\]]{0,40} )?\[(?P<handle>[^\[\]\s]{1,200})\]")


@dataclass(slots=True, kw_only=True)
class Line:
    """A line of a prompt, and the id of the memory that it shows; empty where it shows none."""

    text: str
    memory_id: str = ""

    @property
    def words(self) -> str:
        """The line without what it is indented by."""
        return self.text.lstrip()

    @property
    def indent(self) -> str:
        return self.text[: len(self.text) - len(self.words)]


@dataclass(slots=True, kw_only=True)
class Part:
    """A part of a prompt: its section's name, its tokens, its lines, and how many others say no more than these."""

    name: str
    tokens: int = 0
    copies: int = 0
    lines: list[Line] = field(default_factory=list)


def parts_of(prompt: str, sections: Sequence[types.Section], others: Sequence[str] = ()) -> list[Part]:
    """Takes a prompt apart. `others`: ids of memories that lines may name beside the sections' items."""
    by_name = {section.name: section for section in sections}
    parts = list(_cut(prompt, by_name))
    for part in parts:
        section = by_name.get(part.name)
        if section is None:
            continue
        part.tokens = section.tokens
        part.copies = sum(len(item.copies) for item in section.items)
        _lead(part, section, others)
    return parts


def _cut(prompt: str, sections: Mapping[str, types.Section]) -> Iterator[Part]:
    used: set[str] = set()
    part = Part(name=BEFORE_HEADINGS)
    for text in prompt.split("\n"):
        begun = _section_begun(text, sections, used)
        if begun:
            used.add(begun)
            if any(line.text.strip() for line in part.lines):
                yield part
            part = Part(name=begun)
        if not begun or begun == INSTRUCTIONS:
            part.lines.append(Line(text=text))
    yield part


def _section_begun(text: str, sections: Mapping[str, types.Section], used: set[str]) -> str:
    """Returns the section that a line begins; empty for any other line."""
    if text == INSTRUCTIONS_TAG and INSTRUCTIONS in sections:
        return INSTRUCTIONS
    found = HEADING.match(text)
    names = HEADINGS.get(found["title"].strip(), ()) if found else ()
    return next((name for name in names if name in sections and name not in used), "")


def _lead(part: Part, section: types.Section, others: Sequence[str]) -> None:
    """Names the memory of each line that shows one."""
    items = [item.id for item in section.items]
    openings = [line for line in part.lines if OPENING.match(line.text)]
    if len(openings) == len(items):
        for line, memory_id in zip(openings, items, strict=True):
            line.memory_id = memory_id
    copies = [copy.id for item in section.items for copy in item.copies]
    for line in part.lines:
        handle = HANDLE.match(line.text)
        if handle is not None and not line.memory_id:
            line.memory_id = _named(handle["handle"], (*items, *copies, *others))


def _named(handle: str, ids: Sequence[str]) -> str:
    """Returns the one id that a handle is, or ends; empty where none or several are."""
    place = handle.rpartition("#")
    ends = handle if not place[1] else ""
    found = {each for each in ids if each == handle or (ends and len(ends) >= 4 and each.endswith(ends))}
    return found.pop() if len(found) == 1 else ""
