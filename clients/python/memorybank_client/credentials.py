"""The client's own credential, and what it takes for the server's.

Law: an API key is read from a file that nobody else can read, and leaves this machine over TLS alone. Neither a message
nor a representation of anything shows it.
"""

import ipaddress
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

import grpc

KEY_FILE_VARIABLE = "MEMORYBANK_API_KEY_FILE"
TLS_CA_VARIABLE = "MEMORYBANK_TLS_CA"
AUTHORIZATION = "authorization"
SYSTEM = "system"
"""In the place of a file: the authorities that this machine trusts."""

KEY = re.compile(r"[!-~]{1,4096}", re.ASCII)
LOCAL_SCHEME = re.compile(r"unix(-abstract)?:")
SCHEME = re.compile(r"(?:dns:(?://[^/]*)?/?|ipv4:|ipv6:)")
PORT = re.compile(r":\d+$")


def bearer_of(key_file: str | os.PathLike[str] | None) -> tuple[tuple[str, str], ...]:
    """Returns the metadata of the key in this file, or in the one that the environment names; none without either.
    Raises ValueError, OSError."""
    named = key_file if key_file is not None else os.environ.get(KEY_FILE_VARIABLE)
    return bearer(read_key(Path(named))) if named else ()


def bearer(key: str) -> tuple[tuple[str, str], ...]:
    """Returns the metadata of a key. Raises ValueError."""
    if not KEY.fullmatch(key):
        raise ValueError("an API key is one word of printable ASCII, as `memorybank keys create` shows it")
    return ((AUTHORIZATION, f"Bearer {key}"),)


def read_key(file: Path) -> str:
    """Returns the API key in a file. Raises ValueError for one that others can read, OSError."""
    with file.open("rb") as opened:
        mode = os.fstat(opened.fileno()).st_mode
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ValueError(f"{file} holds an API key, and others can read it: chmod 600 {file}")
        return opened.read(8_192).decode("ascii", "replace").strip()


def channel_credentials(tls_ca: str | os.PathLike[str] | None) -> grpc.ChannelCredentials | None:
    """Returns credentials that trust the authorities in a file of PEM, or in the one that the environment names; None
    without either. Raises OSError."""
    named = tls_ca if tls_ca is not None else os.environ.get(TLS_CA_VARIABLE)
    if not named:
        return None
    roots = None if str(named) == SYSTEM else Path(named).read_bytes()
    return grpc.ssl_channel_credentials(root_certificates=roots)


def require_private(target: str, metadata: Iterable[tuple[str, object]]) -> None:
    """Raises ValueError where a credential would leave this machine unencrypted."""
    if any(name == AUTHORIZATION for name, _ in metadata) and not is_within_machine(target):
        raise ValueError(
            f"the API key would reach {target} unencrypted: name the server's authorities with tls_ca (--tls-ca, "
            f"{TLS_CA_VARIABLE}), or say plaintext_key=True where a proxy on the way encrypts"
        )


def is_within_machine(target: str) -> bool:
    """Whether what is sent to a target of gRPC's stays on this machine, for all that its name tells."""
    if LOCAL_SCHEME.match(target):
        return True
    host = PORT.sub("", SCHEME.sub("", target, count=1)).strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
