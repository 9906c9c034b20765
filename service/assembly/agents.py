"""Which agent plays which role, the language models they ask, and the reranker that searches ask.

Law: part of bootstrap, and like it the only place that knows these adapters. What only a model needs is imported where
one plays: a server whose agents are all offline starts without it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import fields, replace
from typing import TYPE_CHECKING, TypeVar

from core.agents.fallback import memory_with_fallback, with_fallback, with_recall_fallback
from core.agents.memory_roles import MemoryAgents
from core.agents.offline.agents import offline_agents
from core.agents.offline.recalling import offline_recall_agents
from core.agents.offline.remembering import offline_memory_agents
from core.agents.recall_roles import RecallAgents
from core.agents.roles import Agents
from core.ports.chat import ChatModel
from core.ports.comparer import Comparer
from core.ports.embedder import Embedder
from core.ports.reader import Reader
from core.ports.reranker import Reranker
from core.usecases.settings import Reranking
from service.config import ConfigurationError, Settings
from service.settings.agents import LlmSection, ModelSection
from service.settings.retrieval import RerankerSection

if TYPE_CHECKING:
    from core.agents.llm.prompts import Prompts
    from service.adapters.openai_chat import Endpoint

ROLES = tuple(role.name for role in fields(Agents))
RECALL_ROLES = tuple(role.name for role in fields(RecallAgents))
MEMORY_ROLES = tuple(role.name for role in fields(MemoryAgents))
ALL_ROLES = (*ROLES, *RECALL_ROLES, *MEMORY_ROLES)

Cast = TypeVar("Cast", Agents, RecallAgents, MemoryAgents)


def cast_agents(
    settings: Settings, embedder: Embedder, comparer: Comparer, models: Mapping[str, ChatModel]
) -> Agents:
    """Returns the agents of tasks that the settings name."""
    offline = offline_agents(embedder, comparer)
    asking = _asking(settings, ROLES)
    if not asking:
        return offline
    from core.agents.llm.agents import llm_agents

    llm = llm_agents(_for_all(ROLES, models), prompts_of(settings))
    return _cast(settings, asking, offline, llm, with_fallback)


def cast_memory_agents(
    settings: Settings, reader: Reader, comparer: Comparer, models: Mapping[str, ChatModel]
) -> MemoryAgents:
    """Returns the agents of users' memory that the settings name."""
    offline = offline_memory_agents(reader, comparer)
    asking = _asking(settings, MEMORY_ROLES)
    if not asking:
        return offline
    from core.agents.llm.remembering import llm_memory_agents

    llm = llm_memory_agents(_for_all(MEMORY_ROLES, models), prompts_of(settings))
    return _cast(settings, asking, offline, llm, memory_with_fallback)


def cast_recall_agents(
    settings: Settings, embedder: Embedder, models: Mapping[str, ChatModel]
) -> RecallAgents:
    """Returns the agents of long-term memory that the settings name."""
    offline = offline_recall_agents(embedder)
    asking = _asking(settings, RECALL_ROLES)
    if not asking:
        return offline
    from core.agents.llm.recalling import llm_recall_agents

    llm = llm_recall_agents(_for_all(RECALL_ROLES, models), prompts_of(settings))
    return _cast(settings, asking, offline, llm, with_recall_fallback)


def _cast(
    settings: Settings,
    asking: Iterable[str],
    offline: Cast,
    llm: Cast,
    fallback: Callable[[Cast, Cast], Cast],
) -> Cast:
    """Returns the offline agents, the roles that ask a model played by it."""
    played = fallback(llm, offline) if settings.agents.fallback else llm
    return replace(offline, **{role: getattr(played, role) for role in asking})


def prompts_of(settings: Settings) -> "Prompts":
    """Returns the prompts of the models' roles: of a file `NAME.md` in the folder that is named, that text. Raises
    ConfigurationError for what cannot be read, or is no prompt, or leaves a model no room."""
    from core.agents.llm.prompts import SHIPPED, Prompts, problem_of_prompt

    folder = settings.agents.prompts
    if folder is None:
        return SHIPPED
    texts: dict[str, str] = {}
    try:
        for file in sorted(folder.iterdir()):
            if file.suffix == ".md":
                texts[file.stem] = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise ConfigurationError(f"agents.prompts: {folder}: {failure}") from failure
    for name, text in texts.items():
        if problem := problem_of_prompt(name, text):
            raise ConfigurationError(f"agents.prompts: {folder / name}.md {problem}")
    chosen = Prompts(texts)
    window = min(settings.llm.of(role).window_tokens for role in ALL_ROLES)
    if chosen.longest > window // 2:
        raise ConfigurationError(
            f"agents.prompts: the longest system message takes {chosen.longest:,} tokens, more than half of a window "
            f"of {window:,} (llm.window_tokens)"
        )
    return chosen


def _asking(settings: Settings, roles: Sequence[str]) -> list[str]:
    return [role for role in roles if settings.player(role) == "llm"]


def _for_all(roles: Sequence[str], models: Mapping[str, ChatModel]) -> Mapping[str, ChatModel]:
    """Returns a model for each role: those of roles that ask none are made, and not cast."""
    first = next(iter(models.values()))
    return {role: models.get(role, first) for role in roles}


def open_models(settings: Settings, closing: AsyncExitStack) -> Mapping[str, ChatModel]:
    """Returns a model for each of the roles that ask one; those set alike share one, with its turns and its breaker.

    The adapters are imported here: not everyone needs the libraries they bring. What they hold open is closed with
    `closing`. Raises ConfigurationError for a record that cannot be read or written.
    """
    chosen, roles = settings.llm, _asking(settings, ALL_ROLES)
    if not roles:
        return {}
    if chosen.replay:
        return _replayed(chosen, roles)
    opened: list[tuple[ModelSection, ChatModel]] = []
    models: dict[str, ChatModel] = {}
    for role in roles:
        wanted = chosen.of(role)
        shared = next((model for section, model in opened if section == wanted), None)
        models[role] = shared or _opened(wanted, closing)
        opened.append((wanted, models[role]))
    return _recording(models, chosen, closing) if chosen.record else models


def _opened(section: ModelSection, closing: AsyncExitStack) -> ChatModel:
    from service.adapters.breaker import Breaker
    from service.adapters.openai_chat import OpenAIChat

    model = OpenAIChat(_endpoint(section))
    closing.push_async_callback(model.close)
    if not section.breaker_failures:
        return model
    return Breaker(model, failures=section.breaker_failures, rest_seconds=section.breaker_seconds)


def _endpoint(section: ModelSection) -> "Endpoint":
    from service.adapters.openai_chat import Endpoint

    return Endpoint(
        model=section.model,
        base_url=section.base_url,
        api_key=section.api_key.get_secret_value(),
        window=section.window_tokens,
        temperature=section.temperature,
        max_output_tokens=section.max_output_tokens,
        extra=section.extra,
        concurrency=section.concurrency,
        timeout_seconds=section.timeout_seconds,
        deadline_seconds=section.deadline_seconds,
        retries=section.retries,
    )


def _recording(
    models: Mapping[str, ChatModel], chosen: LlmSection, closing: AsyncExitStack
) -> Mapping[str, ChatModel]:
    from service.adapters.recorded_chat import Recorder, RecordingChat

    assert chosen.record is not None
    try:
        recorder = Recorder(chosen.record)
    except OSError as refused:
        raise ConfigurationError(f"llm.record: cannot write {chosen.record}: {refused.strerror}") from None
    closing.callback(recorder.close)
    return {role: RecordingChat(model, recorder) for role, model in models.items()}


def _replayed(chosen: LlmSection, roles: Sequence[str]) -> Mapping[str, ChatModel]:
    from service.adapters.recorded_chat import Record, RecordUnreadable, ReplayedChat

    assert chosen.replay is not None
    try:
        record = Record(chosen.replay)
    except RecordUnreadable as unreadable:
        raise ConfigurationError(f"llm.replay: {unreadable}") from None
    return {role: ReplayedChat(record, chosen.of(role).window_tokens) for role in roles}


def open_reranker(chosen: RerankerSection, closing: AsyncExitStack) -> Reranking | None:
    """Returns the configured reranker, and how far it goes; None where none is."""
    if not chosen.base_url:
        return None
    from service.adapters.breaker import RerankerBreaker
    from service.adapters.endpoint_reranker import Endpoint, EndpointReranker

    endpoint = Endpoint(
        model=chosen.model,
        base_url=chosen.base_url,
        api_key=chosen.api_key.get_secret_value(),
        logits=chosen.scale == "logit",
        concurrency=chosen.concurrency,
        timeout_seconds=chosen.timeout_seconds,
    )
    remote = EndpointReranker(endpoint)
    closing.push_async_callback(remote.close)
    reranker: Reranker = remote
    if chosen.breaker_failures:
        reranker = RerankerBreaker(
            remote, failures=chosen.breaker_failures, rest_seconds=chosen.breaker_seconds
        )
    return Reranking(
        reranker=reranker,
        candidates=chosen.candidates,
        characters=chosen.characters,
        weight=chosen.weight,
    )
