"""The server's certificate and its key, read again whenever the files have changed.

Law: a pair that does not fit is logged and left; the last good one stays in use. TLS 1.2 at the least, as gRPC has it.
"""

import ssl
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import structlog

from service.config import ConfigurationError

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.tls")

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
