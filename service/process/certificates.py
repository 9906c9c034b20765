"""The server's certificate and its key, read again whenever the files have changed.

Law: a pair that does not fit is logged and left; the last good one stays in use. TLS 1.2 at the least, as gRPC has it.
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import grpc
import structlog

from service.config import ConfigurationError

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.tls")

FIGURES = {
    "memorybank_tls_expiry_seconds": "Until the certificate expires, in seconds; negative: since it has."
}
NEVER_READ = float("nan")
CONTEXT, UTC_TIME = 0xA0, 0x17  # tags of DER

Stamp = tuple[int, int]
"""When the two files were last written, in nanoseconds."""


@dataclass(slots=True)
class Certificates:
    """A certificate chain and its private key, both PEM, as one server uses them. It is asked before each handshake, in
    a thread of gRPC's."""

    certificate: Path
    key: Path
    _read: Stamp | None = field(default=None, init=False)

    def credentials(self) -> grpc.ServerCredentials:
        """Returns credentials that follow the files. Raises ConfigurationError where they cannot be used now."""
        try:
            stamp = self._stamp()
            pair = self._pair()
        except (OSError, ssl.SSLError) as unusable:
            raise ConfigurationError(
                f"cannot use tls.certificate {self.certificate} with tls.key {self.key}: {unusable}"
            ) from None
        self._read = stamp
        return grpc.dynamic_ssl_server_credentials(_configured(pair), self._changed)  # type: ignore[arg-type]  # None is meant for no change

    def _changed(self) -> "grpc.ServerCertificateConfiguration | None":
        """Returns the pair where it is another than before; None: the one in use stays."""
        try:
            stamp = self._stamp()
            if stamp == self._read:
                return None
            self._read = stamp  # a pair that does not fit is tried again when it is written again
            pair = self._pair()
        except (OSError, ssl.SSLError) as unusable:
            log.warning("certificate not read again", certificate=str(self.certificate), error=str(unusable))
            return None
        log.info("certificate read again", certificate=str(self.certificate))
        return _configured(pair)

    def _stamp(self) -> Stamp:
        return self.certificate.stat().st_mtime_ns, self.key.stat().st_mtime_ns

    def _pair(self) -> tuple[bytes, bytes]:
        """Raises OSError, SSLError: the files cannot be read, or the key is not the certificate's."""
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key)
        return self.key.read_bytes(), self.certificate.read_bytes()


def _configured(pair: tuple[bytes, bytes]) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([pair])


def expiry(certificate: Path) -> Mapping[str, float]:
    """Returns how long the first certificate of the file is valid yet. Any thread may call it."""
    try:
        left = (_not_after(certificate) - datetime.now(UTC)).total_seconds()
    except (OSError, ValueError, IndexError):
        left = NEVER_READ
    return dict.fromkeys(FIGURES, left)


def _not_after(certificate: Path) -> datetime:
    """Reads the end of a certificate's validity (RFC 5280, 4.1). Raises OSError, ValueError, IndexError."""
    pem = certificate.read_text(encoding="ascii")
    der = ssl.PEM_cert_to_DER_cert(pem[: pem.index(ssl.PEM_FOOTER) + len(ssl.PEM_FOOTER)].strip())
    _, signed, _ = _element(der, _element(der, 0)[1])  # Certificate, its TBSCertificate
    tag, _, end = _element(der, signed)
    if tag == CONTEXT:  # the version, where it is given
        _, _, end = _element(der, end)
    for _ in range(2):  # after the serial number: signature's algorithm, issuer
        _, _, end = _element(der, end)
    _, validity, _ = _element(der, end)
    _, _, until = _element(der, validity)  # the first of two times: from when it is valid
    tag, start, end = _element(der, until)
    form = "%y%m%d%H%M%SZ" if tag == UTC_TIME else "%Y%m%d%H%M%SZ"
    return datetime.strptime(der[start:end].decode("ascii"), form).replace(tzinfo=UTC)


def _element(der: bytes, at: int) -> tuple[int, int, int]:
    """Returns the tag of the element there, and where its content begins and ends."""
    tag, size, start = der[at], der[at + 1], at + 2
    if size & 0x80:
        count = size & 0x7F
        size, start = int.from_bytes(der[start : start + count]), start + count
    return tag, start, start + size
