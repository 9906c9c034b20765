import pytest

from core.agents.offline.statements import composed, statements

TWO_FIRMS = {
    "labels in one line": "Firm A: the pump costs 42,000 SEK. It ships in 6 weeks. "
    "Firm B: the pump costs 39,000 SEK. It ships in 9 weeks.",
    "lists": "Firm A:\n- price 42,000 SEK\n- ships in 6 weeks\nFirm B:\n- price 39,000 SEK\n- ships in 9 weeks",
    "numbered lists under bold lines": "**Firm A**\n1. price 42,000 SEK\n2. ships in 6 weeks\n\n"
    "**Firm B**\n1. price 39,000 SEK\n2. ships in 9 weeks",
    "keys under headings": "## Firm A\nPrice: 42,000 SEK\nDelivery: 6 weeks\n\n"
    "## Firm B\nPrice: 39,000 SEK\nDelivery: 9 weeks",
    "prose under headings": "## Firm A\n\nThe pump costs 42,000 SEK. It ships in 6 weeks.\n\n"
    "## Firm B\n\nThe pump costs 39,000 SEK. It ships in 9 weeks.",
    "table": "| Firm | Price | Delivery |\n|---|---|---|\n"
    "| Firm A | 42,000 SEK | 6 weeks |\n| Firm B | 39,000 SEK | 9 weeks |",
    "items with labels": "- Firm A: 42,000 SEK. Ready in 6 weeks.\n- Firm B: 39,000 SEK. Ready in 9 weeks.",
}
TWO_FIRMS_ZH = {
    "同一行": "恒光电力：报价42万元。交货期6周。星澜新能源：报价39万元。交货期9周。",
    "列表": "恒光电力（北京）：\n1. 报价42万元\n2. 交货期6周\n星澜新能源：\n1. 报价39万元\n2. 交货期9周",
    "表格": "| 公司 | 报价 | 交货期 |\n|---|---|---|\n| 恒光电力 | 42万元 | 6周 |\n| 星澜新能源 | 39万元 | 9周 |",
    "标题": "## 恒光电力\n报价：42万元\n交货期：6周\n\n## 星澜新能源\n报价：39万元\n交货期：9周",
}


@pytest.mark.parametrize("form", [*TWO_FIRMS, *TWO_FIRMS_ZH])
def test_every_figure_can_stand_alone_under_the_name_of_its_firm(form: str) -> None:
    english = form in TWO_FIRMS
    a, b = ("Firm A", "Firm B") if english else ("恒光电力", "星澜新能源")
    facts = ("42,000", "6 weeks", "39,000", "9 weeks") if english else ("42万", "6周", "39万", "9周")

    told = [one.told for one in statements(TWO_FIRMS[form] if english else TWO_FIRMS_ZH[form])]

    for firm, other, fact in zip((a, a, b, b), (b, b, a, a), facts, strict=True):
        (one,) = [line for line in told if fact in line]
        assert firm in one
        assert other not in one


@pytest.mark.parametrize("form", [*TWO_FIRMS, *(form for form in TWO_FIRMS_ZH if form != "表格")])
def test_what_is_composed_reads_as_the_same_statements(form: str) -> None:
    said = statements({**TWO_FIRMS, **TWO_FIRMS_ZH}[form])

    assert [one.told for one in statements(composed(said))] == [one.told for one in said]


@pytest.mark.parametrize(
    "form", ["lists", "numbered lists under bold lines", "keys under headings", "列表", "标题"]
)
def test_a_heading_stands_once_above_what_is_chosen_of_its_lines(form: str) -> None:
    found = composed(statements({**TWO_FIRMS, **TWO_FIRMS_ZH}[form]))

    for firm in ("恒光电力", "星澜新能源") if form in TWO_FIRMS_ZH else ("Firm A", "Firm B"):
        assert found.count(firm) == 1


def test_a_sentence_kept_alone_is_composed_under_its_own_label() -> None:
    said = statements("恒光电力：报价42万元。交货期6周。星澜新能源：报价39万元。交货期9周。")

    assert composed([said[3]]) == "星澜新能源：交货期9周。"
    assert (
        composed([said[0], said[1], said[3]]) == "恒光电力：报价42万元。交货期6周。\n星澜新能源：交货期9周。"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Eiffel Tower - Wikipedia\nThe tower is 324 metres high.",
        "# Report\n\nTHE TOWER\n\nThe tower is 324 metres high.\nURL: https://example.org/tower",
        "Search results for towers\n\nThe tower is 324 metres high.",
        "Title: The Tower of Paris\nThe tower is 324 metres high.",
    ],
)
def test_titles_and_addresses_of_pages_are_no_statements(text: str) -> None:
    assert [one.told for one in statements(text)] == ["The tower is 324 metres high."]


@pytest.mark.parametrize(
    "text",
    ["埃菲尔铁塔资料汇总\n\n铁塔高324米。", "标题：埃菲尔铁塔\n铁塔高324米。", "一、概况\n铁塔高324米。"],
)
def test_chinese_titles_are_no_statements(text: str) -> None:
    assert [one.told for one in statements(text)] == ["铁塔高324米。"]


@pytest.mark.parametrize(
    "text",
    [
        "Price 42,000 SEK\n\nIt ships in May.",
        "水泵报价42000元\n\n五月发货。",
        "Price: 42,000 SEK\nDelivery: 6 weeks",
    ],
)
def test_a_short_line_with_a_figure_is_a_statement(text: str) -> None:
    assert len(statements(text)) == 2


def test_who_speaks_is_the_label_of_a_dialogue_whatever_is_said() -> None:
    said = statements("Alice: I moved. Plans: none.\nBob: 真的吗？\nAlice: Yes.")

    assert [one.label for one in said] == ["Alice: ", "Alice: ", "Bob: ", "Alice: "]


def test_what_an_entry_says_is_told_of_its_term() -> None:
    (hidden, color) = statements(
        "-a, --all\n       do not ignore entries start‐\n       ing with .\n\n-C     in columns"
    )

    assert hidden.told == "`-a, --all`: do not ignore entries starting with ."
    assert color.told == "`-C`: in columns"
    assert [one.told for one in statements(composed([hidden, color]))] == [hidden.told, color.told]


def test_a_sentence_is_not_cut_at_a_time_of_day() -> None:
    found = statements("The museum closes at 18:00. Tickets: 5 euros.")

    assert [one.told for one in found] == ["The museum closes at 18:00.", "Tickets: 5 euros."]


def test_code_and_contents_are_no_statements() -> None:
    text = "1. Valves ........ 3\n\nIt sums them up.\n\n```python\ntotal = 3\n```\n\nA valve closes."

    assert [one.told for one in statements(text)] == ["It sums them up.", "A valve closes."]
