"""What an address to listen on is like: who reaches it; why it cannot be had, and the way out, where gRPC reports only
the failure."""

import errno
import ipaddress
import os
import socket
from typing import Any

ANOTHER_PORT = "Choose another port: --listen {host}:0 takes a free one (`make serve PORT=7800`)"
REMEDIES = {
    errno.EADDRINUSE: f"another program listens there. {ANOTHER_PORT}",
    errno.EACCES: "ports below 1024 are not for everyone. Choose another: --listen {host}:7700",
    errno.EADDRNOTAVAIL: "this machine has no such address. 127.0.0.1 is reached from this machine alone",
}


def cannot_listen(host: str, port: int) -> str:
    """Returns why the address cannot be listened on, found by trying; "" where it can."""
    number = _error(host, port)
    known = REMEDIES.get(number)
    reason = known.format(host=host) if known else os.strerror(number) if number else ""
    return f"cannot listen on {host}:{port}: {reason}" if reason else ""


def is_local(host: str) -> bool:
    """Tells whether an address is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _first_address(host: str, port: int) -> tuple[int, tuple[Any, ...]]:
    """Returns the family and the address of a host's name, the first of several. Raises gaierror."""
    try:
        family, *_, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
    except UnicodeError as malformed:  # a part of it is longer than 63 characters
        raise socket.gaierror(socket.EAI_NONAME, str(malformed)) from None
    return family, address


def _error(host: str, port: int) -> int:
    """Returns the number of the system's error; 0 where it went well."""
    try:
        family, address = _first_address(host, port)
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(
                socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
            )  # as gRPC does: after a restart it is free
            probe.bind(address)
            probe.listen()
    except socket.gaierror:
        return errno.EADDRNOTAVAIL
    except OSError as failure:
        return failure.errno or 0
    return 0
