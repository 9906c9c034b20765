"""The settings, read once: the packaged file, then the caller's file, then the environment.

Law: the only place that reads the environment. `top_k`, `alpha` and `chunk_ratio` have no default in
the program, and it does not start without them.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from core.long_term.settings import HALF_LIVES
from core.model.bank import NEVER
from core.model.conversation import Tiers
from core.model.invocation import Working
from service.agents_config import AgentsSection, LlmSection, Player, RoleModelsSection
from service.settings_section import Address, Key, Positive, Seconds, Section

PREFIX = "MEMORYBANK_"
NESTING = "__"


class ConfigurationError(Exception):
    """The settings cannot be used. The message names each bad or missing one, and how to set it."""


Weight = Annotated[float, Field(ge=0, le=10)]


class StructureSection(Section):
    """What the places of segments count for beside the plain formula's 1; 0 switches one off. The defaults were
    chosen on a development set (docs/retrieval.md)."""

    near: Weight = 0.4
    reply: Weight = 0.3
    speaker: Weight = 0.1
    time: Weight = 0.3
    topic: Weight = 0.5
    quote: Weight = 1.0
    diversity: float = Field(default=0.3, ge=0, le=1)
    conflicts: bool = True


class RerankerSection(Section):
    """A cross-encoder, or whatever else reads the best candidates beside the query, behind an endpoint; without
    `base_url` there is none. `scale`: what its scores are, shares of 0 to 1 or logits."""

    base_url: Address = ""
    api_key: Key = SecretStr("")
    model: str = ""
    scale: Literal["share", "logit"] = "share"
    candidates: int = Field(default=30, ge=1, le=100)
    characters: int = Field(default=2_000, ge=1, le=16_000)  # read of a candidate, and of the query
    weight: float = Field(default=1.0, gt=0, le=10)
    timeout_seconds: Seconds = 0.5  # of a search: then it is answered without
    concurrency: Positive = 4  # requests at a time
    breaker_failures: int = Field(default=5, ge=0)  # as of a language model
    breaker_seconds: Seconds = 30.0

    @model_validator(mode="after")
    def _is_whole(self) -> "RerankerSection":
        if bool(self.base_url) != bool(self.model) or (self.api_key and not self.base_url):
            raise ValueError("a reranker needs both `base_url` and `model`")
        return self


class RetrievalSection(Section):
    """What a bank that does not say otherwise uses."""

    top_k: int = Field(ge=1, le=1_000)
    alpha: float = Field(ge=0, le=1)
    chunk_ratio: float = Field(gt=0, le=1)
    token_budget: int = Field(default=16_000, ge=1, le=10_000_000)  # of an assembled prompt
    history_share: float = Field(
        default=0.25, gt=0, le=0.5
    )  # of these, for completed tasks; older ones are condensed
    structure: StructureSection = StructureSection()
    reranker: RerankerSection = RerankerSection()


class EmbedderSection(Section):
    """Who makes vectors. All below `cached_texts` describes the endpoint of kind openai.

    `cosine_floor` and `cosine_ceiling` are the cosines of unrelated and of equal texts in its space; the
    thresholds lie on the scale between them. No model's are another's: measure them for yours.
    """

    kind: Literal["local", "light", "openai"] = "local"
    query_threads: Positive = 1
    passage_threads: Positive = 1
    cached_texts: int = Field(default=10_000, ge=0)
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    model: str = ""
    dimension: int = Field(default=0, ge=0, le=8_192)
    shortened: bool = False  # ask for `dimension` numbers of a model that makes more
    query_prefix: str = ""
    passage_prefix: str = ""
    timeout_seconds: Seconds = 30.0
    cosine_floor: float = Field(default=0.1, ge=-1, lt=1)
    cosine_ceiling: float = Field(default=0.9, gt=-1, le=1)
    topic_threshold: float = Field(default=0.25, ge=0, le=1)
    related_threshold: float = Field(default=0.3, ge=0, le=1)
    cluster_threshold: float = Field(default=0.38, ge=0, le=1)
    same_threshold: float = Field(default=0.75, ge=0, le=1)

    @model_validator(mode="after")
    def _endpoint_is_described(self) -> "EmbedderSection":
        if self.kind == "openai" and not (self.base_url and self.model and self.dimension):
            raise ValueError("kind openai needs `base_url`, `model` and `dimension`")
        if not self.cosine_floor < self.cosine_ceiling:
            raise ValueError("`cosine_floor` must lie below `cosine_ceiling`")
        return self


class StoreSection(Section):
    """Where memory is kept. `url`: the SQLite file; empty: memorybank.sqlite in data_dir. `scrub_seconds`: how long
    what was deleted out of a conversation or collection may leave traces in the file; a purge leaves none at once."""

    kind: Literal["sqlite", "memory"] = "sqlite"
    url: str = ""
    scrub_seconds: Positive = 600


class LimitsSection(Section):
    """Bounds per bank, per owner of instructions, and of what one call may bring."""

    segments_per_bank: Positive = 200_000
    nodes_per_bank: Positive = 100_000
    context_characters: Positive = 100_000_000
    attachment_bytes: Positive = 1_000_000_000
    inline_attachment_bytes: Positive = 1_048_576
    source_characters: Positive = 65_536
    sources_per_owner: Positive = 1_000
    versions_per_source: Positive = 1_000
    references_per_run: Positive = 1_000
    collections_per_user: Positive = 1_000
    records_per_collection: Positive = 10_000
    collection_bytes: Positive = 20_000_000
    reflections_per_collection: Positive = 1_000
    feedback_per_collection: Positive = 10_000
    tombstones_per_collection: Positive = 10_000
    conversations_per_user: Positive = 10_000
    turns_per_conversation: Positive = 100_000
    conversation_bytes: Positive = 64_000_000
    open_invocations_per_user: Positive = 1_000
    working_items: Positive = 1_000
    working_bytes: Positive = 1_000_000


class LongTermSection(Section):
    """How long-term memory ranks, learns and forgets. `half_life_days` is by category, 0 for what does not decay;
    `other_half_life_days` that of episodes and of all other categories; facts do not decay."""

    top_facts: int = Field(default=5, ge=1, le=1_000)
    top_episodes: int = Field(default=3, ge=1, le=1_000)
    top_memories: int = Field(default=8, ge=1, le=1_000)
    half_life_days: dict[str, Annotated[float, Field(ge=0)]] = Field(default=dict(HALF_LIVES))
    other_half_life_days: float = Field(default=180.0, ge=0)
    reward_rate: float = Field(default=0.3, ge=0, le=1)
    confidence_step: float = Field(default=0.1, ge=0, le=1)
    failure_factor: float = Field(default=0.8, ge=0, le=1)
    recovery_confidence: float = Field(default=0.7, ge=0, le=1)
    min_match: float = Field(default=0.7, ge=0, le=1)
    prune_confidence: float = Field(default=0.3, ge=0, le=1)
    prune_days: Seconds = 30.0


class BanksSection(Section):
    """How banks are held in memory and looked after."""

    memory_budget_bytes: Positive = 2_000_000_000
    max_staleness_seconds: Seconds = 1.0
    resume_after_seconds: Seconds = 30.0  # interactions and purges of users left for so long are taken up
    finished_ttl_hours: float = Field(default=24.0, ge=0)  # a finished bank is kept, unless it says otherwise
    purge_finished: bool = True  # false: it stays until it is deleted, unless it says otherwise
    feed_retention_hours: Seconds = 168.0  # how far back WatchBank, followers and repeated requests reach
    upkeep_seconds: Seconds = 5.0  # between two rounds of looking for the above

    @property
    def resume_after(self) -> timedelta:
        return timedelta(seconds=self.resume_after_seconds)

    @property
    def finished_ttl(self) -> timedelta:
        return timedelta(hours=self.finished_ttl_hours) if self.purge_finished else NEVER

    @property
    def feed_retention(self) -> timedelta:
        return timedelta(hours=self.feed_retention_hours)


class InstructionsSection(Section):
    """How long a run of an agent sees the versions that it has loaded, and a superseded version is kept."""

    run_days: float = Field(default=7.0, gt=0, le=3_650)

    @property
    def run_lifetime(self) -> timedelta:
        return timedelta(days=self.run_days)


class ConversationSection(Section):
    """The tiers of conversations; a conversation may have its own. `similarity` unset: the embedder's own line."""

    short_turns: int = Field(default=20, ge=1, le=200)
    similarity: float | None = Field(default=None, ge=0, le=1)
    max_clusters: int = Field(default=100, ge=1, le=1_000)
    cluster_turns: int = Field(default=64, ge=1, le=1_000)
    top_clusters: int = Field(default=3, ge=0, le=100)
    hit_threshold: Positive = 10
    system_keys: int = Field(default=20, ge=0, le=1_000)
    key_tokens: Positive = 2_000
    summary_every: int = Field(default=10, ge=2, le=1_000)
    summary_length: int = Field(default=200, ge=20, le=2_000)
    summaries: int = Field(default=200, ge=1, le=10_000)
    idle_timeout_seconds: float = Field(default=1_800.0, ge=1.0)
    invocation_summaries: int = Field(default=200, ge=1, le=10_000)
    working_threshold: int = Field(default=2_000, ge=400, le=1_000_000)  # tokens of a working memory
    keep_steps: int = Field(default=4, ge=1, le=100)
    idle_invocation_seconds: float = Field(default=3_600.0, ge=1.0)

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


class BudgetSection(Section):
    """How many tokens language models may cost; 0: no bound. Checked before each call of a model, so the last
    one may go beyond."""

    tokens_per_call: int = Field(default=0, ge=0)  # of one call, and of structuring one interaction
    tokens_per_bank: int = Field(default=0, ge=0)  # of a bank, as long as it exists


class GrpcSection(Section):
    """The transport."""

    max_message_bytes: int = Field(default=16_777_216, ge=1_048_576, le=536_870_911)
    max_concurrent_rpcs: Positive = 4_096
    keepalive_seconds: Seconds = 60.0
    drain_seconds: float = Field(default=30.0, ge=0)  # how long calls may go on after SIGTERM


class LogSection(Section):
    """What is written to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["json", "console"] = "json"


LISTEN = r"(\[[0-9a-fA-F:.]+\]|[^\[\]:]+):\d{1,5}"


class MetricsSection(Section):
    """Where Prometheus finds the metrics: HOST:PORT (port 0: any free one). Empty: none are kept."""

    listen: str = Field(default="", pattern=rf"^({LISTEN})?$")


class Settings(BaseSettings):
    """All settings. `listen` is HOST:PORT (port 0: any free one); `data_dir` holds database and files."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter=NESTING,
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
    )

    listen: str = Field(pattern=rf"^{LISTEN}$")
    data_dir: Path
    retrieval: RetrievalSection
    embedder: EmbedderSection = EmbedderSection()
    llm: LlmSection = LlmSection()
    agents: AgentsSection = AgentsSection()
    store: StoreSection = StoreSection()
    limits: LimitsSection = LimitsSection()
    long_term: LongTermSection = LongTermSection()
    budget: BudgetSection = BudgetSection()
    instructions: InstructionsSection = InstructionsSection()
    banks: BanksSection = BanksSection()
    conversation: ConversationSection = ConversationSection()
    grpc: GrpcSection = GrpcSection()
    log: LogSection = LogSection()
    metrics: MetricsSection = MetricsSection()

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0]

    @property
    def port(self) -> int:
        return int(self.listen.rpartition(":")[2])

    def player(self, role: str) -> Player:
        chosen: Player | None = getattr(self.agents, role)
        return chosen or ("llm" if self._can_ask(role) else "offline")

    def _can_ask(self, role: str) -> bool:
        return bool(self.llm.replay) or self.llm.of(role).is_named

    @model_validator(mode="after")
    def _players_have_models(self) -> "Settings":
        for role in RoleModelsSection.model_fields:
            if self.player(role) == "llm" and not self._can_ask(role):
                raise ValueError(
                    f"agents.{role} is llm, and there is no model: set llm.base_url and llm.model, "
                    f"or llm.roles.{role}.base_url and llm.roles.{role}.model"
                )
        return self

    def shown(self) -> dict[str, Any]:
        """For the log: every setting as plain values, secrets as stars."""
        shown: dict[str, Any] = json.loads(self.model_dump_json())
        return shown


def load_settings(config: Path | None = None, **given: Any) -> Settings:
    """The settings, `given` ones (from a command line) above all others. Raises ConfigurationError."""
    chosen = packaged()
    if config is not None:
        chosen = _over(chosen, _read(config))
    return make_settings(chosen, given)


def make_settings(chosen: Mapping[str, Any], given: Mapping[str, Any]) -> Settings:
    """Settings from `chosen` values, the environment over them, `given` ones over both."""

    class Chosen(Settings):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_: Any, **sources: PydanticBaseSettingsSource
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return sources["init_settings"], sources["env_settings"], InitSettingsSource(settings_cls, whole)

    whole = {"retrieval": {}, **chosen}  # so that what is missing in it is named one by one
    try:
        return Chosen(**given)
    except ValidationError as invalid:
        raise ConfigurationError(_explained(invalid)) from None


def packaged() -> dict[str, Any]:
    return tomllib.loads((files("service") / "default.toml").read_text(encoding="utf-8"))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as missing:
        raise ConfigurationError(f"cannot read the configuration {path}: {missing.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as malformed:
        raise ConfigurationError(f"the configuration {path} is not TOML: {malformed}") from None


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, value in above.items():
        lower = merged.get(name)
        merged[name] = _over(lower, value) if isinstance(value, dict) and isinstance(lower, dict) else value
    return merged


def _explained(invalid: ValidationError) -> str:
    lines = [_explained_one(error["loc"], error["type"], error["msg"]) for error in invalid.errors()]
    return "the service cannot start:\n" + "\n".join(lines)


def _explained_one(place: tuple[int | str, ...], kind: str, problem: str) -> str:
    problem = problem.removeprefix("Value error, ")
    if not place:  # it is about several at once, and names them
        return f"  {problem}"
    name = ".".join(map(str, place))
    variable = PREFIX + NESTING.join(map(str, place)).upper()
    if kind == "missing":
        return f"  {name} is not set: set it in the configuration file, or {variable} in the environment"
    if kind == "extra_forbidden":
        return f"  {name} is no setting of this service: remove it, or correct its name"
    return f"  {name}: {problem} (in the configuration file, or {variable} in the environment)"
