"""The settings of agents: the language models there are, and which role each plays."""

from pathlib import Path
from typing import Any, Literal

from pydantic import (
    Field,
    SecretStr,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from service.settings.section import Address, Key, Positive, Seconds, Section


class ModelSection(Section):
    """A language model behind an OpenAI-compatible endpoint, and how it is asked. What is None is not sent."""

    base_url: Address = ""
    """Address of an endpoint that speaks OpenAI's chat completions API, `/v1` included."""
    api_key: Key = SecretStr("")
    """Its key."""
    model: str = ""
    """The endpoint's name for it."""
    window_tokens: int = Field(default=16_000, ge=4_000)
    """What one call may hold, reply included."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Sampling temperature; unset: the endpoint's own."""
    max_output_tokens: Positive | None = None
    """Tokens of one reply at most, sent as `max_tokens`; unset: the endpoint's own bound."""
    extra: dict[str, Any] = Field(default={})
    """A table of whatever else is sent with each request."""
    timeout_seconds: Seconds = 60.0
    """Of one attempt."""
    deadline_seconds: Seconds = 180.0
    """Of one reply: all attempts, with the waits between them."""
    retries: int = Field(default=3, ge=0, le=20)
    """Attempts after the first."""
    concurrency: Positive = 4
    """Requests at a time."""
    breaker_failures: int = Field(default=5, ge=0)
    """Failures in a row after which it is left alone; 0: never."""
    breaker_seconds: Seconds = 30.0
    """Seconds for which it is left alone."""

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
    extractor: RoleModelSection = RoleModelSection()
    compressor: RoleModelSection = RoleModelSection()


class LlmSection(ModelSection):
    """The language model, of which a role may have another. `record` keeps replies in a file, from which
    `replay` takes them instead of asking."""

    record: Path | None = None
    """A file in which every reply is kept."""
    replay: Path | None = None
    """Such a file: replies come from it and no model is asked."""
    roles: RoleModelsSection = RoleModelsSection()

    def of(self, role: str) -> ModelSection:
        """Returns a role's model. At another address it gets no key but its own."""
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
    """Which roles a language model plays, and which the offline agents."""

    clusterer: Player | None = None
    """Groups segments into topics: `llm` or `offline`; unset: `llm` where there is a model for it."""
    structurer: Player | None = None
    """Writes the summary of a topic; values as above."""
    judge: Player | None = None
    """Judges conflict, merge and relation; values as above."""
    consolidator: Player | None = None
    """Writes a merged node; values as above."""
    planner: Player | None = None
    """Plans the next tasks; values as above."""
    router: Player | None = None
    """Classifies what a query of long-term memory asks for; values as above."""
    reflector: Player | None = None
    """Writes reflections over records; values as above."""
    summariser: Player | None = None
    """Summarises stretches of a conversation; values as above."""
    distiller: Player | None = None
    """Writes what a conversation must not forget; values as above."""
    extractor: Player | None = None
    """Extracts lasting facts from what users and tools said; values as above."""
    compressor: Player | None = None
    """Compresses an agent's older steps; values as above."""
    prompts: Path | None = None
    """A folder with prompts of the models' roles: a file `NAME.md` stands in the place of the one of this name in
    `core/agents/prompts`, with the same placeholders. Read and checked at start."""
    fallback: bool = False
    """Where the model cannot be had, the offline agent answers, and the response's usage says so."""
    attempts: int = Field(default=3, ge=1, le=100)
    """How often one task is tried before a way round it is sought, and then the goal given up."""
