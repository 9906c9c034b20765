"""Takes the pictures of docs/console.md: `python -m tests.console.pictures docs/pictures`."""

import sys
from pathlib import Path
from typing import Any

from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1.conversation_pb2 import Turn
from tests.support.browsing import Window, window

NARROW = {"viewport": {"width": 320, "height": 640}}
WIDE = {"viewport": {"width": 1000, "height": 720}}
TURNS = (
    ("My sister is allergic to walnuts, so no walnut cake for her.", "Noted: no walnuts for your sister."),
    ("We are four, and the children get seasick.", "Then a large ferry, seats amidships."),
    ("酒店要离港口近一点。", "好的，我找步行可到的酒店。"),
    ("What does the room cost?", "The room at the harbour costs 80 euros a night."),
    ("Is there a bus to the beach?", "Every half hour, from the square behind the harbour."),
    ("Which ferry takes bicycles?", "All of them do, on the lower deck."),
)


def remember(window: Window) -> None:
    """Remembers a journey of Ada's, with a conflict and a doubt."""
    client = window.client
    owner: dict[str, Any] = {"user": "ada", "collection": "journeys"}
    client.create_bank(bank_id="trip", user="ada", collection="journeys", goal="Reach Naxos before noon")
    client.create_bank(bank_id="lodging", user="ada", goal="在纳克索斯找一家离港口近的酒店")
    client.memorize(
        bank_id="trip", text="The ferry to Naxos leaves at nine. It takes cars.", source="the timetable"
    )
    client.memorize(
        bank_id="trip", text="The ferry to Naxos leaves at ten. It takes cars.", source="the captain"
    )
    client.memorize(bank_id="trip", text="我们在纳克索斯住三晚。酒店离港口两百米。", source="预订确认")
    client.memorize(
        bank_id="trip", text="Bicycles go on the lower deck, and cost five euros each.", source="the web"
    )
    turns = [Turn(input=asked, reply=answered) for asked, answered in TURNS * 3]
    client.add_turns(user="ada", conversation_id="summer", collection="journeys", turns=turns)
    client.add_key(user="ada", conversation_id="summer", text="The budget is 500 euros.")
    for town in ("Porto", "Lisbon"):
        client.store_fact(**owner, content=f"Ada lives in {town}.", source="the form", wait=True)
    client.store_fact(**owner, content="Ada speaks Greek.", wait=True)
    booked = long_term.Record(kind=long_term.RECORD_KIND_MEMORY, content="Call hotels before booking online.")
    client.add_record(**owner, record=booked)


def take(window: Window, folder: Path) -> None:
    context = window.page("/context?user=ada&bank=trip&conversation=summer&collection=journeys", **WIDE)
    context.fill("#text", "When does the ferry to Naxos leave, and what must I not bake?")
    context.fill("#budget", "460")
    context.click("button.main")
    context.wait_for_selector("#lost")
    context.evaluate("document.getElementById('tokens').scrollIntoView()")
    context.screenshot(path=folder / "console-prompt.png")

    conflict = window.page("/conflict?bank=trip", **WIDE, color_scheme="dark")
    conflict.click(".languages button")
    conflict.wait_for_selector("html[lang=zh]")
    conflict.screenshot(path=folder / "console-conflict.png")
    conflict.click(".languages button")

    home = window.page("/user?user=ada", **NARROW)
    home.wait_for_selector("html[lang=en]")
    home.screenshot(path=folder / "console-narrow.png")


if __name__ == "__main__":
    with window() as opened:
        remember(opened)
        take(opened, Path(sys.argv[1]))
