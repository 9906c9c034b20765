"""What a text weighs, character by character."""

class Scale:
    """What each character of a text adds to its weight: an ASCII letter, a run of such letters, any other ASCII
    character but space and tab; a character outside of ASCII, and one outside of the basic plane. These two neither
    are in a run of letters nor end it."""

    def __init__(self, *, letter: int, word: int, mark: int, wide: int, astral: int) -> None: ...
    def weight(self, text: str) -> int:
        """Returns the sum."""
