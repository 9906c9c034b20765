"""Trims what is old: entries of the feed, and answers to requests.

Law: what is old is looked up in a read, so that no write waits for that; then it goes by its key, a batch at a time,
between other writes.
"""

from collections.abc import Mapping

from service.adapters.store.database import Database, GuardedStatement
from service.adapters.store.rows import Row

AT_ONCE = 200  # rows to one transaction, which takes some milliseconds


async def trimmed(database: Database, queries: Mapping[str, str], table: str, before: int) -> int:
    """Removes the rows of the table from before a time, the oldest first. Returns how many."""
    total = since = 0
    while True:
        row: Row = {"since": since, "before": before, "limit": AT_ONCE}
        old = await database.fetch(queries[f"old_{table}"], row)
        if old:
            (gone,) = await database.write(
                [GuardedStatement(queries[f"trim_{table}"], [tuple(each) for each in old])]
            )
            total, since = total + gone, old[-1][-1]
        if len(old) < AT_ONCE:
            return total
