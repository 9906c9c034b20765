"""`memorybank certs`: a certificate for trying TLS, of an authority made on the spot."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

NAMES = ("localhost", "127.0.0.1", "::1")
DAYS = 30
CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@click.group()
def certs() -> None:
    """Make certificates for trying TLS."""


@certs.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A further name or address of the server. Repeatable.",
)
def dev(folder: Path, hosts: tuple[str, ...]) -> None:
    """Write a server's certificate and key into DIR, and the authority to trust; valid for a month. It takes openssl.

    \b
    Example:
      memorybank certs dev tls
      MEMORYBANK_TLS__CERTIFICATE=tls/server.pem MEMORYBANK_TLS__KEY=tls/server.key memorybank serve
      memorybank status --tls-ca tls/ca.pem
    """
    if shutil.which("openssl") is None:
        raise click.ClickException(
            "there is no openssl on the path: install it, or bring a certificate of your own"
        )
    if any((folder / name).exists() for name in ("ca.pem", "server.pem", "server.key")):
        raise click.ClickException(f"{folder} has certificates already: name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    previous = os.umask(0o077)
    try:
        make(folder, (*NAMES, *hosts))
    except subprocess.CalledProcessError as failed:
        click.echo(f"memorybank: openssl: {failed.stderr.decode(errors='replace').strip()}", err=True)
        sys.exit(1)
    finally:
        os.umask(previous)
    click.echo(f"{folder / 'server.pem'}, {folder / 'server.key'}, {folder / 'ca.pem'}")


def make(folder: Path, hosts: tuple[str, ...]) -> None:
    """Makes an authority, whose key is thrown away, and a certificate of it. Raises CalledProcessError."""
    ca, ca_key, request = folder / "ca.pem", folder / "ca.key", folder / "server.csr"
    named = ",".join(f"IP:{host}" if _is_address(host) else f"DNS:{host}" for host in hosts)
    extensions = folder / "server.ext"
    extensions.write_text(f"subjectAltName={named}\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n")
    try:
        _openssl(
            *("req", "-x509", *CURVE, "-days", str(DAYS), "-subj", "/CN=memorybank dev authority"),
            *("-keyout", ca_key, "-out", ca),
        )
        _openssl("req", *CURVE, "-subj", "/CN=memorybank", "-keyout", folder / "server.key", "-out", request)
        _openssl(
            *("x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial"),
            *("-days", str(DAYS), "-extfile", extensions, "-out", folder / "server.pem"),
        )
    finally:
        for left in (ca_key, request, extensions, folder / "ca.srl"):
            left.unlink(missing_ok=True)


def _is_address(host: str) -> bool:
    return host.replace(".", "").isdigit() or ":" in host


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)  # noqa: S603, S607  the machine's own openssl
