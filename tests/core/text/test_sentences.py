import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import sentences

ENGLISH = [
    (
        "Dr. Smith went to the U.S. in 2019. He paid $3.5 million, e.g. to Acme Inc. It closed at 5 p.m.",
        [
            "Dr. Smith went to the U.S. in 2019.",
            "He paid $3.5 million, e.g. to Acme Inc.",
            "It closed at 5 p.m.",
        ],
    ),
    ("J. K. Rowling wrote it. It sold.", ["J. K. Rowling wrote it.", "It sold."]),
    ("See No. 5 for it. Is it? No. He left.", ["See No. 5 for it.", "Is it?", "No.", "He left."]),
    ('"Why?" she asked. "Because!"', ['"Why?" she asked.', '"Because!"']),
    ("i went home. then i slept.", ["i went home.", "then i slept."]),
    ("See https://a.b/c?d=e. Fine (really.) Yes.", ["See https://a.b/c?d=e.", "Fine (really.)", "Yes."]),
    ("Version 2.0.1 is out. Pi is 3.14.", ["Version 2.0.1 is out.", "Pi is 3.14."]),
]
CHINESE = [
    ("CEO是张三。真的吗？！价格为3.5元。", ["CEO是张三。", "真的吗？！", "价格为3.5元。"]),
    ("“你好！”他说。她走了；他没走。", ["“你好！”他说。", "她走了；", "他没走。"]),
    ("他说：“好的。”然后离开.她没有走!对", ["他说：“好的。”", "然后离开.", "她没有走!", "对"]),
    ("我……不知道。", ["我……不知道。"]),
    ("《量子计算。》一书", ["《量子计算。》", "一书"]),
]


@pytest.mark.parametrize(("text", "expected"), ENGLISH + CHINESE)
def test_a_sentence_ends_where_a_reader_would_end_it(text: str, expected: list[str]) -> None:
    assert sentences.split(text) == expected


def test_headings_list_items_table_rows_and_speakers_stand_alone() -> None:
    text = "# Title\nIntro\n- one\n- two\n1. First. Second.\n| a | b |\nAlice: hi there\nBob: ok"

    found = sentences.split(text)

    assert found == [
        "# Title",
        "Intro",
        "- one",
        "- two",
        "1. First.",
        "Second.",
        "| a | b |",
        "Alice: hi there",
        "Bob: ok",
    ]


def test_a_wrapped_line_goes_on_and_a_short_one_does_not() -> None:
    wrapped = "This line was wrapped by an editor at around sixty\ncolumns. Done."
    title = "A title\nIts text"

    assert sentences.split(wrapped) == [wrapped[:-6], "Done."]
    assert sentences.split(title) == ["A title", "Its text"]


@given(
    st.text(
        alphabet=st.sampled_from(list('aB1 .!?。！？；…\n\r"”）(#-|:中文的说他\u2028\x85\t')), max_size=80
    )
    | st.text()
)
def test_spans_are_ordered_and_leave_out_only_white_space(text: str) -> None:
    found = sentences.spans(text)

    position = 0
    for start, end in found:
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip() != ""
        position = end
    assert not text[position:].strip()


def test_a_wrapped_line_that_begins_with_a_decimal_goes_on() -> None:
    wrapped = (
        "The chip in the big refrigerator of the laboratory draws on average\n1.9 kilowatts at its full load."
    )

    assert sentences.split(wrapped) == [wrapped]
    assert sentences.split("To do:\n1. measure\n2.report") == ["To do:", "1. measure", "2.report"]


def test_a_sentence_is_never_joined_across_two_messages() -> None:
    """However a message ends: in mid-word, wide and without an end mark, or with an initial."""
    broken = ["user: I will see to the follow-", "assistant: up is fine."]
    wide = ["user: I have thought about it for a long time and may move to the city of", "Ben: nice."]
    named = ["user: the best talk of the whole conference was the one by Sarita V.", "Ben: Adve is a name."]

    for messages in (broken, wide, named):
        assert sentences.split("\n".join(messages)) == messages
    assert sentences.split("It is manu-\nfactured here: in Bonn.") == ["It is manu-\nfactured here: in Bonn."]


@pytest.mark.parametrize(
    "written",
    [
        ["नाव नौ बजे जाती है।", "टिकट तेरह यूरो का है।"],
        ["متى تغادر العبارة؟", "تغادر في التاسعة."],
        ["کشتی نو بجے جاتی ہے۔", "ٹکٹ تیرہ یورو کا ہے۔"],
        ["Լաստանավը մեկնում է իննին։", "Տոմսը արժե տասներեք եվրո։"],
        ["ጀልባው በዘጠኝ ይነሳል።", "ትኬቱ አሥራ ሦስት ዩሮ ነው።"],
        ["Паром отходит в девять.", "Билет стоит тринадцать евро!"],
        ["船は九時に出ます。", "切符は十三ユーロです。"],
    ],
)
def test_sentences_of_any_script_end_at_its_marks(written: list[str]) -> None:
    assert sentences.split(" ".join(written)) == written


def test_stored_segments_are_cut_as_they_were() -> None:
    text = "नाव नौ बजे जाती है। टिकट तेरह यूरो का है।"

    assert len(sentences.spans(text)) == 2
    assert sentences.spans(text, sentences.END_OF_STORED) == [(0, len(text))]
