import pytest

from core.agents.offline.judging.attribution import statement_of


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("According to the leaflet, the ferry leaves at nine.", "the ferry leaves at nine."),
        ("According to the leaflet the ferry leaves at nine.", "the ferry leaves at nine."),
        ("The captain said the ferry leaves at ten.", "the ferry leaves at ten."),
        ("The log of 3 May reports that nine sailors drowned.", "nine sailors drowned."),
        ("They told us that the road is closed [2].", "the road is closed."),
        ("据2024年年报，公司的CEO是张三。", "公司的CEO是张三。"),
        ("老板表示，会议在周四。", "会议在周四。"),
        ("船长说渡轮十点开。", "渡轮十点开。"),
        ("The ferry leaves at ten, according to the captain.", "The ferry leaves at ten."),
        ("The ferry leaves at ten, the captain says.", "The ferry leaves at ten."),
        ("Acceptance test of 2 April 2024: it holds 11 kg.", "it holds 11 kg."),
        ("Observation: it holds 11 kg.", "it holds 11 kg."),
        ("渡轮十点开，船长说。", "渡轮十点开。"),
    ],
)
def test_who_says_so_is_no_part_of_what_is_stated(text: str, stated: str) -> None:
    assert statement_of(text) == stated


@pytest.mark.parametrize(
    "text",
    [
        "The ferry leaves at nine.",
        "Nobody said that the ferry is late.",
        "The report that she wrote is long.",
        "The captain said so.",
        "He came, saw the ferry, and said nothing.",
        "There is no record according to which it fell.",
        "没有人说渡轮十点开。",
        "这部小说称赞了张三。",
        "他名称变了很多次。",
    ],
)
def test_a_sentence_that_names_no_source_stays_whole(text: str) -> None:
    assert statement_of(text) == text
