"""From drawn lines to written text."""

from service.cli.pages import page_of, rejoined, text_of

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


def test_the_entries_of_a_table_of_contents_are_no_text() -> None:
    contents = (
        "Contents\n1 Purpose ........ 3\n2 The refrigerator . . . . . 5\n3 附录…………12\nAnnex ________ iv"
    )
    bare = f"目录\n一 目的 3\n二 制冷机 5\n三 风险 8\n{WIDE}"

    text = text_of([contents, bare, f"{WIDE}\nin 2024."])

    assert text.count(WIDE) == 2
    assert not any(entry in text for entry in ("Contents", "Purpose", "附录", "目录", "制冷机", "Annex"))
    assert page_of(text, text.index("in 2024")) == 3


def test_a_list_that_ends_in_numbers_is_text() -> None:
    text = text_of(["Readings\nprobe A 12\nprobe B 14\nprobe C 11"])

    assert "probe B 14" in text


def test_heads_that_differ_on_left_and_right_pages_and_have_two_lines_are_no_text() -> None:
    heads = ["Chapter on cooling", "The Aurora report"]
    bodies = ["\n".join(f"{WIDE} in part {letter}{part}." for letter in "abcde") for part in "klmnopqrst"]
    pages = [f"{heads[n % 2]}\nNordkryo, page {n}\n{body}\nconfidential\n" for n, body in enumerate(bodies)]

    text = text_of(pages)

    assert not any(head in text for head in ("Aurora", "Chapter", "Nordkryo", "confidential"))
    assert text.count(WIDE) == 50


def test_soft_hyphens_at_line_ends_join_their_word() -> None:
    page = f"{WIDE[:-6]}it was de\u00ad\nlivered by a com\u00adpany from the north of the country in the end."

    assert "it was delivered by a company from" in text_of([page])


# ---- verbatim texts in a terminal ----

PROSE = f"{WIDE}\ncooled down twice since then, as the log of the winter says in its last line.\nIt works."


def test_lines_too_long_for_the_terminal_are_joined_to_be_wrapped_anew() -> None:
    assert rejoined(PROSE, 60) == PROSE.replace("\n", " ")


def test_lines_that_fit_the_terminal_stay_as_they_are() -> None:
    assert rejoined(PROSE, 100) == PROSE


def test_headings_items_tables_and_code_stay_lines_of_their_own() -> None:
    kept = [
        f"# {WIDE}",
        f"- {WIDE}",
        f"- {WIDE}",
        f"| {WIDE} |",
        "| short |",
        "```",
        f"first({WIDE})",
        f"second({WIDE})",
        "```",
        "",
        f"> {WIDE}",
    ]

    assert rejoined("\n".join(kept), 40).splitlines() == kept


def test_chinese_lines_are_joined_without_a_space() -> None:
    line = "量子比特的平均相干时间为一百二十五微秒，两比特门的平均保真度为百分之九十九点四"

    assert rejoined(f"{line}\n{line}。", 60) == f"{line}{line}。"
