"""How a channel is made: retries, keepalive, sizes.

What may be tried again is in the service config that the contract ships, and in the request ids that this
client gives: with one, a repeated mutation happens once.
"""

from importlib.resources import files
from typing import Any

MESSAGE_BYTES = 64 * 1024 * 1024
"""The largest response taken. Pages end well below; what the service takes is the service's to say."""
REPEATED_BYTES = 16 * 1024 * 1024
"""The largest request that is kept to be tried again; gRPC's own bound is 256 KiB."""


def channel_options() -> list[tuple[str, Any]]:
    """Returns gRPC's options for a channel."""
    return [
        ("grpc.service_config", service_config()),
        ("grpc.enable_retries", 1),
        ("grpc.per_rpc_retry_buffer_size", REPEATED_BYTES),
        (
            "grpc.max_reconnect_backoff_ms",
            2_000,
        ),  # a server that was restarted is found again as soon as it is there
        ("grpc.max_receive_message_length", MESSAGE_BYTES),
        ("grpc.max_send_message_length", -1),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
    ]


def service_config() -> str:
    """Returns the service config that ships with the contract."""
    return files("memorybank.v1").joinpath("service_config.json").read_text(encoding="utf-8")
