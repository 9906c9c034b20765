"""`memorybank keys`: API keys, made and revoked on the store itself. `memorybank auth`: no more asking for them."""

import asyncio
import getpass
import json
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import click

from core.caller import DEFAULT_TENANT
from core.errors import MemoryBankError
from core.ids import Tenant, User, is_id
from core.model.access import ApiKey, Binding, Scope, bank_prefix_of
from core.ports.credentials import Credentials
from service.assembly.minting import credentials_of, mint, rotate
from service.config import ConfigurationError, load_settings
from service.process.audit import tell_once

LIFETIME_DAYS = 90
OVERLAP_HOURS = 24
OWNER_LEVELS = ("user", "agent", "project")

DATA = click.option("--data", metavar="DIR", type=click.Path(path_type=Path), help="Where banks are kept.")
CONFIG = click.option(
    "--config", metavar="FILE", type=click.Path(path_type=Path), help="Settings over the packaged ones."
)
OUT = click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the key to a new file that you alone can read.",
)
DAYS = click.option(
    "--days",
    type=click.IntRange(1, 3_650),
    default=LIFETIME_DAYS,
    show_default=True,
    help="How long it is valid.",
)
KEY_ID = click.argument("key_id", metavar="ID")


Tell = Callable[..., None]
"""Writes a line of the audit."""


@click.group()
def keys() -> None:
    """Make, list, rotate and revoke API keys. Needs no server, and may run beside one.

    With the first key every server on this store begins to ask for one, within a second; only `memorybank auth off`
    stops that.

    \b
    Examples:
      memorybank keys create --scopes read,write --user ada --out ada.key
      memorybank keys list
      memorybank keys rotate 5f0c2a9d1e7b3c44 --out ada.key.new
      memorybank keys revoke 5f0c2a9d1e7b3c44
    """


@keys.command()
@click.option(
    "--scopes",
    default="read,write",
    show_default=True,
    help=f"What it may do, with commas between: {', '.join(Scope)}.",
)
@click.option(
    "--subject",
    default="",
    metavar="NAME",
    help="Who calls with it; a rotated key keeps it. Default: its id.",
)
@click.option("--tenant", default=DEFAULT_TENANT, show_default=True, metavar="ID", help="Whose memory.")
@click.option("--user", default="", metavar="NAME", help="Only this user's memory.")
@click.option(
    "--bank-prefix",
    default="",
    metavar="TEXT",
    help="Only banks whose ids begin so. With --user: one of the user's own.",
)
@click.option("--bank", "banks", multiple=True, metavar="ID", help="Only this bank, and others so named.")
@click.option(
    "--collection",
    "collections",
    multiple=True,
    metavar="NAME",
    help="Only this collection, and others so named.",
)
@click.option(
    "--owner",
    "owners",
    multiple=True,
    metavar="LEVEL/NAME",
    help="Only documents of this owner, and others so named: agent/planner, project/aurora, user/ada, tenant.",
)
@DAYS
@OUT
@CONFIG
@DATA
def create(
    scopes: str,
    subject: str,
    tenant: str,
    user: str,
    bank_prefix: str,
    banks: tuple[str, ...],
    collections: tuple[str, ...],
    owners: tuple[str, ...],
    days: int,
    out: Path | None,
    config: Path | None,
    data: Path | None,
) -> None:
    """Make an API key. It is shown once, or written to --out, and stored nowhere."""
    _require_names(tenant, bank_prefix, banks, owners)
    binding = Binding(
        user=User(user) if user else None,
        bank_prefix=bank_prefix or (bank_prefix_of(User(user)) if user else ""),
        banks=banks or None,
        collections=collections or None,
        owners=owners or None,
    )
    wanted = _scopes(scopes)

    async def act(credentials: Credentials, tell: Tell) -> None:
        key, token = await mint(
            credentials,
            tenant=Tenant(tenant),
            subject=subject,
            scopes=wanted,
            binding=binding,
            creator=getpass.getuser(),
            now=datetime.now(UTC),
            lifetime=timedelta(days=days),
        )
        tell("key created", key_id=key.key_id, tenant=key.tenant, subject=key.subject)
        _hand_over(key, token, out)

    _require_new(out)
    _on_store(act, config, data)


@keys.command("list")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON, one key a line.")
@CONFIG
@DATA
def list_(as_json: bool, config: Path | None, data: Path | None) -> None:
    """List all API keys, oldest first. Nothing that is shown opens anything."""

    async def act(credentials: Credentials, _: Tell) -> None:
        asking, now = await credentials.asking(), datetime.now(UTC)
        for key in await credentials.listed():
            plain = _plain(key, now)
            click.echo(json.dumps(plain, ensure_ascii=False) if as_json else _line(plain))
        if not as_json:
            click.echo(
                "calls are asked for an API key" if asking.is_on else "calls are not asked for an API key"
            )

    _on_store(act, config, data)


@keys.command("rotate")
@KEY_ID
@click.option(
    "--overlap-hours",
    type=click.FloatRange(min=0, max=24 * 90),
    default=OVERLAP_HOURS,
    show_default=True,
    help="How long the old key goes on.",
)
@DAYS
@OUT
@CONFIG
@DATA
def rotate_(
    key_id: str, overlap_hours: float, days: int, out: Path | None, config: Path | None, data: Path | None
) -> None:
    """Make a key like the one of ID, for the same subject; both are valid for a while."""

    async def act(credentials: Credentials, tell: Tell) -> None:
        now, key = datetime.now(UTC), await _found(credentials, key_id)
        if not key.is_valid(now):
            raise ConfigurationError(f"{key_id} is revoked or has expired: make another with `keys create`")
        successor, token = await rotate(
            credentials,
            key,
            creator=getpass.getuser(),
            now=now,
            lifetime=timedelta(days=days),
            overlap=timedelta(hours=overlap_hours),
        )
        tell("key rotated", key_id=key_id, successor=successor.key_id, tenant=key.tenant, subject=key.subject)
        _hand_over(successor, token, out)

    _require_new(out)
    _on_store(act, config, data)


@keys.command()
@KEY_ID
@CONFIG
@DATA
def revoke(key_id: str, config: Path | None, data: Path | None) -> None:
    """Refuse the key of ID, for ever; every server on this store does so within a second."""

    async def act(credentials: Credentials, tell: Tell) -> None:
        key = await _found(credentials, key_id)
        await credentials.revoke(key_id, datetime.now(UTC))
        tell("key revoked", key_id=key_id, tenant=key.tenant, subject=key.subject)
        click.echo(f"revoked {key_id}")

    _on_store(act, config, data)


@click.group()
def auth() -> None:
    """Stop asking for API keys."""


@auth.command()
@click.option("--yes", is_flag=True, help="Do it without being asked.")
@CONFIG
@DATA
def off(yes: bool, config: Path | None, data: Path | None) -> None:
    """Answer every call on this store without an API key, until another is made. Keys stay as they are."""
    if not yes:
        click.confirm(
            "Whoever reaches a server on this store may then read and change everything. Go on?", abort=True
        )

    async def act(credentials: Credentials, tell: Tell) -> None:
        await credentials.stop_asking()
        tell("asking stopped")
        click.echo("calls are not asked for an API key any more, unless auth.required is true")

    _on_store(act, config, data)


def _on_store(
    act: Callable[[Credentials, Tell], Awaitable[None]], config: Path | None, data: Path | None
) -> None:
    async def run() -> None:
        settings = load_settings(config, **({} if data is None else {"data_dir": data}))
        async with credentials_of(settings) as credentials:
            tell = partial(tell_once, settings.audit.file, creator=getpass.getuser())
            await act(credentials, tell)

    try:
        asyncio.run(run())
    except (ConfigurationError, MemoryBankError, OSError) as problem:
        click.echo(f"memorybank: {problem}", err=True)
        sys.exit(1)


async def _found(credentials: Credentials, key_id: str) -> ApiKey:
    key = await credentials.find(key_id)
    if key is None:
        raise ConfigurationError(f"there is no API key {key_id[:64]!r}: `memorybank keys list` names them")
    return key


def _scopes(named: str) -> frozenset[Scope]:
    try:
        return frozenset(Scope(name.strip()) for name in named.split(",") if name.strip())
    except ValueError:
        raise click.BadParameter(f"must be of {', '.join(Scope)}", param_hint="--scopes") from None


def _require_names(tenant: str, bank_prefix: str, banks: tuple[str, ...], owners: tuple[str, ...]) -> None:
    for option, value in (("--tenant", tenant), *(("--bank", bank) for bank in banks)):
        if not is_id(value):
            raise click.BadParameter(f"{value!r} is no id", param_hint=option)
    if bank_prefix and not is_id(bank_prefix):
        raise click.BadParameter("is nothing that an id begins with", param_hint="--bank-prefix")
    for owner in owners:
        level, _, name = owner.partition("/")
        if owner != "tenant" and not (level in OWNER_LEVELS and name):
            raise click.BadParameter("must be LEVEL/NAME, agent/planner say, or tenant", param_hint="--owner")


def _require_new(out: Path | None) -> None:
    if out is not None and out.exists():
        raise click.BadParameter(f"{out} is there already", param_hint="--out")


def _hand_over(key: ApiKey, token: str, out: Path | None) -> None:
    """Shows the secret, once; or writes it where its owner alone can read it."""
    if out is None:
        click.echo(token)
    else:
        with os.fdopen(
            os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii"
        ) as file:
            file.write(f"{token}\n")
    click.echo(f"API key {key.key_id}, valid until {key.expire_time:%Y-%m-%d}", err=True)


def _plain(key: ApiKey, now: datetime) -> dict[str, Any]:
    binding = {
        name: value
        for name in ("user", "bank_prefix", "banks", "collections", "owners")
        if (value := getattr(key.binding, name)) not in (None, "")
    }
    state = "revoked" if key.revoke_time else "valid" if key.is_valid(now) else "expired"
    return {
        "key_id": key.key_id,
        "state": state,
        "tenant": key.tenant,
        "subject": key.subject,
        "scopes": list(key.scopes),
        "binding": binding,
        "creator": key.creator,
        "created": f"{key.create_time:%Y-%m-%d}",
        "expires": f"{key.expire_time:%Y-%m-%d}",
        "last_used": f"{key.last_used:%Y-%m-%d}" if key.last_used else "",
    }


def _line(plain: dict[str, Any]) -> str:
    bound = " ".join(
        f"{name}={','.join(value) if isinstance(value, tuple) else value}"
        for name, value in plain["binding"].items()
    )
    used = f"last used {plain['last_used']}" if plain["last_used"] else "never used"
    scopes = ",".join(plain["scopes"])
    return (
        f"{plain['key_id']}  {plain['state']:7}  until {plain['expires']}  {scopes}  {bound or 'bound to nothing'}  "
        f"{plain['subject']}  {used}"
    )
