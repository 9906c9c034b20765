"""Whether a text is about whoever says it.

Law: pure; goes by the pronoun. Chinese needs no spaces around it.
"""

import re

_FIRST = re.compile(
    r"\b(?:i|i['’]?m|i['’](?:ve|d|ll)|my|me|mine|myself|we|we['’](?:re|ve|d|ll)|our|ours|us|ourselves)\b|[我咱俺]",
    re.IGNORECASE,
)


def speaks_of_itself(text: str) -> bool:
    """Whether a text has a pronoun of the first person, singular or plural."""
    return _FIRST.search(text) is not None
