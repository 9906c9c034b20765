"""`memorybank eval`: a set measured from the command line, without a service."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import EmbedderUnavailable
from evaluation.asking import ask_set
from service.cli import eval as command
from service.cli.eval import evaluate
from tests.evaluation.test_documented import example


@pytest.fixture
def harbour(tmp_path: Path) -> str:
    path = tmp_path / "harbour.json"
    path.write_text(json.dumps(example()), encoding="utf-8")
    return str(path)


def test_a_set_is_measured_and_the_figures_come_with_their_settings(harbour: str) -> None:
    shown = CliRunner().invoke(evaluate, [harbour, "--worst", "1"])
    told = CliRunner().invoke(evaluate, [harbour, "--no-prompts", "--json"])

    assert shown.exit_code == 0, shown.output
    assert "multilingual-e5-small" in shown.stdout
    assert "| hybrid |" in shown.stdout
    assert "harbour-zh: memorizing harbour (3 messages)" in shown.stderr
    (answer,) = json.loads(told.stdout)
    assert answer["methods"]["hybrid"]["all"]["recall"]["10"] == 1.0
    assert answer["questions"][0]["ranks"]["hybrid"] == [1]
    assert answer["set"]["split"] == "held out"


@pytest.mark.parametrize("stopped_by", [KeyboardInterrupt(), EmbedderUnavailable("gone")])
@pytest.mark.parametrize("as_json", [False, True])
def test_what_stops_a_set_leaves_the_tables_of_those_before(
    harbour: str, monkeypatch: pytest.MonkeyPatch, stopped_by: BaseException, as_json: bool
) -> None:
    asked = iter((ask_set, None))

    async def ask_once(*given: object, **more: object) -> object:
        first = next(asked)
        if first is None:
            raise stopped_by
        return await first(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(command, "ask_set", ask_once)

    ended = CliRunner().invoke(evaluate, [harbour, harbour, "--no-prompts", *(["--json"] if as_json else [])])

    assert ended.exit_code != 0
    if as_json:
        assert [answer["set"]["name"] for answer in json.loads(ended.stdout)] == ["harbour-zh"]
    else:
        assert ended.stdout.count("## harbour-zh") == 1


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ("--ablation", "| without near |"),
        ("--sweep", "α = 0.7"),
        ("--contexts", "| conversation, its facts and bank | 1.000 |"),
    ],
)
def test_other_tables_take_the_place_of_the_methods(harbour: str, option: str, shown: str) -> None:
    told = CliRunner().invoke(evaluate, [harbour, option])

    assert told.exit_code == 0, told.output
    assert shown in told.stdout


def test_contradicting_facts_are_left_out_of_other_tables(tmp_path: Path) -> None:
    case = {
        "input": "When does the ferry leave?",
        "agent_args": {
            "extra": {
                "facts": ["The ferry leaves at six."],
                "contradicting_fact": "The ferry leaves at eight.",
                "supporting_fact_indices": [0],
            }
        },
    }
    path = tmp_path / "facts.jsonl"
    path.write_text(json.dumps(case), encoding="utf-8")

    told = CliRunner().invoke(evaluate, [str(path), "--frontier", "--json"])

    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout) == []
    assert "facts: left out" in told.stderr


def test_what_is_no_set_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "harbour.json"
    path.write_text('{"name": "x"}', encoding="utf-8")

    refused = CliRunner().invoke(evaluate, [str(path)])

    assert refused.exit_code == 2
    assert "worlds: Field required" in refused.stderr
