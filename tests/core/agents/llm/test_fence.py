"""Stored text stays data: what stands between two lines with the mark is the text, whatever it says."""

import re

import pytest

from core.agents.llm.fence import Enclosure, disarmed, message
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import fences

CHAT_TOKEN = re.compile(
    r"<[|｜][^<>|｜\n]+[|｜]>|</?(?:s|bos|eos|start_of_turn|end_of_turn)>|\[/?INST\]|<</?SYS>>"
)


def test_there_are_fifty_hostile_texts() -> None:
    assert len(set(HOSTILE)) == 50


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_content_stays_within_its_fence(text: str) -> None:
    written = message(
        ["Before:", Enclosure(name="one", text=text), Enclosure(name="two", text="plain"), "After."]
    )

    assert fences(written) == [("one", disarmed(text)), ("two", "plain")]
    mark = written.splitlines()[0].removeprefix("Fence mark: ")
    assert mark not in text
    assert written.endswith(f"[[{mark} end]]\nAfter.")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_control_token_of_a_chat_template_is_left(text: str) -> None:
    shown = disarmed(text)

    assert not CHAT_TOKEN.search(shown)
    assert shown.replace(" ", "") == text.replace(" ", "")


def test_all_fifty_in_one_message_keep_apart() -> None:
    parts = [Enclosure(name=f"node_{n}", text=text) for n, text in enumerate(HOSTILE)]

    assert fences(message(parts)) == [(part.name, disarmed(part.text)) for part in parts]


def test_the_same_texts_give_the_same_bytes_and_others_another_mark() -> None:
    def written(text: str) -> str:
        return message([Enclosure(name="one", text=text)])

    assert written("量子计算") == written("量子计算")
    assert written("量子计算").splitlines()[0] != written("量子计算。").splitlines()[0]


def test_a_text_that_holds_the_mark_of_its_message_gets_another() -> None:
    """A fence is made anew for what was made to close it; also where it is spelled otherwise."""

    def mark(*texts: str) -> str:
        return message([Enclosure(name="x", text=text) for text in texts]).splitlines()[0][-6:]

    known = {f"{n:06x}" for n in range(0x1000)}
    text = " ".join(known)

    assert mark(text) not in known
    wide = text.translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789abcdef"})
    assert mark(wide) not in known


def test_ordinary_text_is_left_as_it_is() -> None:
    text = "if a <| b |> c: x[INSTANCE] <section> <strong>1 < 2</strong> [/etc] <|> 《书名》"

    assert disarmed(text) == text
