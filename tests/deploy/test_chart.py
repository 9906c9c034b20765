"""The chart: its values and their schema, and what its defaults render to, by the program that runs there."""

import asyncio
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest
import yaml  # type: ignore[import-untyped]  # ships no types

from service.assembly.server import require_protection, running
from service.cli.serve import serve
from service.config import load_settings
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for
from tests.support.shell import Shell
from tools.document_settings import page

CHART = Path(__file__).parents[2] / "deploy" / "helm" / "memorybank"
SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SETS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (CHART.parent / "values").glob("*.yaml")
}
RENDERED = [
    each for each in yaml.safe_load_all((CHART.parent / "rendered.yaml").read_text(encoding="utf-8")) if each
]
SETTINGS = set(re.findall(r"^\| `([\w.]+)` \|", page(), re.MULTILINE))
TEMPLATES = "\n".join(path.read_text(encoding="utf-8") for path in sorted((CHART / "templates").rglob("*.*")))


def objects(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of the schema whose values are named, with their paths."""
    if "properties" in schema:
        yield path, schema
        for name, inner in schema["properties"].items():
            yield from objects(inner, f"{path}.{name}" if path else name)


def at(values: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        values = values[name]
    return values


def only(kind: str) -> Any:
    (found,) = [each for each in RENDERED if each["kind"] == kind]
    return found


def container() -> Any:
    return only("Deployment")["spec"]["template"]["spec"]["containers"][0]


@pytest.mark.parametrize("values", [VALUES, *SETS.values()], ids=["default", *SETS])
def test_the_chart_s_values_and_each_set_fit_the_schema(values: Any) -> None:
    jsonschema.validate(values, SCHEMA)


@pytest.mark.parametrize(
    ("path", "schema"), list(objects(SCHEMA)), ids=[path or "top" for path, _ in objects(SCHEMA)]
)
def test_a_misspelt_value_is_refused_wherever_it_stands(path: str, schema: dict[str, Any]) -> None:
    values = json.loads(json.dumps(VALUES))
    at(values, path)["misspelt"] = 1

    assert schema["additionalProperties"] is False
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, SCHEMA)


def test_each_value_is_described_and_each_description_has_its_value() -> None:
    for path, schema in objects(SCHEMA):
        assert set(schema["properties"]) - {"global"} == set(at(VALUES, path)), path


@pytest.mark.parametrize(
    "wrong",
    [
        {"store": {"kind": "mysql"}},
        {"store": {"kind": "postgres", "url": "postgresql://ada:secret@db/bank"}},
        {"replicas": 0},
        {"settings": {"Banks.x": "1"}},
        {"otlp": {"sampling": 2}},
        {"service": {"type": "External"}},
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(wrong: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)


def test_each_value_is_used_and_each_that_is_used_is_there() -> None:
    used = {path.rstrip(".") for path in re.findall(r"\.Values\.([\w.]+)", TEMPLATES)}
    leaves = {
        f"{path}.{name}".lstrip(".")
        for path, schema in objects(SCHEMA)
        for name, inner in schema["properties"].items()
        if "properties" not in inner and name != "global"
    }

    assert used <= {*leaves, *(path for path, _ in objects(SCHEMA))}
    assert {leaf for leaf in leaves if leaf not in used} == {"store.passwordSecret.key"} - used


def test_the_settings_that_the_chart_and_its_sets_name_are_settings() -> None:
    own = set(re.findall(r'"((?:auth|banks|grpc|log|otlp|store|tls)\.[a-z_]+)"', TEMPLATES))
    named = {
        name
        for values in SETS.values()
        for key in ("settings", "secretSettings")
        for name in values.get(key, {})
    }

    assert {"store.url", "grpc.drain_seconds"} <= own
    assert own | named <= SETTINGS


def test_the_service_starts_with_what_the_defaults_render(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in container()["env"]:
        monkeypatch.setenv(variable["name"], variable["value"])

    words = container()["args"]
    settings = load_settings(listen=words[words.index("--listen") + 1])
    require_protection(settings)  # callers are asked for a key: it takes no --insecure

    options = {option for param in serve.params for option in param.opts}
    assert words[0] == "serve"
    assert {word for word in words if word.startswith("--")} <= options
    assert settings.metrics.listen == f"0.0.0.0:{VALUES['metrics']['port']}"
    grace = only("Deployment")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace > settings.grpc.lame_duck_seconds + settings.grpc.drain_seconds
    assert settings.auth.required == "true"
    assert settings.banks.memory_budget_bytes == VALUES["memoryBudgetBytes"]


async def test_what_the_page_runs_inside_the_pod_leads_to_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (CHART / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    inside = re.findall(r"^kubectl .* exec deployment/\S+ -- +(.*)$", page, re.MULTILINE)[:3]
    rendered = {each["name"]: each["value"] for each in container()["env"]}
    settings = settings_for(tmp_path / "data", auth={"required": rendered["MEMORYBANK_AUTH__REQUIRED"]})
    said = ""

    async with running(settings, HashingEmbedder()) as address:
        for line in inside:
            words = [re.sub("(?<![-\\w])/(tmp/)?", f"{tmp_path}/", word) for word in shlex.split(line)]
            program = words.index("memorybank")
            for given in words[:program][1:]:  # after `env`
                monkeypatch.setenv(*given.split("=", 1))
            said = await asyncio.to_thread(Shell(server=str(address)).done, *words[program + 1 :])

    assert len(inside) == 3
    assert "The ferry leaves at nine." in said


def test_the_probes_ask_the_port_on_which_health_is_served() -> None:
    (served,) = [each["value"] for each in container()["env"] if each["name"] == "MEMORYBANK_HEALTH__LISTEN"]
    port = int(served.rpartition(":")[2])

    assert {port} == {
        container()[f"{name}Probe"]["grpc"]["port"] for name in ("startup", "readiness", "liveness")
    }
    assert {each["name"] for each in container()["ports"]} == {"grpc", "health", "metrics"}
    assert {each["targetPort"] for each in only("Service")["spec"]["ports"]} == {"grpc", "metrics"}
    readiness = container()["readinessProbe"]
    assert readiness["periodSeconds"] * readiness["failureThreshold"] < VALUES["lameDuckSeconds"]


def test_the_pod_may_do_as_little_as_can_be() -> None:
    pod = only("Deployment")["spec"]["template"]["spec"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert container()["securityContext"]["readOnlyRootFilesystem"] is True
    assert container()["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    written = {mount["mountPath"] for mount in container()["volumeMounts"]}
    assert written == {"/data", "/tmp"}


def test_the_versions_are_the_program_s() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    told = re.search(r'^version = "(.*)"$', (CHART.parents[2] / "pyproject.toml").read_text(), re.MULTILINE)

    assert told
    assert chart["version"] == chart["appVersion"] == told[1]
