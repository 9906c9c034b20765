"""Nodes whose words have changed since they were embedded: what tells them apart, and what finds them again.

Law: pure. The bank's record lists them. A program that knows no list drops it when it writes the record. The outcomes
of clusters, which nothing rewrites, name each such node with a checksum of the vector that it had: a node that still
has this vector waits.
"""

from collections.abc import Callable, Container, Iterable
from dataclasses import replace
from zlib import crc32

import numpy as np

from core.ids import NodeId
from core.model.bank import BankRecord
from core.model.structuring import ClusterWork
from core.model.vector import Vector


def checksum(vector: Vector | None) -> int:
    """Returns what tells a vector from the ones that come after it."""
    return 0 if vector is None else crc32(np.ascontiguousarray(vector).tobytes())


def relisted(
    record: BankRecord,
    clusters: Iterable[ClusterWork],
    nodes: Container[NodeId],
    vector_of: Callable[[NodeId], Vector | None],
) -> BankRecord:
    """Returns the record with its list, made again where a program that knows none wrote the record last. `clusters`
    and `nodes` are those of the bank."""
    if record.lists_unembedded:
        return record
    outcomes = [cluster.outcome for cluster in clusters if cluster.outcome is not None]
    marks = [mark for outcome in outcomes for mark in outcome.reworded.items()]
    found = {n: mark for n, mark in marks if n in nodes and checksum(vector_of(n)) == mark}
    if not found:
        return record
    return replace(
        record,
        unembedded={**record.unembedded, **found},
        lists_unembedded=True,
        due_time=record.due_time or record.update_time,
    )
