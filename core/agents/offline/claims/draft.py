"""A statement being read, from left to right, in either language.

Law: knows no words; the readers tell it what they meet.
"""

from dataclasses import dataclass, field

from core.agents.offline.claims.statement import Denial, Kind, Term


@dataclass(slots=True)
class StatementDraft:
    """What has been read so far of `text`. `verb_at`: the number of terms before the first verb, −1 before one."""

    text: str
    terms: list[Term] = field(default_factory=list)
    only_at: set[int] = field(default_factory=set)
    or_at: set[int] = field(default_factory=set)
    clause: int = 0
    denial: Denial = Denial.NONE
    bound: int = 0
    supposing: bool = False  # behind an "if" or "whether", until the next comma
    verb_at: int = -1
    existential: bool = False  # "there is …"
    verb_end: int = -1  # where that verb ends, if it was told by its look
    personal: str = ""
    last: str = ""  # the token before, lower case

    def add(
        self,
        kind: Kind,
        key: str,
        start: int,
        end: int,
        *,
        parts: frozenset[str] = frozenset(),
        value: float = 0.0,
        unit: str = "",
        bound: int = 0,
        owner: bool = False,
    ) -> None:
        self.terms.append(
            Term(
                kind=kind,
                key=key,
                start=start,
                end=end,
                clause=self.clause,
                denial=self.denial,
                parts=parts,
                value=value,
                unit=unit,
                bound=bound,
                owner=owner,
            )
        )

    def next_clause(self) -> None:
        """Begins a clause, which no negation before it reaches."""
        if any(term.clause == self.clause for term in self.terms):
            self.clause += 1
        self.denial = Denial.NONE

    def leading_names(self) -> int:
        return next((n for n, term in enumerate(self.terms) if term.kind is not Kind.NAME), len(self.terms))
