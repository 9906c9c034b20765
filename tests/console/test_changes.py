"""What a person changes: corrections, opinions, key memories; and what removes memory, asked about first."""

from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as long_term
from memorybank_client import NotFound
from tests.support.console import Browser, console, words_of
from tests.support.shell import Shell

NAMES = count(1)
SECRET = "The walnuts are in the blue tin."


@pytest.fixture
def bank_id(browser: Browser) -> str:
    """A bank of the test's own with one record and its node."""
    made = f"changes-{next(NAMES)}"
    browser.client.create_bank(bank_id=made)
    browser.client.memorize(bank_id=made, text=SECRET, source="a note")
    return made


@pytest.fixture
def owner(browser: Browser) -> dict[str, Any]:
    """A collection of the test's own with one fact."""
    made: dict[str, Any] = {"user": f"ida-{next(NAMES)}", "collection": ""}
    browser.client.store_fact(**made, content=SECRET, wait=True)
    return made


def fact_of(browser: Browser, owner: dict[str, Any]) -> long_term.Record:
    (found,) = browser.client.list_records(**owner).records
    return found


def page_of(browser: Browser, owner: dict[str, Any]) -> str:
    return browser.page(f"/record?{urlencode({**owner, 'record': fact_of(browser, owner).record_id})}")


def node_page(browser: Browser, bank_id: str) -> str:
    (node,) = browser.client.list_nodes(bank_id=bank_id).nodes
    return browser.page(f"/node?bank={bank_id}&node={node.node_id}")


def found(browser: Browser, bank_id: str) -> list[str]:
    return [hit.node.summary for hit in browser.client.search(bank_id=bank_id, text=SECRET).hits]


def test_a_node_is_corrected_as_it_was_read(browser: Browser, bank_id: str) -> None:
    page = node_page(browser, bank_id)
    assert SECRET in words_of(page)

    saved = browser.submit(page, "/change/node", summary="In the red tin.", keywords="tin\nwalnuts\n")
    late = browser.submit(page, "/change/node", summary="In the green tin.")

    assert "Saved." in words_of(saved.text)
    (node,) = browser.client.list_nodes(bank_id=bank_id).nodes
    assert (node.summary, list(node.keywords)) == ("In the red tin.", ["tin", "walnuts"])
    assert (late.status_code, "changed meanwhile" in words_of(late.text)) == (409, True)


def test_a_node_is_deleted_after_one_question(browser: Browser, bank_id: str) -> None:
    asked = browser.submit(node_page(browser, bank_id), "/change/ask", 0, what="node")
    assert SECRET in words_of(asked.text)
    assert found(browser, bank_id)

    browser.submit(asked.text, "/change/do")

    assert not browser.client.list_nodes(bank_id=bank_id).nodes
    assert len(browser.client.list_interactions(bank_id=bank_id).interactions) == 1  # the record stays


def test_a_source_is_taken_back_after_what_goes_was_shown_and_brought_back(
    browser: Browser, bank_id: str
) -> None:
    asked = browser.submit(node_page(browser, bank_id), "/change/ask", 1, what="interactions")
    assert "Records 1 Topics 1 Conflicts 0" in words_of(asked.text)
    assert found(browser, bank_id)

    taken = browser.submit(asked.text, "/change/do")
    gone = found(browser, bank_id)
    back = browser.submit(taken.text, "/change/release")

    assert "Taken back." in words_of(taken.text)
    assert gone == []
    assert "Brought back." in words_of(back.text)
    assert found(browser, bank_id) == [SECRET]


def test_a_fact_is_corrected_valued_and_deleted(browser: Browser, owner: dict[str, Any]) -> None:
    corrected = browser.submit(page_of(browser, owner), "/change/record", content="In the red tin.")
    worth = fact_of(browser, owner).reward
    valued = browser.submit(page_of(browser, owner), "/change/feedback", thumb="up", reason="true")
    asked = browser.submit(page_of(browser, owner), "/change/ask", what="record")

    assert "In the red tin." in words_of(corrected.text)
    assert "Noted." in words_of(valued.text)
    assert fact_of(browser, owner).reward > worth
    assert "In the red tin." in words_of(asked.text)
    browser.submit(asked.text, "/change/do")
    assert not browser.client.list_records(**owner).records


def test_a_fact_is_taken_back_and_brought_back(browser: Browser, owner: dict[str, Any]) -> None:
    asked = browser.submit(page_of(browser, owner), "/change/ask", what="record-retraction")
    taken = browser.submit(asked.text, "/change/do")
    gone = list(browser.client.list_records(**owner).records)
    browser.submit(taken.text, "/change/release")

    assert gone == []
    assert fact_of(browser, owner).content == SECRET


def test_key_memories_are_added_reworded_and_deleted(browser: Browser) -> None:
    talk: dict[str, Any] = {"user": "ida", "conversation_id": f"talk-{next(NAMES)}"}
    browser.client.add_turns(**talk, turns=[{"input": "Hello.", "reply": "Hello."}])  # type: ignore[list-item]
    address = f"/conversation?user=ida&conversation={talk['conversation_id']}"

    def keys() -> list[str]:
        return [key.text for key in browser.client.list_keys(**talk).keys]

    added = browser.submit(browser.page(address), "/change/key-memory", text=SECRET)
    first = keys()
    reworded = browser.submit(added.text, "/change/key-memory", text="In the red tin.")
    second = keys()
    asked = browser.submit(reworded.text, "/change/ask")
    browser.submit(asked.text, "/change/do")

    assert (first, second, keys()) == ([SECRET], ["In the red tin."], [])


def test_a_turn_is_deleted_with_what_rests_on_it(browser: Browser) -> None:
    talk: dict[str, Any] = {"user": "ida", "conversation_id": f"talk-{next(NAMES)}"}
    browser.client.add_turns(**talk, turns=[{"input": SECRET}, {"input": "Hello."}])  # type: ignore[list-item]
    address = f"/turn?user=ida&conversation={talk['conversation_id']}&step=1"

    asked = browser.submit(browser.page(address), "/change/ask")
    browser.submit(asked.text, "/change/do")

    assert SECRET in words_of(asked.text)
    assert [turn.input for turn in browser.client.list_turns(**talk).turns] == ["Hello."]
    assert browser.get(address).status_code == 404


def test_a_document_gets_another_version_of_the_one_that_was_read(browser: Browser) -> None:
    owner = instructions.Owner(user="ida")
    browser.client.put_source(owner=owner, path="AGENTS.md", text="Answer in English.")
    page = browser.page("/document?level=user&owner=ida&path=AGENTS.md")

    saved = browser.submit(page, "/change/document", text="Answer in Chinese.")
    late = browser.submit(page, "/change/document", text="Answer in Greek.")

    assert "Answer in Chinese." in words_of(saved.text)
    assert late.status_code == 409
    assert "Answer in English." in words_of(
        browser.page("/document?level=user&owner=ida&path=AGENTS.md&version=1")
    )


def test_a_merged_node_leads_to_what_stands_for_it_with_its_past(browser: Browser, bank_id: str) -> None:
    (first,) = browser.client.list_nodes(bank_id=bank_id).nodes
    other = browser.client.add_node(bank_id=bank_id, summary="The tin is blue.").node
    browser.client.merge_nodes(
        bank_id=bank_id, node_ids=[first.node_id, other.node_id], summary="A blue tin."
    )

    led = browser.get(f"/node?bank={bank_id}&node={first.node_id}")
    page = browser.get(led.headers["location"]).text

    assert led.status_code == 303
    assert "This one stands for it now." in words_of(page)
    assert "The tin is blue." in words_of(page.partition('id="past"')[2])


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A data folder with keys: one that may read, one that may do everything, one that nobody made."""
    folder = tmp_path_factory.mktemp("keyed")
    made = {"none": f"mb_{'0' * 90}"}
    for name, scopes in (("reader", "read"), ("writer", "read,write,admin")):
        file = folder / f"{name}.key"
        Shell(server="127.0.0.1:1").done(
            "keys", "create", "--scopes", scopes, "--out", str(file), "--data", str(folder)
        )
        made[name] = file.read_text(encoding="ascii").strip()
    return folder, made


def test_what_removes_memory_asks_for_a_key_again_and_keeps_none(keys: tuple[Path, dict[str, str]]) -> None:
    folder, made = keys
    with console(key=made["reader"], own_key=made["writer"], folder=folder) as browser:
        browser.client.create_bank(bank_id="keyed")
        browser.client.memorize(bank_id="keyed", text=SECRET)
        (node,) = browser.client.list_nodes(bank_id="keyed").nodes
        address = f"/node?bank=keyed&node={node.node_id}"
        page = browser.page(address)
        refused = browser.submit(page, "/change/node", summary="Other words.")
        asked = browser.submit(page, "/change/ask", 0, what="node").text

        answers = {
            key: browser.submit(asked, "/change/do", key=key)
            for key in ("", "not a key", made["none"], made["reader"], made["writer"])
        }
        with pytest.raises(NotFound):
            browser.client.get_node(bank_id="keyed", node_id=node.node_id)
        shown = [page, asked, refused.text, *(answer.text for answer in answers.values())]

    assert 'name="key" type="password"' in asked
    assert (refused.status_code, "does not allow" in words_of(refused.text)) == (403, True)
    assert [answer.status_code for answer in answers.values()] == [400, 400, 403, 403, 200]
    assert not [text for text in shown for secret in made.values() if secret in text]


def test_a_refused_key_gets_a_sentence(keys: tuple[Path, dict[str, str]]) -> None:
    folder, made = keys
    with console(key=made["none"], folder=folder) as browser:
        answer = browser.get("/")

    assert answer.status_code == 403
    assert "The service refuses the key." in words_of(answer.text)
