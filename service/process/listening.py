"""Why an address cannot be listened on, and the way out: gRPC reports only the failure."""

import errno
import os
import socket

REMEDIES = {
    errno.EADDRINUSE: "another program listens there. Choose another port: --listen {host}:0 takes a free one "
    "(`make serve PORT=7800`)",
    errno.EACCES: "ports below 1024 are not for everyone. Choose another: --listen {host}:7700",
    errno.EADDRNOTAVAIL: "this machine has no such address. 127.0.0.1 is reached from this machine alone",
}


def cannot_listen(host: str, port: int) -> str:
    """Returns why the address cannot be listened on, found by trying; "" where it can."""
    number = _error(host.strip("[]"), port)
    known = REMEDIES.get(number)
    reason = known.format(host=host) if known else os.strerror(number) if number else ""
    return f"cannot listen on {host}:{port}: {reason}" if reason else ""


def _error(host: str, port: int) -> int:
    """Returns the number of the system's error; 0 where it went well."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
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
