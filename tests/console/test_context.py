"""What an agent would get to read, as a person sees it: part by part, each line with its memory; what was left out."""

import re
from html import unescape
from typing import Any

import pytest

from console.language import NAMES, language
from console.prompts import HEADINGS, parts_of
from core.language import LANGUAGES
from memorybank.v1 import types_pb2 as types
from tests.support.console import Browser, words_of
from tests.support.console_memory import NINE, TEN, Remembered

QUESTION = "When does the ferry to Naxos leave?"
LINK = re.compile(r'href="(/[^"#]*)')


def assembled(browser: Browser, memory: Remembered, budget: int = 2_000, **fields: str) -> str:
    chosen = {
        "chosen_bank": memory.bank_id,
        "chosen_conversation": memory.conversation_id,
        "chosen_collection": f"={memory.collection}",
    }
    address = f"/context?user={memory.user}"
    page = browser.page(address)
    answer = browser.submit(page, "/context", text=QUESTION, budget=str(budget), **{**chosen, **fields})
    assert answer.status_code == 200
    return answer.text


def least(browser: Browser, memory: Remembered) -> int:
    """The budget that a page names where the one asked for is too small."""
    found = re.search(
        r"what is never shortened takes (\d+) tokens", words_of(assembled(browser, memory, budget=5))
    )
    assert found is not None
    return int(found[1])


def test_every_heading_of_a_prompt_is_known() -> None:
    titles = {title for one in LANGUAGES for title in (*one.headings.titles, *one.task_headings.titles)}

    assert set(HEADINGS) == titles
    for code in NAMES:
        said = language(code).sentences
        assert all(f"section.{name}" in said for names in HEADINGS.values() for name in names)


def test_a_prompt_is_taken_apart_at_its_headings_alone() -> None:
    memories = "## Relevant memories\n[ab3de] one\n## not one\n[xy3de] two"
    prompt = f"You plan.\n\n## Task state\nGoal: go\n\n{memories}\n\n## Now\n  go"
    sections = [
        types.Section(name="system", tokens=3),
        types.Section(name="insight", tokens=5),
        types.Section(
            name="memories", tokens=7, items=[types.SectionItem(id="i-00ab3de"), types.SectionItem(id="n-1")]
        ),
        types.Section(name="input", tokens=2),
    ]

    parts = parts_of(prompt, sections)

    assert [(part.name, part.tokens) for part in parts] == [
        ("system", 3),
        ("insight", 5),
        ("memories", 7),
        ("input", 2),
    ]
    assert [line.memory_id for line in parts[2].lines] == ["i-00ab3de", "", "n-1", ""]


def test_the_prompt_stands_there_word_for_word_and_its_lines_lead_to_memories(
    browser: Browser, memory: Remembered
) -> None:
    page = assembled(browser, memory)
    made = browser.client.assemble_context(
        input=QUESTION,
        user=memory.user,
        bank_id=memory.bank_id,
        conversation_id=memory.conversation_id,
        collection=memory.collection,
        token_budget=2_000,
        observe=True,
    )

    said = words_of(page)
    lines = [line for line in made.prompt.splitlines() if line.strip() and not line.startswith("## ")]
    assert [line for line in lines if " ".join(line.split()) not in said] == []
    led = {unescape(address).partition("?")[0] for address in LINK.findall(page)}
    assert {"/conflict", "/record", "/turn"} <= led


def test_what_was_left_out_is_told_with_its_words_and_why(browser: Browser, memory: Remembered) -> None:
    small, large = assembled(browser, memory, budget=least(browser, memory) + 40), assembled(browser, memory)

    lost = small.partition('id="lost"')[2]
    assert "no room" in words_of(lost)
    assert memory.conflict_id in lost  # where it leads to; told are its words
    assert memory.conflict_id not in words_of(lost)
    assert "Everything that was found has room." in words_of(large)


def test_a_budget_below_what_is_never_cut_is_answered_with_what_it_takes(
    browser: Browser, memory: Remembered
) -> None:
    needed = least(browser, memory)

    assert "too small" in words_of(assembled(browser, memory, budget=needed - 1))
    assert "too small" not in words_of(assembled(browser, memory, budget=needed))


def test_it_tells_why_a_memory_stands_or_not(browser: Browser, memory: Remembered) -> None:
    page = assembled(browser, memory, words="Ada lives in Porto")

    told = words_of(page.partition('id="explained"')[2])
    assert "Ada lives in Porto" in told
    assert "stands in it" in told or "not in it" in told


def test_looking_counts_nothing(browser: Browser, memory: Remembered) -> None:
    owner: dict[str, Any] = {"user": memory.user, "collection": memory.collection}

    def counted() -> list[object]:
        talk: dict[str, Any] = {"user": memory.user, "conversation_id": memory.conversation_id}
        return [
            [(r.record_id, r.access_count) for r in browser.client.list_records(**owner).records],
            [(c.cluster_id, c.hits) for c in browser.client.list_clusters(**talk).clusters],
            browser.client.get_bank(bank_id=memory.bank_id).revision,
            browser.client.get_collection(**owner).revision,
            browser.client.get_conversation(**talk).revision,
        ]

    before = counted()
    for _ in range(3):
        assembled(browser, memory)
        browser.send(f"/user?user={memory.user}", text=QUESTION)
        browser.send(f"/bank?bank={memory.bank_id}", text=QUESTION)

    assert counted() == before


@pytest.mark.parametrize("text", [NINE, TEN, "渡轮几点出发？"])
def test_a_search_over_all_of_a_users_memory_finds_each_kind(
    browser: Browser, memory: Remembered, text: str
) -> None:
    found = browser.send(f"/user?user={memory.user}", text=text)

    assert found.status_code == 200
    assert memory.bank_id in found.text
