"""What waits for a person: approved, corrected or rejected in the console, and only then remembered."""

from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as pb
from tests.support.console import Browser, words_of

OWNER: dict[str, Any] = {"user": "ida", "collection": ""}
ADDRESS = "/review?user=ida&collection="
TOLD = ("Ada lives in Porto.", "Ada speaks Greek.", "<script>window.hit=1</script>")


def remembered(browser: Browser) -> set[str]:
    return {record.content for record in browser.client.list_records(**OWNER).records}


def test_what_waits_is_settled_as_a_person_says(browser: Browser) -> None:
    browser.client.update_collection(
        collection=pb.Collection(**OWNER, review=pb.REVIEW_ALL), update_mask=FieldMask(paths=["review"])
    )
    for content in TOLD:
        browser.client.store_fact(**OWNER, content=content)
    waiting = pb.RecordFilter(awaits_review=True)
    ids = {r.content: r.record_id for r in browser.client.list_records(**OWNER, filter=waiting).records}
    page = browser.page(ADDRESS)

    def settled(decision: str, said: str, **fields: str) -> str:
        given = {"user": "ida", "collection": "", "what": "review", "decision": decision, **fields}
        if decision != "correct":
            given[f"pick-{ids[said]}"] = "1"
        asked = browser.send("/change/ask", **given)
        assert said in words_of(asked.text)
        return browser.submit(asked.text, "/change/do").text

    listed, before = words_of(page), remembered(browser)
    settled("approve", TOLD[0])
    settled("correct", TOLD[1], id=ids[TOLD[1]], content="Ada speaks Greek and Turkish.")
    done = settled("reject", TOLD[2])

    assert all(content in listed for content in TOLD)
    assert "<script>window" not in page
    assert before == set()
    assert remembered(browser) == {TOLD[0], "Ada speaks Greek and Turkish."}
    assert "Nothing waits here." in words_of(done)
    refused = [
        browser.send("/change/ask", what="review", user="ida", collection="", decision=d)
        for d in ("approve", "", "no")
    ]
    assert [answer.status_code for answer in refused] == [400] * 3
