"""The settings, read once: the packaged file, then the caller's file, then the environment.

Law: the only place that reads the environment. `top_k`, `alpha` and `chunk_ratio` have no default in
the program, and it does not start without them.
"""

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from service.settings.agents import AgentsSection, LlmSection, Player, RoleModelsSection
from service.settings.limits import BudgetSection, LimitsSection
from service.settings.memories import BanksSection, ConversationSection, InstructionsSection, LongTermSection
from service.settings.process import (
    AdmissionSection,
    AuditSection,
    AuthSection,
    GrpcSection,
    HealthSection,
    Listen,
    LogSection,
    MetricsSection,
    OtlpSection,
    TlsSection,
)
from service.settings.retrieval import EmbedderSection, JudgingSection, RetrievalSection
from service.settings.store import StoreSection

OPTIONS = {"listen": "--listen", "data_dir": "--data"}
"""The options of `memorybank serve` that set a setting."""
PREFIX = "MEMORYBANK_"
NESTING = "__"


class ConfigurationError(Exception):
    """The settings cannot be used. The message names each bad or missing one, and how to set it."""


class Settings(BaseSettings):
    """All settings."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter=NESTING,
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
    )

    listen: Listen
    """HOST:PORT; port 0 takes a free one."""
    data_dir: Path
    """Where database and files are kept."""
    retrieval: RetrievalSection
    embedder: EmbedderSection = EmbedderSection()
    judging: JudgingSection = JudgingSection()
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
    health: HealthSection = HealthSection()
    admission: AdmissionSection = AdmissionSection()
    auth: AuthSection = AuthSection()
    audit: AuditSection = AuditSection()
    tls: TlsSection = TlsSection()
    log: LogSection = LogSection()
    metrics: MetricsSection = MetricsSection()
    otlp: OtlpSection = OtlpSection()

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
        """Returns every setting as plain values for the log, secrets as stars."""
        shown: dict[str, Any] = json.loads(self.model_dump_json())
        return shown


def load_settings(config: Path | None = None, **given: Any) -> Settings:
    """Returns the settings, `given` ones (from a command line) above all others. Raises ConfigurationError."""
    chosen = packaged()
    if config is not None:
        chosen = _over(chosen, _read(config))
    return make_settings(chosen, given)


def make_settings(chosen: Mapping[str, Any], given: Mapping[str, Any]) -> Settings:
    """Settings from `chosen` values, the environment over them, `given` ones over both."""

    class LoadedSettings(Settings):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_: Any, **sources: PydanticBaseSettingsSource
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return sources["init_settings"], sources["env_settings"], InitSettingsSource(settings_cls, whole)

    whole = {"retrieval": {}, **chosen}  # so that what is missing in it is named one by one
    problems = _strangers(os.environ)
    try:
        settings = LoadedSettings(**given)
    except ValidationError as invalid:
        problems += _explained(invalid, given)
    if problems:
        raise ConfigurationError("the service cannot start:\n" + "\n".join(problems))
    return settings


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


def _explained(invalid: ValidationError, given: Mapping[str, Any]) -> list[str]:
    return [_explained_one(error["loc"], error["type"], error["msg"], given) for error in invalid.errors()]


def _explained_one(place: tuple[int | str, ...], kind: str, problem: str, given: Mapping[str, Any]) -> str:
    problem = problem.removeprefix("Value error, ")
    if not place:  # it is about several at once, and names them
        return f"  {problem}"
    name = ".".join(map(str, place))
    if name in given:
        return f"  {OPTIONS.get(name, name)} {problem}"
    variable = PREFIX + NESTING.join(map(str, place)).upper()
    if kind == "missing":
        return f"  {name} is not set: set it in the configuration file, or {variable} in the environment"
    if kind == "extra_forbidden":
        return _no_setting(name)
    return f"  {name}: {problem} (in the configuration file, or {variable} in the environment)"


def _strangers(environment: Mapping[str, str]) -> list[str]:
    """Names the variables of sections that there are not, which pydantic passes over."""
    upper = [variable.upper() for variable in environment]
    nested = [variable for variable in upper if variable.startswith(PREFIX) and NESTING in variable]
    names = [each.removeprefix(PREFIX).lower().replace(NESTING, ".") for each in sorted(nested)]
    return [_no_setting(name) for name in names if name.partition(".")[0] not in Settings.model_fields]


def _no_setting(name: str) -> str:
    """Says of a name that is none which setting was probably meant."""
    close = get_close_matches(name, _names(Settings), n=1)
    remedy = f"did you mean {close[0]}?" if close else "remove it, or correct its name"
    return f"  {name} is no setting of this service: {remedy}"


def _names(section: type[BaseModel], above: str = "") -> Iterator[str]:
    """Yields the names of all settings (`retrieval.top_k`)."""
    for name, field in section.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _names(field.annotation, f"{above}{name}.")
        else:
            yield f"{above}{name}"
