"""Takes the pictures of docs/console.md: `python -m tests.console.pictures docs/pictures`.

They are of a memory of 10,000 topics in two languages.
"""

import sys
from pathlib import Path

from tests.support.browsing import Window, window
from tests.support.journeys import remember_journeys

NODES = 10_000
NARROW = {"viewport": {"width": 320, "height": 640}}
WIDE = {"viewport": {"width": 1000, "height": 760}}
CONTEXT = "/context?user=ada&bank=trip&conversation=summer&collection=journeys"


def take(window: Window, folder: Path) -> None:
    prompt = window.page(CONTEXT, **WIDE)
    prompt.fill("#text", "When does the ferry to Naxos leave, and what must I not bake?")
    prompt.fill("#budget", "700")
    prompt.click("button.main")
    prompt.wait_for_selector("#lost")
    prompt.evaluate("document.getElementById('tokens').scrollIntoView()")
    prompt.screenshot(path=folder / "console-prompt.png")

    conflict = window.page("/conflict?bank=trip", **WIDE, color_scheme="dark")
    conflict.click(".languages button")
    conflict.wait_for_selector("html[lang=zh]")
    conflict.keyboard.press("n")
    conflict.wait_for_selector("text=青岛")
    conflict.screenshot(path=folder / "console-conflict.png")
    conflict.click("details:has(a[href^='/pair']) > summary")
    conflict.click("details a[href^='/pair']")
    conflict.wait_for_selector(".bars")
    conflict.screenshot(path=folder / "console-pair.png")
    conflict.click(".languages button")
    conflict.wait_for_selector("html[lang=en]")

    review = window.page("/review?user=ada&collection=guests", **WIDE)
    review.screenshot(path=folder / "console-review.png")

    home = window.page("/user?user=ada", **NARROW)
    home.screenshot(path=folder / "console-narrow.png")


if __name__ == "__main__":
    with window() as opened:
        remember_journeys(opened.client, NODES)
        take(opened, Path(sys.argv[1]))
