"""The point at issue in one line: subject, attribute, whole units."""

import pytest

from core.agents.offline.at_issue import LONGEST_MATTER, at_issue
from core.agents.offline.contradiction import contradicts


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (
            "The ferry to Naxos leaves at ten.",
            "The ferry to Naxos leaves at nine.",
            "The ferry to Naxos leaves at: “ten” contradicts “nine”",
        ),
        (
            "The Eiffel Tower is 324 metres tall.",
            "The Eiffel Tower is 300 metres tall.",
            "The Eiffel Tower is: “324 metres” contradicts “300 metres”",
        ),
        (
            "该设备的保修时间为1,080小时。",
            "该设备的保修时间为720小时。",
            "该设备的保修时间为：“1,080小时”与“720小时”矛盾",
        ),
        (
            "The museum is open until 20:00.",
            "The museum is open until 17:00.",
            "The museum is open until: “20:00” contradicts “17:00”",
        ),
        ("星河公司的CEO是李四。", "星河公司的CEO是张三。", "星河公司的CEO是：“李四”与“张三”矛盾"),
    ],
)
def test_a_description_names_subject_attribute_and_values_with_their_units(
    ours: str, theirs: str, expected: str
) -> None:
    found = contradicts(ours, theirs)
    assert found is not None

    assert at_issue(ours, found.value_a, theirs, found.value_b) == expected


def test_a_value_that_begins_its_sentence_is_named_by_what_follows() -> None:
    said = at_issue("Ann Lee leads Acme.", "Ann Lee", "Bo Li leads Acme.", "Bo Li")

    assert said == "… leads Acme: “Ann Lee” contradicts “Bo Li”"


def test_a_long_sentence_keeps_its_beginning_and_what_stands_before_the_value() -> None:
    said = at_issue("The tower " + "of steel " * 40 + "measures 4 m.", "4", "It measures 9 m.", "9")

    assert said.startswith("The tower")
    assert "measures: “4 m” contradicts “9 m”" in said
    assert len(said) < LONGEST_MATTER + 40
