"""From drawn lines to written text."""

from service.cli.pages import page_of, text_of

WIDE = "The refrigerator was delivered in the spring of last year, and it was"


def test_wrapped_lines_are_one_paragraph_and_a_short_line_ends_it() -> None:
    page = f"{WIDE}\ncooled down twice since then.\n{WIDE}\nopened once."

    text = text_of([page])

    assert text == f"{WIDE} cooled down twice since then.\n\n{WIDE} opened once."


def test_hyphens_at_line_ends_go_where_a_word_was_cut() -> None:
    page = (
        f"{WIDE[:-6]}it was de-\nlivered by a company for state-of-the-art cryogenics from Helsinki-\nEspoo."
    )

    text = text_of([page])

    assert "it was delivered by a company" in text
    assert "Helsinki- Espoo" in text  # a name keeps its hyphen


def test_chinese_lines_join_without_a_space() -> None:
    lines = (
        "超导量子计算是目前发展最快的技术路线之一，研究人员在合肥的实验",
        "室里制造了一台新的量子计算机，它有一百七十六个量子比特，并且可以",
        "通过云平台访问。",
    )

    text = text_of(["\n".join(lines)])

    assert "\n" not in text
    assert "实验室里" in text


def test_list_items_stay_lines_of_one_paragraph() -> None:
    page = f"{WIDE}\nequipped with:\n- a bellows\n- a braid\n- a second pump"

    text = text_of([page])

    assert text.endswith("equipped with:\n- a bellows\n- a braid\n- a second pump")


def test_a_sentence_that_runs_over_a_page_break_stays_one() -> None:
    text = text_of([WIDE, "cooled down twice.", "A new page."])

    assert text == f"{WIDE}\fcooled down twice.\n\n\fA new page."
    assert [page_of(text, text.index(word)) for word in ("spring", "twice", "new")] == [1, 2, 3]


def test_what_heads_and_foots_most_pages_is_left_out() -> None:
    pages = [f"Annual report\n{WIDE}\ndone in month {n}.\nPage {n} of 4" for n in range(1, 5)]

    text = text_of(pages)

    assert "Annual report" not in text
    assert "Page" not in text
    assert "done in month 3." in text


def test_two_pages_keep_what_both_begin_with() -> None:
    text = text_of(["Minutes\nfirst.", "Minutes\nsecond."])

    assert text.count("Minutes") == 2


def test_no_pages_and_empty_pages_are_empty_texts() -> None:
    assert text_of([]) == ""
    assert text_of(["", ""]).strip() == ""
