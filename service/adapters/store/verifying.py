"""Checks what a load does not read of an aggregate against its checksums: its feed, its requests, all its vectors."""

from collections.abc import Mapping

from core.aggregate.codec import micros
from core.keys import Key
from core.model.request import RequestRecord
from service.adapters.store.checksums import check, check_row, checksum, seed_of
from service.adapters.store.database import Connection
from service.adapters.store.owned import OwnedTables
from service.adapters.store.rows import Row


def request_checksum(key: Key, request: RequestRecord) -> int:
    row = (request.request_id, request.verb, request.digest, micros(request.create_time), request.revision)
    return checksum(seed_of(key), row, request.answer)


def verify_rows(
    queries: Mapping[str, str], tables: OwnedTables, key: Key, owner: Row, connection: Connection
) -> None:
    """Checks every row that a load passes over. Raises MemoryDamaged."""
    seed = seed_of(key)
    for row in connection.execute(queries["all_changes"], owner):
        check_row(key, "changes", seed, row)
    for *cells, answer, kept in connection.execute(queries["all_requests"], owner):
        check(key, "requests", kept, checksum(seed, cells, answer))
    tables.verify(connection, key)
    for row in connection.execute(queries["all_vectors"], owner):
        tables.check_vector(key, row)
