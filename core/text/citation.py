"""Marks that refer to a source or a footnote: [1], [^2], [12, 13], ¹, 【3】, ①, [citation needed], [注1].

Law: pure; a mark belongs to the sentence before it and says nothing itself. Digits in round brackets count only at a
sentence's end, and raised figures not behind a unit (m²).
"""

import re

NUMBERS = r"\^?\d{1,3}(?:\s*[,，、;–-]\s*\^?\d{1,3})*"
MARK = (
    rf"\[(?:{NUMBERS}|citation needed|note \d{{1,3}}|source \d{{1,3}}"
    r"|(?:注|来源|参考|资料|文献)\s*\d{0,3}|来源请求)\](?:\([^()\s]*\))?"
    rf"|[【〔]{NUMBERS}(?:†[^】〕]{{0,200}})?[】〕]|[（(](?:注|来源|资料)\s*\d{{1,3}}[）)]|[①-⑳](?=\s*[。.，,；;]|\s*$)"
    r"|(?<![mM米⁰¹²³⁴-⁹])[⁰¹²³⁴-⁹]++(?=\s*[.。,，;；)）]|\s|$)|(?<=[\w)）”\"])[†‡]"
)
AT_THE_END = r"(?<!\s)\s*+[（(]\d{1,2}[）)](?=\s*+[.。!！?？]?\s*+$)"
STRIPPED = re.compile(rf"\s?(?:{MARK})|{AT_THE_END}", re.IGNORECASE)


def stripped(sentence: str) -> str:
    """Returns a sentence without its marks."""
    return STRIPPED.sub("", sentence)
