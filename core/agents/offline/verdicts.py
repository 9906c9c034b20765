"""What a verdict's words decide: one value, or that there is no contradiction.

Law: by the words themselves, English and Chinese. A verdict that calls something wrong decides for the rest, whatever
else it says; one that says neither decides too, as most do: "the museum is open until 20:00".
"""

import re

from core.model.conflict import VerdictType

NEGATED_EN = re.compile(
    r"\b(?:neither|none|nothing|not|never|isn't|aren't|wasn't|weren't)\b[^.;,:]{0,24}$", re.IGNORECASE
)
WRONG_EN = re.compile(
    r"\b(?:wrong|false|incorrect|inaccurate|untrue|mistaken|erroneous|outdated|obsolete|refuted|superseded|invalid)\b"
    r"|\bneither\b[^.;]{0,40}\b(?:is|was|are|were)\s+(?:right|true|correct|accurate)\b"
    r"|\bno longer (?:true|valid|holds|applies)\b",
    re.IGNORECASE,
)
APART_EN = re.compile(
    r"\b(?:no|without(?: any)?)\s+(?:(?:real|actual|true|genuine)\s+)?"
    r"(?:contradictions?|conflicts?|inconsistency|discrepancy)\b"
    r"|\b(?:not|isn't|aren't|don't|doesn't|didn't|cannot|can't|never)\s+"
    r"(?:(?:really|actually|necessarily|in fact|at all)\s+)?"
    r"(?:(?:a|in)\s+)?(?:(?:real|actual|true|genuine)\s+)?"
    r"(?:contradict\w*|conflict(?:s|ing)?\b|inconsistent|incompatible|mutually exclusive|exclude (?:each|one))"
    r"|\bboth\b[^.;:,]{0,40}?\b(?:are|is|were|be|remain)\s+(?:(?:in fact|still|equally|indeed|also)\s+)?"
    r"(?:true|right|correct|valid|accurate)\b"
    r"|\bboth\s+(?:\w+\s+){0,2}(?:hold|stand|apply)\b"
    r"|\bkeep\b[^.;]{0,30}\b(?:apart|separate|both|side by side)\b|\bfalse alarm\b"
    r"|\b(?:compatible|consistent) with (?:each other|one another)\b",
    re.IGNORECASE,
)
WRONG_ZH = re.compile(
    r"(?<![没无])(?:错误|有误)|不实|不属实|过时|不正确|不准确|谣言|不对|不成立|被推翻|已失效|作废"
)
NEGATED_ZH = re.compile(r"(?:没有|并无|都无|均无|并非|不是)[^，。；,;]{0,4}$")
APART_ZH = re.compile(
    r"(?:并不|并没有|并无|没有|不存在|不构成|并非|不是|不|无)(?:任何|真正的?|实质性?的?|什么)?(?:互相|相互|彼此)?(?:矛盾|冲突|抵触)"
    r"|(?:两者|二者|双方|两种说法|两个说法|两条(?:记忆|说法|信息)?|两个|两边)(?:其实|实际上?|本来)?(?:都|均|皆)(?:是)?"
    r"(?:属实|正确|成立|准确|对的?|没错|无误|真的|真实|有效|可以成立)"
    r"|同时成立|各自成立|可以并存|可以共存|误报"
    r"|(?:都|均|分别|各自)(?:予以)?保留|保留(?:两条|两者|双方|两个)"
)
APOSTROPHE = str.maketrans("’", "'")


def verdict_type(verdict: str) -> VerdictType:
    """Returns how the words settle a conflict."""
    text = verdict.translate(APOSTROPHE)
    apart = APART_EN.search(text) or APART_ZH.search(text)
    if apart is None or _calls_wrong(text, WRONG_EN, NEGATED_EN) or _calls_wrong(text, WRONG_ZH, NEGATED_ZH):
        return VerdictType.MERGE
    return VerdictType.DISMISS


def _calls_wrong(text: str, wrong: re.Pattern[str], negated: re.Pattern[str]) -> bool:
    return any(negated.search(text[: found.start()]) is None for found in wrong.finditer(text))
