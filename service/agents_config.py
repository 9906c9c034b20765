"""The settings of agents: the language models there are, and who plays which role."""

from pathlib import Path
from typing import Any, Literal

from pydantic import (
    Field,
    SecretStr,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from service.settings_section import Address, Key, Positive, Seconds, Section


class ModelSection(Section):
    """A language model behind an OpenAI-compatible endpoint, and how it is asked. What is None is not sent."""

    base_url: Address = ""
    api_key: Key = SecretStr("")
    model: str = ""
    window_tokens: int = Field(default=16_000, ge=4_000)  # of a call, reply included; the prompts take 1,400
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_output_tokens: Positive | None = None
    extra: dict[str, Any] = Field(default={})  # sent with every request as it is
    timeout_seconds: Seconds = 60.0  # of one attempt
    deadline_seconds: Seconds = 180.0  # of one reply: attempts and the waits between them
    retries: int = Field(default=3, ge=0, le=20)  # attempts after the first
    concurrency: Positive = 4  # requests at a time
    breaker_failures: int = Field(
        default=5, ge=0
    )  # in a row, until the endpoint is left alone; 0: it never is
    breaker_seconds: Seconds = 30.0  # for how long

    @property
    def is_named(self) -> bool:
        return bool(self.base_url and self.model)


class RoleModelSection(ModelSection):
    """What one role's model has of its own; the rest is as in `llm`."""

    @model_serializer(mode="wrap")
    def _own(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in whole(self).items() if name in self.model_fields_set}


class RoleModelsSection(Section):
    clusterer: RoleModelSection = RoleModelSection()
    structurer: RoleModelSection = RoleModelSection()
    judge: RoleModelSection = RoleModelSection()
    consolidator: RoleModelSection = RoleModelSection()
    planner: RoleModelSection = RoleModelSection()
    router: RoleModelSection = RoleModelSection()
    reflector: RoleModelSection = RoleModelSection()
    summariser: RoleModelSection = RoleModelSection()
    distiller: RoleModelSection = RoleModelSection()


class LlmSection(ModelSection):
    """The language model, of which a role may have another. `record` keeps replies in a file, from which
    `replay` takes them instead of asking."""

    record: Path | None = None
    replay: Path | None = None
    roles: RoleModelsSection = RoleModelsSection()

    def of(self, role: str) -> ModelSection:
        """A role's model. At another address it gets no key but its own."""
        common = {name: getattr(self, name) for name in ModelSection.model_fields}
        given: RoleModelSection = getattr(self.roles, role)
        own = {name: getattr(given, name) for name in given.model_fields_set}
        if own.get("base_url", self.base_url) != self.base_url:
            common["api_key"] = SecretStr("")
        return ModelSection(**common | own)

    @model_validator(mode="after")
    def _is_whole(self) -> "LlmSection":
        if self.record and self.replay:
            raise ValueError("`record` and `replay` exclude each other")
        for role in RoleModelsSection.model_fields:
            section = self.of(role)
            place = f"of `roles.{role}` " if getattr(self.roles, role).model_fields_set else ""
            if not section.is_named and (section.base_url or section.model or section.api_key):
                raise ValueError(f"a model {place}needs both `base_url` and `model`")
            if section.max_output_tokens and section.max_output_tokens >= section.window_tokens:
                raise ValueError(f"`max_output_tokens` {place}must be less than `window_tokens`")
        return self


Player = Literal["llm", "offline"]


class AgentsSection(Section):
    """Who plays which role; unset: llm where a model is set for it, else offline.

    `fallback`: where the model cannot be had, the offline agent answers, and the usage counts it. `attempts`: how often
    one task is tried.
    """

    clusterer: Player | None = None
    structurer: Player | None = None
    judge: Player | None = None
    consolidator: Player | None = None
    planner: Player | None = None
    router: Player | None = None
    reflector: Player | None = None
    summariser: Player | None = None
    distiller: Player | None = None
    fallback: bool = False
    attempts: int = Field(default=3, ge=1, le=100)
