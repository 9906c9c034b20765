from core.agents.offline.structurer import MOST, OfflineStructurer, statements, summary
from core.text.scripts import display_width

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
        f"Item {n} of the Lagos inventory weighs {n * 7} kg in {1900 + n % 120}." for n in range(2_000)
    )

    assert display_width(summary(content)) <= MOST * 1.1
