"""`memorybank search` shows the passage that answers, its words marked, and where it stands."""

from importlib.resources import files
from pathlib import Path

import pytest
from rich.text import Text

from service.cli.passages import LONGEST, MARK, marked
from tests.support.shell import Shell

DOCUMENTS = files("service.cli.demo") / "documents"
QUESTIONS = {
    "brief.md": [
        ("how many qubits work?", "120 working qubits"),
        ("what is Tidewater written in?", "Python and Rust"),
        ("which decoder algorithm is used?", "union-find"),
        ("how much money does the laboratory ask for?", "16 million"),
        ("who designed the control electronics?", "Marit Lund"),
        ("how many litres of helium-3 are in reserve?", "6 litres"),
        ("when does the clean room close?", "from July to December 2024"),
        ("how was the vibration lowered?", "copper braid"),
        ("how much power does a rack draw?", "1.9 kilowatts"),
        ("how many hours was the machine available?", "83 percent"),
    ],
    "brief_zh.md": [("B轮融资了多少钱？", "3.5亿"), ("芯片的相干时间是多少？", "125微秒")],
}


def remembered(shell: Shell, name: str) -> None:
    shell.done("ingest", str(DOCUMENTS / name))


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_passage_shown_first_holds_the_answer(shell: Shell, name: str) -> None:
    remembered(shell, name)

    shown = {asked: shell.done("search", asked, "-k", "1") for asked, _ in QUESTIONS[name]}

    missed = [asked for asked, answer in QUESTIONS[name] if answer not in " ".join(shown[asked].split())]
    assert missed == []


def test_a_passage_stands_with_its_source_and_line(shell: Shell) -> None:
    remembered(shell, "brief.md")
    text = (DOCUMENTS / "brief.md").read_text(encoding="utf-8")

    shown = shell.done("search", "which decoder algorithm is used?", "-k", "1", "--target", "nodes")

    line = 1 + text[: text.index("A real-time decoder")].count("\n")
    assert f"brief.md, line {line}" in shown


@pytest.mark.parametrize("target", ["nodes", "segments", "both"])
def test_whatever_is_looked_for_a_passage_of_several_lines_is_one(
    shell: Shell, tmp_path: Path, target: str
) -> None:
    (tmp_path / "note.txt").write_text("The ferry to Naxos\nleaves at nine\nfrom pier 3.\n", encoding="utf-8")
    shell.done("ingest", str(tmp_path / "note.txt"))

    shown = shell.done("search", "when does the ferry leave?", "--target", target)

    assert "The ferry to Naxos leaves at nine from pier 3." in shown
    assert "note.txt, line 1" in shown


def test_words_of_the_query_are_marked_in_either_script() -> None:
    english = marked("Ferries leave at nine.\nThe ferry is white.", "When does the ferry leave?")
    chinese = marked("渡轮九点开船，渡轮是白色的。", "渡轮呢？")

    assert words(english) == ["Ferries", "leave", "ferry"]
    assert words(chinese) == ["渡轮", "渡轮"]


def test_a_long_passage_is_cut_around_the_words_asked_for() -> None:
    text = f"{'nothing of this. ' * 60}The ferry leaves at nine. {'nor of this. ' * 60}"

    shown, whole = marked(text, "ferry"), marked(text, "ferry", whole=True)

    assert "The ferry leaves at nine." in shown.plain
    assert shown.plain.startswith("…")
    assert shown.plain.endswith("…")
    assert len(shown.plain) <= LONGEST + 2
    assert words(shown) == words(whole) == ["ferry"]


@pytest.mark.parametrize("text", ["", "一" * 2_000, "x" * 2_000, "ferry " * 500])
def test_any_text_can_be_cut(text: str) -> None:
    assert len(marked(text, "ferry 一一").plain) <= LONGEST + 2


def words(shown: Text) -> list[str]:
    return [shown.plain[span.start : span.end] for span in shown.spans if span.style == MARK]
