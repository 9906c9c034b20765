"""The console in a real browser: by keys alone, on a narrow screen, and with a memory that would act if it could."""

from pathlib import Path
from urllib.parse import quote

import pytest

from memorybank.v1 import types_pb2 as types
from tests.console.test_pages import PAYLOADS, addresses
from tests.support.browsing import Window, chromium
from tests.support.console_memory import NINE, TEN, Remembered, remember
from tests.support.scale import scaled

NARROW = 320
FILES = ("/file", "/picture", "/graph")
HARMLESS = "responded with a status of 415"
"""A file that is no picture is no picture; the page says what it is."""


def shown(memory: Remembered) -> list[str]:
    return [address for address in addresses(memory) if address.partition("?")[0] not in FILES]


def some(memory: Remembered) -> list[str]:
    """Some of these addresses, in soak all."""
    return shown(memory)[:: 4 if scaled(1) == 1 else 1]


def test_a_conflict_is_settled_by_keys_alone_and_the_next_prompt_is_another(opened: Window) -> None:
    opened.client.create_bank(bank_id="keys")
    _, told = (opened.client.memorize(bank_id="keys", text=text) for text in (NINE, TEN))
    page = opened.page("/conflict?bank=keys")
    (conflict,) = opened.client.list_conflicts(bank_id="keys").conflicts

    page.keyboard.press("1")
    page.wait_for_selector("button.main[autofocus]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".notice")

    closed = opened.client.list_conflicts(bank_id="keys", statuses=[types.CONFLICT_STATUS_RESOLVED]).conflicts
    assert [(each.conflict_id, each.verdict) for each in closed] == [
        (told.conflict_ids[0], conflict.sides[0].quote)
    ]
    prompt = opened.client.augment(bank_id="keys", query="When does the ferry leave?").prompt
    assert "CONTESTED" not in prompt
    page.context.close()


def test_a_line_of_a_prompt_opens_its_memory_beside_it(opened: Window, ada: Remembered) -> None:
    page = opened.page(f"/context?user={quote(ada.user)}&bank={ada.bank_id}")
    page.fill("#text", "When does the ferry to Naxos leave?")
    page.click("button.main")
    page.wait_for_selector("#lost")

    page.locator(".prompt a").first.click()
    page.wait_for_selector("#peek section")

    assert "/context?" in page.url  # the prompt stands there still
    assert page.locator("#peek h1").count() == 1
    page.context.close()


def test_what_is_around_a_memory_is_drawn(opened: Window, ada: Remembered) -> None:
    page = opened.page(f"/node?bank={ada.bank_id}&node={ada.node_id}")

    page.wait_for_selector("#graph canvas")

    assert page.locator("style").count() == 0
    page.context.close()


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_what_a_memory_holds_does_not_act_and_is_not_cut_off(opened: Window, number: int) -> None:
    """On a narrow screen, in the dark; no request leaves this machine, and the browser reports nothing."""
    if number and scaled(1) == 1:
        pytest.skip("at soak's size")
    evil = remember(opened.client, f"eve{number}", PAYLOADS[number].replace("\x1b", " "))
    page = opened.page("/", viewport={"width": NARROW, "height": 700}, color_scheme="dark")
    for address in some(evil):
        page.goto(opened.address + address)
        assert page.evaluate("window.hit") is None, address
        assert page.url == opened.address + address
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW, address

    assert {url for url in opened.asked if not url.startswith(f"{opened.address}/")} == set()
    assert [line for line in opened.said if HARMLESS not in line] == []
    page.context.close()


def test_no_word_of_a_memory_is_left_in_the_browsers_profile(opened: Window, tmp_path: Path) -> None:
    """Pages, a search, a prompt and a correction that is begun; the names of memories stay in the history."""
    if scaled(1) == 1:
        pytest.skip("at soak's size")
    marker = "Quintessenzmarkierung"
    told = remember(opened.client, "zoe", f"{marker} blue.")
    context = opened.driver.chromium.launch_persistent_context(str(tmp_path), **chromium())
    context.add_cookies(opened.state["cookies"])
    page = context.new_page()
    for address in (
        f"/bank?bank={told.bank_id}",
        f"/node?bank={told.bank_id}&node={told.node_id}",
        "/conflicts",
    ):
        page.goto(opened.address + address)
    page.goto(f"{opened.address}/bank?bank={told.bank_id}")
    page.fill("#text", f"{marker} red")
    page.press("#text", "Enter")
    page.wait_for_selector("#find ~ .lines li")
    page.goto(f"{opened.address}/node?bank={told.bank_id}&node={told.node_id}")
    page.click("summary:last-of-type")
    page.evaluate("document.getElementById('summary').value += ' more'")
    page.goto(opened.address)
    context.close()
    opened.client.delete_bank(bank_id=told.bank_id)

    spelled = [marker.encode(code) for code in ("utf-8", "utf-16-le")]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    held = {path.relative_to(tmp_path): path.read_bytes() for path in files}
    assert [str(path) for path, content in held.items() for word in spelled if word in content] == []
