"""The point at issue of two contradicting sentences: both, with the words marked in which they differ.

Law: pure and extractive; nothing is claimed but the words.
"""

from difflib import SequenceMatcher

from core.agents.offline.judging.sentences import WORD
from core.language import language_of
from core.text import citation

LONGEST = 160  # code points of a sentence that are shown, around its first marked word
ELLIPSIS = "…"
ENDS = " \t\n.。!！;；,，"

Place = tuple[int, int]


def at_issue(ours: str, theirs: str) -> str:
    """Returns what two sentences contradict each other in: “The hall holds [40] people” contradicts “… [12] …”."""
    a, b = (citation.stripped(" ".join(text.split())).rstrip(ENDS) for text in (ours, theirs))
    words, others = _words(a), _words(b)
    matcher = SequenceMatcher(
        None, [a[s:e].lower() for s, e in words], [b[s:e].lower() for s, e in others], autojunk=False
    )
    apart = [found for found in matcher.get_opcodes() if found[0] != "equal"]
    left = _marked(a, [(words[i][0], words[j - 1][1]) for _, i, j, _, _ in apart if j > i])
    right = _marked(b, [(others[i][0], others[j - 1][1]) for _, _, _, i, j in apart if j > i])
    return language_of(ours).phrases.topics.contradiction.format(left, right)


def _words(text: str) -> list[Place]:
    found: list[Place] = []
    for word in WORD.finditer(text):
        start = word.start()
        for part in [one.text for one in language_of(word[0]).tagged(word[0])]:
            found.append((start, start + len(part)))
            start += len(part)
    return found


def _marked(text: str, places: list[Place]) -> str:
    first = places[0][0] if places else 0
    start = max(0, first - LONGEST // 2) if len(text) > LONGEST else 0
    end = min(len(text), start + LONGEST)
    shown, last = [ELLIPSIS if start else ""], start
    for begin, stop in places:
        if start <= begin and stop <= end:
            shown += [text[last:begin], "[", text[begin:stop], "]"]
            last = stop
    return "".join([*shown, text[last:end], ELLIPSIS if end < len(text) else ""])
