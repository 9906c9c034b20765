"""Replacing a passage of a text.

Law: the passage must stand there exactly once, overlapping places counted, so that no edit lands where it was not
meant.
"""

from core.errors import EditAmbiguous, EditNotFound


def edited(text: str, path: str, old_text: str, new_text: str) -> str:
    """Returns the text with the passage replaced. Raises EditNotFound, EditAmbiguous."""
    place = text.find(old_text)
    if place < 0:
        raise EditNotFound(path)
    matches = 1
    following = place
    while (following := text.find(old_text, following + 1)) >= 0:
        matches += 1
    if matches > 1:
        raise EditAmbiguous(path, matches)
    return text[:place] + new_text + text[place + len(old_text) :]
