"""Lists read to their end."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from memorybank.v1 import types_pb2 as types
from memorybank_client import SyncMemoryBankClient


class Page(Protocol):
    """A response of a list call."""

    @property
    def next_page_token(self) -> str: ...


AnyPage = TypeVar("AnyPage", bound=Page)


def pages(read: Callable[[str], AnyPage]) -> Iterator[AnyPage]:
    """Yields all pages; `read` gets the token of each, the first one empty."""
    token = ""
    while True:
        page = read(token)
        yield page
        token = page.next_page_token
        if not token:
            return


def conflicts(
    client: SyncMemoryBankClient, bank_id: str, *statuses: types.ConflictStatus.ValueType
) -> Iterator[types.Conflict]:
    """Yields a bank's conflicts, oldest first; the open ones unless statuses are named."""
    for page in pages(
        lambda token: client.list_conflicts(bank_id=bank_id, statuses=statuses, page_token=token)
    ):
        yield from page.conflicts


def merges(client: SyncMemoryBankClient, bank_id: str, node_id: str) -> Iterator[types.MergeRecord]:
    """Yields what a node absorbed, newest first."""
    for page in pages(lambda token: client.get_lineage(bank_id=bank_id, node_id=node_id, page_token=token)):
        yield from page.merges
