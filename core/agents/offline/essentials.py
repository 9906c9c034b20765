"""What two texts must have in common before one may stand for the other: amounts, dates, names, denials.

Law: pure. Words may differ, these may not: a paraphrase with another amount is another fact.
"""

from core.agents.offline.denials import count_denials
from core.agents.offline.judging.sentences import NAME_KINDS, is_name, words
from core.language import language_of
from core.text.quantities import written_alike


def have_equal_essentials(one: str, other: str) -> bool:
    """Whether each has the other's quantities and names, and both deny as much."""
    alike = written_alike(one, other)
    if alike.left_a or alike.left_b or count_denials(one) != count_denials(other):
        return False
    return _has_names_of(alike.a, alike.b) and _has_names_of(alike.b, alike.a)


def _has_names_of(one: str, other: str) -> bool:
    """Whether a text has what another names."""
    known = {word.lower() for word in words(one)}
    language = language_of(other)
    if not language.is_spaced:
        named = [word.text for word in language.tagged(other) if word.kind.startswith(NAME_KINDS)]
        return all(name in one for name in named)
    return known.issuperset(word.lower() for word in words(other) if is_name(word))
