"""What a person does in the pages, in a real browser, by keys alone and by clicks; and what would keep people out.

A correction is undone by another one; an approval, a retraction are asked about first, and a retraction is brought
back.
"""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as long_term
from tests.console.test_in_a_browser import FILES, NARROW
from tests.console.test_pages import addresses
from tests.support.browsing import Window, axe
from tests.support.console_memory import Remembered
from tests.support.scale import scaled

Go = Callable[[Any, str], None]
MOST_STOPS = 120  # of the Tab key on a page
SERIOUS = ("serious", "critical")
LOOKED_AT = ("/", "/conflict", "/pair", "/record")  # in soak all


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
    paths = [(re.split(r"\?", each)[0], each) for each in addresses(memory)]
    return [each for path, each in paths if path not in FILES and (scaled(1) > 1 or path in LOOKED_AT)]
