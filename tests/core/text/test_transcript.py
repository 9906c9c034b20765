import json
from pathlib import Path

import pytest

from core.text.message_lists import messages
from core.text.segmenting import segment
from core.text.transcript import Kind, bound, lines, parts, told

FOUND = "Firm A asks 42,000 SEK for the pump and delivers in 6 weeks."
ANSWER = "The pump of firm A costs 42,000 SEK."
ZH_FOUND = "恒光电力的水泵报价为42000元，交货期6周。"
ZH_ANSWER = "恒光电力的水泵价格是42000元。"
EN = (FOUND, ANSWER, "1 SEK", "firm_register")
"""What every English shape observes, answers, thinks and calls."""
ZH = (ZH_FOUND, ZH_ANSWER, "可能是1元", "查询")
SHAPES = sorted((Path(__file__).parent / "transcripts").glob("*/*.txt"))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_findings_are_observations_and_answers_never_thoughts_or_calls(shape: Path) -> None:
    observed, answer, thought, called = EN if shape.parent.name == "en" else ZH

    found = told(shape.read_text())

    assert observed in found
    assert answer in found
    assert thought not in found.replace(observed, "")
    assert called not in found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The pump costs 42,000 SEK. Thoughts on it differ.",
        "Action: Bo calls the firm.\nResult: the roof is repaired.\nAction: Ada pays.",
        "Question: is it dry?\nAnswer: it is.",
        "Observation: the seal leaks.\nAction: replace it by May.",
        "观察：密封圈漏水。\n行动：五月前更换。",
        "Thought: is for machines, as somebody wrote.",
        '{"name": "pump", "price": 42000}',
        '[{"firm": "A", "content": "steel"}]',
        "Alice: I moved to Rome.\nBob: 真的吗？",
        "<p>Some page</p>",
    ],
)
def test_other_texts_are_told_as_they_stand(text: str) -> None:
    assert parts(text) == ()
    assert told(text) == text


def test_a_thought_and_a_call_stay_with_what_they_brought() -> None:
    pieces = [
        "Thought: look.",
        "Twice.",
        "Action: search[x]",
        f"Observation: {FOUND}",
        "More of it.",
        "Thought: next.",
        "Action: search[y]",
        "Observation: none.",
    ]

    assert bound(pieces) == [True, True, True, False, False, True, True, False]


def test_pieces_of_one_message_stay_together_however_it_was_cut() -> None:
    said = [{"role": "tool", "content": ZH_FOUND}, {"role": "assistant", "content": ZH_ANSWER}]
    first, second = map(json.dumps, said)
    cut = [f"[{first[:41]}", first[41:80], f"{first[80:]},", second[:60], f"{second[60:]}]"]

    assert bound(cut) == [True, True, False, True, False]
    assert told("\n".join(cut)) == f"{ZH_FOUND}\n{ZH_ANSWER}"


def test_messages_without_a_tool_keep_their_speakers_alone() -> None:
    assert lines([("user", "Alice", "Hello."), ("assistant", "", "Hi.")]) == ["Alice: Hello.", "Hi."]


def test_an_unfinished_answer_before_a_call_is_a_thought() -> None:
    said = lines([("assistant", "", "I will look."), ("tool", "search", FOUND), ("assistant", "", ANSWER)])

    assert [part.kind for part in parts("\n".join(said))] == [Kind.THOUGHT, Kind.OBSERVATION, Kind.ANSWER]


def test_a_final_answer_alone_is_a_transcript() -> None:
    assert told("Final Answer: it is 324 metres.") == "it is 324 metres."
    assert told("最终答案：高324米。") == "高324米。"


@pytest.mark.parametrize("opening", ['{"a":', '[{"role":', "["])
def test_json_nested_without_end_is_text_like_any_other(opening: str) -> None:
    deep = opening * 20_000

    assert told(deep) in ("", deep)
    assert messages(deep) == ()
    assert segment(deep)


@pytest.mark.parametrize("cut", [r"\ud83d", r"\udc00", r"\u0000"])
def test_what_no_store_can_carry_comes_out_of_json_as_replacement_characters(cut: str) -> None:
    said = json.dumps(
        [{"role": "user", "content": "How high?"}, {"role": "assistant", "content": "324 m CUT"}]
    )
    final = '{"action": "Final Answer", "action_input": "It is 324 m CUT"}'

    for text in (said, f"Thought: done\n{final}"):
        assert told(text.replace("CUT", cut)).endswith("324 m \ufffd")
    assert told(said.replace("CUT", r"\ud83d\udcd0")).endswith("324 m 📐")
