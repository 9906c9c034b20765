"""Messages of a framework as turns of a conversation: one message a turn.

Law: the message comes back as it was given, from the turn's metadata, to the framework whose form it has. Its words
stand in the turn, on the side of who said them, where searches find them; what has no words stands there by its type.
Half a character, as a text that was cut within an emoji ends with, becomes U+FFFD: no field of the contract holds it.
What another writer added comes back as words.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memorybank.v1.conversation_pb2 import Turn
from memorybank_client.messages import words
from memorybank_client.runs import held

MOST_TURNS = 100  # of one call
MOST_LISTED = 1_000  # of one page
LONGEST = 100_000  # code points of a turn's side
INPUT = frozenset({"user", "human", "system", "developer"})


def turn_of(item: Mapping[str, Any], role: str, form: str, message: Any = None) -> Turn:
    """Returns the turn of an item, which is JSON in a framework's form. `message`: what its words are read of; absent:
    the item."""
    try:
        said = words(item if message is None else message)
    except TypeError:  # a part that is newer than this client: the item itself is kept all the same
        said = ""
    said = held(said, LONGEST).strip() or f"[{item.get('type') or role or 'message'}]"
    turn = Turn(labels={"role": role} if role else {}, metadata_json=written(item, form))
    if role in INPUT:
        turn.input = said
    else:
        turn.reply = said
    return turn


def written(item: Any, form: str) -> str:
    return held(json.dumps({form: item}, ensure_ascii=False, default=_plain), None)


def items_of(turn: Turn, form: str, made: Callable[[str, str], Any]) -> list[Any]:
    """Returns the item of a turn; of one without an item of this form what is `made` of each side: role and words."""
    kept = json.loads(turn.metadata_json) if turn.metadata_json else {}
    if form in kept:
        return [kept[form]]
    return [made(role, said) for role, said in (("user", turn.input), ("assistant", turn.reply)) if said]


def portions(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    """Yields what one call after the other adds."""
    for start in range(0, len(turns), MOST_TURNS):
        yield turns[start : start + MOST_TURNS]


def chosen(most: int | None) -> dict[str, Any]:
    """Returns the fields of ListTurns by which the newest `most` are listed; absent: all. Of the newest, a page that
    follows is of older ones."""
    return {"page_size": MOST_LISTED} if most is None or most > MOST_LISTED else {"last": most}


def _plain(value: Any) -> Any:
    """Returns what JSON has for an object of a framework."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no form in JSON")
