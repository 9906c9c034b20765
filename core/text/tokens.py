"""How many tokens a text takes, estimated.

Law: the estimate errs high, so that what is said to fit does fit. `weight` is exact, in parts of a token: what lines
weigh adds up, with a `LINE_BREAK` between two of them, to what their text weighs.
"""

from collections.abc import Callable

from core.native.characters import Scale

TokenCounter = Callable[[str], int]

PARTS = 20  # of a token, which weights are counted in
PER_LETTER = 5
PER_WORD = 10  # words end anywhere in a token: half a token is lost on each
PER_MARK = 20  # also a digit: some vocabularies spell every one
PER_WIDE_CHARACTER = 26  # Han, kana, hangul, other alphabets: rare ones fall into bytes
PER_ASTRAL_CHARACTER = 60  # emoji and rare Han
LINE_BREAK = PER_MARK

weight: TokenCounter = Scale(
    letter=PER_LETTER, word=PER_WORD, mark=PER_MARK, wide=PER_WIDE_CHARACTER, astral=PER_ASTRAL_CHARACTER
).weight
"""What a text takes, in parts of a token. Space and tab take nothing."""


def estimate(text: str) -> int:
    """About the tokens of `text` in a current byte-pair vocabulary, erring high.

    English prose comes to 1.7–1.9 tokens a word (byte-pair vocabularies: 1.3), Chinese to 1.3 a
    character (0.7–1.2). White space costs nothing but for line breaks, which count as marks.
    """
    return tokens_of(weight(text))


def tokens_of(weight: int) -> int:
    """Whole tokens, rounded up."""
    return -(-weight // PARTS)
