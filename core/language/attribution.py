"""How a sentence of a language names its source: "according to the leaflet, …", 据手册，….

Law: patterns and words alone.
"""

import re
from dataclasses import dataclass

LONGEST = 30
"""Code points of a source in a language whose words do not stand apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """`openings`: what names a source before what it says, the first that matches. `sayings`: verbs that follow a
    source, where a dictionary cuts words. `ending`: what names a source at the end."""

    openings: tuple[re.Pattern[str], ...] = ()
    sayings: frozenset[str] = frozenset()
    ending: re.Pattern[str] | None = None


NO_ATTRIBUTION = Attribution()
