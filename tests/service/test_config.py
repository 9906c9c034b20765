"""The settings: where they come from, what is refused and how."""

from pathlib import Path
from typing import Any

import pytest

from service.config import ConfigurationError, Settings, load_settings, make_settings, packaged


def test_the_packaged_settings_are_enough() -> None:
    settings = load_settings()

    assert (settings.retrieval.top_k, settings.retrieval.alpha, settings.retrieval.chunk_ratio) == (
        8,
        0.3,
        0.9,
    )


def test_a_mistyped_setting_is_refused_and_what_was_meant_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYBANK_RETRIEVAL__TOPK", "9")
    monkeypatch.setenv("MEMORYBANK_RETREIVAL__ALPHA", "0.2")  # a section that there is not
    monkeypatch.setenv("MEMORYBANK_BANK", "trip")  # the command line's

    with pytest.raises(ConfigurationError) as refused:
        load_settings()

    assert str(refused.value).splitlines()[1:] == [
        "  retreival.alpha is no setting of this service: did you mean retrieval.alpha?",
        "  retrieval.topk is no setting of this service: did you mean retrieval.top_k?",
    ]


@pytest.mark.parametrize("name", ["top_k", "alpha", "chunk_ratio"])
def test_the_service_does_not_start_without_what_has_no_default(name: str) -> None:
    chosen = packaged()
    del chosen["retrieval"][name]

    with pytest.raises(ConfigurationError) as refused:
        make_settings(chosen, {})

    assert f"retrieval.{name} is not set" in str(refused.value)
    assert f"MEMORYBANK_RETRIEVAL__{name.upper()}" in str(refused.value)


def test_a_file_goes_before_the_package_the_environment_before_the_file_options_before_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.toml"
    file.write_text('listen = "127.0.0.1:1"\n[retrieval]\ntop_k = 9\nalpha = 0.1\n')
    monkeypatch.setenv("MEMORYBANK_RETRIEVAL__ALPHA", "0.2")

    settings = load_settings(file, listen="127.0.0.1:2")

    assert (settings.retrieval.chunk_ratio, settings.retrieval.top_k, settings.retrieval.alpha) == (
        0.9,
        9,
        0.2,
    )
    assert settings.listen == "127.0.0.1:2"


def test_every_wrong_setting_is_named_at_once() -> None:
    wrong = {
        **packaged(),
        "listen": "nowhere",
        "retrieval": {"top_k": 0, "alpha": 2, "chunk_ratio": 1},
        "colour": 1,
    }

    with pytest.raises(ConfigurationError) as refused:
        make_settings(wrong, {})

    for name in ("listen", "retrieval.top_k", "retrieval.alpha", "colour"):
        assert f"  {name}" in str(refused.value)


@pytest.mark.parametrize(
    ("section", "name"),
    [
        ("banks", "resume_after_seconds"),
        ("banks", "finished_ttl_hours"),
        ("banks", "feed_retention_hours"),
        ("conversation", "idle_timeout_seconds"),
        ("conversation", "idle_invocation_seconds"),
        ("long_term", "prune_days"),
        ("instructions", "run_days"),
    ],
)
@pytest.mark.parametrize("value", [1e12, float("inf")])
def test_no_time_of_the_settings_leads_out_of_the_calendar(section: str, name: str, value: float) -> None:
    chosen = packaged()
    chosen.setdefault(section, {})[name] = value

    with pytest.raises(ConfigurationError, match=f"{section}.{name}"):
        make_settings(chosen, {})


def test_options_are_checked_like_everything_else() -> None:
    with pytest.raises(ConfigurationError, match="--listen must be HOST:PORT"):
        load_settings(listen="nowhere")


@pytest.mark.parametrize("wrong", ["7700", "127.0.0.1", "127.0.0.1:70000", "::1:7700", "host:port"])
def test_an_address_is_a_host_and_a_port(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match="HOST:PORT"):
        make_settings({**packaged(), "listen": wrong}, {})
    with pytest.raises(ConfigurationError, match=r"metrics\.listen"):
        make_settings({**packaged(), "metrics": {"listen": wrong}}, {})


def test_an_endpoint_must_be_described() -> None:
    with pytest.raises(ConfigurationError, match="base_url"):
        make_settings({**packaged(), "embedder": {"kind": "openai"}}, {})


def test_a_file_that_is_missing_or_malformed_is_said_to_be(tmp_path: Path) -> None:
    malformed = tmp_path / "own.toml"
    malformed.write_text("listen = ")

    with pytest.raises(ConfigurationError, match="cannot read"):
        load_settings(tmp_path / "none.toml")
    with pytest.raises(ConfigurationError, match="not TOML"):
        load_settings(malformed)


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYBANK_EMBEDDER__API_KEY", "a-secret")

    shown = load_settings().shown()

    assert "a-secret" not in str(shown)
    assert shown["retrieval"]["top_k"] == 8


# ---- the reranker ----


def with_reranker(**reranker: Any) -> Settings:
    chosen = packaged()
    return make_settings({**chosen, "retrieval": {**chosen["retrieval"], "reranker": reranker}}, {})


def test_there_is_no_reranker_unless_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    none = load_settings().retrieval.reranker
    monkeypatch.setenv("MEMORYBANK_RETRIEVAL__RERANKER__API_KEY", "a-secret")

    settings = with_reranker(base_url="http://127.0.0.1:1/v1", model="m")

    assert not none.base_url
    assert settings.retrieval.reranker.api_key.get_secret_value() == "a-secret"
    assert "a-secret" not in str(settings.shown())


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"base_url": "http://127.0.0.1:1/v1"}, "needs both `base_url` and `model`"),
        ({"model": "m"}, "needs both `base_url` and `model`"),
        ({"api_key": "k"}, "needs both `base_url` and `model`"),
        ({"base_url": "127.0.0.1:1", "model": "m"}, "must begin with http"),
        ({"base_url": "http://k@127.0.0.1", "model": "m"}, "a key does not belong here"),
        ({"api_key": "a b"}, "no key has"),
        ({"candidates": 0}, "reranker.candidates"),
        ({"candidates": 101}, "reranker.candidates"),
        ({"weight": 0}, "reranker.weight"),
        ({"timeout_seconds": 0}, "reranker.timeout_seconds"),
        ({"scale": "percent"}, "reranker.scale"),
    ],
)
def test_a_reranker_must_be_described_and_capped(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        with_reranker(**wrong)


# ---- language models ----

ROLES = (
    "clusterer",
    "structurer",
    "judge",
    "consolidator",
    "planner",
    "summariser",
    "distiller",
    "extractor",
    "compressor",
)
MODEL = {"base_url": "http://127.0.0.1:1/v1", "api_key": "a-secret", "model": "good"}


def with_llm(llm: dict[str, Any], agents: dict[str, Any] | None = None) -> Settings:
    return make_settings({**packaged(), "llm": llm, "agents": agents or {}}, {})


def test_without_a_model_every_role_is_played_offline() -> None:
    settings = load_settings()

    assert {settings.player(role) for role in ROLES} == {"offline"}


def test_three_variables_put_every_role_on_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in MODEL.items():
        monkeypatch.setenv(f"MEMORYBANK_LLM__{name.upper()}", value)

    settings = load_settings()

    assert {settings.player(role) for role in ROLES} == {"llm"}
    assert {settings.llm.of(role).model for role in ROLES} == {"good"}
    assert "a-secret" not in str(settings.shown())


def test_a_role_has_what_is_its_own_and_else_what_all_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYBANK_LLM__ROLES__JUDGE__RETRIES", "7")

    settings = with_llm({**MODEL, "temperature": 0.5, "roles": {"judge": {"model": "cheap"}}})

    judge, planner = settings.llm.of("judge"), settings.llm.of("planner")
    assert (judge.model, judge.temperature, judge.retries) == ("cheap", 0.5, 7)
    assert judge.api_key.get_secret_value() == "a-secret"
    assert (planner.model, planner.retries) == ("good", 3)
    assert settings.shown()["llm"]["roles"]["judge"] == {"model": "cheap", "retries": 7}


def test_a_key_goes_to_no_other_address_than_it_was_given_for() -> None:
    other = {"base_url": "https://elsewhere.example/v1"}

    settings = with_llm(
        {**MODEL, "roles": {"judge": other, "planner": {**other, "api_key": "its-own"}, "structurer": MODEL}}
    )

    assert settings.llm.of("judge").api_key.get_secret_value() == ""
    assert settings.llm.of("planner").api_key.get_secret_value() == "its-own"
    assert settings.llm.of("structurer").api_key.get_secret_value() == "a-secret"
    assert "its-own" not in str(settings.shown())


def test_a_role_may_be_played_offline_or_alone_on_a_model() -> None:
    one_offline = with_llm(MODEL, {"planner": "offline"})
    one_on_a_model = with_llm({"roles": {"judge": MODEL}})

    assert [role for role in ROLES if one_offline.player(role) == "offline"] == ["planner"]
    assert [role for role in ROLES if one_on_a_model.player(role) == "llm"] == ["judge"]


def test_a_replay_needs_no_model() -> None:
    assert with_llm({"replay": "run.jsonl"}).player("judge") == "llm"


@pytest.mark.parametrize(
    ("llm", "agents", "problem"),
    [
        ({"model": "good"}, {}, "llm: a model needs both `base_url` and `model`"),
        ({"base_url": "http://127.0.0.1:1"}, {}, "llm: a model needs both"),
        ({"api_key": "a-secret"}, {}, "llm: a model needs both"),
        ({"roles": {"judge": {"model": "m"}}}, {}, "a model of `roles.judge` needs both"),
        ({**MODEL, "base_url": "127.0.0.1:1"}, {}, "llm.base_url: must begin with http:// or https://"),
        ({**MODEL, "base_url": "http://me:a-secret@h/v1"}, {}, "llm.base_url: a key does not belong here"),
        ({**MODEL, "base_url": "http://h /v1"}, {}, "llm.base_url: holds characters that no address has"),
        ({**MODEL, "api_key": "a-secret\n"}, {}, "llm.api_key: holds a blank, a line break"),
        ({**MODEL, "api_key": "a-secret-密"}, {}, "llm.api_key: holds a blank, a line break"),
        ({**MODEL, "roles": {"poet": MODEL}}, {}, "llm.roles.poet is no setting"),
        ({**MODEL, "roles": {"judge": {"record": "f"}}}, {}, "llm.roles.judge.record is no setting"),
        ({**MODEL, "record": "f", "replay": "f"}, {}, "exclude each other"),
        ({**MODEL, "max_output_tokens": 16_000}, {}, "must be less than `window_tokens`"),
        ({}, {"judge": "llm"}, "  agents.judge is llm, and there is no model: set llm.base_url"),
        (MODEL, {"judge": "human"}, "agents.judge: Input should be 'llm' or 'offline'"),
    ],
)
def test_a_model_that_cannot_be_asked_is_refused_with_what_to_do(
    llm: dict[str, Any], agents: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        with_llm(llm, agents)

    assert problem in str(refused.value)
    assert "a-secret" not in str(refused.value)
