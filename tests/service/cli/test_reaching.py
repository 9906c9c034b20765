"""Why a command reaches no memory bank, said in a line, with what to do about it."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from service.cli import main
from tests.support.shell import Ended, Shell

COMMANDS = (
    ["status"],
    ["search", "ferry"],
    ["remember", "The ferry leaves at nine."],
    ["show", "banks"],
    ["facts", "search", "ferry", "--user", "ada"],
    ["conversation", "show", "c1", "--user", "ada"],
    ["context", "ferry", "--user", "ada"],
    ["instructions", "list", "user:ada"],
    ["user", "show", "ada"],
    ["watch"],
    ["export", "-"],
    ["purge", "--bank", "b", "--yes"],
    ["mcp", "--user", "ada"],
    ["probe"],
)


def asked(words: list[str], server: str, **environment: str) -> Ended:
    ended = CliRunner().invoke(
        main, words, env={"MEMORYBANK_SERVER": server, "COLUMNS": "200", **environment}
    )
    assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
    return Ended(exit_code=ended.exit_code, out=ended.stdout, err=ended.stderr)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_url_is_no_address_for_any_command(words: list[str]) -> None:
    ended = asked(words, "http://127.0.0.1:7700")

    assert ended.err == (
        "memorybank: 'http://…' is a URL, and an address is HOST:PORT: write 127.0.0.1:7700\n"
    )
    assert (ended.exit_code, ended.out) == (2, "")


def test_with_json_the_same_is_said_as_json() -> None:
    ended = asked(["status", "--json"], "http://127.0.0.1:7700")

    assert ended.error["exit_code"] == 2
    assert "write 127.0.0.1:7700" in ended.error["message"]


def test_a_host_that_is_not_there_is_named() -> None:
    ended = asked(["status"], "nowhere.invalid:7700")

    assert ended.err.splitlines()[0] == "memorybank: there is no host nowhere.invalid"
    assert ended.exit_code == 3


def test_a_server_of_http_1_is_told_from_one_that_is_not_there() -> None:
    class Pages(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Says nothing."""

    web = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=web.serve_forever)
    thread.start()
    try:
        ended = asked(["status"], f"127.0.0.1:{web.server_port}")
    finally:
        web.shutdown()
        thread.join()
        web.server_close()

    assert "speaks HTTP/1, and a memory bank speaks gRPC" in ended.err.splitlines()[0]
    assert ended.exit_code == 3


def test_a_server_that_expects_tls_is_told() -> None:
    with tls() as port:
        ended = asked(["status"], f"127.0.0.1:{port}")

    assert (
        ended.err.splitlines()[0]
        == f"memorybank: 127.0.0.1:{port} expects TLS: name what to trust with --tls-ca"
    )
    assert ended.exit_code == 3


def test_a_server_without_tls_that_is_called_by_tls_is_told(shell: Shell) -> None:
    ended = asked(["status", "--tls-ca", "system"], shell.server)

    assert ended.err.splitlines()[-2:] == [
        f"memorybank: {shell.server} speaks without TLS, and was called by TLS",
        "  leave out --tls-ca (or MEMORYBANK_TLS_CA), or name the address of a server with a certificate",
    ]
    assert ended.exit_code == 3


def test_what_answers_goes_on_answering(shell: Shell) -> None:
    assert "answers" in asked(["status"], shell.server).out


@contextmanager
def tls() -> Iterator[int]:
    """A gRPC server that takes encrypted connections alone, with a certificate of its own."""
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([_certificate()]))
    server.start()
    yield port
    server.stop(None).wait()


def _certificate() -> tuple[bytes, bytes]:
    """Makes a key, and a certificate that it signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain), made.public_bytes(pem)
