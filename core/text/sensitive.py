"""What must not be remembered unasked: credentials, card, account and identity numbers, telephones, mail addresses.

Law: pure, English and Chinese, and strict about form: a number counts as a card's or an identity's only where its check
digit is right, a word as a credential only where it is introduced as one or has the form of a known token.
"""

import json
import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from datetime import date
from enum import StrEnum
from typing import Any, NamedTuple

MASK = "▇▇▇"


class Sort(StrEnum):
    CREDENTIAL = "credential"
    CARD = "card number"
    ACCOUNT = "account number"
    IDENTITY = "identity number"
    TELEPHONE = "telephone number"
    MAIL = "mail address"


SECRETS = frozenset({Sort.CREDENTIAL, Sort.CARD, Sort.ACCOUNT, Sort.IDENTITY})
"""What a caller must allow by name; the others are withheld only by what extracts by itself."""
ALL = frozenset(Sort)


class Finding(NamedTuple):
    """Sensitive words of a text, by place."""

    start: int
    end: int
    sort: Sort


def found(text: str, sorts: frozenset[Sort] = ALL) -> list[Finding]:
    """Returns what is sensitive in a text, in order, without overlaps."""
    plain = text.translate(_NARROW)  # as long as the text
    kept: list[Finding] = []  # in order
    for finder in _FINDERS:  # the stricter first: what it finds is not found as anything else
        for finding in finder(plain):
            place = bisect(kept, finding)
            after_last = place == 0 or kept[place - 1].end <= finding.start
            if after_last and (place == len(kept) or finding.end <= kept[place].start):
                kept.insert(place, finding)
    return [finding for finding in kept if finding.sort in sorts]


def sort_in(texts: Iterable[str], sorts: frozenset[Sort] = SECRETS) -> Sort | None:
    """Returns the sort of the first sensitive thing in any of the texts; None where there is none."""
    return next((finding.sort for text in texts for finding in found(text, sorts)), None)


def masked(text: str, sorts: frozenset[Sort] = ALL) -> tuple[str, int]:
    """Returns the text with a mask for what is sensitive, and how many masks."""
    findings = found(text, sorts)
    for finding in reversed(findings):
        text = text[: finding.start] + MASK + text[finding.end :]
    return text, len(findings)


def lines_of_json(encoded: str) -> list[str]:
    """Returns the values of a JSON text as `name: value`, so that a value counts by its name."""
    return list(_lines(json.loads(encoded), "")) if encoded else []


def _lines(value: Any, name: str) -> Iterator[str]:
    waiting = [(value, name)]
    while waiting:
        value, name = waiting.pop()
        if isinstance(value, dict):
            waiting += [(inner, str(key).replace("_", " ")) for key, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(inner, name) for inner in reversed(value)]
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield f"{name}: {value}"
            yield str(value)


_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}

# ---- numbers ----

_DIGITS = re.compile(r"(?<![A-Za-z0-9_.-])\d(?:[ -]?\d){12,18}(?![A-Za-z0-9_]|-\d|\.\d)")
_IDENTITY = re.compile(r"(?<![0-9A-Za-z])[1-9]\d{16}[\dXx](?![0-9A-Za-z])")
_SOCIAL_SECURITY = re.compile(
    r"\b(?:SSN|social[ -]security(?:[ -](?:number|no\.?))?)\b[^\d\n]{0,20}"
    r"(?P<number>(?!000|666|9)\d{3}([ -]?)(?!00)\d{2}\2(?!0000)\d{4})(?![\d-])",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![0-9A-Za-z])")
_LEAST_IBAN = 15  # characters, of Norway's
_ISSUERS = "23456"  # first digits of payment cards
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECKS = "10X98765432"


def _cards(text: str) -> Iterator[Finding]:
    for match in _DIGITS.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if digits[0] in _ISSUERS and len(set(digits)) > 1 and _luhn(digits):
            yield Finding(match.start(), match.end(), Sort.CARD)


def _luhn(digits: str) -> bool:
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _identities(text: str) -> Iterator[Finding]:
    """Finds numbers by GB 11643: region, date of birth, sequence, check digit by ISO 7064 MOD 11-2."""
    for match in _IDENTITY.finditer(text):
        number = match.group().upper()
        total = sum(int(d) * w for d, w in zip(number[:17], _WEIGHTS, strict=True))
        if number[17] == _CHECKS[total % 11] and _is_date(number[6:14]):
            yield Finding(match.start(), match.end(), Sort.IDENTITY)
    for match in _SOCIAL_SECURITY.finditer(text):  # it has no check digit: only where it is introduced
        yield Finding(match.start("number"), match.end("number"), Sort.IDENTITY)


def _accounts(text: str) -> Iterator[Finding]:
    """Finds account numbers by ISO 13616 (IBAN): country, check digits by ISO 7064 MOD 97-10."""
    for match in _IBAN.finditer(text):
        number = match.group().replace(" ", "")
        turned = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
        if len(number) >= _LEAST_IBAN and int(turned) % 97 == 1:
            yield Finding(match.start(), match.end(), Sort.ACCOUNT)


def _is_date(digits: str) -> bool:
    try:
        return 1850 <= date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).year <= 2100
    except ValueError:
        return False


# ---- credentials ----

_VALUE = r"[A-Za-z0-9!@#$%^&*_+=/.~?-]"
_NAMED_EN = (
    r"(?:pass\s?(?:word|code|phrase)|pwd|passwd|pin(?:\s(?:code|number))?|api[\s_-]?key|access[\s_-]?key(?:[\s_-]?id)?"
    r"|secret(?:[\s_-]?(?:access[\s_-]?)?key)?|private[\s_-]?key|auth(?:entication|orization)?[\s_-]?token"
    r"|access[\s_-]?token|bearer[\s_-]?token|refresh[\s_-]?token|token|verification\scode|one[\s-]time\s(?:code|password)|otp"
    r"|cvv|cvc|security\scode|credentials?)"
)
_NAMED_ZH = r"(?:密码|口令|密钥|秘钥|令牌|暗码|验证码|校验码|安全码|访问密钥|私钥|PIN码|pin码)"
_EN = re.compile(
    rf"\b{_NAMED_EN}\b(?:\s(?:for|of|to|on)\s[^\n.;:=]{{1,40}}?)?\s*(?::|=|\bis\b|\bwas\b|->|→)+\s*"
    rf"(?:now\s|set\sto\s)?[\"'`“]?({_VALUE}{{3,}})",
    re.IGNORECASE,
)
_ZH = re.compile(
    rf"{_NAMED_ZH}[^\n，。；：:=是为]{{0,12}}(?:是|为|[：:=]|改成了?|设为|设成了?|叫)+\s*[\"'“「『]?({_VALUE}{{4,}})"
)
_OWN = re.compile(
    r"\b(?:my|our|his|her|their|your)\s(?:[\w-]+\s){0,3}?(?:pass(?:word|code|phrase)|pin)\s(?:is|was)\s[\"'“]?([a-z]{4,})",
    re.IGNORECASE,
)
_TOKENS = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])?[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[\w-]{35}\b|\bglpat-[\w-]{16,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{6,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|\bBearer\s+[\w.~+/=-]{16,}"
)
_IN_ADDRESS = re.compile(r"[a-z0-9+.-]://[^\s/:@]*:([^\s/@]+)@", re.IGNORECASE)
_NO_VALUE = frozenset(
    """required wrong right correct incorrect invalid valid reset expired strong weak stored saved hidden missing empty
    needed optional unknown hashed encrypted secure insecure shared changed kept safe short long unique different same
    something anything nothing none null true false not too very that this what also only written lost compromised
    important sensitive simple complex complicated""".split()
)
_LONG = 8  # of a value that has no figure and no mark in it, but is no lower-case word


def _credentials(text: str) -> Iterator[Finding]:
    for match in _EN.finditer(text):
        value = match.group(1).rstrip(".,!?")
        if _is_secret(value, match.group().lower()):
            yield Finding(match.start(1), match.start(1) + len(value), Sort.CREDENTIAL)
    for match in _ZH.finditer(text):
        value = match.group(1).rstrip(".,!?")
        if value.lower() not in _NO_VALUE:
            yield Finding(match.start(1), match.start(1) + len(value), Sort.CREDENTIAL)
    for match in _OWN.finditer(text):
        word = match.group(1).lower()
        if word not in _NO_VALUE and not word.endswith(("ed", "ing")):
            yield Finding(match.start(1), match.end(1), Sort.CREDENTIAL)
    for match in _TOKENS.finditer(text):
        yield Finding(match.start(), match.end(), Sort.CREDENTIAL)
    for match in _IN_ADDRESS.finditer(text):
        yield Finding(match.start(1), match.end(1), Sort.CREDENTIAL)


def _is_secret(value: str, introduced: str) -> bool:
    """Whether a value looks like a secret rather than like what is said of one ("the token limit is 2000")."""
    if value.lower() in _NO_VALUE or len(value) < 3:
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if introduced.startswith(("token", "secret")):
        return len(value) >= _LONG and digits > 0 and letters > 0
    if introduced.startswith(("pin", "otp", "cvv", "cvc", "security", "verification", "one")):
        return digits >= 3
    mixed = digits > 0 or letters < len(value)
    if mixed:
        return len(value) >= 4
    return len(value) >= _LONG and value != value.lower() and value[1:] != value[1:].lower()


# ---- addresses ----

_MAIL = re.compile(
    r"(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(?![A-Za-z0-9_-])"
)
_TELEPHONE = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?:"
    r"(?:\+|00)\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,4}(?:[ -]?\d{2,4}){1,4}"  # +86 138 0013 8000
    r"|1[3-9]\d[ -]?\d{4}[ -]?\d{4}"  # a Chinese mobile
    r"|0\d{2,3}-\d{7,8}"  # a Chinese line
    r"|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4}"  # North America
    r")(?![A-Za-z0-9_-]|\.\d)"
)


def _mails(text: str) -> Iterator[Finding]:
    return (Finding(match.start(), match.end(), Sort.MAIL) for match in _MAIL.finditer(text))


def _telephones(text: str) -> Iterator[Finding]:
    return (Finding(match.start(), match.end(), Sort.TELEPHONE) for match in _TELEPHONE.finditer(text))


_FINDERS = (_identities, _accounts, _cards, _credentials, _mails, _telephones)
