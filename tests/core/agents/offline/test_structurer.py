import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest

from core.agents.offline import salience
from core.agents.offline.statements import composed, statements
from core.agents.offline.structurer import MOST, OfflineStructurer, summary
from core.text.scripts import display_width

DIALOGUES = Path(__file__).parents[5] / "shared" / "data" / "locomo_dev.json"

FILLER = [f"Well, that is how it goes with them, and so it will go on, number {n}." for n in "abcdefgh"]
FACTS = [
    "In March 2021 Siemens paid $2.4 billion for Varian in Palo Alto.",
    "The reactor at Cadarache reached 150 million degrees on 12 May 2023.",
]


async def test_short_content_is_its_own_summary() -> None:
    content = "Alice: I moved to Rome.\nBob: 真的吗？"

    assert await OfflineStructurer().structure(content, "", ()) == content


async def test_what_has_names_figures_and_dates_is_kept_verbatim_and_in_order() -> None:
    content = " ".join([*FILLER, FACTS[0], *FILLER, FACTS[1], *FILLER])

    found = await OfflineStructurer().structure(content, "energy", ("reactor",))

    assert all(fact in found for fact in FACTS)
    assert found.index(FACTS[0]) < found.index(FACTS[1])
    assert len(found) < len(content) / 2


def test_every_sentence_of_a_summary_is_one_of_the_content() -> None:
    content = (
        "量子计算在2023年取得突破。IBM发布了1121量子比特的Condor芯片。"
        + "这方面的情况大家都比较了解。你知道吗？" * 20
    )

    found = summary(content)

    assert all(one.text in content for one in statements(found))
    assert "1121量子比特" in found
    assert "你知道吗" not in found


def test_a_speaker_is_named_before_what_the_speaker_says() -> None:
    turns = [
        f"Alice: Hm, sure. I flew to Oslo on {day} June 2022 with Karen.\nBob: Oh nice!"
        for day in range(1, 29)
    ]

    found = summary("\n".join(turns))

    assert all(line.startswith(("Alice: ", "Bob: ")) for line in found.splitlines())
    assert "Alice: I flew to Oslo" in found


def test_a_sentence_wrapped_over_lines_is_one_in_the_summary() -> None:
    wrapped = "The reactor at Cadarache reached 150 million degrees\n  on 12 May 2023 for the first time."

    (found,) = statements(wrapped)

    assert found.text == " ".join(wrapped.split())


def test_a_summary_is_bounded_whatever_the_length() -> None:
    content = " ".join(
        f"Item {n} of the Lagos inventory weighs {n * 7} kg in {1900 + n % 120}." for n in range(1_000)
    )

    assert display_width(summary(content)) <= MOST * 1.1


def rouge_1(one: str, other: str) -> float:
    """The F1 of shared words (Lin 2004), without stemming."""
    left, right = (Counter(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return 2 * (left & right).total() / max(1, left.total() + right.total())


def extract(content: str, worth: Sequence[float], room: int) -> str:
    said = statements(content)
    return composed([said[index] for index in salience.chosen([one.text for one in said], worth, room)])


@pytest.mark.skipif(not DIALOGUES.exists(), reason="the dialogues are not beside this checkout")
def test_summaries_of_real_dialogues_are_closer_to_what_people_wrote_than_chance() -> None:
    chance = random.Random(1)
    ours, random_ones = [], []
    for sample in json.loads(DIALOGUES.read_text(encoding="utf-8")):
        for name, written in sample["session_summary"].items():
            turns = sample["conversation"].get(name.removesuffix("_summary"), [])
            content = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)
            texts = [one.text for one in statements(content)]
            room = display_width(written)
            ours.append(rouge_1(extract(content, salience.scores(texts), room), written))
            random_ones.append(rouge_1(extract(content, [chance.random() for _ in texts], room), written))

    print(f"ROUGE-1 over {len(ours)} sessions: {mean(ours):.3f}, sentences by chance {mean(random_ones):.3f}")
    assert mean(ours) > mean(random_ones) + 0.015


async def test_prices_and_terms_are_kept_before_addresses_telephone_numbers_and_links() -> None:
    firms = []
    for n, name in enumerate(("Aqvila", "Brunnsal", "Cisterna", "Dammfors", "Elvstad", "Forsby")):
        firms.append(
            f"Firm {name}: the pump costs {38 + n},500 SEK. It is delivered in {5 + n} weeks. "
            f"The guarantee is {2 + n} years. The head office stands at {n + 3} Kungsgatan Road, 411 0{n} Gothenburg. "
            f"Phone +46 31 70{n} 11 22 or mail sales{n}@{name.lower()}.example.se. "
            f"See https://www.{name.lower()}.example.se/pumps/{n} for the brochure of 2024."
        )

    found = await OfflineStructurer().structure("\n\n".join(firms), "pumps", ())

    terms = [(f"{38 + n},500 SEK", f"in {5 + n} weeks", f"is {2 + n} years") for n in range(6)]
    assert all(term in found for each in terms for term in each)
    assert found.count("Phone") + found.count("Road") <= 1


async def test_a_summary_is_at_most_two_fifths_of_a_long_source_labels_and_all() -> None:
    options = [
        f"--set-{n}=VALUE\n       sets limit {n} of the server to VALUE of 20{n} units" for n in range(10, 60)
    ]

    found = await OfflineStructurer().structure("\n".join(options), "limits", ())

    assert display_width(found) <= 0.4 * display_width("\n".join(options))
    assert "`--set-" in found


@pytest.mark.parametrize("fence", ["```", ""])
async def test_code_is_not_summarised_where_there_is_text(fence: str) -> None:
    code = "\n".join((fence, *(f"total_{n} = total({n}, rows)" for n in range(60)), fence))

    found = await OfflineStructurer().structure(f"The rows are summed up in 60 parts.\n{code}", "", ())

    assert found == "The rows are summed up in 60 parts."


async def test_of_code_alone_the_beginning_stands_for_it() -> None:
    code = "\n".join(f"total_{n} = total({n}, rows)" for n in range(90))

    found = await OfflineStructurer().structure(code, "", ())

    assert found.startswith("total_0 = total(0, rows)\n")
    assert display_width(found) <= 0.4 * display_width(code)


async def test_the_tags_of_a_transcript_are_no_fields() -> None:
    said = (
        "<think>I look it up.</think>\n"
        '<tool_call>{"name": "search", "arguments": {"q": "bridge"}}</tool_call>\n'
        "<tool_response>The bridge was built in 1782.</tool_response>"
    )

    assert await OfflineStructurer().structure(said, "", []) == "The bridge was built in 1782."


async def test_a_record_in_json_or_xml_is_told_by_its_fields() -> None:
    packed = '{"ferries":[{"name":"Ferry 7","to":"Naxos"},{"name":"Ferry 8","to":"Kea"}]}'
    marked = "<t><ferry><name>七号</name><to>纳克索斯</to></ferry><ferry><name>八号</name></ferry></t>"

    told = await OfflineStructurer().structure(packed, "", [])
    told_zh = await OfflineStructurer().structure(marked, "", [])

    assert told.splitlines() == ["ferries: name: Ferry 7; to: Naxos", "ferries: name: Ferry 8; to: Kea"]
    assert told_zh.splitlines() == ["ferry: name: 七号; to: 纳克索斯", "ferry: name: 八号"]
