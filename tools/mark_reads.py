"""Writes the names of the calls that only read into Envoy's file and the chart's, as the contract marks them.

`make access` runs it; a test compares both files with the contract.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import MethodOptions

from memorybank.v1 import (
    conversation_pb2,
    deep_retrieval_pb2,
    instructions_pb2,
    long_term_pb2,
    memory_bank_pb2,
    operations_pb2,
    query_graph_pb2,
    retrieval_pb2,
)

DEPLOY = Path(__file__).parents[1] / "deploy"
FILES = (DEPLOY / "envoy" / "envoy.yaml", DEPLOY / "helm" / "memorybank" / "templates" / "istio.yaml")
MODULES = (
    conversation_pb2,
    deep_retrieval_pb2,
    instructions_pb2,
    long_term_pb2,
    memory_bank_pb2,
    operations_pb2,
    query_graph_pb2,
    retrieval_pb2,
)
PATTERN = re.compile(r'("/memorybank\[\.\]v1\[\.\]\[A-Za-z\]\+/\()\\\n( +)[^"]*\)"')
WIDTH = 80


def reads() -> list[str]:
    """Returns the names of all calls without side effects, in order."""
    services = (each for module in MODULES for each in module.DESCRIPTOR.services_by_name.values())
    methods = (method for service in services for method in service.methods)
    return sorted(
        each.name for each in methods if each.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
    )


def _lines(names: list[str]) -> Iterator[str]:
    line = ""
    for piece in "|".join(names).replace("|", "|\n").splitlines():
        if len(line) + len(piece) > WIDTH:
            yield line
            line = ""
        line += piece
    yield line


def write() -> None:
    """Writes them."""
    for file in FILES:
        text = file.read_text(encoding="utf-8")

        def listed(found: re.Match[str]) -> str:
            lines = (f"{found[2]}{line}" for line in _lines(reads()))
            return f"{found[1]}\\\n" + "\\\n".join(lines) + ')"'

        file.write_text(PATTERN.sub(listed, text), encoding="utf-8")


if __name__ == "__main__":
    write()
