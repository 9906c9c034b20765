"""What only an assistant said: no evidence for a conflict, unless the bank judges assistants.

Law: reads the bank, changes nothing. A message is an assistant's by its role, and only among what was memorized: a
task's reports and verdicts are an agent's findings. What somebody else says too is evidence.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.roles import Topic
from core.bank.bank import Bank
from core.ids import SegmentRef
from core.model.node import Node
from core.model.structuring import Purpose
from core.text import sentences
from core.text.blocks import folded
from core.usecases.bank.structuring.absorb import topic
from core.usecases.bank.structuring.excerpts import excerpts
from core.verbatim.segment_order import ANSWERER, voice

MEMORIZED = (Purpose.MEMORIZE, Purpose.REFERENCE)


def judged(bank: Bank, node: Node, judge_assistants: bool) -> Topic:
    """Returns the node as the first judgement sees it, with what it rests on: what only an assistant says is told
    apart."""
    said = "" if judge_assistants else generated(bank, node.segments)
    found = excerpts(bank, node)
    unread = len(node.segments) - len(found) if found else 0
    return replace(topic(node), generated=said, excerpts=found, unread=unread)


def generated(bank: Bank, refs: Sequence[SegmentRef]) -> str:
    """Returns the sentences of these segments that assistants alone say, each as a line behind its speaker."""
    own = [ref for ref in refs if is_generated(bank, ref)]
    if not own:
        return ""
    apart = set(own)
    others = "\n".join(folded(bank.tree.text(ref)) for ref in refs if ref not in apart)
    lines = []
    for ref in own:
        speaker = bank.tree.interaction(ref.interaction_id).spans[ref.index].speaker
        for said in map(folded, sentences.split(bank.tree.text(ref))):
            if said not in others:
                lines.append(f"{speaker}: {said}\n" if speaker else f"{said}\n")
    return "".join(lines)


def is_generated(bank: Bank, ref: SegmentRef) -> bool:
    """Whether a segment is an assistant's, of what was memorized."""
    structuring = bank.tree.structurings.get(ref.interaction_id)
    if structuring is None or structuring.purpose not in MEMORIZED:
        return False
    return voice(bank.tree.interaction(ref.interaction_id).spans[ref.index].role) == ANSWERER
