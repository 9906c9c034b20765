"""How a sentence of a language asks for something.

Law: patterns alone, "" where a language has none.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """`lead`, `preface`: what may stand before a request. `asked`: how one begins; `ordered`: how an order begins,
    unless the sentence is `reported`. Without its mark a question begins with `opens`, whatever ends it; else it begins
    `openly`, or `holds` a word that asks. `along`: how what goes along with a question begins.
    """

    lead: str = ""
    preface: str = ""
    asked: str = ""
    ordered: str = ""
    reported: str = ""
    opens: str = ""
    openly: str = ""
    holds: str = ""
    along: str = ""


NO_REQUESTS = Requests()
