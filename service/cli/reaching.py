"""Why no memory bank answers at an address, found by asking there once without gRPC.

Law: tells what was seen and what to do about it; where nothing can be told, that nothing answers.
"""

import re
import socket
import ssl
from collections.abc import Callable

from service.cli.exits import Exit, Failure
from service.cli.messages import say

SECONDS = 1.0
WITHOUT_TLS = "leave out --tls-ca (or MEMORYBANK_TLS_CA), or name the address of a server with a certificate"
HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
"""What a client of HTTP/2 says first: the preface, and settings without any."""
SETTINGS = 4  # the type of the frame that a server of HTTP/2 answers with first
TLS_ALERT = b"\x15\x03"
PLAIN = re.compile(r"(?P<host>\[[^\]]+\]|[^:/\[\]]+):(?P<port>\d+)")
START = "start one with `memorybank serve`, or name another with --server (or MEMORYBANK_SERVER)"
ANOTHER = "name the address that `memorybank serve` prints, with --server (or MEMORYBANK_SERVER)"


def unreachable(server: str, *, by_tls: bool = False) -> Failure:
    """Returns the failure for an address where no memory bank answers; `by_tls`: it was asked by TLS."""
    address = PLAIN.fullmatch(server)
    seen = (say("no memory bank answers at {server}", server=server), say(START))
    if address is not None:
        host, port = address["host"].strip("[]"), int(address["port"])
        try:
            first = _first_bytes(host, port)
            if by_tls and _is_http2(first):
                plain = say("{server} speaks without TLS, and was called by TLS", server=server)
                return Failure(plain, say(WITHOUT_TLS), Exit.UNREACHABLE)
            seen = (_told(server, first, lambda: _speaks_tls(host, port)), say(ANOTHER))
        except socket.gaierror:
            seen = (say("there is no host {host}", host=host), say(ANOTHER))
        except OSError:
            pass
    return Failure(*seen, Exit.UNREACHABLE)


def _told(server: str, first: bytes, speaks_tls: Callable[[], bool]) -> str:
    """Says what listens there, by the first bytes of its answer."""
    if _is_http2(first):
        return say("no memory bank answers at {server}, though HTTP/2 is spoken there", server=server)
    if first.startswith((b"HTTP/", b"<")):
        return say(
            "{server} speaks HTTP/1, and a memory bank speaks gRPC: another server listens there",
            server=server,
        )
    if first.startswith(TLS_ALERT) or speaks_tls():
        return say("{server} expects TLS: name what to trust with --tls-ca", server=server)
    return say("no memory bank answers at {server}: another server listens there", server=server)


def _is_http2(first: bytes) -> bool:
    return first[3:4] == bytes([SETTINGS])


def _first_bytes(host: str, port: int) -> bytes:
    """Returns how an answer begins; nothing where none comes. Raises OSError where nothing listens."""
    with socket.create_connection((host, port), SECONDS) as opened:
        try:
            opened.sendall(HTTP2)
            return opened.recv(64)
        except OSError:
            return b""


def _speaks_tls(host: str, port: int) -> bool:
    """Checks whether a TLS handshake succeeds, whoever's the certificate is: nothing is said after it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection((host, port), SECONDS) as opened, context.wrap_socket(opened):
            return True
    except OSError:
        return False
