"""How many tokens a text takes, estimated.

Law: the estimate errs high, so that what is said to fit does fit. `weight` is exact, in parts of a token: what lines
weigh adds up, with a `LINE_BREAK` between two of them, to what their text weighs.
"""

from collections.abc import Callable
from string import ascii_letters

TokenCounter = Callable[[str], int]

PARTS = 20  # of a token, which weights are counted in
PER_LETTER = 5
PER_WORD = 10  # words end anywhere in a token: half a token is lost on each
PER_MARK = 20  # also a digit: some vocabularies spell every one
PER_WIDE_CHARACTER = 26  # Han, kana, hangul, other alphabets: rare ones fall into bytes
PER_ASTRAL_CHARACTER = 60  # emoji and rare Han
LINE_BREAK = PER_MARK

_LETTERS = ascii_letters.encode()
_BLANKS = b" \t"
_WORDS = bytes(code if code in _LETTERS else ord(" ") for code in range(256))


def estimate(text: str) -> int:
    """Estimates the tokens of `text` in a current byte-pair vocabulary, erring high.

    English prose comes to 1.7–1.9 tokens a word (byte-pair vocabularies: 1.3), Chinese to 1.3 a
    character (0.7–1.2). White space costs nothing but for line breaks, which count as marks.
    """
    return tokens_of(weight(text))


def tokens_of(weight: int) -> int:
    """Returns whole tokens, rounded up."""
    return -(-weight // PARTS)


def weight(text: str) -> int:
    """Returns what a text takes, in parts of a token."""
    spelled = text.encode("ascii", "ignore")
    others = spelled.translate(None, _LETTERS)
    letters, marks = len(spelled) - len(others), len(others.translate(None, _BLANKS))
    words = len(spelled.translate(_WORDS).split())
    weighed = letters * PER_LETTER + words * PER_WORD + marks * PER_MARK
    if wide := len(text) - len(spelled):
        astral = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
        weighed += (wide - astral) * PER_WIDE_CHARACTER + astral * PER_ASTRAL_CHARACTER
    return weighed
