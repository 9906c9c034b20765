"""Replacing a passage of a text.

Law: the passage must stand there exactly once, overlapping places counted, so that no edit lands where it was not
meant. Where it does not, it may stand so in the text as it is shown, which has every character in the same place. In a
text whose lines end in CR LF, a passage may have LF alone, as most models write it.
"""

from core.errors import EditAmbiguous, EditNotFound


def edited(text: str, path: str, old_text: str, new_text: str, shown: str) -> str:
    """Returns the text with the passage replaced; of a passage as it is `shown`, what the new one leaves stays as it is
    stored. Raises EditNotFound, EditAmbiguous."""
    for form in (text, shown):
        if (place := _only_place(form, path, old_text)) is not None:
            end = place + len(old_text)
            return text[:place] + _as_stored(text[place:end], old_text, new_text) + text[end:]
    if "\r\n" in text and "\r" not in old_text and "\n" in old_text:
        new_text = new_text.replace("\r\n", "\n").replace("\n", "\r\n")
        return edited(text, path, old_text.replace("\n", "\r\n"), new_text, shown)
    raise EditNotFound(path)


def _only_place(text: str, path: str, passage: str) -> int | None:
    """Returns where a passage stands; None where it does not. Raises EditAmbiguous."""
    place = following = text.find(passage)
    if place < 0:
        return None
    matches = 1
    while (following := text.find(passage, following + 1)) >= 0:
        matches += 1
    if matches > 1:
        raise EditAmbiguous(path, matches)
    return place


def _as_stored(stored: str, old_text: str, new_text: str) -> str:
    """Returns the new passage, with what it has in common with the old one at either end as it is stored."""
    if stored == old_text:
        return new_text
    shared = min(len(old_text), len(new_text))
    begin = next((n for n in range(shared) if old_text[n] != new_text[n]), shared)
    rest = shared - begin
    end = next((n for n in range(rest) if old_text[-1 - n] != new_text[-1 - n]), rest)
    return stored[:begin] + new_text[begin : len(new_text) - end] + stored[len(stored) - end :]
