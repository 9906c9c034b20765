"""A topic's sentences as the Judge reads them, each in its context, and whether these are of one thing."""

import pytest

from core.agents.offline.judging.context import are_entries
from core.agents.offline.judging.sentences import Sentence, topic_sentences
from core.agents.roles import Excerpt, Topic
from core.ids import NodeId

SHEET = "# Alpha drill (2nd edition)\n\nThe weight is 1.2 kg. It has a bag.\n\n## Motor\n\nIt has 500 W.\n"
INVOICES = "Invoice 1041 is for Nordwind. The total is 1,200 euros."


def sentences_of(text: str, **given: object) -> tuple[Sentence, ...]:
    excerpt = Excerpt(text=text, **given)  # type: ignore[arg-type]
    topic = Topic(node_id=NodeId("n"), summary="", context="", keywords=(), excerpts=(excerpt,))
    return topic_sentences(topic).read


def last_of(text: str) -> Sentence:
    return sentences_of(text)[-1]


def test_a_sentence_stands_under_the_headings_above_it_without_their_brackets() -> None:
    weight, bag, motor = sentences_of(SHEET)

    assert weight.text == "The weight is 1.2 kg."
    assert weight.headings == bag.headings == ("Alpha drill",)
    assert motor.headings == ("Alpha drill", "Motor")


def test_a_heading_with_a_date_is_a_time() -> None:
    (one,) = sentences_of("## Meeting of 4 March 2025\n\nThe budget is 900 euros.")

    assert (one.headings, one.times) == ((), ("Meeting of 4 March 2025",))


def test_what_names_nothing_is_about_what_was_told_before_in_its_paragraph() -> None:
    _, total = sentences_of(INVOICES)
    _, apart = sentences_of(INVOICES.replace(". The", ".\n\nThe"))

    assert {"1041", "invoice"} <= total.context
    assert not apart.context


def test_an_excerpt_is_about_what_stands_ahead_of_it_and_above_it() -> None:
    (total,) = sentences_of(
        "The total is 1,200 euros.", before="Invoice 1041 is for Nordwind. ", headings=("Bills",)
    )

    assert {"1041", "bills"} <= total.context


@pytest.mark.parametrize(
    "text",
    [
        "```\nsize = 5\nreturn size\n```",
        "Install ........ 3\nUse ........ 9\n",
        "  --all       Shows every file there is.\n  --size      Shows sizes beside names.\n",
        "Is the lift out of order?",
        "电梯坏了吗？",
        "1.8.\n\n---------------\n",
    ],
)
def test_what_tells_nothing_is_no_sentence(text: str) -> None:
    assert sentences_of(text) == ()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("NAME\n\nThe pump lists its parts.", ["The pump lists its parts."]),
        ("注意\n\n水泵每周检修一次。", ["水泵每周检修一次。"]),
        ("Colour: red", ["Colour: red"]),
        ("Zebra", ["Zebra"]),
    ],
)
def test_a_word_alone_is_a_sentence_only_where_there_is_nothing_else(text: str, read: list[str]) -> None:
    assert [one.text for one in sentences_of(text)] == read


def test_a_row_of_a_table_is_a_sentence_about_its_first_cell() -> None:
    (row,) = sentences_of("## Drills\n\n| model | weight |\n|---|---|\n| Alpha | 1.2 kg |\n")

    assert (row.text, row.label, row.headings) == ("Alpha: weight: 1.2 kg", "Alpha", ("Drills",))
    assert row.quote == "| Alpha | 1.2 kg |"


def test_who_speaks_is_what_a_sentence_is_about() -> None:
    (ann,), (bob,) = (sentences_of("I live in York.", speaker=name) for name in ("Ann", "Bob"))

    assert are_entries(ann, bob)


def test_a_list_stands_under_the_label_above_it() -> None:
    pump, other = sentences_of("Firm A:\n- The pump costs 42,000 SEK.\n\nThe fair was good.")

    assert (pump.headings, other.headings) == (("Firm A",), ())


def test_a_clock_time_is_no_label() -> None:
    (ferry,) = sentences_of("The ferry to Lindau leaves at 6:30 in the morning.")

    assert (ferry.label, ferry.times) == ("", ())


def test_a_label_with_a_date_is_a_time_and_one_of_a_transcript_is_nothing() -> None:
    (test,) = sentences_of("Acceptance test of 2 April 2024: it holds 11 kg.")
    (found,) = sentences_of("**观察**：县志载永济桥建于1187年。")

    assert (test.text, test.label, test.times) == (
        "it holds 11 kg.",
        "",
        ("Acceptance test of 2 April 2024",),
    )
    assert (found.text, found.label) == ("县志载永济桥建于1187年。", "")


def test_of_a_record_of_messages_what_was_found_is_read() -> None:
    messages = (
        '[{"role": "assistant", "content": "I will look it up: the fine", "tool_calls": [{"id": "c",'
        ' "type": "function", "function": {"name": "search", "arguments": "{}"}}]},'
        ' {"role": "tool", "tool_call_id": "c", "content": "The fine was 800 crowns. It was paid."}]'
    )

    assert [one.text for one in sentences_of(messages)] == ["The fine was 800 crowns.", "It was paid."]
    at = messages.index("The fine")
    assert [one.text for one in sentences_of(messages, refuted=((at, at + 24),))] == ["It was paid."]


def test_refuted_words_are_no_sentence_of_a_topic_any_more() -> None:
    text = "The hall holds 40 people. It has a stage."

    (left,) = sentences_of(text, refuted=((0, 25),))

    assert left.text == "It has a stage."


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        ("The rent is 900 euros.", "The rent is 1,100 euros.", False),
        ("Lena's flat: the rent is 900 euros.", "Mira's flat: the rent is 1,100 euros.", True),
        ("# Alpha drill\n\nThe weight is 1.2 kg.", "# Beta drill\n\nThe weight is 1.8 kg.", True),
        ("# Alpha drill\n\nThe weight is 1.2 kg.", "# Alpha drill\n\nThe weight is 1.8 kg.", False),
        (
            "# Leave\n\nEvery employee gets 25 days off a year.",
            "# Onboarding\n\nNew colleagues can count on 30 days of holiday.",
            False,
        ),
        (
            "## 4 March 2025\n\nThe budget is 900 euros.",
            "## 11 March 2025\n\nThe budget is 950 euros.",
            True,
        ),
        ("Test of 2 April 2024: it holds 11 kg.", "# Lift\n\nIt holds 9 kg.", False),
        (INVOICES, "Invoice 1042 is for Brightwave. The total is 800 euros.", True),
        (INVOICES, "Invoice 1041 is for Nordwind. The total is 800 euros.", False),
        ("会议室204在二楼。容量是40人。", "会议室310在三楼。容量是12人。", True),
        ("会议室204在二楼。容量是40人。", "会议室204在二楼。容量是12人。", False),
    ],
)
def test_entries_of_one_form_are_of_several_things(a: str, b: str, apart: bool) -> None:
    assert are_entries(last_of(a), last_of(b)) is apart
    assert are_entries(last_of(b), last_of(a)) is apart
