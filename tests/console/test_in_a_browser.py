"""The console in a real browser: by keys alone and by clicks, on a narrow screen, and with a memory that would act if
it could.

A correction is undone by another one; an approval, a retraction are asked about first, and a retraction is brought
back.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import types_pb2 as types
from tests.console.test_pages import PAYLOADS, addresses
from tests.support.browsing import Window, axe, chromium, window
from tests.support.console_memory import NINE, TEN, Remembered, remember
from tests.support.scale import scaled

NARROW = 320
FILES = ("/file", "/picture", "/graph")
HARMLESS = "responded with a status of 415"
"""A file that is no picture is no picture; the page says what it is."""
Go = Callable[[Any, str], None]
MOST_STOPS = 120  # of the Tab key on a page
SERIOUS = ("serious", "critical")
LOOKED_AT = ("/", "/conflict", "/pair", "/record")  # in soak all


@pytest.fixture(scope="module")
def opened() -> Iterator[Window]:
    with window() as made:
        yield made


@pytest.fixture(scope="module")
def ada(opened: Window) -> Remembered:
    return remember(opened.client, "ada")


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


def by_keys(page: Any, selector: str) -> None:
    """Goes to an element by the Tab key, and presses Enter there."""
    for _ in range(MOST_STOPS):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no key leads to {selector}")


def by_click(page: Any, selector: str) -> None:
    page.locator(selector).first.click()


WAYS = {"keys": by_keys, "clicks": by_click} if scaled(1) > 1 else {"keys": by_keys}


@pytest.fixture(params=WAYS)
def go(request: pytest.FixtureRequest) -> Go:
    return WAYS[request.param]


def told(page: Any) -> str:
    """Waits for the page that says what was done."""
    page.wait_for_selector(".notice[role=status]")
    return str(page.inner_text(".notice[role=status]"))


def test_a_fact_is_corrected(opened: Window, go: Go) -> None:
    owner: dict[str, Any] = {"user": f"corrects by {go.__name__}", "collection": ""}
    fact = opened.client.store_fact(**owner, content="Ada lives in Porto.", wait=True).record
    page = opened.page(f"/record?{urlencode({**owner, 'record': fact.record_id})}")

    go(page, "summary")
    go(page, "#content") if go is by_click else page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("Ada lives in Graz.")
    go(page, "form[action='/change/record'] button.main")

    assert told(page) == "Saved."
    (after,) = opened.client.list_records(**owner).records
    assert after.content == "Ada lives in Graz."
    page.context.close()


def test_a_record_is_approved_after_one_question(opened: Window, go: Go) -> None:
    owner: dict[str, Any] = {"user": f"approves by {go.__name__}", "collection": ""}
    opened.client.update_collection(
        collection=long_term.Collection(**owner, review=long_term.REVIEW_ALL),
        update_mask=FieldMask(paths=["review"]),
    )
    opened.client.store_fact(**owner, content="Ada speaks Greek.")
    page = opened.page(f"/review?{urlencode(owner)}")

    if go is by_keys:
        page.keyboard.press("a")
    else:
        go(page, "button[value=approve]")
    page.wait_for_selector("button.main[autofocus]")
    before = list(opened.client.list_records(**owner).records)
    go(page, "button.main[autofocus]")

    assert told(page)
    assert before == []
    assert [each.content for each in opened.client.list_records(**owner).records] == ["Ada speaks Greek."]
    page.context.close()


def test_a_source_is_taken_back_after_one_question_and_brought_back(opened: Window, go: Go) -> None:
    bank_id = f"takes-back-{go.__name__}"
    opened.client.create_bank(bank_id=bank_id)
    record = opened.client.memorize(
        bank_id=bank_id, text="The walnuts are in the blue tin.", source="the web"
    )
    page = opened.page(f"/node?{urlencode({'bank': bank_id, 'node': record.node_ids[0]})}")

    go(page, "button[value=interactions]")
    page.wait_for_selector("button.danger[autofocus]")
    asked = len(opened.client.list_nodes(bank_id=bank_id).nodes)
    go(page, "button.danger[autofocus]")
    taken = told(page)
    gone = len(opened.client.list_nodes(bank_id=bank_id).nodes)
    go(page, "form[action='/change/release'] button")
    page.wait_for_function("word => document.body.innerText.includes(word)", arg="Brought back.")

    assert (asked, gone, taken) == (1, 0, "Taken back. It can be brought back below.")
    assert len(opened.client.list_nodes(bank_id=bank_id).nodes) == 1
    page.context.close()


@pytest.mark.parametrize("language", ["en-GB", "zh-CN"])
def test_nothing_keeps_people_out_of_a_page(opened: Window, ada: Remembered, language: str) -> None:
    """No serious fault by axe-core, wide and narrow, light and dark; nothing is cut off on a narrow screen."""
    if language == "zh-CN" and scaled(1) == 1:
        pytest.skip("at soak's size")
    script, faults = axe(), []
    for width, scheme in ((NARROW, "dark"), (1_000, "light")):
        size = {"width": width, "height": 700}
        page = opened.page("/", viewport=size, color_scheme=scheme)
        if language == "zh-CN":
            page.click(".languages button")
            page.wait_for_selector("html[lang=zh]")
        for address in looked_at(ada):
            page.goto(opened.address + address)
            page.evaluate(script)
            found = page.evaluate("async () => (await axe.run()).violations")
            faults += [
                (address.partition("?")[0], width, each["id"], each["nodes"][0]["target"])
                for each in found
                if each["impact"] in SERIOUS
            ]
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        if language == "zh-CN":
            page.goto(opened.address)
            page.click(".languages button")
        page.context.close()

    assert faults == []


def looked_at(memory: Remembered) -> list[str]:
    return [each for each in shown(memory) if scaled(1) > 1 or each.partition("?")[0] in LOOKED_AT]
