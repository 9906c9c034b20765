"""What the rules of the offline Judge make of the groups in `tests/judging`: by words alone, without an embedder.

Each two sentences of a group are judged: the contradictions found, what agrees and was called one; paraphrases,
contradictions and others of which one sentence is taken to hold the other. Kind by kind, worst found first.

    python -m tests.bench.bench_groups [--false]
    python -m tests.bench.bench_groups --later

`--false` lists what agrees and was called a contradiction, and the contradictions taken for paraphrases. `--later`
judges instead the groups that were written after the rules, and documents in which nothing contradicts: totals alone.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.agents.offline.claims.reading import read
from core.agents.offline.contradiction import contradiction
from core.agents.offline.sameness import contains
from tests.judging.groups import Group, Written, read_documents, read_groups
from tests.judging.pairs import LANGUAGES, Label


@dataclass(slots=True)
class Counted:
    """Of each label how many pairs there are, were called contradictions, and were taken to say the same."""

    pairs: Counter[Label] = field(default_factory=Counter)
    contradict: Counter[Label] = field(default_factory=Counter)
    same: Counter[Label] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def found(self) -> float:
        return self.contradict[Label.CONFLICT] / max(1, self.pairs[Label.CONFLICT])

    @property
    def agreeing(self) -> int:
        """The pairs that may both hold."""
        return self.pairs[Label.SAME] + self.pairs[Label.RELATED]

    @property
    def false(self) -> int:
        """Those of them that were called contradictions."""
        return self.contradict[Label.SAME] + self.contradict[Label.RELATED]

    def line(self, name: str) -> str:
        return (
            f"{name:<14} contradictions {self.contradict[Label.CONFLICT]:>4}/{self.pairs[Label.CONFLICT]:<4}"
            f" = {self.found:.3f}   false {self.false:>3}/{self.agreeing:<5} = {self.false / max(1, self.agreeing):.2%}"
            f"   paraphrases {self.same[Label.SAME]:>3}/{self.pairs[Label.SAME]:<4}"
            f"   contradictions taken for such {self.same[Label.CONFLICT]}, others {self.same[Label.RELATED]}"
        )


def count(group: Group, counted: Counted) -> None:
    """Judges every two sentences of a group."""
    statements = {text: read(text) for text in group.sentences}
    for label, a, b in group.pairs():
        left, right = statements[a], statements[b]
        contradict = contradiction(left, right) is not None
        same = not contradict and (contains(left, right, near=True) or contains(right, left, near=True))
        counted.pairs[label] += 1
        counted.contradict[label] += contradict
        counted.same[label] += same
        if contradict and label is not Label.CONFLICT or same and label is Label.CONFLICT:
            counted.wrong.append(
                f"    {label}, called {'a contradiction' if contradict else 'the same'}: {a} / {b}"
            )


def totals(groups: Sequence[Group]) -> Counted:
    """Judges every two sentences of each group."""
    counted = Counted()
    for group in groups:
        count(group, counted)
    return counted


def main() -> None:
    if "--later" in sys.argv:
        for language in LANGUAGES:
            print(totals(read_groups(language, Written.AFTER)).line(f"{language} later"))
            print(totals(read_documents(language)).line(f"{language} documents"))
        return
    for language in LANGUAGES:
        whole, kinds = Counted(), dict[str, Counted]()
        groups = read_groups(language)
        for group in groups:
            count(group, whole)
            count(group, kinds.setdefault(group.kind, Counted()))
        print(f"{language}: {len(groups)} groups, {sum(len(group.sentences) for group in groups)} sentences")
        print(whole.line("all"))
        for kind, counted in sorted(kinds.items(), key=lambda each: (each[1].found, each[0])):
            print(counted.line(f"  {kind}"))
        if "--false" in sys.argv:
            print("\n".join(whole.wrong))


if __name__ == "__main__":
    main()
