"""What a model was asked and answered, and what became of the bank, as a Markdown file to compare with."""

from collections.abc import Sequence
from pathlib import Path

from core.agents.llm.prompts import SHIPPED
from core.bank.bank import Bank
from core.ports.chat import ChatMessage, ChatModel, ChatReply, ReplyShape
from core.usecases.house import House
from tests.support.house import KEY

FOLDER = Path(__file__).parent / "transcripts"
TASKS = (
    "clusterer splitter structurer judge_first judge_second consolidator verdict neighbors planner digest"
    " extractor distiller_run distiller_key summariser compressor router reflector"
).split()


class Transcribed:
    """A model whose conversations are written down. Headings say at which point of the story they happened."""

    def __init__(self, model: ChatModel, title: str) -> None:
        self._model = model
        self._parts = [f"# {title}"]
        self._calls = 0

    @property
    def window(self) -> int:
        return self._model.window

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        reply = await self._model.reply(messages, shape)
        self._calls += 1
        tasks = {SHIPPED.system(task): task for task in TASKS}
        self._parts.append(f"### {self._calls}. {tasks[messages[0].text]} → {shape.name}")
        self._parts += [_quoted(message.text) for message in messages[1:]]
        self._parts.append(_quoted(reply.text, "json"))
        return reply

    def tell(self, title: str, text: str = "") -> None:
        self._parts.append(f"## {title}")
        if text:
            self._parts.append("\n".join(f"> {line}".rstrip() for line in text.splitlines()))

    def note(self, *lines: str) -> None:
        """What became of it."""
        self._parts.append("\n".join(lines))

    async def show(self, house: House) -> None:
        """The bank as it stands."""
        async with house.banks.reading(KEY) as bank:
            self._parts.append("The bank after this:")
            self._parts.append("\n".join(_lines(bank)))

    def text(self) -> str:
        return "\n\n".join(self._parts) + "\n"


def _lines(bank: Bank) -> list[str]:
    lines = []
    for node_id, node in sorted(bank.nodes.items()):
        words = ", ".join(node.keywords)
        lines.append(f"- node `{node_id}` ({node.state.value}): {node.context} [{words}]")
        lines += [f"  - near `{other}`" for other in sorted(bank.graph.neighbors(node_id))]
    for record in bank.tree.merges:
        gone = ", ".join(f"`{node.node_id}`" for node in record.absorbed)
        lines.append(f"- merged {gone} into `{record.into}` ({record.reason.value}): {record.description}")
    lines += [f"- refuted by `{conflict_id}`: {said}" for said, conflict_id in refuted_words(bank)]
    insight = bank.insight
    for done in insight.completed:
        lines.append(f"- done {done.type} ({done.status.value}): {done.description} → {done.context}")
    lines += [f"- next {task.type}: {task.description}" for task in insight.pending]
    return [*lines, "- finished"] if insight.finished else lines


def refuted_words(bank: Bank) -> list[tuple[str, str]]:
    """What verdicts speak against in the bank's records, each with the conflict's id, by place."""
    return [(bank.tree.text(r.ref)[r.start : r.end], r.conflict_id) for r in bank.tree.refutations()]


def _quoted(text: str, language: str = "text") -> str:
    return f"````{language}\n{text}\n````"
