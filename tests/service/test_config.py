"""The settings: where they come from, what is refused and how."""

from pathlib import Path

import pytest

from service.config import ConfigurationError, load_settings, make_settings, packaged


def test_the_packaged_settings_are_enough() -> None:
    settings = load_settings()

    assert (settings.retrieval.top_k, settings.retrieval.alpha, settings.retrieval.chunk_ratio) == (
        8,
        0.5,
        0.9,
    )


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


def test_options_are_checked_like_everything_else() -> None:
    with pytest.raises(ConfigurationError, match="listen"):
        load_settings(listen="nowhere")


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
