"""How a channel is made: retries, keepalive, sizes.

Law: what may be tried again is in the service config that the contract ships, and in the request ids that this
client gives: with one, a repeated mutation happens once.
"""

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from memorybank_client.methods import Method

MESSAGE_BYTES = 64 * 1024 * 1024
"""The largest response taken. Pages end well below; what the service takes is the service's to say."""


def channel_options(methods: Sequence[Method]) -> list[tuple[str, Any]]:
    """gRPC's options for a channel over which these methods are called."""
    return [
        ("grpc.service_config", service_config(methods)),
        ("grpc.enable_retries", 1),
        ("grpc.max_receive_message_length", MESSAGE_BYTES),
        ("grpc.max_send_message_length", -1),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
    ]


def service_config(methods: Sequence[Method]) -> str:
    """The shipped service config, its retry policy extended to the mutations that are harmless to repeat.

    DeleteBank is not among them: a purge forgets its request too, so a repetition would answer NOT_FOUND.
    """
    config = json.loads(files("memorybank.v1").joinpath("service_config.json").read_text(encoding="utf-8"))
    reads = config["methodConfig"][0]
    repeatable = [method for method in methods if method.takes_request_id and method.name != "DeleteBank"]
    names = [{"service": method.service, "method": method.name} for method in repeatable]
    config["methodConfig"].append({**reads, "name": names})
    return json.dumps(config)
