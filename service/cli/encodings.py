"""Which encoding a text is in, where it does not say so: by how many of its characters are common ones.

Law: a text is read in the one encoding that makes common characters of it. Where several do, and they make different
texts, it is not guessed: the reader is told what was tried. Fewer signs than LEAST prove nothing.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeGuard

COMMON = 0.95  # of the characters beyond ASCII, for a text to be of a language
APART = 0.02  # how far behind another encoding's share must be
LEAST = 4  # characters beyond ASCII
READ = 200_000  # bytes that are looked at, beyond which the rest is only decoded

PUNCTUATION = frozenset("“”‘’„‚«»‹›–—…•·§°©®™€£¥×±\u00a0¿¡´`¨º№")
CJK_PUNCTUATION = frozenset("，。、；：？！“”‘’（）《》〈〉【】「」『』—…·～％＋－＝／｛｝［］　￥")
_DECLARED = (
    re.compile(rb"<\?xml[^>]{0,200}?\bencoding\s*=\s*[\"']([\w.:-]{1,40})[\"']"),
    re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]{1,40})"),
    re.compile(rb"^(?:[^\n]*\n)[ \t\f]*#.*?coding[:=][ \t]*([-\w.]{1,40})"),
    re.compile(rb"@charset\s+\"([\w.:-]{1,40})\""),
    re.compile(rb"^Content-Type:[^\n]*?charset=\"?([\w.:-]{1,40})", re.IGNORECASE | re.MULTILINE),
)


class Language(NamedTuple):
    """A language in its encodings: which characters beyond ASCII are common in it. `alone`: its letters make up whole
    words; else they stand among ASCII letters."""

    name: str
    encodings: tuple[str, ...]
    is_common: Callable[[str], bool]
    alone: bool


def _within(encoding: str, first: int, last: int) -> Callable[[str], bool]:
    """Returns what tells the characters whose first byte in an encoding lies in a range."""

    def is_common(character: str) -> bool:
        if character in CJK_PUNCTUATION:
            return True
        try:
            encoded = character.encode(encoding)
        except UnicodeEncodeError:
            return False
        return len(encoded) == 2 and first <= encoded[0] <= last

    return is_common


def _of(letters: str) -> Callable[[str], bool]:
    return frozenset(letters + letters.upper()).union(PUNCTUATION).__contains__


def _is_japanese(character: str) -> bool:
    return "\u3041" <= character <= "\u30fc" or _KANJI(character)


def _is_korean(character: str) -> bool:
    return _HANGUL(character)


_KANJI = _within("euc_jp", 0xB0, 0xCF)  # level 1 of JIS X 0208
_HANGUL = _within("euc_kr", 0xB0, 0xC8)  # the syllables of KS X 1001
RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
LANGUAGES = (
    Language("Chinese", ("gb18030",), _within("gb2312", 0xB0, 0xD7), True),  # level 1 of GB 2312
    Language("Chinese, traditional", ("big5",), _within("big5", 0xA4, 0xC6), True),
    Language("Japanese", ("shift_jis", "euc_jp"), _is_japanese, True),
    Language("Korean", ("euc_kr",), _is_korean, True),
    Language("Russian", ("cp1251", "koi8_r", "cp866", "iso8859_5"), _of(RUSSIAN), True),
    Language("Ukrainian", ("cp1251", "koi8_u"), _of(RUSSIAN + "іїєґ"), True),
    Language("Greek", ("cp1253",), _of("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ"), True),
    Language("Hebrew", ("cp1255",), _of("אבגדהוזחטיךכלםמןנסעףפץצקרשת"), True),
    Language("Arabic", ("cp1256",), _of("ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءآأؤإئ،؛؟"), True),
    Language("German", ("cp1252", "cp850", "mac_roman"), _of("äöüß"), False),
    Language("French", ("cp1252", "cp850", "mac_roman", "iso8859_15"), _of("àâæçéèêëîïôœùûüÿ"), False),
    Language("Spanish", ("cp1252", "cp850", "mac_roman"), _of("áéíñóúü"), False),
    Language("Portuguese", ("cp1252", "cp850", "mac_roman"), _of("áâãàçéêíóôõú"), False),
    Language("Italian", ("cp1252", "cp850", "mac_roman"), _of("àèéìòù"), False),
    Language("Scandinavian", ("cp1252", "cp850", "mac_roman"), _of("åäöæøé"), False),
    Language("Polish", ("cp1250", "iso8859_2", "cp852"), _of("ąćęłńóśźż"), False),
    Language("Czech", ("cp1250", "iso8859_2", "cp852"), _of("áčďéěíňóřšťúůýž"), False),
    Language("Hungarian", ("cp1250", "iso8859_2", "cp852"), _of("áéíóöőúüű"), False),
    Language("Turkish", ("cp1254",), _of("çğıöşüİ"), False),
)
UNSPACED = ("Chinese", "Chinese, traditional", "Japanese")
MOST_SPACES = 0.08  # of its characters, between two of a script that leaves none between words
_SPACED = re.compile(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])")
TRIED = tuple(dict.fromkeys(encoding for language in LANGUAGES for encoding in language.encodings))
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_WORD = re.compile(r"[^\W\d_]+")


def declared(content: bytes) -> str | None:
    """Returns the encoding that a text names itself at its beginning; None where it names none."""
    start = content[:2_000]
    found = (match for pattern in _DECLARED if (match := pattern.search(start)))
    return next((match[1].decode("ascii", "replace") for match in found), None)


def guessed(content: bytes) -> str | None:
    """Returns the text, if one encoding alone makes a language of it; None where none does, or several make different
    ones."""
    if (read := wide(content)) is not None:
        return read
    found = sorted(_readings(content[:READ]), reverse=True)
    if not found:
        return None
    best = found[0]
    close = {each.text for each in found if each.share > best.share - APART}
    return _decoded(content, best.encoding) if len(close) == 1 else None


class _Reading(NamedTuple):
    share: float
    encoding: str
    text: str


def _readings(start: bytes) -> Iterator[_Reading]:
    """Yields the readings that make a language of a text."""
    for encoding in TRIED:
        text = _decoded(start, encoding) or _decoded(start[:-1], encoding)  # a character may be cut in two
        if text is None or _has_controls(text):
            continue
        beyond = [character for character in text if not character.isascii()]
        if len(beyond) < LEAST:
            continue
        languages = [language for language in LANGUAGES if encoding in language.encodings]
        share = max(_share(language, text, beyond) for language in languages)
        if share >= COMMON:
            yield _Reading(share, encoding, text)


def _share(language: Language, text: str, beyond: list[str]) -> float:
    """Returns how many of the characters beyond ASCII are common in a language, and stand as they stand in it."""
    share = sum(map(language.is_common, beyond)) / len(beyond)
    if share < COMMON:
        return share
    if sum(map(str.isupper, beyond)) > sum(map(str.islower, beyond)):
        return 0.0  # a text of capitals alone may be another one in small letters
    if language.name in UNSPACED and len(_SPACED.findall(text)) > MOST_SPACES * len(beyond):
        return 0.0
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    fitting = sum(_fits(word, language.alone) for word in words)
    return share * (fitting / len(words) if words else 1.0)


def _fits(word: str, alone: bool) -> bool:
    """Whether a word stands as it may: of one script, or of Latin letters, in which capitals come first or alone."""
    inside = word[1:]
    if any(map(str.isupper, inside)) and not word.isupper():
        return False
    beyond = sum(not letter.isascii() for letter in word)
    return beyond == len(word) if alone else beyond <= max(1, 2 * len(word) // 3)


def wide(content: bytes) -> str | None:
    """Returns a text in UTF-16 without a mark, if one order of its bytes makes one; ASCII has zeros in it."""
    start = content[:4_000]
    if len(start) < 8 or len(content) % 2 or b"\0" not in content:
        return None
    found = [text for each in ("utf-16-le", "utf-16-be") if _reads(text := _decoded(content, each))]
    return found[0] if len(found) == 1 else None


def _reads(text: str | None) -> TypeGuard[str]:
    """Whether nearly all of a text is of scripts in which people write."""
    if text is None or _has_controls(text):
        return False
    read = text[:2_000]
    return sum(map(_is_written, read)) >= COMMON * len(read)


def _is_written(character: str) -> bool:
    return character < "\u0530" or any(language.is_common(character) for language in LANGUAGES)


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _has_controls(text: str) -> bool:
    return _CONTROLS.search(text) is not None
