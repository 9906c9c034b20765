"""Writes the table of all RPCs in docs/access.md: what each needs and names, as the contract's options tell them.

`make access` runs it; a test compares what it writes with what lies there.
"""

from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor import Descriptor, MethodDescriptor

from memorybank.v1 import (
    access_pb2,
    conversation_pb2,
    deep_retrieval_pb2,
    instructions_pb2,
    long_term_pb2,
    memory_bank_pb2,
    operations_pb2,
    query_graph_pb2,
    retrieval_pb2,
)

PAGE = Path(__file__).parents[1] / "docs" / "access.md"
BEGIN, END = "<!-- what follows is written by `make access` -->\n", "<!-- until here -->\n"
MODULES = (
    memory_bank_pb2,
    query_graph_pb2,
    retrieval_pb2,
    deep_retrieval_pb2,
    instructions_pb2,
    conversation_pb2,
    long_term_pb2,
    operations_pb2,
)
BOUND = (access_pb2.NAME_USER, access_pb2.NAME_BANK, access_pb2.NAME_COLLECTION, access_pb2.NAME_OWNER)
WHOLE = "all of the user: no key with a list"
TENANT = "all of the tenant: no key that is bound"
ADMIN = "`admin` too, unless bound to a user"


def page() -> str:
    """Returns the page with the table anew."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


def table() -> str:
    lines = ["| RPC | Scopes | Fields that a bound key is held to | Beside |", "|---|---|---|---|"]
    for module in MODULES:
        for service in module.DESCRIPTOR.services_by_name.values():
            lines.append(f"| **{service.name}** | | | |")
            lines += map(_line, service.methods)
    return "\n".join(lines) + "\n"


def _line(method: MethodDescriptor) -> str:
    access = method.GetOptions().Extensions[access_pb2.access]
    scopes = " ".join(
        f"`{access_pb2.Scope.Name(scope).removeprefix('SCOPE_').lower()}`" for scope in access.scopes
    )
    fields = " ".join(f"`{path}`" for path in named(method.input_type))
    told = {WHOLE: access.whole_user, ADMIN: access.admin_unless_bound, TENANT: access.whole_tenant}
    beside = "; ".join(text for text, holds in told.items() if holds)
    return f"| `{method.name}` | {scopes} | {fields} | {beside} |"


def named(message: Descriptor, path: str = "", around: tuple[str, ...] = ()) -> Iterator[str]:
    """Yields the paths of the fields of a request that name what a key may be bound to."""
    for field in message.fields:
        if field.GetOptions().Extensions[access_pb2.names] in BOUND:
            yield path + field.name
        inner = field.message_type
        if inner is not None and not inner.GetOptions().map_entry and inner.full_name not in around:
            yield from named(inner, f"{path}{field.name}.", (*around, message.full_name))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
