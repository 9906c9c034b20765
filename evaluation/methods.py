"""Ways to ask, by the names that tables call them.

Law: pure. What a method leaves open (`None`) is as configured.
"""

from dataclasses import dataclass, replace

from core.bank.query import Target
from core.index.scoring import Mode
from core.verbatim.structure import COMPONENTS, Structure


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to ask, of segments by the plain formula if nothing else is said.

    `by_default`: its prompts are those of a client that names neither a target nor a number.
    """

    name: str
    mode: Mode = Mode.HYBRID
    target: Target = Target.SEGMENTS
    structure: Structure | None = Structure()
    alpha: float | None = None
    reranked: bool = False
    by_default: bool = False


WORDS = "words (BM25)"
STRUCTURED = "hybrid + structure"
NODES = "hybrid, nodes"
BOTH = "hybrid, both"
DEFAULT = "as by default"
METHODS = (
    Method(name=WORDS, mode=Mode.ATTRIBUTE),
    Method(name="meaning (cosine)", mode=Mode.EMBEDDING),
    Method(name="hybrid"),
    Method(name=STRUCTURED, structure=None),
    Method(name=NODES, target=Target.NODES),
    Method(name=BOTH, target=Target.BOTH, structure=None),
    Method(name=DEFAULT, structure=None, by_default=True),
)
RERANKED = Method(name="hybrid + structure, reranked", structure=None, reranked=True)
"""For houses with a reranker: the others go without it."""

SEARCHED = {
    "verbatim interactions only": STRUCTURED,
    "structured nodes only": NODES,
    "both": BOTH,
    "as by default: what was said, under its nodes": DEFAULT,
}
"""What a memory may be searched for, and the method that does it best as configured."""

ALPHAS = tuple(tenth / 10 for tenth in range(11))


def ablation(shipped: Structure) -> tuple[Method, ...]:
    """Returns the configured structure, each of its parts left out, each of them alone, and none."""
    parts = [name for name in (*COMPONENTS, "diversity", "conflicts", "newer") if getattr(shipped, name)]
    off = {name: type(getattr(shipped, name))(0) for name in parts}
    return (
        Method(name=STRUCTURED, structure=shipped),
        *(Method(name=f"without {name}", structure=replace(shipped, **{name: off[name]})) for name in parts),
        *(
            Method(name=f"{name} alone", structure=replace(Structure(), **{name: getattr(shipped, name)}))
            for name in parts
        ),
        Method(name="none (hybrid)"),
    )


def sweep(configured: float) -> tuple[Method, ...]:
    """Returns the configured alpha first, then every tenth of the way from meaning to words; without structure and
    with."""
    made = []
    for name, structure in (("hybrid", Structure()), (STRUCTURED, None)):
        made.append(Method(name=f"{name}, α = {configured:g} (configured)", structure=structure))
        made += [Method(name=f"{name}, α = {a:g}", structure=structure, alpha=a) for a in ALPHAS]
    return tuple(made)
