"""Repeats within a record, and what goes on like another record."""

from core.verbatim.fingerprints import Fingerprint
from core.verbatim.repeats import beside, goes_on_like, repeats_within, telling

FERRY = "the ferry to naxos leaves at nine from pier 3"
PRICE = "a ticket of the first class costs twelve euros"
BOAT = "渡轮早上九点从三号码头出发每天一班"


def says(words: str, *headings: str, speaker: str = "") -> Fingerprint:
    return Fingerprint(words, headings, speaker, 0, None)


NOTHING = says("")


def test_each_repeats_the_first_of_its_words() -> None:
    prints = [says(FERRY), says(BOAT), NOTHING, says(FERRY), says(BOAT), says(FERRY)]

    assert repeats_within(prints, telling(prints)) == {3: 0, 4: 1, 5: 0}


def test_another_heading_speaker_or_word_is_no_repetition() -> None:
    prints = [
        says(FERRY, "summer"),
        says(FERRY, "winter"),
        says(FERRY, "summer", speaker="ann"),
        says(FERRY.replace("nine", "ten"), "summer"),
    ]

    assert repeats_within(prints, telling(prints)) == {}


def test_few_words_repeat_only_beside_more() -> None:
    short = says("yes")
    prints = [short, says(FERRY), says("no"), NOTHING, short, says(FERRY), says("no"), NOTHING, short]

    assert repeats_within(prints, telling(prints)) == {4: 0, 5: 1, 6: 2}


def test_what_is_cut_otherwise_repeats_beside_what_is_cut_alike() -> None:
    words = PRICE.split()
    others = [says(" ".join(words[:3])), says(" ".join(words[3:])), says(FERRY)]
    prints = [says(" ".join(words[:6])), says(" ".join(words[6:])), says(FERRY)]

    assert goes_on_like(prints, 2, others, 2, {2: None}) == {0: 0, 1: 1}


def test_what_goes_on_otherwise_does_not_repeat() -> None:
    others = [says("it costs ten"), says(FERRY), says("it costs twelve")]
    prints = [says("it costs nine"), says(FERRY), says("it costs twelve euros")]

    assert goes_on_like(prints, 1, others, 1, {1: None}) == {}


def test_thoughts_and_headings_go_with_what_stands_under_them() -> None:
    prints = [NOTHING, says("", "naxos"), says(FERRY, "naxos", "ferries"), NOTHING, says(PRICE), NOTHING]

    assert beside(range(6), prints, {2: None}) == {0, 1}
    assert beside(range(6), prints, {4: None}) == {3, 5}
    assert beside(range(6), prints, {}) == frozenset()


def test_a_heading_that_is_new_stays() -> None:
    prints = [says("", "prices", "twelve euros"), says(FERRY, "prices", "ferries")]

    assert beside(range(2), prints, {1: None}) == frozenset()
