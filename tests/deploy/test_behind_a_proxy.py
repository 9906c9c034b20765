"""What ships for several replicas: Envoy's configuration and the Compose file, held to contract and settings."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # ships no types
from google.protobuf.descriptor_pb2 import MethodOptions

from service.assembly.server import require_protection
from service.config import load_settings
from tests.service.api.every_violation import METHODS

DEPLOY = Path(__file__).parents[2] / "deploy"
ENVOY = yaml.safe_load((DEPLOY / "envoy" / "envoy.yaml").read_text(encoding="utf-8"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
CLUSTER = ENVOY["static_resources"]["clusters"][0]
PORT = 7700


def routes() -> list[Any]:
    (chain,) = ENVOY["static_resources"]["listeners"][0]["filter_chains"]
    return list(chain["filters"][0]["typed_config"]["route_config"]["virtual_hosts"][0]["routes"])


def test_calls_that_only_read_are_made_again_elsewhere_and_no_other() -> None:
    reads, others = routes()
    pattern = reads["match"]["safe_regex"]["regex"]

    for name, method in METHODS.items():
        only_reads = method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
        path = f"/{method.containing_service.full_name}/{name}"
        assert bool(re.fullmatch(pattern, path)) is only_reads, name

    repeated = set(others["route"]["retry_policy"]["retry_on"].split(","))
    assert repeated == {"connect-failure", "refused-stream", "reset-before-request"}, "nothing was done"
    assert "unavailable" in reads["route"]["retry_policy"]["retry_on"]


def test_istio_makes_the_same_calls_again_as_envoy() -> None:
    template = (DEPLOY / "helm" / "memorybank" / "templates" / "istio.yaml").read_text(encoding="utf-8")
    _, virtual_service = (re.sub(r"\{\{.*?\}\}", "", part) for part in template.split("---"))
    reads, others = yaml.safe_load(virtual_service.replace("hosts: []", "hosts: ['']"))["spec"]["http"]
    envoys, envoys_others = routes()

    assert reads["match"][0]["uri"]["regex"] == envoys["match"]["safe_regex"]["regex"]
    assert reads["retries"]["retryOn"] == envoys["route"]["retry_policy"]["retry_on"]
    assert "match" not in others
    assert others["retries"]["retryOn"] == envoys_others["route"]["retry_policy"]["retry_on"]


def test_a_replica_is_ejected_for_failures_on_the_way_to_it_alone() -> None:
    outliers = CLUSTER["outlier_detection"]
    by_answers = {name for name in outliers if name.startswith("enforcing_")}

    assert outliers["split_external_local_origin_errors"] is True
    assert {outliers[name] for name in by_answers} == {0}
    assert {
        "enforcing_consecutive_5xx",
        "enforcing_consecutive_gateway_failure",
        "enforcing_success_rate",
    } <= by_answers


def test_each_replica_of_compose_starts_with_keys_and_tls_and_without_insecure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replicas = {name: each for name, each in COMPOSE["services"].items() if name.startswith("memorybank-")}
    for replica in replicas.values():
        for name, value in replica["environment"].items():
            monkeypatch.setenv(name, value)
        words = replica["command"]

        settings = load_settings(listen=words[words.index("--listen") + 1])
        require_protection(settings)

        assert "--insecure" not in words
        assert settings.auth.required == "true"
        assert settings.tls.certificate is not None

    endpoints = CLUSTER["load_assignment"]["endpoints"][0]["lb_endpoints"]
    reached = [each["endpoint"]["address"]["socket_address"] for each in endpoints]
    assert [(each["address"], each["port_value"]) for each in reached] == [(name, PORT) for name in replicas]


def test_envoy_and_the_replicas_read_the_same_folder_of_certificates() -> None:
    mounted = "./tls:/etc/memorybank/tls:ro"

    for name in ("envoy", "memorybank-1", "memorybank-2", "memorybank-3"):
        assert mounted in COMPOSE["services"][name]["volumes"]
    files = re.findall(
        r"/etc/memorybank/tls/([\w.]+)", (DEPLOY / "envoy" / "envoy.yaml").read_text(encoding="utf-8")
    )
    assert set(files) == {"ca.pem", "server.key", "server.pem"}, "what `memorybank certs dev` writes"
