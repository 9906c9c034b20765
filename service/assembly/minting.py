"""API keys made and kept by whoever has the store: their secret is given to its holder once, and stored nowhere.

Law: needs no server. One that runs learns of every change from the store.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from core.ids import Tenant
from core.index.giving_way import at_once
from core.model.access import ApiKey, Binding, Scope
from core.ports.credentials import Credentials
from service.api.access.tokens import digest_of, new_token
from service.assembly.stores import open_store
from service.config import ConfigurationError, Settings

NO_STORE = "store.kind is memory: API keys would go with this process; set store.kind to sqlite, or store.url"


@asynccontextmanager
async def credentials_of(settings: Settings) -> AsyncIterator[Credentials]:
    """Yields the API keys of the configured store. Raises ConfigurationError, StoreUnavailable."""
    if settings.store.kind == "memory":
        raise ConfigurationError(NO_STORE)
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    store = await open_store(settings, at_once)
    try:
        yield store.credentials
    finally:
        await store.close()


async def mint(
    credentials: Credentials,
    *,
    tenant: Tenant,
    subject: str,
    scopes: frozenset[Scope],
    binding: Binding,
    creator: str,
    now: datetime,
    lifetime: timedelta,
) -> tuple[ApiKey, str]:
    """Makes and stores a key; returns it, and the secret. Without a subject the key is its own."""
    key_id, token = new_token()
    key = ApiKey(
        key_id=key_id,
        tenant=tenant,
        subject=subject or key_id,
        digest=digest_of(token),
        scopes=tuple(sorted(scopes)),
        binding=binding,
        creator=creator,
        create_time=now,
        expire_time=now + lifetime,
    )
    await credentials.add(key)
    return key, token


async def rotate(
    credentials: Credentials,
    key: ApiKey,
    *,
    creator: str,
    now: datetime,
    lifetime: timedelta,
    overlap: timedelta,
) -> tuple[ApiKey, str]:
    """Makes a key that is like another, of the same subject, so that requests are repeated across the change. The other
    one goes on for `overlap`."""
    key_id, token = new_token()
    successor = replace(
        key,
        key_id=key_id,
        digest=digest_of(token),
        creator=creator,
        create_time=now,
        expire_time=now + lifetime,
        revoke_time=None,
        last_used=None,
    )
    await credentials.add(successor)
    await credentials.shorten(key.key_id, now + overlap)
    return successor, token
