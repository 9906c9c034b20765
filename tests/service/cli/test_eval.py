"""`memorybank eval`: a set measured from the command line, without a service."""

import json
from pathlib import Path

from click.testing import CliRunner

from service.cli.eval import evaluate
from tests.service.evaluation.test_documented import example


def test_a_set_is_measured_and_the_figures_come_with_their_settings(tmp_path: Path) -> None:
    path = tmp_path / "harbour.json"
    path.write_text(json.dumps(example()), encoding="utf-8")

    shown = CliRunner().invoke(evaluate, [str(path), "--worst", "1"])
    told = CliRunner().invoke(evaluate, [str(path), "--no-prompts", "--json"])

    assert shown.exit_code == 0, shown.output
    assert "multilingual-e5-small" in shown.stdout
    assert "| hybrid |" in shown.stdout
    (answer,) = json.loads(told.stdout)
    assert answer["methods"]["hybrid"]["all"]["recall"]["10"] == 1.0
    assert answer["questions"][0]["ranks"]["hybrid"] == [1]


def test_what_is_no_set_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "harbour.json"
    path.write_text('{"name": "x"}', encoding="utf-8")

    refused = CliRunner().invoke(evaluate, [str(path)])

    assert refused.exit_code == 2
    assert "worlds: Field required" in refused.stderr
