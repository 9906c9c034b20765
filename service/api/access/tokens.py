"""The written form of API keys: `mb_ID_SECRET`, the secret being 32 random bytes and their checksum.

Law: a key is known by its SHA-256 everywhere but with its holder. The checksum lets secret scanners tell a key from
other text, and spares a look-up for what was mistyped.
"""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable
from hashlib import sha256
from zlib import crc32

from service.api.errors.transport import Unauthenticated

PREFIX = "mb_"
ID_BYTES, SECRET_BYTES, CHECK_BYTES = 8, 32, 4
LONGEST = 128  # characters; a key has fewer
SCHEME = "bearer "
HEADER = "authorization"

MISSING = "the call has no API key: send `authorization: Bearer mb_…`"
UNKNOWN = "the API key is not valid"
SEVERAL = "the call has more than one credential"


def new_token() -> tuple[str, str]:
    """Returns the id of a new API key, and the whole key."""
    key_id = secrets.token_hex(ID_BYTES)
    secret = secrets.token_bytes(SECRET_BYTES)
    check = crc32(key_id.encode() + secret).to_bytes(CHECK_BYTES)
    return key_id, f"{PREFIX}{key_id}_{urlsafe_b64encode(secret + check).decode()}"


def digest_of(token: str) -> str:
    """Returns what is stored of a key."""
    return sha256(token.encode()).hexdigest()


def id_of(token: str) -> str:
    """Returns the id in a key; "" for what is none."""
    key_id, _, encoded = token.removeprefix(PREFIX).partition("_")
    if not token.startswith(PREFIX) or len(token) > LONGEST or len(key_id) != 2 * ID_BYTES:
        return ""
    try:
        raw = urlsafe_b64decode(encoded.encode("ascii"))
    except (NotBase64, ValueError):
        return ""
    secret, check = raw[:SECRET_BYTES], raw[SECRET_BYTES:]
    is_whole = len(raw) == SECRET_BYTES + CHECK_BYTES
    return key_id if is_whole and crc32(key_id.encode() + secret).to_bytes(CHECK_BYTES) == check else ""


def bearer_of(metadata: Iterable[tuple[str, str | bytes]]) -> str:
    """Returns the one bearer token of a call. Raises Unauthenticated."""
    found = [value for name, value in metadata if name == HEADER]
    if not found:
        raise Unauthenticated(MISSING)
    if len(found) > 1:
        raise Unauthenticated(SEVERAL)
    value = found[0]
    if not isinstance(value, str) or not value.lower().startswith(SCHEME) or "," in value:
        raise Unauthenticated(MISSING)
    return value[len(SCHEME) :].strip()
