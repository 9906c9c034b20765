import json

from hypothesis import given
from hypothesis import strategies as st

from core.text import segmenting
from core.text.segmenting import SEGMENT_LIMIT, chunks, segment

LINES = [
    "# Heading",
    "## 标题",
    "Alice: hi",
    "Bob: yes",
    "- item",
    "| a | b |",
    "```",
    "---",
    "",
    "  ",
    "1.2 Title",
]
LONG_LINES = [
    "Some words of a sentence, and more. " * 9,
    "很长的一句话，没有尽头。" * 30,
    "x" * 700,
    "付款方式：",
    "\u2028",
]
LAID_OUT = st.lists(st.sampled_from([*LINES, *LONG_LINES]), max_size=25).map("\n".join)


def pieces(text: str) -> list[str]:
    return [text[span.start : span.end] for span in segment(text)]


@given(LAID_OUT | st.text())
def test_segments_are_ordered_within_the_limit_and_leave_out_only_white_space(text: str) -> None:
    spans = segment(text)

    position = 0
    for span in spans:
        assert not text[position : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
        assert span.end - span.start <= SEGMENT_LIMIT
        position = span.end
    assert not text[position:].strip()


def test_paragraphs_are_segments_and_headings_go_with_what_follows() -> None:
    text = "# Report\n\n## Costs\n\nRent is 3 EUR.\n\nFood is 4 EUR.\n\n## 收入\n工资五千元。"

    found = pieces(text)

    assert found == ["# Report\n\n## Costs\n\nRent is 3 EUR.", "Food is 4 EUR.", "## 收入\n工资五千元。"]


def test_a_line_that_announces_a_list_stays_with_the_list() -> None:
    assert pieces("We need:\n\n- bread\n- milk") == ["We need:\n\n- bread\n- milk"]
    assert pieces("需要：\n\n- 面包\n- 牛奶") == ["需要：\n\n- 面包\n- 牛奶"]


def test_each_message_of_a_transcript_is_a_segment() -> None:
    text = "Alice: Hi! How was Rome?\nBob: Hot. But good.\nAlice: 我也想去。\nBob: Soon."

    found = pieces(text)

    assert found == text.splitlines()


def test_a_long_paragraph_is_cut_between_sentences_into_even_parts() -> None:
    text = "Every sentence here takes forty characters. " * 15

    found = pieces(text)

    assert all(piece.endswith("characters.") for piece in found)
    assert max(map(len, found)) - min(map(len, found)) <= 45


def test_a_fenced_block_is_cut_between_lines_and_not_at_blank_ones() -> None:
    code = "```\nfirst = 1\n\nsecond = 2. Third = 3\n```"
    long_code = "```\n" + "call(argument_one, argument_two)\n\n" * 20 + "```"

    assert pieces(f"Code\n{code}\n\nAfter") == ["Code", code, "After"]
    assert all(
        "\n" in piece and piece.splitlines()[-1] in ("call(argument_one, argument_two)", "```")
        for piece in pieces(long_code)
    )


def test_chunks_hold_every_segment_once_in_order_and_fit() -> None:
    texts = ["word " * 20] * 50

    found = list(chunks(texts, limit=100, count=lambda text: len(text.split())))

    assert [index for chunk in found for index in chunk] == list(range(50))
    assert all(len(chunk) == 5 for chunk in found)


def test_a_chunk_ends_before_a_section_rather_than_where_it_is_full() -> None:
    texts = ["# One", "a", "b", "c", "## Two", "d", "e", "f"]

    found = list(chunks(texts, limit=6, count=lambda _: 1))

    assert found == [range(4), range(4, 8)]


def test_a_segment_over_the_limit_is_a_chunk_of_its_own() -> None:
    assert list(chunks(["aa", "b" * 50, "c"], limit=10, count=len)) == [range(1), range(1, 2), range(2, 3)]
    assert list(chunks([], limit=10)) == []


def test_a_large_text_without_any_boundary_is_cut_too() -> None:
    assert len(segment("x" * 1_000_000)) == 1_000_000 // segmenting.SEGMENT_LIMIT


def test_a_list_of_chat_messages_is_cut_between_messages() -> None:
    said = [{"role": "tool", "content": "The tower is 324 metres high. " * n} for n in (1, 2, 3)]
    text = json.dumps(said, indent=1)

    found = [text[span.start : span.end] for span in segment(text)]

    assert [json.loads(piece.strip("[], \n")) for piece in found] == said
    assert "".join("".join(found).split()) == "".join(text.split())
