"""How a channel is made: retries, keepalive, sizes.

What may be tried again is in the service config that the contract ships, and in the request ids that this
client gives: with one, a repeated mutation happens once.
"""

import re
from importlib.resources import files
from typing import Any

MESSAGE_BYTES = 64 * 1024 * 1024
"""The largest response taken. Pages end well below; what the service takes is the service's to say."""
REPEATED_BYTES = 16 * 1024 * 1024
"""The largest request that is kept to be tried again; gRPC's own bound is 256 KiB."""

OWN_SCHEMES = re.compile(r"(?:dns|ipv4|ipv6|unix|unix-abstract|vsock|xds|google-c2p):")
"""What gRPC itself resolves, in a form of its own."""
URL = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^/@]*@)?(?P<address>[^/?#]*)", re.IGNORECASE)
ADDRESS = re.compile(r"(?P<host>\[[0-9a-f:.%]+\]|[^\s:/\[\]]+)(?::(?P<port>\d{1,5}))?", re.IGNORECASE)
MOST_PORT = 65_535


def require_target(target: str, *, encrypted: bool) -> None:
    """Raises ValueError, in one line with what to write instead, unless gRPC can take the target for an address."""
    if OWN_SCHEMES.match(target):
        return
    if url := URL.match(target):
        plain = _with_port(url["address"] or "127.0.0.1")
        raise ValueError(f"'{url['scheme']}://…' is a URL, and an address is HOST:PORT: write {plain}")
    address = ADDRESS.fullmatch(target)
    if address is None or int(address["port"] or 1) not in range(1, MOST_PORT + 1):
        raise ValueError(f"{target!r} is no address: write HOST:PORT, as 127.0.0.1:7700")
    if address["port"] is None and not encrypted:  # of an encrypted one gRPC takes 443
        raise ValueError(f"{target!r} names no port: write {_with_port(target)}")


def _with_port(address: str) -> str:
    return address if re.search(r":\d+$", address) else f"{address}:7700"


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
