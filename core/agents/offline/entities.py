"""Labels before a colon that name what is told of ("Firm A: …", 恒光电力：…), rather than who speaks or a property.

Law: pure; goes by the label's own words. A label that is no name of a firm, an option, a place or the like, and no
known property, may be a speaker.
"""

import re

from core.language import cue

ENTITY = cue("entity", re.IGNORECASE)
KEY = re.compile(rf"(?-i:[a-z])|{cue('property').pattern}", re.IGNORECASE)


def names_entity(label: str) -> bool:
    """Whether a label names a thing that things are told of."""
    return ENTITY.match(label.strip()) is not None and not names_property(label)


def names_property(label: str) -> bool:
    """Whether a label names a property ("Delivery", 报价), whose value follows."""
    return KEY.match(label.strip()) is not None
