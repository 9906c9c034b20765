"""Messages of frameworks as turns, whatever their texts hold."""

import json

from memorybank_client.adapters.turn_items import items_of, turn_of

CUT = "the last word was 渡\0 \ud83d"
"""Ends with half an emoji, as an output that a tool cut."""


def test_half_a_character_in_a_message_costs_no_message() -> None:
    item = {"role": "assistant", "content": CUT, "raw": [CUT]}

    turn = turn_of(item, "assistant", "openai")

    assert turn.reply == "the last word was 渡\ufffd \ufffd"
    assert turn.SerializeToString()
    (back,) = items_of(turn, "openai", lambda role, said: None)
    assert back == json.loads(json.dumps(item).replace("\\ud83d", "\\ufffd"))
