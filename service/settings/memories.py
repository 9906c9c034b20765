"""The settings of each kind of memory: how it ranks, learns and forgets, and how long it is kept."""

from dataclasses import fields
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from core.long_term.settings import HALF_LIVES
from core.model.bank import NEVER
from core.model.conversation import Tiers
from core.model.invocation import Working
from service.settings.section import CENTURY, Days, Hours, Positive, Seconds, Section


class BanksSection(Section):
    """How banks are held in memory and looked after."""

    memory_budget_bytes: Positive = 2_000_000_000
    """Bytes of memory above which idle aggregates are evicted."""
    max_staleness_seconds: Seconds = 1.0
    """How old an answer without `min_revision` may be."""
    stale_when_unavailable_seconds: float = Field(default=0.0, ge=0)
    """How old answers from memory may become while the store does not answer, in the place of UNAVAILABLE; 0: no older
    than `max_staleness_seconds`. What a call's `min_revision` asks for is always there."""
    resume_after_seconds: Seconds = 30.0
    """After so long without progress, unstructured records and interrupted purges are taken up by any process."""
    finished_ttl_hours: float = Field(default=24.0, ge=0, le=CENTURY * 24)
    """How long a finished bank is kept, unless the bank says otherwise."""
    purge_finished: bool = True
    """Whether finished banks are purged; `false`: one stays until it is deleted, unless it says otherwise."""
    feed_retention_hours: Hours = 168.0
    """How far back followers, watchers and repeated requests reach."""
    upkeep_seconds: Seconds = 5.0
    """Between two rounds of looking for what is due."""

    @property
    def resume_after(self) -> timedelta:
        return timedelta(seconds=self.resume_after_seconds)

    @property
    def finished_ttl(self) -> timedelta:
        return timedelta(hours=self.finished_ttl_hours) if self.purge_finished else NEVER

    @property
    def feed_retention(self) -> timedelta:
        return timedelta(hours=self.feed_retention_hours)


class ConversationSection(Section):
    """The tiers of conversations, which a conversation may have of its own, and working memories."""

    short_turns: int = Field(default=20, ge=1, le=200)
    """Newest turns that are kept verbatim in prompts."""
    similarity: float | None = Field(default=None, ge=0, le=1)
    """Similarity above which a turn joins a cluster; unset: the embedder's own line."""
    max_clusters: int = Field(default=100, ge=1, le=1_000)
    """Clusters of older turns; beyond, the coldest is folded into a summary."""
    cluster_turns: int = Field(default=64, ge=1, le=1_000)
    """Turns at which a cluster closes."""
    top_clusters: int = Field(default=3, ge=0, le=100)
    """Clusters that a prompt gets whole."""
    hit_threshold: Positive = 10
    """Hits above which a cluster becomes a key memory, once."""
    system_keys: int = Field(default=20, ge=0, le=1_000)
    """Key memories made by promotion; beyond, the longest unhit is replaced."""
    key_tokens: Positive = 2_000
    """Tokens of all key memories of a conversation."""
    summary_every: int = Field(default=10, ge=2, le=1_000)
    """Turns that one summary covers."""
    summary_length: int = Field(default=200, ge=20, le=2_000)
    """Length of a summary: characters of Chinese, words otherwise."""
    extract_facts: bool = True
    """Whether facts are looked for in what users say and tools answer."""
    record_episodes: bool = True
    """Whether invocations and conversations are recorded as episodes, strategies and recoveries."""
    summaries: int = Field(default=200, ge=1, le=10_000)
    """Summaries that are kept; the oldest goes, its turns stay searchable."""
    idle_timeout_seconds: float = Field(default=1_800.0, ge=1.0, le=CENTURY * 86_400)
    """Without a turn for so long, a conversation ends."""
    invocation_summaries: int = Field(default=200, ge=1, le=10_000)
    """Summaries of invocations that are kept; the oldest goes."""
    working_threshold: int = Field(default=2_000, ge=400, le=1_000_000)
    """Tokens that a working memory shows at most."""
    keep_steps: int = Field(default=4, ge=1, le=100)
    """Last steps of a working memory that are shown before all others."""
    idle_invocation_seconds: float = Field(default=3_600.0, ge=1.0, le=CENTURY * 86_400)
    """Without an item for so long, an invocation is ended as failed."""

    @property
    def tiers(self) -> Tiers:
        known = {field.name for field in fields(Tiers)}
        own = {name: value for name, value in dict(self).items() if name in known}
        return Tiers(**own, idle_timeout=timedelta(seconds=self.idle_timeout_seconds))

    @property
    def working(self) -> Working:
        return Working(
            threshold=self.working_threshold,
            keep_steps=self.keep_steps,
            idle=timedelta(seconds=self.idle_invocation_seconds),
        )


class LongTermSection(Section):
    """How long-term memory ranks, learns and forgets."""

    top_facts: int = Field(default=5, ge=1, le=1_000)
    """Facts of an answer whose request asks for no number."""
    top_episodes: int = Field(default=3, ge=1, le=1_000)
    """Episodes of such an answer."""
    top_memories: int = Field(default=8, ge=1, le=1_000)
    """Memories of such an answer."""
    half_life_days: dict[str, Annotated[float, Field(ge=0)]] = Field(default=dict(HALF_LIVES))
    """Days after which a record counts half, by category; 0: it does not decay."""
    other_half_life_days: float = Field(default=180.0, ge=0)
    """The same for episodes and all other categories; facts do not decay."""
    reward_rate: float = Field(default=0.3, ge=0, le=1)
    """How far one opinion moves a record's reward."""
    confidence_step: float = Field(default=0.1, ge=0, le=1)
    """How far a success moves a strategy's confidence."""
    failure_factor: float = Field(default=0.8, ge=0, le=1)
    """What a failed reuse multiplies that confidence with."""
    recovery_confidence: float = Field(default=0.7, ge=0, le=1)
    """Confidence that a recorded recovery begins with."""
    min_match: float = Field(default=0.7, ge=0, le=1)
    """Match below which no recovery is found."""
    prune_confidence: float = Field(default=0.3, ge=0, le=1)
    """Confidence below which an unused strategy is pruned."""
    prune_days: Days = 30.0
    """Days without use until it is pruned."""
    review_days: Days = 7.0
    """Days after which what waits for a review is counted as overdue, in metrics and by `memorybank doctor`."""


class InstructionsSection(Section):
    """How long instructions are kept beside their newest version."""

    run_days: float = Field(default=7.0, gt=0, le=3_650)
    """How long a run sees what it loaded, and a superseded version is kept."""

    @property
    def run_lifetime(self) -> timedelta:
        return timedelta(days=self.run_days)
