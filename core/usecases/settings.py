"""The settings that use cases read: as configured, the same for as long as the process runs."""

from dataclasses import dataclass, field
from datetime import timedelta

from core.bank.bank import Bank
from core.long_term.settings import LongTermSettings
from core.model.conversation import Tiers
from core.model.invocation import Working
from core.ports.reranker import Reranker
from core.usecases.limits import Limits
from core.verbatim.structure import Structure


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The configured k, α and chunk ratio, which have no default (source document 000 §3.1.2). And the tokens of a
    prompt, the share of them that what was done may take, the least score of a hit, the least confidence of a conflict
    whose validation is planned, whether what assistants say may contradict, and what the places of segments weigh."""

    top_k: int
    alpha: float
    chunk_ratio: float
    token_budget: int = 16_000
    history_share: float = 0.25
    min_score: float = 0.0
    validation_floor: float = 0.0
    judge_assistants: bool = False
    structure: Structure = Structure()

    def top_k_of(self, bank: Bank) -> int:
        own = bank.record.settings.top_k
        return self.top_k if own is None else own

    def alpha_of(self, bank: Bank) -> float:
        own = bank.record.settings.alpha
        return self.alpha if own is None else own

    def chunk_ratio_of(self, bank: Bank) -> float:
        own = bank.record.settings.chunk_ratio
        return self.chunk_ratio if own is None else own

    def validation_floor_of(self, bank: Bank) -> float:
        own = bank.record.settings.validation_floor
        return self.validation_floor if own is None else own

    def judge_assistants_of(self, bank: Bank) -> bool:
        own = bank.record.settings.judge_assistants
        return self.judge_assistants if own is None else own


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """A reranker, how many candidates it reads, how many code points of each and of the query, and what its opinion
    weighs relative to the search's score."""

    reranker: Reranker
    candidates: int
    characters: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCaseSettings:
    """Work left untouched for `resume_after` is taken up. A finished bank stays for `finished_ttl`, unless it says
    otherwise. A task is tried `attempts` times at most. A run sees what it loaded for `run_lifetime`, and a superseded
    version of a source is kept as long. `tiers`: for what belongs to no conversation."""

    retrieval: Retrieval
    limits: Limits
    long_term: LongTermSettings = field(default_factory=LongTermSettings)
    working: Working = field(default_factory=Working)
    tiers: Tiers = field(default_factory=Tiers)
    resume_after: timedelta = timedelta(seconds=30)
    finished_ttl: timedelta = timedelta(hours=24)
    run_lifetime: timedelta = timedelta(days=7)
    attempts: int = 3
