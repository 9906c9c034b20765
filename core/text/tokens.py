"""How many tokens a text takes, estimated.

Law: the estimate errs high, so that what is said to fit does fit; any callable from text to a
number of tokens can take its place.
"""

import re
from collections.abc import Callable
from math import ceil

TokenCounter = Callable[[str], int]

WORD = re.compile(r"[A-Za-z]+")
PLAIN = re.compile(r"[A-Za-z\s]")

TOKENS_PER_LETTER = 0.25
TOKENS_PER_WORD = 0.5  # words end anywhere in a token: half a token is lost on each
TOKENS_PER_DIGIT = 1.0  # some vocabularies spell every digit
TOKENS_PER_MARK = 1.0
TOKENS_PER_WIDE_CHARACTER = 1.3  # Han, kana, hangul, other alphabets: rare ones fall into bytes
TOKENS_PER_ASTRAL_CHARACTER = 3.0  # emoji and rare Han


def estimate(text: str) -> int:
    """About the tokens of `text` in a current byte-pair vocabulary, erring high.

    English prose comes to 1.7–1.9 tokens a word (byte-pair vocabularies: 1.3), Chinese to 1.3 a
    character (0.7–1.2). White space costs nothing but for line breaks, which count as marks.
    """
    spelled = text if text.isascii() else text.encode("ascii", "ignore").decode("ascii")
    letters = sum(map(len, words := WORD.findall(spelled)))
    digits = sum(map(spelled.count, "0123456789"))
    blanks = spelled.count(" ") + spelled.count("\t")
    marks = len(spelled) - letters - digits - blanks
    wide = len(text) - len(spelled)
    astral = 0 if wide == 0 else len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    return ceil(
        letters * TOKENS_PER_LETTER
        + len(words) * TOKENS_PER_WORD
        + digits * TOKENS_PER_DIGIT
        + marks * TOKENS_PER_MARK
        + (wide - astral) * TOKENS_PER_WIDE_CHARACTER
        + astral * TOKENS_PER_ASTRAL_CHARACTER
    )
